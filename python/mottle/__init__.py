# mottle/__init__.py: what `import mottle` offers
"""Mottle: reaction-diffusion systems as text, compiled, on grids and surfaces.

    >>> import mottle
    >>> sim = mottle.Simulation("gray-scott", preset="coral", size=(256, 256))
    >>> sim.advance(steps=1000)
    >>> sim["v"].shape                       # (height, width)
    (256, 256)

``Simulation``  one simulation: advance, look, change
``run``         a whole run with its videos, pictures and data, as the command ``mottle run`` does it
``sweep``       many runs side by side over one or two parameters
``Model``       what a model says: equations, parameters, presets, Jacobian
``Mesh``        triangle meshes from files, shapes and arrays
``live``        the page of ``mottle live``, in a notebook

Arguments have the names of the keys in model files (docs/command-line.md); ``size`` is (width, height), arrays are (y, x), (z, y, x) or (vertices,).
"""
from __future__ import annotations

from typing import List, Tuple

try:
    from . import _mottle
except ImportError as error:
    if "cannot open shared object file" not in str(error):
        raise
    raise ImportError(f"{error}. The library of Mottle needs it, and this package was made without MOTTLE_BUNDLE=1: install it (Debian: apt-get install "
                      "libpng16-16 libstdc++6), or a wheel that brings its libraries along (docs/python.md)") from None
from .errors import (DeviceError, DivergedError, Error, InputError, InternalError, InterruptedError, ModelError, MottleWarning,
                     OutputError)
from .mesh import Mesh
from .model import Field, Model, Parameter
from .page import Live, live
from .picture import Image, Video, colormap, palette, palettes, plot, register_colormaps
from .runs import Run, run
from .simulation import Frame, Recording, Simulation
from .sweeps import Atlas, sweep

__all__ = ["Simulation", "Frame", "Recording", "run", "Run", "sweep", "Atlas", "Model", "Field", "Parameter", "Mesh", "Image", "Video", "live", "Live",
           "plot", "palette", "palettes", "colormap", "register_colormaps", "models", "devices", "Error", "ModelError", "InputError",
           "DeviceError", "OutputError", "InternalError", "InterruptedError", "DivergedError", "MottleWarning"]
__version__: str = _mottle.version()


def models() -> List[str]:
    """The names of the models that come with Mottle."""
    return list(_mottle.library())


def devices() -> List[Tuple[str, bool, str]]:
    """What can compute on this machine: name (for ``device=``), whether it is there, and a description or why not."""
    return list(_mottle.devices())
