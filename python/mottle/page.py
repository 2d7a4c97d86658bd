# mottle/page.py: the page of `mottle live` in a notebook
"""A model that runs in a page: watch it, paint into it, turn its parameters."""
from __future__ import annotations

import atexit
import html
import weakref
from typing import Any, Mapping, Optional

from . import _mottle
from .errors import InputError
from .request import ModelSource, Request, cache_folder

_open: "weakref.WeakSet[Live]" = weakref.WeakSet()


class Live:
    """A page that this process serves, at :attr:`url`, until :meth:`close` or the end of the process. A notebook shows it in a frame."""

    def __init__(self, core: "_mottle.Live", height: int):
        self._core = core
        self.height = height
        _open.add(self)

    @property
    def url(self) -> str:
        """The address; it holds the word without which nobody can steer the run."""
        return self._core.url()

    @property
    def closed(self) -> bool:
        """Whether it is served no more."""
        return self._core.is_over()

    def close(self) -> None:
        """Ends it."""
        self._core.close()

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="{self.height}" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<mottle.Live {self.url}{' (closed)' if self.closed else ''}>"


def live(model: ModelSource, *, preset: Optional[str] = None, initial: Optional[Mapping[str, Any]] = None,
         parameters: Optional[Mapping[str, Any]] = None, mesh: Any = None, host: str = "127.0.0.1", port: int = 0, height: int = 640,
         **arguments: Any) -> Live:
    """Serves the page of ``mottle live`` with a model of its own, from its start, in threads of this process.

    Args:
        host, port: where to listen; port 0: any that is free.
        height: of the frame in a notebook, in pixels.

    Other arguments are those of :class:`mottle.Simulation`, but for arrays and meshes in memory.
    """
    request = Request(model, preset, initial, parameters, mesh, arguments)
    if request.arrays or request.mesh:
        raise InputError("the page reads models and files; arrays and meshes in memory are for Simulation, run and sweep")
    core = _mottle.Live(request.text, request.file, request.name, request.preset, request.arguments, host, int(port), cache_folder())
    return Live(core, int(height))


@atexit.register
def _close_all() -> None:
    for one in list(_open):
        one.close()
