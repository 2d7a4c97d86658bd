# mottle/runs.py: a whole run with its files, as the command does it
"""Whole runs."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

import numpy as np

from .picture import Image, Video
from .progress import Bar, listener
from .request import ModelSource, Request, outputs_of
from .simulation import Simulation, _blank


class Run:
    """What a run has come to: ``run["u"]``, :attr:`fields`, :attr:`files`, ``print(run.summary)``."""

    def __init__(self, simulation: Simulation, verdict: str, facts: Dict[str, Any]):
        #: The simulation where the run has ended; it can go on.
        self.simulation = simulation
        #: "reached" the last step, or, with ``until``, "patterned", "uniform" or "limit reached".
        self.verdict = verdict
        self.step, self.time, self.dt = simulation.step, simulation.time, simulation.dt
        #: What was written: full paths.
        self.files: List[Path] = [Path(file) for file in facts["files"]]
        #: Wall seconds: compile, initial, simulate, draw, encode, total.
        self.seconds: Dict[str, float] = facts["seconds"]
        #: What Mottle found worth saying.
        self.notices: List[str] = simulation.notices
        #: What the steps came to where they follow a tolerance (tolerance, steps, evaluations, stretches, rejected, lost, error, largest_error, rounding,
        #: shortest_dt, longest_dt); else None. Then :attr:`step` and :attr:`dt` are of moments, of which a run has as many as frames need.
        self.accuracy: Optional[Dict[str, float]] = facts["accuracy"]
        self._facts = facts

    @property
    def fields(self) -> Dict[str, np.ndarray]:
        """Copies of all fields, by name."""
        return self.simulation.arrays()

    def __getitem__(self, name: str) -> np.ndarray:
        return self.simulation[name]

    @property
    def summary(self) -> str:
        """A few lines: what ran, on what, how fast, and what came of it."""
        facts = self._facts
        name = facts["model"] + ("/" + facts["preset"] if facts["preset"] else "")
        of, made = self.accuracy, self.step
        length = f"{made:,} steps of {self.dt:.6g} to t = {self.time:.10g}"
        if of:
            made = int(of["steps"])
            length = f"t = {self.time:.10g} by {facts['method']}, tolerance {of['tolerance']:g}"
        lines = [f"ran      {name}, {facts['domain']}, {length}",
                 f"on       {facts['device']}, {facts['threads']} threads, {facts['precision']}",
                 f"took     {self.seconds['total']:.3f} s, {self.seconds['simulate']:.3f} s of them in steps"]
        if of:
            lines.append(f"steps    {made:,} steps of {of['shortest_dt']:.4g} to {of['longest_dt']:.4g}, {int(of['evaluations']):,} evaluations; "
                         f"{int(of['rejected']):,} of {int(of['stretches'] + of['rejected']):,} stretches rejected; error at the end, estimated: "
                         f"{of['error']:.2g} of the standard deviation (at most {of['largest_error']:.2g})")
        if self.seconds["simulate"] > 0:
            lines.append(f"speed    {facts['cells'] * made / self.seconds['simulate']:.3g} cells/s")
        if self.verdict != "reached":
            lines.append(f"verdict  {self.verdict} at step {self.step:,}")
        for field in self.simulation.names:
            now = self.simulation.statistics(field)
            lines.append(f"field    {field}: {now['min']:.4g} to {now['max']:.4g}, mean {now['mean']:.4g}, std {now['std']:.4g}")
        lines += [f"wrote    {file}" for file in self.files]
        return "\n".join(lines)

    def image(self, field: Optional[str] = None, **keys: Any) -> Image:
        """A picture of the end; as :meth:`mottle.Simulation.image`."""
        return self.simulation.image(field, **keys)

    def video(self) -> Video:
        """The first video that was written; a notebook plays it."""
        for file in self.files:
            if file.suffix.lower() in Video._types:
                return Video.read(file)
        raise FileNotFoundError("the run wrote no video; give outputs=[\"name.mp4\"]")

    def _repr_png_(self) -> bytes:
        return self.image().png()

    def __repr__(self) -> str:
        return f"<mottle.Run {self._facts['model']}: {self.verdict} at step {self.step:,}, t = {self.time:.6g}, {len(self.files)} files>"


def run(model: ModelSource, *, outputs: Any = None, preset: Optional[str] = None, initial: Optional[Mapping[str, Any]] = None,
        parameters: Optional[Mapping[str, Any]] = None, mesh: Any = None, progress: Any = False, **arguments: Any) -> Run:
    """Runs a model to its end and writes its outputs: what the command ``mottle run`` does.

    Args:
        outputs: files by name (.mp4 .gif .png .npy .csv .vti ...), or dictionaries of a file and keys of its own:
            ``{"file": "v.mp4", "field": "v", "palette": "magma"}``.
        progress: True for a bar, or a function of (step, time, cells per second).

    Other arguments are those of :class:`mottle.Simulation`. Unlike ``sim.advance``, a run whose automatic time step turns out to be too long
    begins anew with half of it.

    Raises:
        DivergedError: with the files that were written, in ``.files``.
    """
    request = Request(model, preset, initial, parameters, mesh, arguments)
    simulation = _blank()
    simulation._begin(request, True, **({} if outputs is None else {"output": outputs_of(outputs)}))
    heard = listener(progress, 0, simulation.steps)
    try:
        verdict = simulation._core.run_to_end(heard)
    finally:
        if isinstance(heard, Bar):
            heard.end()
        simulation._listener.warn()
    return Run(simulation, verdict, simulation._core.facts())
