# tests/python/test_errors.py: what is wrong is said, where it is, and nothing is harmed by it
import pickle

import numpy as np
import pytest

import mottle
from conftest import GRAY_SCOTT


@pytest.fixture
def sim():
    return mottle.Simulation(GRAY_SCOTT)


def test_errors_in_equations_have_their_place():
    with pytest.raises(mottle.ModelError) as caught:
        mottle.Simulation("equations.u = 'D*lap(u) + q*u'\nparameters.D = 1\ninitial.u = 1\n")
    error = caught.value
    assert isinstance(error, mottle.Error) and isinstance(error, ValueError)
    assert (error.file, error.line) == ("<model>", 1) and error.column == 27
    assert "unknown name 'q'" in error.message and "^" in str(error)


def test_errors_in_arguments_name_them():
    with pytest.raises(mottle.InputError) as caught:
        mottle.Simulation(GRAY_SCOTT, size="abc")
    assert caught.value.file == "argument size" and caught.value.line is None
    assert "write W, WxH or WxHxD" in caught.value.hint
    with pytest.raises(mottle.ModelError) as caught:
        mottle.Simulation(GRAY_SCOTT, F="0.03*(1 + ")
    assert "argument F" in str(caught.value)


@pytest.mark.parametrize("arguments, words", [
    (dict(sise=(4, 4)), "did you mean 'size'"),
    (dict(Fx=1), "unknown argument 'Fx'; did you mean 'F'"),
    (dict(preset="corall"), "unknown preset"),
    (dict(preset=3), "preset is the name of a preset"),
    (dict(size=(0, 4)), "size"),
    (dict(size=(4, 4, 4, 4)), "size"),
    (dict(size=10**30), "argument size = 1" + "0" * 30 + " is no number of 64 bits"),
    (dict(size=object()), "argument size is of type object"),
    (dict(dt=float("nan")), "dt"),
    (dict(dt=-1), "dt"),
    (dict(device="gpu9"), "gpu9"),
    (dict(threads=-2), "threads"),
    (dict(initial={"w": 1}), "unknown field 'w' in initial"),
    (dict(F=np.zeros((16, 25))), r"F has the shape \(16, 25\)|has 400 numbers"),
    (dict(F=np.zeros((24, 16))), "give its transpose"),
    (dict(F=np.zeros(0)), "F is an empty array"),
    (dict(F=np.full((16, 24), np.nan)), r"F is nan at \(0, 0\)"),
    (dict(F=np.zeros((16, 24), complex)), "F is an array of complex128"),
    (dict(F=np.array(["a", "b"])), "F is an array of <U1"),
    (dict(F=np.ma.masked_array(np.zeros((16, 24)), np.eye(16, 24))), "F has masked entries"),
    (dict(u=np.zeros((16, 24), object)), "u is an array of object"),
    (dict(mesh=5), "mesh is a mottle.Mesh, a file or a shape"),
    (dict(mesh="nowhere.obj"), "nowhere.obj"),
    (dict(outputs=["a.mp4"]), r"sim.record"),
    (dict(boundary={"left": {"a": {1: 2}}}), "a key is 1, not text"),
])
def test_arguments_that_mean_nothing(arguments, words):
    with pytest.raises(mottle.InputError, match=words):
        mottle.Simulation(GRAY_SCOTT, **arguments)


@pytest.mark.parametrize("model, words", [
    ("gray-skott", "did you mean 'gray-scott'"),
    ("nowhere.toml", "cannot read the model 'nowhere.toml'"),
    ("/", "cannot read the model"),
    ("a = [", "<model>:1"),
    (b"gray-scott", "not a bytes"),
    (None, "not a NoneType"),
    (5, "not a int"),
    ("equations.u = 'lap(u)'\n", "initial"),
])
def test_models_that_mean_nothing(model, words):
    with pytest.raises(mottle.InputError, match=words):
        mottle.Simulation(model, size=(4, 4))


def test_deeply_nested_arguments_end():
    deep = {}
    for _ in range(1000):
        deep = {"a": deep}
    with pytest.raises(mottle.InputError, match="nested more than 32 deep"):
        mottle.Simulation(GRAY_SCOTT, boundary=deep)


@pytest.mark.parametrize("values, words", [
    (np.zeros((24, 16)), "give its transpose"),
    (np.zeros(384), r"the array has the shape \(384,\), and the field \(16, 24\)"),
    (np.zeros((1, 16, 24)), r"shape \(1, 16, 24\)"),
    (np.zeros((0, 24)), r"shape \(0, 24\)"),
    (np.full((16, 24), np.inf), r"the field 'u' cannot be inf at cell \(0, 0\)"),
    (np.full((16, 24), 1e300), "below 3.4e38 in f32"),
    (np.zeros((16, 24), complex), "array of complex128"),
    (np.zeros((16, 24), "datetime64[s]"), "array of datetime64"),
    ("0.5", "array of <U3"),
    (None, "array of object"),
    ([[1, 2], [3]], "its rows have different lengths"),
    (float("nan"), "cannot be nan"),
])
def test_arrays_that_fit_no_field(sim, values, words):
    before = sim["u"]
    with pytest.raises(mottle.InputError, match=words):
        sim["u"] = values
    np.testing.assert_array_equal(sim["u"], before)
    sim.advance(2)


def test_arrays_to_read_into(sim):
    read_only = np.zeros((16, 24), np.float32)
    read_only.flags.writeable = False
    for out, words in [(read_only, "read-only"), (np.zeros((24, 16)), "transpose"), (np.zeros((16, 24), int), "int64"),
                       (np.zeros((16, 24), order="F"), "C order"), (np.zeros((16, 48))[:, ::2], "C order"),
                       (np.zeros((16, 24), ">f8"), "float32 and float64")]:
        with pytest.raises(mottle.InputError, match=words):
            sim.read("u", out)
    with pytest.raises(mottle.InputError, match="not a list"):
        sim.read("u", [1, 2])
    for name in (3, None, ("u", 1)):
        with pytest.raises(mottle.InputError, match="by its name"):
            sim.read(name)


def test_names_that_are_not_there(sim):
    for wrong in (lambda: sim["w"], lambda: sim.statistics("w"), lambda: sim.__setitem__("w", 1), lambda: sim.image("w"),
                  lambda: sim["w", 0], lambda: next(sim.frames(every=1, fields=["w"]))):
        with pytest.raises(mottle.InputError, match="w"):
            wrong()
    for key in (0, slice(3), (1, 2), None, 1.5):
        with pytest.raises(mottle.InputError, match="by its name"):
            sim[key]
    with pytest.raises(AttributeError, match="did you mean 'F'"):
        sim.Fx = 1
    with pytest.raises(AttributeError, match="did you mean 'advance'"):
        sim.advanced
    with pytest.raises(KeyError, match="did you mean 'F'"):
        sim.parameters["Ff"] = 1
    with pytest.raises(AttributeError, match="'step' of a simulation cannot be set"):
        sim.step = 3


@pytest.mark.parametrize("value", ["0.03", None, np.zeros((16, 24)), float("inf"), float("nan"), [1], {}])
def test_parameters_are_finite_numbers(sim, value):
    with pytest.raises((mottle.InputError, TypeError)):
        sim.F = value
    assert sim.F == 0.035


@pytest.mark.parametrize("call", [
    lambda sim: sim.advance(), lambda sim: sim.advance(steps=1, time=1), lambda sim: sim.advance(-1), lambda sim: sim.advance(1.5),
    lambda sim: sim.advance("3"), lambda sim: sim.advance(time=float("nan")), lambda sim: sim.advance(time="long"),
    lambda sim: sim.advance(2**53 + 1), lambda sim: sim.frames(every=0), lambda sim: sim.frames(every=-2), lambda sim: sim.video(frames=0),
    lambda sim: sim.video(frames=10, steps=5), lambda sim: sim.image(palette="lagon"), lambda sim: sim.image(camera="1,2"),
    lambda sim: sim.image(nonsense=1), lambda sim: sim.record("a.xyz"), lambda sim: sim.record("/nowhere/a.npy"),
    lambda sim: sim.image().save("/nowhere/a.png"), lambda sim: sim.advance(time=-1),
])
def test_calls_that_mean_nothing(sim, call):
    with pytest.raises((mottle.InputError, mottle.OutputError)):
        call(sim)
    sim.advance(3)
    assert sim.step == 3


def test_steps_beyond_what_can_be_counted(sim):
    for steps in (2**53 + 1, 2**70, -2**70, 1e300):
        with pytest.raises(mottle.InputError, match="at most 2\\^53"):
            sim.advance(steps)
    with pytest.raises(mottle.InputError, match="at most 2\\^53"):
        sim.advance(time=1e30)


def test_states_of_a_jacobian():
    model = mottle.Model(GRAY_SCOTT)
    for state in ({"u": np.ones(3), "v": 0}, {"u": "1", "v": None}, {"u": 1, "v": [0, 1]}):
        with pytest.raises(mottle.InputError, match="a number for each field"):
            model.jacobian(state)
    with pytest.raises(mottle.InputError, match="the wave number"):
        model.jacobian({"u": 1, "v": 0}, wave_number=[1, 2])


def test_closed_simulations_say_so():
    with mottle.Simulation(GRAY_SCOTT) as sim:
        sim.advance(1)
    assert sim.closed and "closed" in repr(sim)
    for call in (lambda: sim.advance(1), lambda: sim["u"], lambda: sim.__setitem__("u", 1), lambda: setattr(sim, "F", 1), lambda: sim.step,
                 lambda: sim.image(), lambda: sim.copy(), lambda: pickle.dumps(sim), lambda: sim.frames(every=1), lambda: sim.names,
                 lambda: sim.facts, lambda: sim.read("u")):
        with pytest.raises(mottle.InputError, match="closed"):
            call()
    assert sim._repr_png_() is None
    sim.close()


def test_divergence_is_an_exception_and_the_fields_stay():
    sim = mottle.Simulation("equations.u = 'u^2'\ninitial.u = '1 + X'\ngrid.size = '8x8'\ntime.dt = 1\n")
    with pytest.raises(mottle.DivergedError, match="stopped being finite") as caught:
        sim.advance(100)
    assert isinstance(caught.value, ArithmeticError) and caught.value.step == sim.step > 0
    assert not np.isfinite(sim["u"]).all()
    sim["u"] = 0.0
    sim.advance(10)
    with pytest.raises(mottle.DivergedError):
        sim["u"] = 1.0
        sim.advance(20, check=True)


def test_exceptions_of_callbacks_come_through():
    sim = mottle.Simulation(GRAY_SCOTT, size=(256, 256), device="reference")

    def fail(step, time, rate):
        raise LookupError("from inside")

    with pytest.raises(LookupError, match="from inside"):
        sim.advance(10**6, progress=fail)
    reached = sim.step
    assert 0 < reached < 10**6
    with pytest.raises(mottle.InputError, match="at work already"):
        sim.advance(10**6, progress=lambda *_: sim.advance(1))
    with pytest.raises(TypeError):
        sim.advance(10**6, progress=lambda: None)
    sim.advance(1)


def test_errors_can_be_pickled():
    with pytest.raises(mottle.ModelError) as caught:
        mottle.Model("equations.u = '1 +'\n")
    other = pickle.loads(pickle.dumps(caught.value))
    assert type(other) is mottle.ModelError and (other.line, other.column, str(other)) == (caught.value.line, caught.value.column, str(caught.value))
    diverged = pickle.loads(pickle.dumps(mottle.DivergedError("so", 5, ["a.mp4"])))
    assert (diverged.step, diverged.files, str(diverged)) == (5, ["a.mp4"], "so")


def test_doubts_are_warnings():
    with pytest.warns(mottle.MottleWarning, match="dt"):
        mottle.Simulation(GRAY_SCOTT, dt=5)


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(mottle.Error):
        mottle.run(GRAY_SCOTT, outputs=[tmp_path / "no" / "folder.npy"])
    with pytest.raises(mottle.InputError, match="an output is a file name"):
        mottle.run(GRAY_SCOTT, outputs=[5])


def test_lists_of_a_sweep():
    for over in ({}, {"F": []}, {"F": [[1, 2]]}, {"F": [0.1, 0.1]}, {"Q": [1, 2]}, {"F": [np.nan]}, {"F": [1], "k": [1], "Du": [1]}, [1, 2]):
        with pytest.raises(mottle.InputError):
            mottle.sweep(GRAY_SCOTT, over=over, steps=2)


def test_meshes_of_nonsense():
    good = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.]])
    for vertices, faces, words in [(good[:, :2], [[0, 1, 2]], "coordinates"), (good, [[0, 1, 3]], "names vertex 3"),
                                   (good, [[0, 1, -1]], "names vertex -1"), (good, [0, 1, 2], "faces is an array"),
                                   (good, [[0, 1, 2.5]], "whole numbers"), (good * np.nan, [[0, 1, 2]], "nan"),
                                   (good * 0, [[0, 1, 2]], ""), (good, np.zeros((0, 3), int), ""), (good.astype(str), [[0, 1, 2]], "real numbers")]:
        with pytest.raises(mottle.InputError, match=words):
            mottle.Mesh(vertices, faces)
    with pytest.raises(mottle.InputError):
        mottle.Mesh.read("spere:3")
