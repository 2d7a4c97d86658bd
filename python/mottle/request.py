# mottle/request.py: arguments of Python -> what the library reads: a document, keys of files, arrays, a mesh
"""Turns a model and keyword arguments into what the library reads."""
from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _mottle
from .errors import InputError, MottleWarning
from .mesh import Mesh

ModelSource = Union[str, "os.PathLike[str]"]
"""The name of a library model, the path of a file (with a slash or ending in .toml), or the text of a model (TOML)."""

_TEXT = "<model>"
MOST_STEPS = 2**53
_DEEPEST = 40  # tables within tables


def cache_folder() -> str:
    """Where compiled kernels are kept: that of the command."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(cache):
        return os.path.join(cache, "mottle")
    home = os.environ.get("HOME", "")
    return os.path.join(home, ".cache", "mottle") if home else ""


def read_source(model: ModelSource) -> Tuple[Optional[str], str, str]:
    """(text or None, file, name) of a model."""
    if isinstance(model, str) and ("\n" in model or "=" in model):
        return model, _TEXT, "model"
    if not isinstance(model, (str, os.PathLike)):
        raise InputError(f"a model is a name, a path or a text, not a {type(model).__name__}")
    name = os.fspath(model)
    if not isinstance(name, str):
        raise InputError("the path of a model is text, not bytes")
    if isinstance(model, str) and "/" not in name and not name.endswith(".toml"):
        return None, "", name
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the model '{name}': {getattr(error, 'strerror', None) or error}", file=name) from None
    return text, name, Path(name).stem


class Listener:
    """Collects what the library has to say."""

    def __init__(self) -> None:
        self.notices: List[str] = []
        self._told = 0

    def __call__(self, message: str) -> None:
        self.notices.append(message)

    @property
    def fresh(self) -> bool:
        """Whether there are notices that :meth:`warn` has not seen."""
        return len(self.notices) > self._told

    def tell(self, notice: str) -> None:
        """Adds what is worth saying, if anything is."""
        if notice:
            self.notices.append(notice)

    def warn(self, stacklevel: int = 3) -> None:
        """Warns of what is new and begins with "warning:"."""
        fresh, self._told = self.notices[self._told:], len(self.notices)
        for message in fresh:
            if message.startswith("warning: "):
                warnings.warn(message[len("warning: "):], MottleWarning, stacklevel=stacklevel)


def is_array(value: Any) -> bool:
    """Whether a value is an array of numbers rather than one number or a text."""
    return isinstance(value, np.ndarray) and value.ndim > 0 or (
        not isinstance(value, (str, bytes, np.generic)) and hasattr(value, "__array__") and np.ndim(value) > 0)


_TAKEN = (np.dtype(np.float32), np.dtype(np.float64))  # as they are


def numbers(name: str, value: Any) -> np.ndarray:
    """An array of real numbers as float32 or float64 in C order, in this machine's byte order."""
    if value.__class__ is np.ndarray and value.dtype in _TAKEN and value.flags.c_contiguous:
        return value
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise InputError(f"{name} has masked entries; fill them: array.filled(0)")
    try:
        array = np.asarray(value)
    except ValueError:
        raise InputError(f"{name} is no array: its rows have different lengths") from None
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} is an array of {array.dtype}; real numbers are possible")
    wanted = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize == 4 else np.float64
    return np.asarray(array, dtype=wanted, order="C")


def _given(name: str, value: Any, arrays: Dict[str, np.ndarray]) -> str:
    array = numbers(name, value).astype(np.float64)
    if array.size == 0:
        raise InputError(f"{name} is an empty array")
    may_lack = array.ndim == 1  # vertices that no face uses, or that a region leaves out, are NaN: the library knows them
    bad = np.flatnonzero(np.isinf(array) if may_lack and not np.isnan(array).all() else ~np.isfinite(array))
    if bad.size:
        place = tuple(int(i) for i in np.unravel_index(bad[0], array.shape))
        raise InputError(f"{name} is {array.flat[bad[0]]} at {place}; values must be finite")
    arrays[name] = array
    return f'given("{name}", {float(np.nanmin(array))!r}, {float(np.nanmax(array))!r})'


def _plain(value: Any, depth: int = 0) -> Any:
    """A setting as numbers, texts, lists and dictionaries."""
    if depth > _DEEPEST:
        return value  # the library refuses it
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {key: _plain(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, depth + 1) for entry in value]
    return value


def outputs_of(outputs: Any) -> List[Dict[str, Any]]:
    """Files, or dictionaries of a file and its own keys, as tables."""
    if isinstance(outputs, (str, os.PathLike, Mapping)):
        outputs = [outputs]
    tables = []
    for output in outputs:
        if isinstance(output, Mapping):
            tables.append({key: _plain(value) for key, value in output.items()})
        elif isinstance(output, (str, os.PathLike)):
            tables.append({"file": os.fspath(output)})
        else:
            raise InputError(f"an output is a file name or a dictionary with one, not a {type(output).__name__}")
    return tables


class Request:
    """What a model is run with; can be pickled."""

    def __init__(self, model: ModelSource, preset: Optional[str], initial: Optional[Mapping[str, Any]],
                 parameters: Optional[Mapping[str, Any]], mesh: Any, arguments: Mapping[str, Any]):
        self.text, self.file, self.name = read_source(model)
        self.preset = "" if preset is None else preset
        if not isinstance(self.preset, str):
            raise InputError(f"preset is the name of a preset, not {preset!r}")
        self.arguments: Dict[str, Any] = {}
        self.arrays: Dict[str, np.ndarray] = {}
        self.mesh: Optional[Mesh] = None
        known, fields = _mottle.names_of(self.text, self.file, self.name, self.preset)
        settings = _mottle.setting_names()
        values: Dict[str, Any] = dict(parameters or {})
        starts: Dict[str, Any] = dict(initial or {})
        for name, value in arguments.items():
            if name in known:
                values[name] = value
            elif name in settings:
                self.arguments[name] = _plain(value)
            elif name in fields:
                starts[name] = value
            else:
                raise InputError(f"unknown argument '{name}'" + _mottle.did_you_mean(name, [*known, *fields, *settings]))
        for name in starts:
            if name not in fields:
                raise InputError(f"unknown field '{name}' in initial" + _mottle.did_you_mean(name, fields))
        if mesh is not None:
            self._set_mesh(mesh)
        for table, entries in (("parameters", values), ("initial", starts)):
            if entries:
                self.arguments[table] = {name: _given(name, value, self.arrays) if is_array(value) else _plain(value)
                                         for name, value in entries.items()}

    def _set_mesh(self, mesh: Any) -> None:
        if isinstance(mesh, Mesh):
            self.mesh = mesh
            self.arguments["mesh"] = "given"
        elif isinstance(mesh, (str, os.PathLike)):
            self.arguments["mesh"] = os.fspath(mesh)
        else:
            raise InputError(f"mesh is a mottle.Mesh, a file or a shape, not a {type(mesh).__name__}")

    def compiled(self, **more: Any) -> "_mottle.Request":
        """For the library. `more`: further keys."""
        return _mottle.Request(self.text, self.file, self.name, self.preset, {**self.arguments, **more}, self.arrays,
                               self.mesh._core if self.mesh else None)

    def require_shapes(self, shape: Tuple[int, ...]) -> None:
        """Raises InputError unless all arrays have the shape of the domain."""
        for name, array in self.arrays.items():
            if array.shape != shape:
                hint = "; arrays are (y, x) and size is (width, height): give its transpose, array.T" if array.shape[::-1] == shape else ""
                raise InputError(f"{name} has the shape {array.shape}, and the domain {shape}{hint}")


def steps_of(steps: Any, time: Any, dt: float) -> int:
    """The number of steps that are meant by one of both."""
    if (steps is None) == (time is None):
        raise InputError("give steps= or time=, one of both")
    if steps is not None:
        if isinstance(steps, float) and steps.is_integer():
            steps = int(steps)
        try:
            count = steps.__index__()
        except (AttributeError, TypeError):
            raise InputError(f"steps is a whole number, not {steps!r}") from None
        return _counted(count)
    try:
        count = float(time) / dt
    except (TypeError, ValueError):
        raise InputError(f"time is a number, not {time!r}") from None
    if not np.isfinite(count):
        raise InputError(f"time cannot be {time!r}")
    if count < 0:
        raise InputError(f"time cannot be {time!r}; a simulation goes forward")
    return _counted(int(round(count)))


def _counted(steps: int) -> int:
    if abs(steps) > MOST_STEPS:
        raise InputError(f"{steps:,} are more steps than can be counted; there are at most 2^53")
    return steps


def names_text(names: Iterable[str]) -> str:
    return ", ".join(names)
