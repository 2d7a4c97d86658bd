# tests/python/test_wheel_slow.py: a wheel made without network, installed into a fresh environment, used from elsewhere
import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SOURCE, BUILD = Path(os.environ["MOTTLE_SOURCE_DIR"]), Path(os.environ["MOTTLE_BUILD_DIR"])


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def make_wheel(folder, tree, **more):
    """A wheel of this build."""
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH", "MOTTLE_BUNDLE")}
    run(sys.executable, "-m", "pip", "wheel", tree, "--no-build-isolation", "--no-index", "--no-deps", "-w", folder,
        env={**clean, "MOTTLE_BUILD": str(BUILD), **more}, cwd=folder.parent)
    wheel, = folder.glob("mottle-*.whl")
    return wheel, clean


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    for module in ("pip", "venv", "setuptools", "wheel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip("there is no " + module)
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"  # pip writes beside the sources
    tree.mkdir()
    for name in ("python", "pyproject.toml", "setup.py", "CMakeLists.txt", "LICENSE", "docs"):
        (tree / name).symlink_to(SOURCE / name) if name != "python" else run("cp", "-r", SOURCE / name, tree / name)
    wheel, clean = make_wheel(folder / "wheels", tree)
    run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv", env=clean)
    run(folder / "venv/bin/pip", "install", "--no-index", wheel, env=clean)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    return wheel, folder / "venv/bin", elsewhere, clean


def test_the_wheel_holds_what_it_needs(environment):
    names = zipfile.ZipFile(environment[0]).namelist()
    for name in ("mottle/py.typed", "mottle/_mottle.pyi", "mottle/lib/mottle/mottle_jit.so", "mottle/bin/mottle"):
        assert name in names
    assert len([name for name in names if "libmottle.so" in name]) == 1


def test_the_wheel_runs_from_anywhere(environment):
    _, binaries, elsewhere, clean = environment
    code = """
import mottle, sys
assert mottle.__file__.startswith(sys.prefix), mottle.__file__
run = mottle.run("gray-scott", size=(64, 48), steps=50, outputs=["a.mp4", "a.npy"])
assert run.simulation.facts["device"].startswith("cpu"), run.simulation.facts  # the compiler's module was found
assert len(run.files) == 2
mottle.Simulation("gray-scott", mesh="sphere:2").image(pixels=(64, 48))
print(mottle.__version__)
"""
    assert run(binaries / "python", "-c", code, env=clean, cwd=elsewhere).count(".") == 2
    moved = {path for path in elsewhere.iterdir()}
    assert {path.name for path in moved} == {"a.mp4", "a.npy"}


def test_the_wheel_brings_the_program(environment):
    _, binaries, elsewhere, clean = environment
    assert "gray-scott" in run(binaries / "mottle", "models", env=clean, cwd=elsewhere)
    assert "gray-scott" in run(binaries / "python", "-m", "mottle", "models", env=clean, cwd=elsewhere)


# What stands beside the modules comes first, before what this machine has: so the wheel needs nothing of it.
def test_a_wheel_brings_its_libraries_along(environment):
    folder = environment[2].parent
    wheel, clean = make_wheel(folder / "bundle", folder / "tree", MOTTLE_BUNDLE="1")
    names = zipfile.ZipFile(wheel).namelist()
    bundled = [name.rsplit("/", 1)[1] for name in names if "/bundled/" in name]
    assert "libpng16.so.16" in bundled and "LICENCES" in bundled and not any(name.startswith("libc.so") for name in bundled)
    assert len(bundled) == len({name.split(".so")[0] for name in bundled}), "a library stands there twice"
    unpacked = folder / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    code = """
import mottle, re
mottle.run("gray-scott", size=(64, 48), steps=20, outputs=["bundled.png"])
for line in open("/proc/self/maps"):
    if re.search("libpng|libzstd", line):
        print(line.split()[-1])
"""
    loaded = run(environment[1] / "python", "-c", code, env={**clean, "PYTHONPATH": str(unpacked)}, cwd=folder).split()
    assert loaded and all(path.startswith(str(unpacked)) for path in loaded), loaded


def test_a_missing_library_is_named(environment):
    folder = environment[2].parent / "missing"
    with zipfile.ZipFile(environment[0]) as wheel:
        wheel.extractall(folder)
    for library in (folder / "mottle/lib").glob("libmottle.so*"):
        library.unlink()
    done = subprocess.run([environment[1] / "python", "-c", "import mottle"], capture_output=True, text=True, cwd=folder, timeout=60,
                          env={**environment[3], "PYTHONPATH": str(folder)})
    assert done.returncode == 1 and "libmottle.so" in done.stderr and "apt-get install libpng16-16" in done.stderr, done.stderr


def test_help_reads_well(environment):
    _, binaries, elsewhere, clean = environment
    text = run(binaries / "python", "-c", "import mottle; help(mottle.Simulation)", env=clean, cwd=elsewhere)
    for word in ("A simulation of a model", "(y, x)", "KeyboardInterrupt", "advance(self, steps"):
        assert word in text
