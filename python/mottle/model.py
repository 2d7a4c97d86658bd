# mottle/model.py: what a model says
"""Models to be looked at: equations, parameters, presets, linearisation."""
from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _mottle
from .errors import InputError
from .request import ModelSource, Request


class Parameter(NamedTuple):
    """A parameter of a model."""

    value: Union[float, str]  #: a number, or the expression of a map
    min: Optional[float]  #: of its declared range, or None
    max: Optional[float]
    about: str


class Field(NamedTuple):
    """A field of a model."""

    equation: str  #: its rate of change
    initial: Optional[str]
    range: Optional[Tuple[float, float]]  #: declared, or None
    clamp: Optional[Tuple[float, float]]  #: after each step, or None
    unit: str
    about: str


class Model:
    """A model: a library name, the path of a file or a text, with a preset and changed keys as for :class:`mottle.Simulation`.

    >>> mottle.Model("gray-scott").equations["v"]
    'Dv*lap(v) + u*v^2 - (F + k)*v'
    """

    def __init__(self, model: ModelSource, *, preset: Optional[str] = None, initial: Optional[Mapping[str, Any]] = None,
                 parameters: Optional[Mapping[str, Any]] = None, **arguments: Any):
        mesh = arguments.pop("mesh", None)
        request = Request(model, preset, initial, parameters, mesh, arguments)
        if request.mesh or request.arrays:
            raise InputError("a Model is looked at without arrays and meshes in memory; mottle.Simulation takes them")
        self.name = request.name
        self._core = _mottle.Model(request.text, request.file, request.name, request.preset, request.arguments)

    @property
    def title(self) -> str:
        return self._core.title()

    @property
    def about(self) -> str:
        return self._core.about()

    @property
    def source(self) -> str:
        """Where the model was published."""
        return self._core.source()

    @property
    def preset(self) -> str:
        """The preset in use, "" if there is none."""
        return self._core.preset()

    @property
    def equations(self) -> Dict[str, str]:
        """The rate of change of each field, definitions written out."""
        return {name: field.equation for name, field in self.fields.items()}

    @property
    def fields(self) -> Dict[str, Field]:
        return {name: Field(**entry) for name, entry in self._core.fields().items()}

    @property
    def parameters(self) -> Dict[str, Parameter]:
        """As they are in the preset in use."""
        return {name: Parameter(**entry) for name, entry in self._core.parameters().items()}

    @property
    def presets(self) -> Dict[str, str]:
        """What each preset is about; the first is the one that a run takes if none is named."""
        return dict(self._core.presets())

    def jacobian(self, state: Union[Mapping[str, float], Any], wave_number: float = 0.0) -> np.ndarray:
        """The equations linearised about a uniform state.

        Args:
            state: the value of each field, by name or in the order of ``fields``.
            wave_number: of the wave on which lap() acts as -wave_number^2, in radians per length; 0 is the reaction alone.

        Returns:
            Row i, column j: the derivative of the rate of field i by field j, 1/time; what depends on a map is NaN.
        """
        names = list(self._core.fields())
        if isinstance(state, Mapping):
            for name in state:
                if name not in names:
                    raise InputError(f"unknown field '{name}'" + _mottle.did_you_mean(str(name), names))
            missing = [name for name in names if name not in state]
            if missing:
                raise InputError(f"the state has no value for {', '.join(missing)}")
            state = [state[name] for name in names]
        try:
            values, wave = [float(value) for value in state], float(wave_number)
        except (TypeError, ValueError):
            raise InputError("the state is a number for each field, and the wave number one number") from None
        return self._core.jacobian(values, wave)

    @property
    def program(self) -> str:
        """The program of a step, as ``mottle emit --what ir`` prints it."""
        return self._core.program()

    def __repr__(self) -> str:
        lines = [f"{self.name}: {self.title}"]
        lines += [f"d{name}/dt = {equation}" for name, equation in self.equations.items()]
        lines += [f"{name} = {parameter.value}" for name, parameter in self.parameters.items()]
        return "\n".join(lines)
