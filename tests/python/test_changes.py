# tests/python/test_changes.py: parameters, maps, steps and values that change while a simulation goes on, against sums by hand
import pickle

import numpy as np
import pytest

import mottle

DECAY = "equations.u = '-k*u'\nparameters = { a = 1, k = '2*a' }\ninitial.u = 1\n"
MAPS = "equations.u = 'g'\nparameters = { c = 1, m = 'X', g = 'c*m' }\ninitial.u = 0\n"
TETRAHEDRON = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [5, 5, 5]], dtype=float),
               np.array([[4, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]))  # vertices 0 and 4 are one, and 5 has no face


def simulation(text, **keys):
    return mottle.Simulation(text, **{"size": (8, 1), "dt": 0.01, "precision": "f64", "threads": 1, **keys})


def test_what_is_computed_from_a_parameter_follows_it():
    sim = simulation(DECAY)
    sim.advance(10)
    sim.a = 5
    assert sim.k == 10 and dict(sim.parameters) == {"a": 5, "k": 10}
    sim.advance(10)
    assert sim["u"] == pytest.approx(0.98**10 * 0.9**10, abs=1e-15)
    sim.k = 3
    sim.a = 1
    assert sim.k == 3


@pytest.mark.parametrize("duplicate", [lambda sim: sim.copy(), lambda sim: pickle.loads(pickle.dumps(sim))])
def test_copies_know_what_was_set(duplicate):
    sim = simulation(DECAY)
    sim.a = 5
    copy = duplicate(sim)
    copy.a = 1
    assert copy.k == 2 and sim.k == 10
    sim.k = 7
    copy = duplicate(sim)
    copy.a = 1
    assert copy.k == 7
    sim.dt = 0.02
    sim.advance(3)
    copy = duplicate(sim)
    assert (copy.dt, copy.step) == (0.02, 3)
    assert (copy.advance(5)["u"] == sim.advance(5)["u"]).all()


@pytest.mark.parametrize("keys", [{}, {"dt": None, "tolerance": 1e-6, "time": 1}])
def test_a_map_takes_others_along(keys):
    m = np.arange(8.0).reshape(1, 8)
    keys = {name: value for name, value in {"dt": 0.01, **keys}.items() if value is not None}
    sim = mottle.Simulation(MAPS, size=(8, 1), precision="f64", threads=1, m=m, **keys)
    dt = sim.dt
    sim.advance(10)
    sim.m = 2 * m
    sim.advance(10)
    sim.c = 3
    sim.advance(10)
    assert sim["u"] == pytest.approx(m * 10 * dt * (1 + 2 + 6), abs=1e-12)
    copy = sim.copy()
    copy.c = sim.c = 4
    sim["m", 0, 3] = copy["m", 0, 3] = 100
    before = sim["u"]
    sim.advance(10)
    copy.advance(10)
    now = np.where(np.arange(8) == 3, 100, 2 * m)
    assert sim["u"] - before == pytest.approx(4 * now * 10 * dt, abs=1e-12) and copy["u"] == pytest.approx(sim["u"], abs=1e-12)
    with pytest.raises(mottle.InputError, match="cannot be nan at cell"):
        sim.m = np.where(m == 3, np.nan, m)
    assert (sim.m == now).all()


def test_a_step_that_is_too_long_now_is_warned_of_and_can_be_changed():
    sim = mottle.Simulation("equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 1\n", size=(8, 8))
    sim.D = 30
    with pytest.warns(mottle.MottleWarning, match="above 0.008333, the limit of explicit diffusion"):
        sim.advance(64)
    time = sim.time
    sim.dt = 0.0075
    assert sim.dt == 0.0075 and sim.time == pytest.approx(time, abs=0.004)
    sim.advance(64)
    for wrong in (0, -1, np.nan, "x"):
        with pytest.raises(mottle.InputError):
            sim.dt = wrong


def test_merged_vertices_have_one_value():
    mesh = mottle.Mesh(*TETRAHEDRON)
    text = "equations.u = '0*lap(u)'\ninitial.u = 1\n"
    sim = mottle.Simulation(text, mesh=mesh, dt=0.01)
    sim["u", 4] = 7
    assert sim["u"][0] == sim["u"][4] == 7 and (sim["u"][1:4] == 1).all() and np.isnan(sim["u"][5])
    sim["u", 0:5] = np.arange(5)  # of two for one place the last, as NumPy has it
    assert sim["u"][:5].tolist() == [4, 1, 2, 3, 4]
    with pytest.raises(mottle.InputError, match="vertex 5 has no u"):
        sim["u", 5] = 1
    sim["u"] = sim["u"] + 1  # NaN and all
    assert sim["u"][:5].tolist() == [5, 2, 3, 4, 5]
    with pytest.warns(mottle.MottleWarning, match="vertices 0 and 4 of the file are one vertex of the surface, but u has 0 and 4"):
        sim["u"] = np.arange(6.0)
    assert sim["u"][4] == 0
    again = mottle.Simulation(text, mesh=mesh, dt=0.01, initial={"u": sim["u"]})
    assert again["u"][:5].tolist() == sim["u"][:5].tolist()
    with pytest.warns(mottle.MottleWarning, match="one vertex of the surface"):
        mottle.Simulation(text, mesh=mesh, dt=0.01, initial={"u": np.arange(6.0)})
    with pytest.raises(mottle.InputError, match="contains nan as number 1"):
        mottle.Simulation(text, mesh=mesh, dt=0.01, initial={"u": np.array([0, np.nan, 2, 3, 0, 5])})


def test_what_a_region_leaves_out_is_no_vertex():
    sphere = mottle.Mesh.read("sphere:3")
    sim = mottle.Simulation("equations.u = '0*lap(u)'\ninitial.u = 1\nmesh.region = 'z > 0'\n", mesh=sphere, dt=0.01)
    south = np.argmin(sphere.vertices[:, 2])
    with pytest.raises(mottle.InputError, match=f"vertex {south} has no u"):
        sim["u", south] = 3
    sim["u", sphere.vertices[:, 0] > 0] = 2  # both halves
    north = np.flatnonzero((sphere.vertices[:, 0] > 0) & (sphere.vertices[:, 2] > 0.5))
    assert (sim["u"][north] == 2).all() and np.isnan(sim["u"][south])
