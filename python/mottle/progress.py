# mottle/progress.py: a line of progress in a terminal or a notebook
"""A progress bar without further packages."""
from __future__ import annotations

import sys
from typing import Any, Callable, Optional

Callback = Callable[[int, float, float], Any]
_WIDTH = 30


def _rate_text(rate: float) -> str:
    for prefix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {prefix}cells/s"
    return f"{rate:.3g} cells/s"


class Bar:
    """Draws itself over and over on one line of stderr, which notebooks show, too."""

    def __init__(self, first: int, last: int):
        self._first, self._last, self._drawn = first, last, 0

    def __call__(self, step: int, time: float, rate: float) -> None:
        share = 1.0 if self._last <= self._first else min(1.0, (step - self._first) / (self._last - self._first))
        done = int(share * _WIDTH)
        text = f"[{'#' * done}{' ' * (_WIDTH - done)}] {share:4.0%}  step {step:,}, t = {time:.6g}, {_rate_text(rate)}"
        sys.stderr.write("\r" + text.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(text)

    def end(self) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * self._drawn + "\r")
            sys.stderr.flush()


def listener(progress: Any, first: int, last: int) -> Optional[Callback]:
    """`progress`: True for a bar, a function of (step, time, cells per second), or False."""
    if callable(progress):
        return progress
    return Bar(first, last) if progress else None
