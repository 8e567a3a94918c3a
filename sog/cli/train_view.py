"""Progress of training, as lines of a `Work`."""

from typing import Any, Final

from sog.cli.display import Work

_MEASURES: Final = (("value_error", "value error"), ("value_loss", "value loss"))
"""Metrics and their names: the first that a run has is shown."""


class TrainView:
    """Shows the metrics of a run on stderr."""

    has_begun = False
    """Whether metrics of a cycle were shown."""

    def __init__(self, work: Work, steps: int) -> None:
        self._work, self._steps = work, steps
        self._line: dict[str, Any] = {}

    def set_activity(self, doing: str) -> None:
        """Shows an activity other than training."""
        if self.has_begun:
            self._work.update(doing)
        else:
            self._work.begin(doing)

    def show(self, line: dict[str, Any]) -> None:
        """Shows metrics; missing ones keep their last value.

        Shows nothing before the first examples: `set_activity` has shown that programs compile.
        """
        if not self.has_begun and not line["step"] and not line["examples"]:
            return
        self.has_begun, work = True, self._work
        self._line |= line
        doing = "training" if "loss" in self._line else "filling the replay window"
        if work.doing != doing:
            work.begin(doing, total=self._steps)
        step = int(line["step"])
        words = [f"step {step:,} of {self._steps:,}{work.time_left(step, self._steps)}"]
        measures = [
            f"{text} {self._line[name]:.4g}" for name, text in _MEASURES if name in self._line
        ]
        words += measures[:1] or [f"{self._line['examples']:,} examples"]
        work.update(", ".join(words), step)
