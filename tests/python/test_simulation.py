# tests/python/test_simulation.py: simulations beside plain loops of NumPy; fields in and out, parameters, maps, frames, copies
import copy
import pickle

import numpy as np
import pytest

import mottle
from conftest import GRAY_SCOTT, needs_jit


def lap(f):
    """The 5-point Laplacian of periodic cells of size 1."""
    return np.roll(f, 1, 0) + np.roll(f, -1, 0) + np.roll(f, 1, 1) + np.roll(f, -1, 1) - 4 * f


def gray_scott_loop(u, v, F, k, steps, Du=0.16, Dv=0.08, dt=1.0):
    for _ in range(steps):
        reaction = u * v * v
        u, v = u + dt * (Du * lap(u) - reaction + F * (1 - u)), v + dt * (Dv * lap(v) + reaction - (F + k) * v)
    return u, v


def f64(**more):
    return mottle.Simulation(GRAY_SCOTT, precision="f64", **more)


def test_steps_are_those_of_a_numpy_loop():
    sim = f64()
    u, v = gray_scott_loop(sim["u"], sim["v"], 0.035, 0.06, 100)
    sim.advance(steps=100)
    np.testing.assert_allclose(sim["u"], u, rtol=0, atol=1e-13)
    np.testing.assert_allclose(sim["v"], v, rtol=0, atol=1e-13)
    assert (sim.step, sim.time, sim.dt, sim.steps) == (100, 100.0, 1.0, 100)


def test_a_run_by_tolerance_advances_by_the_steps_asked_for():
    sim = f64(tolerance=1e-3, time=100)
    for steps in (5, 1, 100):
        before = sim.step
        sim.advance(steps=steps)
        assert sim.step == before + steps


def test_the_start_is_the_picture_that_the_text_draws():
    sim = f64()
    y, x = np.mgrid[0:16, 0:24] + 0.5
    disk = ((x - 12) ** 2 + (y - 8) ** 2 <= 25).astype(float)
    np.testing.assert_array_equal(sim["v"], 0.25 * disk)
    assert sim["v"].shape == sim.shape == (16, 24) and sim.size == (24, 16)


def test_fields_are_written_and_read(rng=np.random.default_rng(1)):
    sim = f64()
    u, v = rng.random((16, 24)), 0.3 * rng.random((16, 24))
    sim["u"], sim["v"] = u, v
    np.testing.assert_array_equal(sim["u"], u)
    sim.advance(7)
    np.testing.assert_allclose(sim["u"], gray_scott_loop(u, v, 0.035, 0.06, 7)[0], rtol=0, atol=1e-13)
    sim["u"] = 0.5
    assert (sim["u"] == 0.5).all() and (sim["v"] != 0.5).all()


@needs_jit
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("boundary", ["periodic", "no-flux"])
def test_wide_rows_that_are_cut_into_strips_take_arrays_as_whole_rows_do(precision, boundary, rng=np.random.default_rng(2)):
    u, v, rate = rng.random((7, 523)), 0.3 * rng.random((7, 523)).astype(np.float32), 0.02 + 0.04 * rng.random((7, 523))
    ends = []
    for schedule in ("strip=0", "strip=64 steps=4", "strip=100 steps=8 bands=2"):
        sim = mottle.Simulation(GRAY_SCOTT, size=(523, 7), precision=precision, boundary=boundary, schedule=schedule, F=rate, threads=2)
        sim["u"], sim["v"] = u, v  # float64 and float32
        np.testing.assert_array_equal(sim["u"], u.astype(sim["u"].dtype))
        np.testing.assert_array_equal(sim["v"], v)
        sim.advance(13)
        sim.F = rate[:, ::-1]
        sim["u"] = sim["u"]  # once more where a pass has ended
        ends.append(np.stack([*sim.advance(9).arrays().values(), sim.F]))
    np.testing.assert_array_equal(ends[1], ends[0])
    np.testing.assert_array_equal(ends[2], ends[0])


def test_parts_are_written_and_read():
    sim = f64()
    before = sim["u"]
    sim["u", 2:5, 3] = [7, 8, 9]
    before[2:5, 3] = [7, 8, 9]
    np.testing.assert_array_equal(sim["u"], before)
    np.testing.assert_array_equal(sim["u", 2:5, 3], [7, 8, 9])
    assert sim["u", 4, 3] == 9
    sim["u"][0, 0] = 100  # a copy
    assert sim["u", 0, 0] != 100


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32, np.uint8, bool, ">f8", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_every_type_and_order_are_taken(dtype, order):
    sim = f64()
    values = np.asarray(np.arange(16 * 24).reshape(16, 24) % 2, dtype=dtype, order=order)
    sim["u"] = values
    np.testing.assert_array_equal(sim["u"], values.astype(np.float64))
    sim["u"] = np.repeat(values, 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(sim["u"], values.astype(np.float64))
    values.flags.writeable = False
    sim["u"] = values  # reading from it is all that is done
    sim["u"] = values.tolist()


def test_reading_into_an_array_takes_no_other():
    sim = f64()
    out = np.empty((16, 24))
    assert sim.read("u", out) is out
    np.testing.assert_array_equal(out, sim["u"])
    single = np.empty((16, 24), np.float32)
    np.testing.assert_array_equal(sim.read("u", single), sim["u"].astype(np.float32))


def test_parameters_change_from_the_next_step_on():
    sim = f64()
    u, v = gray_scott_loop(sim["u"], sim["v"], 0.035, 0.06, 20)
    sim.advance(20)
    sim.F = 0.02
    sim.parameters["k"] = 0.05
    u, v = gray_scott_loop(u, v, 0.02, 0.05, 20)
    sim.advance(20)
    np.testing.assert_allclose(sim["v"], v, rtol=0, atol=1e-13)
    assert sim.F == 0.02 and dict(sim.parameters) == {"Du": 0.16, "Dv": 0.08, "F": 0.02, "k": 0.05}
    assert "F" in dir(sim)


def test_arrays_are_maps_and_starts():
    y, x = np.mgrid[0:16, 0:24]
    F = 0.02 + 0.001 * x + 0.0005 * y
    u = 1 - 0.5 * (np.hypot(x - 7, y - 5) < 4)
    sim = f64(F=F, u=u, initial={"v": 0.25 * (u < 1)})
    np.testing.assert_array_equal(sim["u"], u)
    np.testing.assert_array_equal(sim.F, F)
    expected = gray_scott_loop(u, 0.25 * (u < 1), F, 0.06, 50)
    sim.advance(50)
    np.testing.assert_allclose(sim["u"], expected[0], rtol=0, atol=1e-13)
    sim.F = F[::-1]
    expected = gray_scott_loop(*expected, F[::-1], 0.06, 50)
    sim.advance(50)
    np.testing.assert_allclose(sim["v"], expected[1], rtol=0, atol=1e-13)
    sim.F = 0.03  # the same everywhere
    assert (sim.F == 0.03).all()


def test_names_of_parameters_may_be_those_of_methods():
    text = "equations.u = '0*u + advance'\nparameters = {advance = 1, video = 2}\ninitial.u = 0\ntime.dt = 1\ngrid.size = '4x4'\n"
    sim = mottle.Simulation(text, advance=3)
    assert callable(sim.advance) and sim.parameters["advance"] == 3
    sim.parameters["advance"] = 5
    sim.advance(2)
    assert (sim["u"] == 10).all()
    with pytest.raises(AttributeError, match='sim.parameters\\["advance"\\]'):
        sim.advance = 1


def test_frames_come_every_so_many_steps():
    sim = f64()
    frames = list(sim.frames(every=30))
    assert [frame.step for frame in frames] == [30, 60, 90, 100]
    assert [frame.time for frame in frames] == [30.0, 60.0, 90.0, 100.0]
    np.testing.assert_array_equal(frames[-1]["u"], sim["u"])
    again = f64()
    again.advance(60)
    np.testing.assert_array_equal(frames[1]["v"], again["v"])  # of its moment, not of the end
    frame, = f64().frames(every=10, time=10, fields=["v"])
    assert list(frame.fields) == ["v"]
    assert list(sim.frames(every=5)) == []


def test_short_times_add_up():
    """Half a step is left over at most, however often; another advance in between begins anew."""
    for dt, time, count in ((0.3, 1, 20), (3, 1, 20), (0.225, 0.1, 57), (0.25, 0.5, 7)):
        sim = mottle.Simulation(MODEL_OF_HEAT, size=(8, 8), dt=dt)
        for _ in range(count):
            sim.advance(time=time)
        assert abs(sim.time - count * time) <= dt / 2 * (1 + 1e-9), (dt, time)
    sim = mottle.Simulation(MODEL_OF_HEAT, size=(8, 8), dt=3)
    sim.advance(time=1)
    assert sim.step == 0
    sim.advance(1)
    sim.advance(time=1)
    assert sim.step == 1, "what was left over belongs to where the simulation stood"
    with pytest.raises(mottle.InputError, match="goes forward"):
        sim.advance(time=-1)


MODEL_OF_HEAT = 'equations.u = "0.01*lap(u)"\ninitial.u = "X"\n'


def test_time_is_a_number_of_steps():
    sim = mottle.Simulation(GRAY_SCOTT, dt=0.25)
    sim.advance(time=2.7)  # the nearest
    assert sim.step == 11 and sim.time == 2.75
    sim.advance(steps=np.int64(2))
    sim.advance(steps=3.0)
    assert sim.step == 16
    assert sim.advance(0) is sim


def test_single_steps_are_steps():
    one, many = f64(), f64()
    for _ in range(40):
        one.advance(steps=1)
    many.advance(steps=40)
    np.testing.assert_array_equal(one["u"], many["u"])


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda sim: sim.copy(), lambda sim: pickle.loads(pickle.dumps(sim))])
def test_copies_go_on_to_the_same_bits(duplicate):
    F = np.linspace(0.02, 0.05, 16 * 24).reshape(16, 24)
    sim = mottle.Simulation(GRAY_SCOTT + 'equations.w = "0.1*white() - w"\ninitial.w = "noise(0, 1)"\n', F=F, seed=3)
    sim.advance(13)
    sim.k = 0.055
    sim["u"] = np.clip(sim["u"], 0, 0.9)
    other = duplicate(sim)
    assert other.step == 13 and other.k == 0.055
    sim.advance(50)
    np.testing.assert_array_equal(other["u"] * 0 + other.F, sim.F)
    other.advance(50)
    for name in "uvw":
        np.testing.assert_array_equal(other[name], sim[name])
    assert other.time == sim.time


def test_copies_of_a_run_that_was_shortened_keep_its_step():
    # explicit Euler of a stiff decay that no declared range bounds: dt is chosen, found too long, and halved
    run = mottle.run("equations.u = 'lap(u) - u^3'\ninitial.u = '100*X'\ngrid.size = '16x4'\ntime.end = 0.2\n", precision="f64")
    other = pickle.loads(pickle.dumps(run.simulation))
    assert other.dt == run.dt == run.simulation.dt
    run.simulation.advance(10)
    np.testing.assert_array_equal(other.advance(10)["u"], run["u"])


STIFF = ("equations = {u = 'lap(u) + 0.1 - u + u^2*v', v = '40*lap(v) + 0.9 - u^2*v'}\n"
         "initial = {u = '1 + 0.05*cos(4*pi*X)', v = '0.9 + 0.05*cos(2*pi*(X + Y))'}\ngrid.size = '32x24'\n")


def test_a_run_says_what_its_tolerance_came_to():
    run = mottle.run(STIFF, time=2, tolerance=1e-3, precision="f64")
    made = run.accuracy
    assert made["tolerance"] == 1e-3 and made["steps"] >= 32 and made["evaluations"] > made["steps"]
    assert made["stretches"] > 0 and made["rejected"] >= 0 and 0 <= made["error"] <= made["largest_error"] <= 1e-3
    assert 0 < made["shortest_dt"] <= made["longest_dt"] and made["steps"] * made["longest_dt"] >= 2
    assert f"{made['steps']:,} steps of" in run.summary and "tolerance 0.001" in run.summary
    assert mottle.run(STIFF, steps=4, dt=0.001).accuracy is None


def test_a_whole_run_has_its_method_chosen_and_steps_of_ones_own_have_not():
    run = mottle.run(STIFF, time=60)
    assert 0.3 < run.dt < 0.7 and any("limits Euler's method" in notice for notice in run.notices)
    assert pickle.loads(pickle.dumps(run.simulation)).dt == run.dt
    own = mottle.Simulation(STIFF, time=60)
    assert abs(own.steps * own.dt - 60) < 1e-9 and own.dt < 0.006
    assert mottle.Simulation(STIFF, time=60, method="auto").dt == run.dt


def test_lines_and_volumes_have_their_shapes():
    line = mottle.Simulation("equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '32x1'\ntime.dt = 0.1\n")
    assert line["u"].shape == (1, 32)
    volume = mottle.Simulation("equations.u = 'lap(u)'\ninitial.u = 'x + 10*y + 100*z'\ntime.dt = 0.1\n", size=(4, 3, 2), precision="f64")
    z, y, x = np.mgrid[0:2, 0:3, 0:4] + 0.5
    np.testing.assert_allclose(volume["u"], x + 10 * y + 100 * z, rtol=1e-15)
    u = np.random.default_rng(0).random((2, 3, 4))
    volume["u"] = u
    np.testing.assert_array_equal(volume["u"], u)
    assert volume.shape == (2, 3, 4) and volume.size == (4, 3, 2)


def test_surfaces_have_the_vertices_of_their_file():
    mesh = mottle.Mesh.read("sphere:3")
    sim = mottle.Simulation("equations.u = 'lap(u)'\ninitial.u = 'z'\ntime.dt = 1e-4\n", mesh=mesh, mesh_scale=1, precision="f64")
    np.testing.assert_allclose(sim["u"], mesh.vertices[:, 2], rtol=0, atol=1e-15)
    sim.advance(steps=1)
    np.testing.assert_allclose(sim["u"], mesh.vertices[:, 2] + 1e-4 * (mesh.laplacian @ mesh.vertices[:, 2]), rtol=0, atol=1e-14)
    u = np.random.default_rng(0).random(len(mesh.vertices))
    sim["u"] = u
    np.testing.assert_array_equal(sim["u"], u)


def test_datasets_have_lengths_and_parameters():
    xarray = pytest.importorskip("xarray")
    sim = mottle.Simulation(GRAY_SCOTT, spacing=0.5, dt=0.1)
    sim.advance(3)
    data = sim.fields()
    assert isinstance(data, xarray.Dataset) and data["u"].dims == ("y", "x")
    np.testing.assert_allclose(data["x"], (np.arange(24) + 0.5) * 0.5)
    assert data.attrs["F"] == 0.035 and data.attrs["step"] == 3
    np.testing.assert_array_equal(data["v"].values, sim["v"])


def test_simulations_are_containers_of_fields():
    sim = f64()
    assert list(sim) == sim.names == ["u", "v"] and len(sim) == 2 and "u" in sim and "w" not in sim
    assert np.asarray(sim).shape == (2, 16, 24)
    np.testing.assert_array_equal(np.asarray(sim)[1], sim["v"])
    statistics = sim.statistics("u")
    assert statistics["min"] == sim["u"].min() and abs(statistics["std"] - sim["u"].std()) < 1e-15


def test_values_are_rounded_once_to_f32():
    sim = mottle.Simulation(GRAY_SCOTT)
    values = np.random.default_rng(2).random((16, 24))
    sim["u"] = values
    assert sim["u"].dtype == np.float32
    np.testing.assert_array_equal(sim["u"], values.astype(np.float32))


def test_progress_is_told(capsys):
    heard = []
    sim = mottle.Simulation(GRAY_SCOTT, size=(256, 256), device="reference")
    while len(heard) < 3:  # ten times a second
        sim.advance(steps=10, progress=lambda step, time, rate: heard.append((step, time, rate)))
    assert all(0 < step <= sim.step and step == time and rate > 0 for step, time, rate in heard)
    drawn = ""
    while not drawn:
        sim.advance(steps=30, progress=True)
        drawn = capsys.readouterr().err
    assert "step" in drawn and "%" in drawn and drawn.endswith("\r")
