# mottle/mesh.py: triangle meshes and their operators
"""Triangle meshes: from files, built-in shapes, and arrays."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple, Union

import numpy as np

from . import _mottle
from .errors import InputError


class Mesh:
    """A triangle mesh, for ``mottle.Simulation(..., mesh=mesh)`` and by itself.

    Args:
        vertices: coordinates, shape (vertices, 3).
        faces: numbers of vertices from 0, shape (faces, 3).
        name: for messages.

    Copies of a vertex are welded and faces without area left out, as from a file; arrays of fields keep the numbering given here.
    """

    def __init__(self, vertices: Any, faces: Any, name: str = "mesh"):
        places = np.asarray(vertices)
        corners = np.asarray(faces)
        if places.dtype.kind not in "fiu":
            raise InputError(f"vertices is an array of {places.dtype}; real numbers are possible")
        if corners.dtype.kind not in "iu":
            raise InputError(f"faces is an array of {corners.dtype}; whole numbers are possible")
        self._core = _mottle.Mesh(_mottle.Session(), places.astype(np.float64), corners.astype(np.int64), name)

    @classmethod
    def read(cls, source: Union[str, "os.PathLike[str]"]) -> "Mesh":
        """A mesh from a file (.obj .ply .off .stl) or a shape such as "sphere:5", "torus:1,0.4,64", "plane:128x128"."""
        mesh = cls.__new__(cls)
        mesh._core = _mottle.Mesh.read(_mottle.Session(), os.fspath(source))
        return mesh

    @property
    def name(self) -> str:
        return self._core.name()

    @property
    def vertices(self) -> np.ndarray:
        """Coordinates, shape (vertices, 3), float64, in lengths of the file."""
        return self._core.vertices()

    @property
    def faces(self) -> np.ndarray:
        """Numbers of vertices, shape (faces, 3); polygons of a file are cut into triangles."""
        return self._core.faces()

    @property
    def attributes(self) -> Dict[str, np.ndarray]:
        """Numbers per vertex that came with a file, each of shape (vertices,)."""
        return self._core.attributes()

    @property
    def loops(self) -> List[List[int]]:
        """The boundary loops, as vertices in order; empty for a closed surface."""
        return self._core.loops()

    @property
    def mass(self) -> np.ndarray:
        """The area that each vertex stands for, a third of those of its faces; shape (vertices,), length^2."""
        return self._core.mass(_mottle.Session())

    @property
    def area(self) -> float:
        """The area of the surface, length^2."""
        return self._core.area(_mottle.Session())

    def rows(self, operator: str = "laplacian") -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(data, indices, indptr) of an operator as compressed sparse rows: "laplacian", "dx", "dy" or "dz"."""
        session = _mottle.Session()
        if operator == "laplacian":
            return self._core.laplacian(session)
        if operator not in ("dx", "dy", "dz"):
            raise InputError(f"unknown operator {operator!r}" + _mottle.did_you_mean(str(operator), ["laplacian", "dx", "dy", "dz"]))
        return self._core.gradient(session, "xyz".index(operator[1]))

    @property
    def laplacian(self) -> Any:
        """lap() as a scipy.sparse.csr_array of (vertices, vertices): cotangent weights over lumped masses. Units 1/length^2, rows sum to 0."""
        try:
            from scipy import sparse
        except ImportError:
            raise ImportError("mesh.laplacian needs scipy (Debian: python3-scipy); mesh.rows() has the same as three arrays") from None
        count = len(self.vertices)
        return sparse.csr_array(self.rows(), shape=(count, count))

    def stable_dt(self, diffusivity: float = 1.0) -> float:
        """The longest stable step of Euler's method for du/dt = diffusivity*lap(u), in lengths of the file: 2 over the largest eigenvalue."""
        if not diffusivity > 0:
            raise InputError(f"diffusivity must be above 0, it is {diffusivity!r}")
        return 2 / (diffusivity * self._core.stiffness(_mottle.Session()))

    def __reduce__(self) -> Any:
        return type(self), (self.vertices, self.faces, self.name)

    def __repr__(self) -> str:
        return f"<mottle.Mesh {self.name}: {len(self.vertices):,} vertices, {len(self.faces):,} faces>"
