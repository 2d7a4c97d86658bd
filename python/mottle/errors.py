# mottle/errors.py: the exceptions of Mottle; each knows what was wrong, where, and what may help
"""Exceptions of Mottle: all are :class:`Error`, most are also the exception of Python that says the same."""
from __future__ import annotations

from typing import List, Optional

__all__ = ["Error", "ModelError", "InputError", "DeviceError", "OutputError", "InternalError", "InterruptedError", "DivergedError",
           "MottleWarning"]


class MottleWarning(UserWarning):
    """What Mottle thinks doubtful about a simulation: a time step that is too long, a value outside its declared range."""


class Error(Exception):
    """Base of all errors. ``str(error)`` is the whole message with its place, the line and a caret.

    Attributes:
        message: the message alone.
        file: the file, "<model>" for a text, or the argument ("argument size"); None if unknown.
        line, column: where in that text, from 1; None if unknown.
        hint: what to do about it, the part of the message after its first semicolon; None if there is none.
    """

    def __init__(self, text: str, message: Optional[str] = None, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None):
        super().__init__(text)
        self.message = text if message is None else message
        self.file = file
        self.line = line
        self.column = column

    @property
    def hint(self) -> Optional[str]:
        _, found, rest = self.message.partition("; ")
        return rest if found else None

    def __reduce__(self):
        return type(self), (self.args[0], self.message, self.file, self.line, self.column)


class ModelError(Error, ValueError):
    """Something inside an equation: syntax, names, numbers of arguments."""


class InputError(Error, ValueError):
    """Every other input: arguments, files, keys, sizes, arrays."""


class DeviceError(Error, RuntimeError):
    """The device or a part of the installation is missing, or too small."""


class OutputError(Error, OSError):
    """A file could not be written."""

    __str__ = Exception.__str__


class InternalError(Error, RuntimeError):
    """A bug of Mottle's own."""


class InterruptedError(Error, RuntimeError):
    """The work was ended from outside before it was done: the interpreter ends."""


class DivergedError(Error, ArithmeticError):
    """A field stopped being finite. The fields stand where that was found.

    Attributes:
        step: the step at which that was seen.
        files: what had been written by then.
    """

    def __init__(self, text: str, step: int = 0, files: Optional[List[str]] = None):
        super().__init__(text)
        self.step = step
        self.files = files or []

    def __reduce__(self):
        return type(self), (self.args[0], self.step, self.files)
