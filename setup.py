# setup.py: has CMake build the library, its modules, the program and the compiled part, and puts them into the package
"""Environment: MOTTLE_BUILD names a build folder to use (made by `./dev build`); else one is made for the package. CMAKE_ARGS are handed to CMake.
MOTTLE_BUNDLE=1 puts the shared libraries that Mottle needs into the package (docs/dependencies.md says what that means for its licence)."""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version() -> str:
    return re.search(r"project\(mottle VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def run(self) -> None:
        given = os.environ.get("MOTTLE_BUILD")
        build = Path(given) if given else Path(self.build_temp).resolve() / "mottle"
        if not given:
            self.configure(build)
        subprocess.run(["cmake", "--build", str(build), "--target", "mottle_product", "mottle_python", "--parallel"], check=True)
        package = Path(self.get_ext_fullpath("mottle._mottle")).resolve().parent
        bundle = os.environ.get("MOTTLE_BUNDLE", "0")
        if bundle not in ("0", "1", ""):
            raise SystemExit(f"MOTTLE_BUNDLE is 1 or 0, not {bundle!r}")
        for component in ("runtime", "python", "bundled")[: 3 if bundle == "1" else 2]:
            subprocess.run(["cmake", "--install", str(build), "--component", component, "--strip", "--prefix", str(package)], check=True)
        shutil.rmtree(package / "share", ignore_errors=True)  # the licence is among the package's metadata
        self.replace_links(package / "lib")

    def configure(self, build: Path) -> None:
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DMOTTLE_TESTS=OFF", "-DMOTTLE_BENCHMARKS=OFF", "-DMOTTLE_WERROR=OFF", "-DMOTTLE_PYTHON=ON",
                   "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_INSTALL_BINDIR=bin", f"-DPython3_EXECUTABLE={sys.executable}"]
        try:
            import pybind11
            options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
        except ImportError:
            pass  # Debian's has no module; CMake finds it
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *options], check=True)

    @staticmethod
    def replace_links(folder: Path) -> None:
        """A wheel knows no links: each library stays under the name by which it is looked up."""
        for link in [path for path in folder.rglob("*.so*") if path.is_symlink()]:
            real = link.resolve()
            link.unlink()
            if real.exists():
                os.replace(real, link)

    def get_outputs(self):
        return []


setup(version=version(), ext_modules=[Extension("mottle._mottle", [])], cmdclass={"build_ext": CMakeBuild})
