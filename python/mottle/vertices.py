# mottle/vertices.py: the vertices of a mesh file, of which several may be one vertex of a run, and some none
"""Vertices of a file and of a run."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from .errors import InputError


class Vertices:
    """Which vertex of a run each vertex of its file is.

    Args:
        in_run: for each vertex of the file the vertex that it is in the run, or -1: no face uses it, or the region leaves it out.
    """

    def __init__(self, in_run: np.ndarray):
        self._in_run = in_run
        self._used = np.flatnonzero(in_run >= 0)
        vertices, first = np.unique(in_run[self._used], return_index=True)
        firsts = np.empty(in_run.max() + 1, dtype=np.intp)
        firsts[vertices] = self._used[first]
        first_copy = firsts[in_run[self._used]]
        self._copies = self._used[first_copy != self._used]
        self._firsts = first_copy[first_copy != self._used]

    def notice(self, name: str, array: np.ndarray) -> str:
        """A warning where copies of one vertex have different numbers, of which the first counts; "" where none have."""
        if not self._copies.size or array.shape != self._in_run.shape:
            return ""
        ours, theirs = array[self._copies], array[self._firsts]
        differ = np.flatnonzero((ours != theirs) & ~(np.isnan(ours) & np.isnan(theirs)))
        if not differ.size:
            return ""
        one, other = self._firsts[differ[0]], self._copies[differ[0]]
        return (f"warning: vertices {one} and {other} of the file are one vertex of the surface, but {name} has {array[one]:g} and "
                f"{array[other]:g} there; the first counts")

    def put(self, name: str, whole: np.ndarray, part: Tuple[Any, ...], values: Any) -> None:
        """Puts `values` at a part of `whole`, and at the copies of its vertices. Raises InputError if none of them is a vertex of the run."""
        places = np.arange(whole.size)[part]
        written = np.broadcast_to(np.asarray(values), np.shape(places)).ravel()
        places = np.ravel(places)
        there = self._in_run[places] >= 0
        if places.size and not there.any() and not np.isnan(written).all():
            raise InputError(f"vertex {places[0]} has no {name}: no face uses it, or the region leaves it out")
        by_vertex = np.empty(self._in_run.max() + 1, dtype=whole.dtype)
        by_vertex[self._in_run[self._used]] = whole[self._used]
        by_vertex[self._in_run[places[there]]] = written[there]
        whole[self._used] = by_vertex[self._in_run[self._used]]
