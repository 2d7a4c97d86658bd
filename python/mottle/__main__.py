# mottle/__main__.py: the command `mottle` of this package: `python -m mottle run gray-scott -o a.mp4`
"""Starts the program that comes with the package."""
from __future__ import annotations

import os
import sys
from pathlib import Path


def program() -> Path:
    """The program beside the package (installed), or beside the tree that it was built in."""
    # the package in a build folder is a link to the sources, so the compiled part tells where it lies
    from . import _mottle
    here = Path(_mottle.__file__).resolve().parent
    for place in (here / "bin" / "mottle", here.parent.parent / "bin" / "mottle"):
        if place.is_file():
            return place
    raise FileNotFoundError("this package of Mottle holds no program")


def main() -> None:
    try:
        path = program()
    except FileNotFoundError as error:
        sys.exit(str(error))
    os.execv(path, [str(path), *sys.argv[1:]])


if __name__ == "__main__":
    main()
