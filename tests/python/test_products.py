# tests/python/test_products.py: runs and their files, sweeps, models, meshes, pictures and videos
import csv
import struct
import zlib

import numpy as np
import pytest

import mottle
from conftest import GRAY_SCOTT, has_device



def decode_png(data):
    """Pixels of an 8-bit RGB or RGBA PNG without interlace, by the definition."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, width = 8, b"", 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8
            channels = {0: 1, 2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((height, width * channels), np.int32)
    for y in range(height):
        line, above = raw[y, 1:].astype(np.int32), out[y - 1] if y else np.zeros(width * channels, np.int32)
        for x in range(width * channels):
            left = out[y, x - channels] if x >= channels else 0
            corner = above[x - channels] if x >= channels else 0
            if raw[y, 0] == 4:
                estimate = left + above[x] - corner
                predicted = min((left, above[x], corner), key=lambda p: abs(estimate - p))
            else:
                predicted = {0: 0, 1: left, 2: above[x], 3: (left + above[x]) // 2}[raw[y, 0]]
            out[y, x] = (line[x] + predicted) % 256
    return out.reshape(height, width, channels).astype(np.uint8)


# ---- runs

def test_a_run_is_what_the_simulation_is(tmp_path):
    run = mottle.run(GRAY_SCOTT, F=0.04, outputs=[tmp_path / "u.npy", {"file": str(tmp_path / "all.csv"), "every": 25}, tmp_path / "v.png"])
    sim = mottle.Simulation(GRAY_SCOTT, F=0.04).advance(100)
    np.testing.assert_array_equal(run["v"], sim["v"])
    np.testing.assert_array_equal(run.fields["u"], sim["u"])
    np.testing.assert_array_equal(np.load(tmp_path / "u.npy"), np.asarray(sim))
    assert [file.name for file in run.files] == ["u.npy", "all.csv", "v.png"] and all(file.is_absolute() for file in run.files)
    with open(tmp_path / "all.csv", newline="") as file:
        assert [int(row["step"]) for row in csv.DictReader(file)] == [25, 50, 75, 100]
    assert (run.step, run.time, run.verdict) == (100, 100.0, "reached")
    assert "100 steps of 1" in run.summary and "wrote" in run.summary and run.seconds["simulate"] > 0
    run.simulation.advance(10)
    assert run.step == 100 and run.simulation.step == 110


def test_a_run_comes_to_rest():
    run = mottle.run("equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '8x4'\n", until="steady=1e-4", steps=100_000, precision="f64")
    assert run.verdict == "uniform" and run.step < 100_000
    assert abs(run["u"] - 0.5).max() < 1e-2


def test_a_run_tells_what_a_file_would():
    run = mottle.run("gray-scott", size=(16, 16), steps=4)
    assert run.files == [] and run.notices == run.simulation.notices
    with pytest.raises(FileNotFoundError):
        run.video()


# ---- sweeps

def test_members_of_a_sweep_are_runs_of_their_own():
    ks, Fs = np.linspace(0.055, 0.065, 3), [0.03, 0.04]
    atlas = mottle.sweep(GRAY_SCOTT, over={"k": ks, "F": Fs}, size=(20, 12), steps=60)
    assert atlas["v"].shape == (3, 2, 12, 20) and atlas.shape == (3, 2) and atlas.names == ["u", "v"]
    rows = iter(atlas.table)
    for i, k in enumerate(ks):
        for j, F in enumerate(Fs):
            alone = mottle.Simulation(GRAY_SCOTT, size=(20, 12), k=k, F=F, dt=atlas.dt).advance(60)
            np.testing.assert_array_equal(atlas["v"][i, j], alone["v"])
            row = next(rows)
            assert (row["k"], row["F"], row["step"], row["verdict"]) == (k, F, 60, "reached")
            assert abs(row["v.mean"] - alone["v"].mean(dtype=float)) < 1e-9
            assert atlas.statistic("v", "max")[i, j] == alone["v"].max()
    assert (atlas.verdicts == "reached").all()
    np.testing.assert_array_equal(atlas.axes["k"], ks)


def test_a_sweep_over_one_parameter_and_one_that_diverges():
    atlas = mottle.sweep("equations.u = 'r*u^2'\nparameters.r = 0\ninitial.u = 1\ngrid.size = '8x8'\ntime.dt = 1\n", over={"r": [0, -0.5, 40]}, steps=50)
    assert atlas["u"].shape == (3, 8, 8)
    assert list(atlas.verdicts) == ["reached", "reached", "diverged"]
    assert np.isnan(atlas["u"][2]).all() and (atlas["u"][0] == 1).all()
    assert np.isnan(atlas.table["u.mean"][2])
    with pytest.raises(mottle.InputError, match="did you mean 'u.mean'"):
        atlas.statistic("u", "maen")


def test_a_sweep_draws_its_sheet_and_its_files(tmp_path):
    atlas = mottle.sweep(GRAY_SCOTT, over={"F": [0.03, 0.04]}, size=(32, 32), steps=20, outputs=[tmp_path / "t.csv", tmp_path / "all.npy"])
    assert sorted(file.name for file in atlas.files) == ["all.npy", "t.csv"]
    np.testing.assert_array_equal(np.load(tmp_path / "all.npy")[:, 1], atlas["v"])
    np.testing.assert_array_equal(decode_png(atlas._repr_png_()), atlas.sheet.pixels)
    assert atlas.sheet.pixels.shape[1] >= 2 * 32
    bare = mottle.sweep(GRAY_SCOTT, over={"F": [0.03]}, size=(8, 8), steps=1, sheet=False)
    assert bare._repr_png_() is None
    with pytest.raises(mottle.InputError, match="sheet"):
        bare.sheet


def test_a_sweep_takes_arrays_and_seeds():
    F = np.linspace(0.02, 0.05, 16 * 24).reshape(16, 24)
    atlas = mottle.sweep(GRAY_SCOTT, F=F, u=np.ones((16, 24)), over={"k": [0.055, 0.06]}, steps=30)
    alone = mottle.Simulation(GRAY_SCOTT, F=F, u=np.ones((16, 24)), k=0.06, dt=atlas.dt).advance(30)
    np.testing.assert_array_equal(atlas["v"][1], alone["v"])
    seeds = mottle.sweep("equations.u = '0*u'\ninitial.u = 'noise(0, 1)'\ngrid.size = '8x8'\ntime.dt = 1\n", over={"seed": [1, 2]}, steps=1)
    assert (seeds["u"][0] != seeds["u"][1]).any()
    with pytest.raises(mottle.InputError, match="transpose"):
        mottle.sweep(GRAY_SCOTT, F=F.T.copy(), over={"k": [0.055]}, steps=1)


# ---- models

def test_models_say_what_they_are():
    model = mottle.Model(GRAY_SCOTT)
    assert list(model.equations) == ["u", "v"] and model.equations["u"] == "Du*lap(u) - u*v^2 + F*(1 - u)"
    assert model.parameters["F"].value == 0.035 and model.fields["v"].initial == "0.25*disk(0.5, 0.5, 5)"
    library = mottle.Model("gray-scott", preset="coral")
    assert library.preset == "coral" and "coral" in library.presets and library.title and library.parameters["F"].min is not None
    assert "program f32" in library.program and "dv/dt" in repr(library)
    assert len(mottle.models()) > 10 and all(mottle.Model(name).equations for name in mottle.models())


def test_jacobians_are_derivatives():
    model = mottle.Model(GRAY_SCOTT)
    u, v, F, k, q = 0.4, 0.3, 0.035, 0.06, 0.7
    by_hand = np.array([[-v * v - F, -2 * u * v], [v * v, 2 * u * v - F - k]])
    np.testing.assert_allclose(model.jacobian({"v": v, "u": u}), by_hand, rtol=1e-14)
    np.testing.assert_allclose(model.jacobian([u, v], wave_number=q), by_hand - q * q * np.diag([0.16, 0.08]), rtol=1e-14)
    for state in ({"u": 1}, {"u": 1, "w": 2}, [1], [1, np.nan]):
        with pytest.raises(mottle.InputError):
            model.jacobian(state)


# ---- meshes

def test_laplacians_are_the_cotangent_weights():
    rng = np.random.default_rng(4)
    y, x = np.mgrid[0:5, 0:6]
    vertices = np.stack([x.ravel() + 0.2 * rng.random(30), y.ravel() + 0.2 * rng.random(30), 0.3 * rng.random(30)], axis=1)
    faces = [(r * 6 + c, r * 6 + c + 1, r * 6 + c + 6) for r in range(4) for c in range(5)]
    faces += [(r * 6 + c + 1, r * 6 + c + 7, r * 6 + c + 6) for r in range(4) for c in range(5)]
    mesh = mottle.Mesh(vertices, np.array(faces))
    stiffness, mass = np.zeros((30, 30)), np.zeros(30)
    for face in faces:
        for i in range(3):
            a, b, c = face[i], face[(i + 1) % 3], face[(i + 2) % 3]
            p, q = vertices[a] - vertices[c], vertices[b] - vertices[c]
            area2 = np.linalg.norm(np.cross(p, q))
            cotangent = p @ q / area2
            for s, t in ((a, b), (b, a)):
                stiffness[s, t] += cotangent / 2
                stiffness[s, s] -= cotangent / 2
            mass[a] += area2 / 6
    np.testing.assert_allclose(mesh.mass, mass, rtol=1e-12)
    data, indices, starts = mesh.rows()
    dense = np.zeros((30, 30))
    for row in range(30):
        dense[row, indices[starts[row]:starts[row + 1]]] = data[starts[row]:starts[row + 1]]
    np.testing.assert_allclose(dense, stiffness / mass[:, None], rtol=0, atol=1e-11)
    assert abs(mesh.area - mass.sum()) < 1e-12
    largest = np.linalg.eigvals(-dense).real.max()
    assert 2 / largest * 0.9 < mesh.stable_dt() <= 2 / largest * (1 + 1e-12)
    assert mesh.stable_dt(2.0) == mesh.stable_dt() / 2
    np.testing.assert_array_equal(mesh.vertices, vertices)
    np.testing.assert_array_equal(mesh.faces, faces)
    assert len(mesh.loops) == 1 and len(mesh.loops[0]) == 18
    pytest.importorskip("scipy")
    np.testing.assert_allclose(mesh.laplacian.toarray(), dense)
    with pytest.raises(mottle.InputError, match="unknown operator"):
        mesh.rows("lap")


def test_gradients_are_exact_for_linear_functions():
    mesh = mottle.Mesh.read("plane:9x7")
    f = mesh.vertices @ [2.0, -3.0, 0]
    for operator, expected in (("dx", 2), ("dy", -3)):
        data, indices, starts = mesh.rows(operator)
        derivative = np.add.reduceat(data * f[indices], starts[:-1])
        np.testing.assert_allclose(derivative, expected, rtol=1e-12)


def test_welded_and_bare_vertices_keep_their_numbers():
    vertices = np.array([[9, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.]])
    mesh = mottle.Mesh(vertices, [[1, 2, 3], [4, 5, 6]])
    sim = mottle.Simulation("equations.u = 'lap(u)'\ninitial.u = 'x'\ntime.dt = 1e-3\n", mesh=mesh, mesh_scale=1, precision="f64")
    u = sim["u"]
    assert np.isnan(u[0]) and list(u[1:]) == [0, 1, 0, 1, 1, 0]
    u[0] = 0
    sim["u"] = u + 1
    np.testing.assert_array_equal(sim["u"][1:], u[1:] + 1)
    assert mesh.mass[0] == 0 and mesh.mass[2] == mesh.mass[4] > 0


# ---- pictures

def test_pictures_follow_their_palette():
    sim = mottle.Simulation("equations.u = '0*u'\ninitial.u = 'X'\ngrid.size = '256x3'\ntime.dt = 1\n")
    image = sim.image(palette="magma", range=(0, 1))
    assert image.pixels.shape == (3, 256, 3) and image.pixels.dtype == np.uint8
    np.testing.assert_array_equal(image.pixels[1], mottle.palette("magma"))
    assert sim.image(scale=2, range="0:1").pixels.shape == (6, 512, 3)
    np.testing.assert_array_equal(np.asarray(image), image.pixels)


def test_pictures_are_png_files(tmp_path):
    sim = mottle.Simulation(GRAY_SCOTT).advance(50)
    image = sim.image("v", palette="magma")
    np.testing.assert_array_equal(decode_png(image.png()), image.pixels)
    image.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == image.png()
    assert sim._repr_png_()[:4] == b"\x89PNG"
    with pytest.raises(mottle.InputError, match="saved as .png"):
        image.save(tmp_path / "a.jpg")


def test_pictures_of_surfaces():
    sim = mottle.Simulation("gray-scott", mesh="sphere:3")
    try:
        image = sim.image(pixels=(160, 120), background="transparent")
    except mottle.DeviceError as error:
        pytest.skip(str(error))
    assert image.pixels.shape == (120, 160, 4) and (image.pixels[0, 0, 3], image.pixels[60, 80, 3]) == (0, 255)
    assert sim.image(pixels=(160, 120), camera=(0, 90)).pixels.shape == (120, 160, 3)


def test_videos_are_in_memory_or_in_a_file(tmp_path):
    sim = mottle.Simulation(GRAY_SCOTT)
    try:
        video = sim.video(steps=20, frames=5)
    except mottle.DeviceError as error:
        pytest.skip(str(error))
    assert sim.step == 20 and video.data[4:8] == b"ftyp" and "<video" in video._repr_html_()
    gif = sim.video(steps=10, frames=3, file=tmp_path / "a.gif")
    assert gif.data[:3] == b"GIF" == (tmp_path / "a.gif").read_bytes()[:3] and "<img" in gif._repr_html_()


def test_recordings_take_a_frame_when_asked(tmp_path):
    sim = mottle.Simulation(GRAY_SCOTT)
    with sim.record(tmp_path / "t.csv") as recording:
        for steps in (5, 1, 10):
            sim.advance(steps)
            recording.frame()
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == [5, 6, 16]
    assert recording.files == [str(tmp_path / "t.csv")]
    with pytest.raises(mottle.InputError, match="finished"):
        recording.frame()


def test_matplotlib_draws_lengths():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    mottle.register_colormaps()
    mottle.register_colormaps()  # once more does no harm
    assert np.allclose(np.array(pyplot.get_cmap("mottle:lagoon")(np.arange(256)))[:, :3] * 255, mottle.palette("lagoon"))
    sim = mottle.Simulation(GRAY_SCOTT, spacing=0.5, dt=0.1)
    figure, axes = pyplot.subplots()
    assert sim.plot("v", ax=axes) is axes
    assert axes.get_xlim() == (0, 12) and axes.get_ylim() == (8, 0)
    np.testing.assert_array_equal(axes.images[0].get_array(), sim["v"])
    line = mottle.Simulation("equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '32x1'\ntime.dt = 0.1\n")
    assert len(line.plot(ax=pyplot.subplots()[1]).lines) == 1
    with pytest.raises(mottle.InputError, match="surface"):
        mottle.Simulation("gray-scott", mesh="sphere:1").plot()
    pyplot.close("all")


def test_devices_and_versions():
    assert any(name == "reference" and there for name, there, _ in mottle.devices())
    assert mottle.__version__.count(".") == 2
    assert has_device("reference")
