# mottle/sweeps.py: many runs of one model side by side
"""Sweeps over parameters."""
from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

import numpy as np

from . import _mottle
from .errors import InputError
from .picture import Image
from .progress import Bar, listener
from .request import Listener, ModelSource, Request, cache_folder, outputs_of


class Atlas:
    """What the runs of a sweep have come to. ``atlas["v"]``: shape (values of the first axis, of the second, y, x), the axes in the order of
    ``over``; NaN where a run diverged. (The command's .npy has the axes the other way round.)"""

    def __init__(self, core: "_mottle.Sweep", axes: Dict[str, np.ndarray], heard: Listener, sheet: Optional[Image], files: List[str]):
        self._core = core
        #: The values of each parameter, in the order of ``over``.
        self.axes = axes
        #: What Mottle found worth saying.
        self.notices: List[str] = list(heard.notices)
        #: What was written: full paths.
        self.files: List[Path] = [Path(file) for file in files]
        self._sheet = sheet
        self._table: Optional[np.ndarray] = None

    @property
    def names(self) -> List[str]:
        """The fields."""
        return list(self._core.names())

    @property
    def shape(self) -> tuple:
        """(values of the first axis, of the second, ...): of :attr:`verdicts`, and of ``atlas[name]`` before y and x."""
        return tuple(len(values) for values in self.axes.values())

    @property
    def dt(self) -> float:
        """The time step that all members began with."""
        return self._core.dt()

    def __getitem__(self, name: str) -> np.ndarray:
        return self._core.fields(name)

    @property
    def table(self) -> np.ndarray:
        """A row per run, as a structured array: the axes, verdict, step, time, and of each field .min, .max, .mean, .std. Rows are in the
        order of ``atlas[name]``, the last axis fastest; ``pandas.DataFrame(atlas.table)`` takes it as it is."""
        if self._table is None:
            self._table = self._make_table()
        return self._table

    def _make_table(self) -> np.ndarray:
        kinds = [(name, np.float64) for name in self.axes] + [("verdict", "U16"), ("step", np.int64), ("time", np.float64)]
        kinds += [(f"{field}.{what}", np.float64) for field in self.names for what in ("min", "max", "mean", "std")]
        results = self._core.results()
        columns = self.shape[0]
        table = np.zeros(len(results), dtype=kinds)
        for place, at in enumerate(np.ndindex(*self.shape)):
            member = at[0] + columns * (at[1] if len(at) > 1 else 0)
            verdict, step, time, fields, _ = results[member]
            values = [axis[i] for axis, i in zip(self.axes.values(), at)]
            table[place] = (*values, verdict, step, time, *(number for field in fields for number in field))
        return table

    @property
    def verdicts(self) -> np.ndarray:
        """How each run ended ("reached", "diverged", ...), of :attr:`shape`."""
        return self.table["verdict"].reshape(self.shape)

    def statistic(self, field: str, what: str = "std") -> np.ndarray:
        """min, max, mean or std of a field at the end of each run, of :attr:`shape`: a phase diagram."""
        if f"{field}.{what}" not in self.table.dtype.names:
            raise InputError(f"no '{field}.{what}'" + _mottle.did_you_mean(f"{field}.{what}", list(self.table.dtype.names)))
        return self.table[f"{field}.{what}"].reshape(self.shape)

    @property
    def sheet(self) -> Image:
        """All ends side by side, with the values of the axes, as the command's .png."""
        if self._sheet is None:
            raise InputError("the sweep drew no sheet; leave sheet=False out")
        return self._sheet

    def _repr_png_(self) -> Optional[bytes]:
        return None if self._sheet is None else self._sheet.png()

    def __repr__(self) -> str:
        axes = ", ".join(f"{name} ({len(values)})" for name, values in self.axes.items())
        return f"<mottle.Atlas over {axes}: {', '.join(self.names)}>"


def sweep(model: ModelSource, *, over: Mapping[str, Any], outputs: Any = None, sheet: bool = True, preset: Optional[str] = None,
          initial: Optional[Mapping[str, Any]] = None, parameters: Optional[Mapping[str, Any]] = None, mesh: Any = None,
          progress: Any = False, **arguments: Any) -> Atlas:
    """Runs a model once for every combination of the values of one or two parameters, side by side.

    Args:
        over: values by parameter; "seed" stands for the seed.
        outputs: as the command's: .png, .mp4 and .gif of all members, .csv, .npy.
        sheet: whether to draw all ends on one sheet.

    Other arguments are those of :class:`mottle.Simulation`.
    """
    if not isinstance(over, Mapping) or not 1 <= len(over) <= 2:
        raise InputError("over is a dictionary of one or two parameters and their values: {\"F\": [0.03, 0.04]}")
    axes: Dict[str, np.ndarray] = {}
    for name, values in over.items():
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if array.ndim != 1 or array.size == 0:
            raise InputError(f"the values of {name} are a list of numbers, not an array of shape {array.shape}")
        axes[str(name)] = array
    request = Request(model, preset, initial, parameters, mesh, arguments)
    tables = [] if outputs is None else outputs_of(outputs)
    heard = Listener()
    with tempfile.TemporaryDirectory(prefix="mottle-") as folder:
        drawn = os.path.join(folder, "sheet.png")
        written = [*tables, {"file": drawn}] if sheet else tables
        core = _mottle.Sweep(request.compiled(output=written), [(name, values.tolist()) for name, values in axes.items()], heard, cache_folder())
        request.require_shapes(core.shape())
        bar = listener(progress, 0, core.steps())
        try:
            core.run_to_end(bar)
        finally:
            if isinstance(bar, Bar):
                bar.end()
            heard.warn()
        picture = Image(_mottle.png_pixels(drawn), Path(drawn).read_bytes()) if sheet else None
        files = [file for file in core.files() if Path(file) != Path(drawn)]
    return Atlas(core, axes, heard, picture, files)
