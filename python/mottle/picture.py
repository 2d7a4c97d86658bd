# mottle/picture.py: pictures and videos that show themselves, palettes, and matplotlib
"""Pictures, videos and palettes."""
from __future__ import annotations

import base64
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, List, Optional, Union

import numpy as np

from . import _mottle
from .errors import InputError, OutputError


def _write(file: Union[str, "os.PathLike[str]"], data: bytes) -> None:
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        raise OutputError(f"cannot write '{os.fspath(file)}': {error.strerror or error}") from None


class Image:
    """A picture: pixels of shape (height, width, 3 or 4), uint8, row 0 at the top. A notebook shows it."""

    def __init__(self, pixels: np.ndarray, png: Optional[bytes] = None):
        self.pixels = pixels
        self._png = png

    def png(self) -> bytes:
        """The bytes of a PNG file."""
        if self._png is None:
            self._png = _mottle.png_bytes(self.pixels)
        return self._png

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a .png file."""
        if not os.fspath(file).endswith(".png"):
            raise InputError(f"a picture is saved as .png, not '{os.fspath(file)}'")
        _write(file, self.png())

    def _repr_png_(self) -> bytes:
        return self.png()

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        return np.asarray(self.pixels, dtype=dtype)

    def __repr__(self) -> str:
        return f"<mottle.Image {self.pixels.shape[1]}x{self.pixels.shape[0]}>"


class Video:
    """A video in memory; a notebook plays it."""

    _types = {".mp4": "video/mp4", ".gif": "image/gif"}

    def __init__(self, data: bytes, extension: str = ".mp4"):
        self.data, self.extension = data, extension

    @classmethod
    def read(cls, file: Union[str, "os.PathLike[str]"]) -> "Video":
        """The video in a file."""
        extension = Path(file).suffix.lower()
        if extension not in cls._types:
            raise InputError(f"a video is an .mp4 or a .gif, not '{os.fspath(file)}'")
        return cls(Path(file).read_bytes(), extension)

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the bytes of the video."""
        _write(file, self.data)

    def _repr_html_(self) -> str:
        source = f"data:{self._types[self.extension]};base64,{base64.b64encode(self.data).decode()}"
        if self.extension == ".gif":
            return f'<img src="{source}">'
        return f'<video controls loop autoplay muted style="max-width:100%" src="{source}"></video>'

    def __repr__(self) -> str:
        return f"<mottle.Video {self.extension}, {len(self.data):,} bytes>"


def recorded(film: Callable[[str], None], file: Any) -> Video:
    """The video that `film` writes to the path that it is given: `file`, or one that is read and removed."""
    if file is not None:
        film(os.fspath(file))
        return Video.read(file)
    with tempfile.TemporaryDirectory(prefix="mottle-") as folder:
        path = os.path.join(folder, "video.mp4")
        film(path)
        return Video.read(path)


def palettes() -> List[str]:
    """The names of the palettes."""
    return list(_mottle.palette_names())


def palette(name: str) -> np.ndarray:
    """The 256 colours of a palette: shape (256, 3), uint8."""
    return _mottle.palette(name)


def colormap(name: str) -> Any:
    """A palette as a matplotlib colormap."""
    try:
        from matplotlib.colors import ListedColormap
    except ImportError:
        raise ImportError("colormap() needs matplotlib (Debian: python3-matplotlib)") from None
    return ListedColormap(palette(name) / 255.0, name="mottle:" + name)


def register_colormaps() -> None:
    """Registers all palettes with matplotlib as "mottle:NAME", for ``cmap="mottle:lagoon"``."""
    import matplotlib
    for name in palettes():
        if "mottle:" + name in matplotlib.colormaps:
            continue
        matplotlib.colormaps.register(colormap(name), name="mottle:" + name)


def plot(simulation: Any, field: Optional[str] = None, *, ax: Any = None, palette: Optional[str] = None, colorbar: bool = True,
         **keys: Any) -> Any:
    """Draws a field by matplotlib with axes in lengths of the equations: an image of a plane or of the middle of a volume, a line of one
    dimension, triangles of a surface seen along z.

    Args:
        simulation: a :class:`mottle.Simulation`.
        field: None: the one that pictures show.
        ax: the axes; None: new ones.
        palette: a palette of Mottle; None: that of the simulation.
        keys: for imshow, plot or tripcolor.

    Returns:
        The axes.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() needs matplotlib (Debian: python3-matplotlib)") from None
    facts = simulation.facts
    name = facts["drawn"] if field is None else field
    values = simulation[name]
    ax = pyplot.gca() if ax is None else ax
    keys.setdefault("cmap", colormap(facts["palette"] if palette is None else palette))
    if facts["spacing"] is None:
        raise InputError("plot() is for grids; sim.image() draws a surface")
    width, height = (count * step for count, step in zip(facts["shape"][::-1], facts["spacing"]))
    if values.ndim == 3:
        values = values[values.shape[0] // 2]
    if values.shape[0] == 1:
        keys.pop("cmap")
        ax.plot((np.arange(values.shape[1]) + 0.5) * facts["spacing"][0], values[0], **keys)
        ax.set(xlabel="x", ylabel=name)
    else:
        shown = ax.imshow(values, extent=(0, width, height, 0), interpolation="nearest", **keys)
        if colorbar:
            ax.figure.colorbar(shown, ax=ax, label=name)
        ax.set(xlabel="x", ylabel="y")
    ax.set_title(f"{name} at t = {simulation.time:.6g}")
    return ax
