"""What a run reports while it goes on: one JSON object per line, and TensorBoard if wanted.

Names carry their units. `step` is the learner step, `seconds` the time that the run has worked,
earlier sessions included.
"""

import json
import os
from pathlib import Path
from typing import Any

Metrics = dict[str, Any]


class MetricsFile:
    """Appends lines to `metrics.jsonl`; a line is written whole or, by a kill, torn at the end."""

    def __init__(self, path: Path, *, tensorboard: Path | None = None) -> None:
        """tensorboard: a folder for its event files; ModuleNotFoundError without the extra."""
        self.path = path
        self._writer: Any = None
        if tensorboard is not None:
            from tensorboardX import SummaryWriter

            self._writer = SummaryWriter(str(tensorboard))

    def add(self, metrics: Metrics) -> None:
        """Adds a line."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(metrics, allow_nan=False) + "\n")
        if self._writer is not None:
            for name, value in metrics.items():
                if name != "step" and isinstance(value, int | float):
                    self._writer.add_scalar(name, value, metrics["step"])
            self._writer.flush()

    def forget_after(self, step: int) -> None:
        """Drops what a killed run reported beyond the checkpoint that it goes on from."""
        if not self.path.exists():
            return
        kept = [line for line in read_metrics(self.path) if line["step"] <= step]
        new = self.path.with_suffix(".new")
        new.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        os.replace(new, self.path)


def read_metrics(path: Path) -> list[Metrics]:
    """The lines of a file, without those that are torn or damaged; empty if there is no file."""
    if not path.exists():
        return []
    found: list[Metrics] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(value, dict) and isinstance(value.get("step"), int):
            found.append(value)
    return found
