# mottle/simulation.py: one simulation: advance, look, change, draw, copy
"""Simulations."""
from __future__ import annotations

import os
from collections.abc import MutableMapping
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _mottle
from .errors import InputError
from .picture import Image, Video, recorded
from .progress import Bar, listener
from .request import MOST_STEPS, Listener, ModelSource, Request, cache_folder, is_array, numbers, steps_of
from .vertices import Vertices

# An advance of fewer steps is not followed by a look at all cells, unless asked for: loops of single steps would be looks for the most part.
_STEPS_TO_LOOK = 64


class Frame:
    """The fields at one moment: ``frame["u"]``, ``frame.step``, ``frame.time``."""

    __slots__ = ("step", "time", "fields")

    def __init__(self, step: int, time: float, fields: Dict[str, np.ndarray]):
        self.step, self.time, self.fields = step, time, fields

    def __getitem__(self, name: str) -> np.ndarray:
        return self.fields[name]

    def __repr__(self) -> str:
        return f"<mottle.Frame step {self.step:,}, t = {self.time:.6g}: {', '.join(self.fields)}>"


class Parameters(MutableMapping):
    """The parameters of a simulation, by name; assignments count from the next step on."""

    def __init__(self, simulation: "Simulation"):
        self._simulation = simulation

    def __getitem__(self, name: str) -> Any:
        return self._simulation._get_parameter(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._simulation._set_parameter(name, value)

    def __delitem__(self, name: str) -> None:
        raise InputError("a model keeps its parameters; set it to 0")

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._values)

    def __len__(self) -> int:
        return len(self._simulation._values)

    def __repr__(self) -> str:
        return repr({name: "map" if value is None else value for name, value in self._simulation._values.items()})


class Recording:
    """A video or data file of a simulation, frame by frame: ``with sim.record("a.mp4") as video: ... video.frame()``."""

    def __init__(self, core: "_mottle.Recorder"):
        self._core = core
        self.files: List[str] = []

    def frame(self) -> None:
        """Adds the fields as they are now."""
        self._core.write()

    def close(self) -> None:
        """Finishes the file; :attr:`files` has the full paths."""
        self.files = self._core.finish()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Simulation:
    """A simulation of a model.

    Args:
        model: the name of a library model (``mottle.models()``), the path of a file, or a text (TOML).
        preset: one of the model's; None: its first.
        initial: starts of fields, by name: expressions, numbers, or arrays of the shape of the domain.
        parameters: numbers, expressions of maps, or arrays; keyword arguments of their names do the same.
        mesh: a :class:`mottle.Mesh`, a file or a shape ("sphere:5"); None: a grid.
        arguments: the keys of files and presets: ``size=(width, height)``, ``spacing``, ``dt`` or ``tolerance``, ``method``, ``precision``, ``boundary``,
            ``steps`` or ``time``, ``seed``, ``device``, ``threads``, ``palette``, ``field``, ``range``, ...

    Arrays are (y, x), (z, y, x) or (vertices,), in the precision of the run. One simulation is used by one thread at a time (others wait);
    many run side by side in threads, best with ``threads=1`` each.
    """

    __slots__ = ("_core", "_request", "_listener", "_values", "_whole", "_left", "_changed", "_vertices", "__weakref__")

    def __init__(self, model: ModelSource, *, preset: Optional[str] = None, initial: Optional[Mapping[str, Any]] = None,
                 parameters: Optional[Mapping[str, Any]] = None, mesh: Any = None, **arguments: Any):
        for name in ("output", "outputs"):
            if name in arguments:
                raise InputError(f"{name}: a Simulation writes what you record (sim.record); mottle.run(..., outputs=[...]) writes files")
        request = Request(model, preset, initial, parameters, mesh, arguments)
        self._begin(request)
        self._listener.warn()

    def _begin(self, request: Request, whole: bool = False, **more: Any) -> None:
        """Makes the core. `whole`: it will run to its end, and may choose its method. `more`: further keys."""
        heard = Listener()
        core = _mottle.Simulation(request.compiled(**more), heard, cache_folder(), whole)
        request.require_shapes(core.facts()["shape"])
        in_run = core.vertices()
        vertices = None if in_run is None else Vertices(in_run)
        for name, array in request.arrays.items() if vertices else ():
            heard.tell(vertices.notice(name, array))
        values: Dict[str, Optional[float]] = dict(core.parameters())
        for name, value in (("_request", request), ("_listener", heard), ("_core", core), ("_values", values), ("_whole", whole), ("_left", None),
                            ("_changed", {}), ("_vertices", vertices)):
            object.__setattr__(self, name, value)

    # ---- time

    def advance(self, steps: Optional[int] = None, *, time: Optional[float] = None, check: Optional[bool] = None,
                progress: Any = False) -> "Simulation":
        """Goes on by so many steps, or by so much time. Writes nothing.

        Time is the nearest number of steps; what that leaves over, up to half a step, is carried to the next advance by a time, so that many short ones end
        where one long one does.

        Args:
            check: whether to look at the end for values that are not finite; None: if there were 64 steps or more. Every 1,024th step is
                looked at anyway.
            progress: True for a bar, or a function of (step, time, cells per second), called some ten times a second.

        Returns:
            The simulation itself.

        Raises:
            DivergedError: a field stopped being finite.
            KeyboardInterrupt: Ctrl-C, in the main thread; the fields stand at the step that was reached, and the simulation can go on.
        """
        core = self._open
        if steps.__class__ is not int or time is not None or abs(steps) > MOST_STEPS:
            dt = core.dt()
            if steps is None and time is not None:
                steps = self._steps_for(time, dt)
            else:
                steps = steps_of(steps, time, dt)
        look = steps >= _STEPS_TO_LOOK if check is None else bool(check)
        heard = None if progress is False else listener(progress, core.step(), core.step() + steps)
        try:
            core.advance(steps, look, heard)
        finally:
            if isinstance(heard, Bar):
                heard.end()
            if self._listener.fresh:
                self._listener.warn()
        return self

    def _steps_for(self, time: Any, dt: float) -> int:
        """The number of steps for so much time and what the last such advance left over, if nothing has moved since. Remembers what is left over now."""
        count = steps_of(None, time, dt)
        here = self._core.step()
        left = self._left[1] if self._left is not None and self._left[0] == here else 0.0
        if left:
            count = max(steps_of(None, max(time + left, 0.0), dt), 0)
        object.__setattr__(self, "_left", (here + count, time + left - count * dt))
        return count

    def frames(self, *, every: int, steps: Optional[int] = None, time: Optional[float] = None,
               fields: Optional[Sequence[str]] = None, progress: Any = False) -> Iterator[Frame]:
        """Goes on and yields the fields after every so many steps, and at the end.

        Args:
            every: steps between two frames.
            steps, time: how far; None: to the planned end, :attr:`steps`.
            fields: which fields are copied; None: all.
        """
        every = steps_of(every, None, self.dt)
        if every < 1:
            raise InputError(f"every is a number of steps from 1 up, not {every}")
        names = self.names if fields is None else list(fields)
        for name in names:
            self._require_field(name)
        last = self.steps if steps is None and time is None else self.step + steps_of(steps, time, self.dt)

        def walk() -> Iterator[Frame]:
            while self.step < last:
                self.advance(min(every, last - self.step), progress=progress)
                yield Frame(self.step, self.time, {name: self[name] for name in names})

        return walk()

    @property
    def step(self) -> int:
        """Steps made so far."""
        return self._open.step()

    @property
    def time(self) -> float:
        """The time of the equations."""
        return self._open.time()

    @property
    def dt(self) -> float:
        """The time of a step. Assign to it for other steps from here on: step and time go on, and :attr:`steps` becomes the step at the planned end."""
        return self._open.dt()

    @property
    def steps(self) -> int:
        """The planned number of steps, of ``steps=``, ``time=`` or the preset; going on beyond is possible."""
        return self._open.steps()

    # ---- fields

    @property
    def names(self) -> List[str]:
        """The fields, in the order of the model."""
        return list(self._open.names())

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of the array of a field: (y, x), (z, y, x), or (vertices,)."""
        return self._open.facts()["shape"]

    @property
    def size(self) -> Tuple[int, ...]:
        """(width, height) or (width, height, depth) of a grid; (vertices,) of a surface."""
        return self.shape[::-1]

    def read(self, name: str, out: Optional[np.ndarray] = None) -> np.ndarray:
        """A copy of a field or map, or its values put into `out` (float32 or float64, C order): no memory is taken then."""
        if not isinstance(name, str):
            raise InputError(f"a field is read by its name, not by {name!r}")
        if out is None:
            return self._open.read(name)
        if not isinstance(out, np.ndarray):
            raise InputError(f"out is an array of NumPy, not a {type(out).__name__}")
        self._open.read_into(name, out)
        return out

    def write(self, name: str, values: Any) -> None:
        """Puts numbers into a field: an array of its shape, or one number for all cells. Raises InputError where one is not finite."""
        core = self._open
        array = numbers(name, values)
        if array.ndim == 0:
            array = np.full(self.shape, array)
        if self._vertices:
            self._listener.tell(self._vertices.notice(name, array))
            self._listener.warn(4)
        if name in self._values:
            self._set_map(name, array)
        else:
            core.write(name, array)

    def _write_part(self, name: str, part: Tuple[Any, ...], values: Any) -> None:
        whole = self._open.read(name)
        if self._vertices:
            self._vertices.put(name, whole, part, values)
        else:
            whole[part] = values
        self.write(name, whole)

    def __getitem__(self, key: Union[str, Tuple[Any, ...]]) -> np.ndarray:
        """``sim["u"]``: a copy; ``sim["u", 10:20, 5]``: a part of it."""
        if isinstance(key, tuple) and key and isinstance(key[0], str):
            return self._open.read(key[0])[key[1:]]
        if not isinstance(key, str):
            raise InputError(f"a field is read by its name, sim[\"u\"] or sim[\"u\", 0:10], not by {key!r}")
        return self._open.read(key)

    def __setitem__(self, key: Union[str, Tuple[Any, ...]], values: Any) -> None:
        """``sim["u"] = array`` or a number; ``sim["u", 10:20, 5] = values`` for a part. (``sim["u"][10] = 1`` changes a copy.)"""
        if isinstance(key, tuple) and key and isinstance(key[0], str):
            self._write_part(key[0], key[1:], values)
        elif isinstance(key, str):
            self.write(key, values)
        else:
            raise InputError(f"a field is written by its name, sim[\"u\"] = array, not by {key!r}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        """All fields: shape (fields, y, x)."""
        return np.asarray(np.stack([self[name] for name in self.names]), dtype=dtype)

    def arrays(self) -> Dict[str, np.ndarray]:
        """Copies of all fields, by name."""
        return {name: self[name] for name in self.names}

    def fields(self) -> Any:
        """All fields as an xarray.Dataset with coordinates in lengths of the equations, and time, step and parameters as attributes."""
        try:
            import xarray
        except ImportError:
            raise ImportError("sim.fields() needs xarray (Debian: python3-xarray); sim.arrays() has the same as a dictionary") from None
        dimensions, coordinates = self._axes()
        attributes: Dict[str, Any] = {name: value for name, value in self._values.items() if value is not None}
        attributes.update(model=self.model, step=self.step, time=self.time, dt=self.dt)
        data = {name: (dimensions, array) for name, array in self.arrays().items()}
        return xarray.Dataset(data, coords=coordinates, attrs=attributes)

    def _axes(self) -> Tuple[Tuple[str, ...], Dict[str, np.ndarray]]:
        facts = self._open.facts()
        if facts["spacing"] is None:
            return ("vertex",), {"vertex": np.arange(facts["shape"][0])}
        dimensions = ("z", "y", "x")[-len(facts["shape"]):]
        return dimensions, {axis: (np.arange(count) + 0.5) * facts["spacing"]["xyz".index(axis)]
                            for axis, count in zip(dimensions, facts["shape"])}

    def statistics(self, name: str) -> Dict[str, float]:
        """min, max, mean and std of a field (weighted by areas on a surface); sums are exact."""
        self._require_field(name)
        return self._open.statistics(name)

    def _require_field(self, name: Any) -> None:
        if name not in self.names:
            raise InputError(f"unknown field {name!r}" + _mottle.did_you_mean(str(name), self.names) + f" (fields: {', '.join(self.names)})")

    # ---- parameters

    @property
    def parameters(self) -> Parameters:
        """The parameters by name, also those whose names are taken by methods: ``sim.parameters["size"] = 2``."""
        return Parameters(self)

    def _get_parameter(self, name: str) -> Any:
        if name not in self._values:
            raise KeyError(f"no parameter '{name}'" + _mottle.did_you_mean(str(name), list(self._values)))
        value = self._values[name]
        if value is not None:
            return value
        if (name, True) in self._open.arrays():
            return self._open.read(name)
        raise InputError(f"the map {name} is used by no step; it has no values of its own")

    def _set_parameter(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise KeyError(f"no parameter '{name}'" + _mottle.did_you_mean(str(name), list(self._values)))
        is_map = self._values[name] is None
        if is_array(value):
            self.write(name, value)
            return
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            raise InputError(f"the parameter {name} is set to a number, not {value!r}")
        if is_map:
            self.write(name, float(value))
            return
        self._open.set_parameter(name, float(value))
        self._changed[name] = float(value)
        self._values.update(self._open.parameters())

    def _set_map(self, name: str, array: np.ndarray) -> None:
        if self._values[name] is not None:
            raise InputError(f"{name} is one number in this simulation; for an array, give {name}=array when it is made")
        self._open.set_map(name, array)
        self._changed[name] = array.copy()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            known = [] if name.startswith("_") else [*self._values, *(entry for entry in dir(type(self)) if not entry.startswith("_"))]
            raise AttributeError(f"a simulation has no attribute '{name}'" + _mottle.did_you_mean(name, known))
        return self._get_parameter(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "dt":
            self._set_dt(value)
            return
        if hasattr(type(self), name):
            hint = f"; the parameter of this name is sim.parameters[\"{name}\"]" if name in self._values else ""
            raise AttributeError(f"'{name}' of a simulation cannot be set{hint}")
        if name not in self._values:
            raise AttributeError(f"no parameter '{name}'" + _mottle.did_you_mean(name, list(self._values)))
        self._set_parameter(name, value)

    def _set_dt(self, value: Any) -> None:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            raise InputError(f"dt is set to a number, not {value!r}")
        self._open.set_time_step(float(value))
        self._changed["dt"] = float(value)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._values]

    # ---- pictures

    def image(self, field: Optional[str] = None, **keys: Any) -> Image:
        """A picture of the fields as they are now. Keys as of outputs: ``palette``, ``range``, ``scale``; of surfaces ``pixels``,
        ``camera``, ``background``."""
        if field is not None:
            keys["field"] = field
        return Image(self._open.draw(keys))

    def _repr_png_(self) -> Optional[bytes]:
        return None if self._core is None else self.image().png()

    def record(self, file: Union[str, "os.PathLike[str]"], **keys: Any) -> Recording:
        """Begins a file (.mp4, .gif, .csv, .npy, .vti, ...) whose frames are added by hand. Keys as of outputs, and ``frames``, how many
        there will be, for a surface that turns."""
        return Recording(_mottle.Recorder(self._open, os.path.abspath(os.fspath(file)), keys))

    def video(self, *, steps: Optional[int] = None, time: Optional[float] = None, frames: int = 120, file: Any = None,
              progress: Any = False, **keys: Any) -> Video:
        """Goes on and films it; a notebook plays the result.

        Args:
            steps, time: how far; None: to the planned end.
            frames: how many.
            file: an .mp4 or .gif to keep; None: the video lives in memory.
            keys: as of outputs: ``palette``, ``fps``, ``range``, ``turn``, ...
        """
        last = self.steps if steps is None and time is None else self.step + steps_of(steps, time, self.dt)
        first, count = self.step, steps_of(frames, None, self.dt)
        if count < 1 or last - first < count:
            raise InputError(f"{count} frames do not fit into {max(0, last - first)} steps")

        def film(path: str) -> None:
            with self.record(path, frames=count, **keys) as recording:
                for i in range(1, count + 1):
                    self.advance(first + (last - first) * i // count - self.step, progress=progress)
                    recording.frame()

        return recorded(film, file)

    def live(self, **keys: Any) -> Any:
        """The same model in the page of ``mottle live``, from its start, with the parameters as they are now; see :func:`mottle.live`."""
        from .page import Live
        request = self._request
        if request.arrays or request.mesh or any(isinstance(value, np.ndarray) for value in self._changed.values()):
            raise InputError("the page reads models and files; this simulation has arrays or a mesh in memory")
        host, port, height = keys.pop("host", "127.0.0.1"), keys.pop("port", 0), keys.pop("height", 640)
        if keys:
            raise InputError(f"unknown argument '{next(iter(keys))}'" + _mottle.did_you_mean(next(iter(keys)), ["host", "port", "height"]))
        changed = {name: value for name, value in self._changed.items() if name != "dt"}
        arguments = {**request.arguments, "parameters": {**request.arguments.get("parameters", {}), **changed}}
        if "dt" in self._changed:
            arguments["dt"] = self._changed["dt"]
        core = _mottle.Live(request.text, request.file, request.name, request.preset, arguments, host, int(port), cache_folder())
        return Live(core, int(height))

    def plot(self, field: Optional[str] = None, ax: Any = None, **keys: Any) -> Any:
        """Draws a field by matplotlib, axes in lengths of the equations; see :func:`mottle.plot`."""
        from .picture import plot
        return plot(self, field, ax=ax, **keys)

    # ---- the object

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._open.facts()["model"]

    @property
    def facts(self) -> Dict[str, Any]:
        """What it runs on: domain, precision, device, threads, method, spacing, stable_dt, seconds, ..."""
        return self._open.facts()

    @property
    def notices(self) -> List[str]:
        """What Mottle found worth saying."""
        return list(self._listener.notices)

    @property
    def _open(self) -> "_mottle.Simulation":
        core = self._core
        if core is None:
            raise InputError("the simulation is closed")
        return core

    @property
    def closed(self) -> bool:
        return self._core is None

    def close(self) -> None:
        """Frees the fields and threads now; what is called after it raises InputError."""
        object.__setattr__(self, "_core", None)

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __getstate__(self) -> Dict[str, Any]:
        core = self._open
        facts = core.facts()
        return {"request": self._request, "whole": self._whole, "changed": dict(self._changed),
                "arrays": {name: core.read(name) for name, _ in core.arrays()}, "step": core.step(), "origin": core.origin(), "steps": core.steps(), "left": self._left,
                "halved": {"dt": core.dt(), "method": facts["method"]} if facts["halvings"] else {}}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._begin(state["request"], state["whole"], **state["halved"])
        for name, value in state["changed"].items():
            self._set_dt(value) if name == "dt" else self._set_parameter(name, value)
        for name, array in state["arrays"].items():
            self._core.restore(name, array)
        self._core.stand_at(state["step"], state["origin"], state["steps"])
        object.__setattr__(self, "_left", state["left"])

    def __reduce__(self) -> Any:
        return _blank, (), self.__getstate__()

    def copy(self) -> "Simulation":
        """A simulation of its own that stands where this one stands: both go on to the same bits."""
        other = _blank()
        other.__setstate__(self.__getstate__())
        return other

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "Simulation":
        return self.copy()

    def __repr__(self) -> str:
        if self._core is None:
            return "<mottle.Simulation, closed>"
        facts = self._core.facts()
        name = facts["model"] + ("/" + facts["preset"] if facts["preset"] else "")
        return f"<mottle.Simulation {name}, {facts['domain']}, step {self.step:,}, t = {self.time:.6g}>"


def _blank() -> Simulation:
    made = Simulation.__new__(Simulation)
    for name, value in (("_core", None), ("_request", None), ("_listener", Listener()), ("_values", {}), ("_changed", {}), ("_vertices", None)):
        object.__setattr__(made, name, value)
    return made
