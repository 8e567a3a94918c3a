"""The metrics of a run in progress: one JSON object per line, and TensorBoard if requested.

Names carry their units. `step` is the learner step, `seconds` the working time of the run,
including earlier sessions. Every value is a number.
"""

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from selfplay.runs.manifest import is_number
from sog.files import open_to_append, read_bytes, replace_file

Metrics = dict[str, Any]
_MOST_BYTES: Final = 2**28  # a line every five seconds for a month
_ASIDE: Final = ".damaged"
"""The suffix of the file that keeps invalid lines."""


class MetricsFile:
    """Appends lines to `metrics.jsonl`; only a kill can leave an incomplete line, at the end."""

    def __init__(self, path: Path, *, tensorboard: Path | None = None) -> None:
        """tensorboard: a folder for its event files; ModuleNotFoundError without the extra."""
        self.path = path
        self._writer: Any = None
        if tensorboard is not None:
            from tensorboardX import SummaryWriter

            self._writer = SummaryWriter(str(tensorboard))

    def add(self, metrics: Metrics) -> None:
        """Adds a line."""
        _append(self.path, (json.dumps(metrics, allow_nan=False) + "\n").encode())
        if self._writer is not None:
            for name, value in metrics.items():
                if name != "step" and isinstance(value, int | float):
                    self._writer.add_scalar(name, value, metrics["step"])
            self._writer.flush()

    def resume_from(
        self, step: int, seconds: float, lines: Iterable[Metrics] = ()
    ) -> tuple[str, ...]:
        """Drops what a killed run reported after the checkpoint that it resumes from.

        step, seconds: of that checkpoint; it is made after the lines up to it, and a run may report
        for long before its next step. lines: the checkpoint's own, which a kill may have kept from
        being written. Returns a line for every invalid line found: those are moved to a file beside
        this one.
        """
        found, damaged = _read(self.path)
        kept = [line for line in found if line["step"] <= step and line["seconds"] <= seconds]
        kept += [line for line in lines if line not in kept]
        problems = []
        for number, content in damaged:
            _append(self.path.with_name(self.path.name + _ASIDE), content + b"\n")
            problems.append(
                f"{self.path.name}: line {number} is invalid; it is in {self.path.name}{_ASIDE}."
            )
        if kept or self.path.exists():
            replace_file(self.path, "".join(json.dumps(line) + "\n" for line in kept))
        return tuple(problems)


def read_metrics(path: Path, warn: Callable[[str], None] = lambda problem: None) -> list[Metrics]:
    """The lines of a file, without an incomplete last one; empty if there is no file.

    warn: called with a message for every other line that is invalid, which is skipped.
    """
    found, damaged = _read(path)
    for number, _ in damaged:
        warn(f"{path}: line {number} is invalid, and is skipped.")
    return found


def _read(path: Path) -> tuple[list[Metrics], list[tuple[int, bytes]]]:
    """The metrics of a file, and its numbered invalid lines; without an incomplete last one."""
    found: list[Metrics] = []
    damaged: list[tuple[int, bytes]] = []
    content = b""
    with contextlib.suppress(FileNotFoundError):
        content = read_bytes(path, _MOST_BYTES, follow=False)
    *lines, torn = content.split(b"\n")
    for number, line in enumerate([*lines, torn], start=1):
        metrics = _parse(line)
        if metrics is not None:
            found.append(metrics)
        elif number <= len(lines) and line.strip():
            damaged.append((number, line))
    return found, damaged


def _parse(line: bytes) -> Metrics | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if is_metrics(value) else None


def is_metrics(value: Any) -> bool:
    """Whether a JSON value is a valid line: numbers by name, including `step` and `seconds`."""
    if not isinstance(value, dict) or not all(map(is_number, value.values())):
        return False
    step = value.get("step")
    return type(step) is int and step >= 0 and "seconds" in value


def _append(path: Path, content: bytes) -> None:
    """Appends, but never through a link: a run folder may come from somebody else."""
    try:
        with open_to_append(path) as file:
            file.write(content)
    except OSError as error:
        error.filename = str(path)
        raise
