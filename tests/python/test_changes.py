# tests/python/test_changes.py: parameters, maps, steps and values that change while a simulation goes on, against sums by hand
import pickle
import warnings

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
    assert sim.facts["stable_dt"] == pytest.approx(0.9 / (4 * 30), rel=0.01)
    sim.dt = 0.0075
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.advance(64)
    for wrong in (0, -1, np.nan, "x"):
        with pytest.raises(mottle.InputError):
            sim.dt = wrong


@pytest.mark.parametrize("change", [lambda sim: sim._set_parameter("D", 1.3), lambda sim: setattr(sim, "dt", 0.8)])
def test_short_advances_are_warned_of_it_too(change):
    sim = mottle.Simulation("equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'X'\n", size=(8, 8), dt=0.2)
    change(sim)
    with pytest.warns(mottle.MottleWarning, match="limit of explicit diffusion"):
        for _ in range(7):
            sim.advance(10)


def test_time_is_the_sum_of_all_steps():
    sim = mottle.Simulation("equations.u = 't'\ninitial.u = 0\n", size=(4, 4), dt=0.1, precision="f64", time=10)
    dt, time, sum = 0.1, 0.0, 0.0
    for i in range(30):
        sim.advance(1)
        sum += dt * time
        time += dt
        dt = 0.21 if i % 2 else 0.1
        sim.dt = dt
    assert sim.step == 30 and sim.time == pytest.approx(time, abs=1e-13) and sim["u"][0, 0] == pytest.approx(sum, abs=1e-12)
    assert sim.steps == 30 + round((10 - time) / dt)
    copy = sim.copy()
    assert (copy.step, copy.time, copy.steps) == (sim.step, sim.time, sim.steps)
    assert (copy.advance(5)["u"] == sim.advance(5)["u"]).all()
    assert list(sim.frames(every=7))[-1].time == pytest.approx(10, abs=dt / 2)
    assert sim.time == pytest.approx(10, abs=dt / 2)


def test_what_an_advance_by_a_time_leaves_over_is_carried_through_changes():
    sim = mottle.Simulation("equations.u = '-0.1*u'\ninitial.u = 1\n", size=(4, 4), dt=0.1, threads=1)
    for i in range(100):
        sim.dt = (0.1, 0.11)[i % 2]
        sim.advance(time=0.06)
        if i % 10 == 0:
            sim = sim.copy()
    assert sim.time == pytest.approx(6, abs=0.06)
    assert pickle.loads(pickle.dumps(sim)).advance(time=0.3).time == sim.advance(time=0.3).time


def test_noise_is_never_used_again():
    sim = mottle.Simulation("equations.u = 'white()'\ninitial.u = 0\n", size=(16, 16), dt=0.01, precision="f64", seed=3)

    def steps(n):
        made = []
        for _ in range(n):
            before = sim["u"]
            made.append((sim.advance(1)["u"] - before).ravel())
        return made

    first = steps(20)
    sim.dt = 0.1
    for now in steps(20):
        assert max(abs(np.corrcoef(now, each)[0, 1]) for each in first) < 0.35  # of 256 numbers: six standard deviations


def test_a_step_that_no_number_of_stages_allows_is_refused():
    sim = mottle.Simulation("equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'noise(0,1)'\n", size=(16, 16), method="rkl2", dt=2.0)
    with pytest.raises(mottle.InputError, match="no number of stages"):
        sim.dt = 2e7
    assert sim.dt == 2
    sim.D = 1e7
    with pytest.warns(mottle.MottleWarning, match="expect the run to diverge"), pytest.raises(mottle.DivergedError):
        sim.advance(1024)
    assert 0 < sim.facts["stable_dt"] < 2


def test_a_copy_has_the_maps_that_were_read(tmp_path):
    file = tmp_path / "m.png"
    mottle.Image(np.tile(np.arange(0, 256, 32, dtype=np.uint8)[None, :, None], (8, 1, 3))).save(file)
    sim = mottle.Simulation(f"equations.u = 'm'\nparameters.m = \"image('{file}')\"\ninitial.u = 0\n", size=(8, 8), dt=1)
    mottle.Image(np.zeros((8, 8, 3), np.uint8)).save(file)
    copy = sim.copy()
    assert (copy.advance(3)["u"] == sim.advance(3)["u"]).all() and sim["u"].max() > 1


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
    first_counts = np.array([1, 2, 3, 4, np.nan, np.nan])
    with pytest.warns(mottle.MottleWarning, match="vertices 0 and 4"):
        sim["u"] = first_counts
    with pytest.warns(mottle.MottleWarning, match="vertices 0 and 4"):
        mapped = mottle.Simulation("equations.u = 'm + 0*lap(u)'\nparameters.m = 0\ninitial.u = 0\n", mesh=mesh, dt=1, m=first_counts)
    with pytest.warns(mottle.MottleWarning, match="vertices 0 and 4"):
        mapped.m = first_counts
    assert mapped.advance(1)["u"][:5].tolist() == [1, 2, 3, 4, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(mottle.InputError, match="cannot be nan at vertex 0"):
            sim["u", 0:3] = np.nan
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
