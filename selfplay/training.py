"""Drives a training run from first to last step: cycles, checkpoints, metrics, resumption."""

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gtcfr.evaluator import Evaluator
from selfplay.runs.checkpoint import CheckpointStore
from selfplay.runs.manifest import is_number
from selfplay.runs.metrics import Metrics, MetricsFile, is_metrics
from selfplay.schedule import COUNTS, PARTS, PASSING, Schedule
from selfplay.settings import RunSettings
from selfplay.workers import WorkersLostError

_SECONDS_BETWEEN_LINES: Final = 5.0
_BEFORE_THE_FIRST: Final = -1  # step


Evaluate = Callable[[Evaluator], dict[str, float]]
"""Measures the strength of a network, for the metrics: names and values, of which `exploitability`
decides which checkpoint is the best."""


class Training:
    """Drives a schedule and saves its progress."""

    def __init__(self, inner: Schedule, store: CheckpointStore, metrics: MetricsFile) -> None:
        self.inner, self._store, self._metrics = inner, store, metrics
        self._settings = inner.config.run
        self._before = 0.0  # seconds of earlier sessions
        self._began = time.perf_counter()
        self._last = self._snapshot()
        self._losses: list[dict[str, float]] = []
        self._saved = _BEFORE_THE_FIRST  # the step of the last checkpoint saved or loaded
        self._measured: dict[str, float] = {}  # of its network

    @property
    def seconds(self) -> float:
        """The working time of the run."""
        return self._before + time.perf_counter() - self._began

    def resume(self) -> tuple[int, tuple[str, ...]] | None:
        """Resumes from the newest undamaged checkpoint, if there is one.

        Returns its step and the faults of newer ones, and of the metrics. Raises ValueError if all
        are damaged, if they are from another network, or if all are missing though the run has
        begun.
        """
        if self._store.is_empty:
            if self._metrics.path.exists():
                raise ValueError(
                    f"{self._metrics.path} is there, but no checkpoint to resume from; restore the "
                    f"checkpoints, choose another --run folder, or remove that file to begin "
                    f"anew."
                )
            return None
        found = self._store.load()
        try:
            self.inner.load(found.arrays, found.meta)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{found.path} cannot be resumed from: {error}") from None
        self._before = float(found.meta["total_seconds"])
        self._began = time.perf_counter()
        self._last = self._snapshot()
        lines = found.meta.get("lines", ())
        problems = self._metrics.resume_from(found.step, self._before, lines)
        self._saved, self._measured = found.step, found.meta["measured"]
        if not any(name.startswith(PASSING) for name in found.arrays):
            problems += (f"{found.path} is too old to have examples; they are gathered anew.",)
        return found.step, (*found.skipped, *problems)

    def run(
        self,
        *,
        evaluate: Evaluate | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        progress: Callable[[Metrics], None] = lambda _: None,
    ) -> bool:
        """Trains to the last step, with evaluations that are due; False if stopped earlier.

        It always ends with a checkpoint, also after a WorkersLostError.
        """
        settings, learner = self._settings, self.inner.learner
        if self._saved == _BEFORE_THE_FIRST:
            self._save(None, [])  # at once: the evaluation may take long
        if evaluate is not None and not self._measured and self._is_due(learner.step):
            self._save(evaluate, [])
        while not self.inner.is_done:
            step = learner.step
            until = min(_next_multiple(step, settings.checkpoint_every), settings.steps)
            try:
                losses = self.inner.cycle(until)
            except WorkersLostError:
                if learner.step != self._saved:
                    self._save(None, [])
                raise
            if losses:
                self._losses.append(losses)
            stops = should_stop()
            line, lines = self._report(at_once=learner.step == until)
            if learner.step == until or (stops and learner.step != self._saved):
                self._save(evaluate if not stops and self._is_due(learner.step) else None, lines)
                self.inner.begin_new_games()
            else:
                self._write(lines)
            progress(line)
            if stops:
                return False
        return True

    def _is_due(self, step: int) -> bool:
        every = self._settings.evaluate_every
        return step == self._settings.steps or (every > 0 and step % every == 0)

    def _save(self, evaluate: Evaluate | None, lines: list[Metrics]) -> None:
        """Saves a checkpoint and then writes its metrics lines; the checkpoint also contains them,
        so that a kill between the two loses none."""
        step = self.inner.learner.step
        measured = evaluate(self.inner.evaluator) if evaluate is not None else {}
        if measured:
            lines = [*lines, {"step": step, "seconds": self.seconds} | measured]
        arrays, numbers = self.inner.save()
        meta = {**numbers, "total_seconds": self.seconds, "measured": measured, "lines": lines}
        self._store.save(step, arrays, meta, metric=measured.get("exploitability"))
        self._saved, self._measured = step, measured
        self._write(lines)

    def _write(self, lines: list[Metrics]) -> None:
        for line in lines:
            self._metrics.add(line)

    def _snapshot(self) -> dict[str, float]:
        inner = self.inner
        return {
            "seconds": self.seconds,
            "steps": inner.learner.step,
            "examples": inner.replay.num_added,
            **{name: inner.counts[name] for name in ("searches", "solves", "games")},
            **{f"{part}_seconds": inner.seconds[part] for part in PARTS},
        }

    def _report(self, *, at_once: bool) -> tuple[Metrics, list[Metrics]]:
        """The state of the run, and the lines of metrics that are due."""
        now, inner = self._snapshot(), self.inner
        passed = now["seconds"] - self._last["seconds"]
        new = {name: now[name] - self._last[name] for name in now}
        line: Metrics = {
            "step": inner.learner.step,
            "seconds": now["seconds"],
            "games": inner.counts["games"],
            "searches": inner.counts["searches"],
            "solves": inner.counts["solves"],
            "examples": inner.replay.num_added,
            "queue": len(inner.queue),
            "dropped_queries": inner.queue.num_dropped,
            "full_trees": inner.counts["full_trees"],
            "replay_age_steps": inner.replay.mean_age(inner.learner.step),
        }
        for name in ("games", "searches", "solves", "steps"):
            line[f"{name}_per_second"] = new[name] / max(passed, 1e-9)
        for part in PARTS:
            line[f"{part}_share"] = new[f"{part}_seconds"] / max(passed, 1e-9)
        if self._losses:
            names = self._losses[0]
            line |= {name: float(np.mean([one[name] for one in self._losses])) for name in names}
        if not at_once and passed <= _SECONDS_BETWEEN_LINES:
            return line, []
        self._last, self._losses = now, []
        return line, [line]


def check_meta(meta: dict[str, Any]) -> None:
    """Raises ValueError if a run cannot resume from a checkpoint's data beside its arrays."""
    wanted = {"counts": COUNTS, "seconds": PARTS, "measured": ()}
    for table, names in wanted.items():
        values = meta.get(table)
        if not isinstance(values, dict) or not all(map(is_number, values.values())):
            raise ValueError(f"{table} must be numbers by name.")
        for name in names:
            if name not in values:
                raise ValueError(f"{table}.{name} is missing.")
    if not is_number(meta.get("total_seconds")):
        raise ValueError("total_seconds must be a number.")
    lines = meta.get("lines", [])
    if not isinstance(lines, list) or not all(map(is_metrics, lines)):
        raise ValueError("lines must be metrics.")


def milestones(settings: RunSettings) -> set[int]:
    """The steps of checkpoints that are kept for good: the first, the last, and some between."""
    if settings.milestones == 0:
        return set()
    every, steps = settings.checkpoint_every, settings.steps
    wanted = {
        round(n * steps / settings.milestones / every) * every for n in range(settings.milestones)
    }
    return {step for step in wanted if step < steps} | {0, steps}


def _next_multiple(step: int, every: int) -> int:
    return (step // every + 1) * every
