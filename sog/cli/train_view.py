"""Progress of training: a live table in a terminal, else a line now and then."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any, Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from selfplay.schedule import PARTS
from sog.cli import display
from sog.cli.interrupts import restoring

_SECONDS_BETWEEN_LINES: Final = 10.0
_BAR_WIDTH: Final = 40


class TrainView:
    """Shows the metrics of a run on stderr."""

    def __init__(self, game: str, steps: int, folder: str) -> None:
        console = Console(stderr=True, markup=False, highlight=False, emoji=False)
        self._title = f"{game} in {folder}"
        self._steps, self._first = steps, -1
        self._live = Live(console=console, transient=True, refresh_per_second=4)
        self._is_live = console.is_interactive
        self._line: dict[str, Any] = {}
        self.doing, self._last_line = "starting", 0.0
        self._pace, self._time_left = display.Pace(), ""

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Shows the live table in a terminal during its body."""
        if not self._is_live:
            yield
            return
        with self._live, restoring(self._live.stop):
            yield

    @property
    def has_begun(self) -> bool:
        """Whether metrics of a cycle were shown."""
        return self._first >= 0

    def set_activity(self, doing: str, *, often: bool = False) -> None:
        """Shows an activity other than training. often: if not in a terminal, prints it rarely."""
        self.doing = doing
        self._refresh()
        is_due = not often or time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES
        if not self._is_live and not self.has_begun and is_due:
            self._last_line = time.monotonic() if often else self._last_line
            display.note(doing)

    def show(self, line: dict[str, Any]) -> None:
        """Shows metrics; missing ones keep their last value.

        Shows nothing before the first examples: `set_activity` has shown that programs compile.
        """
        if not self.has_begun and not line["step"] and not line["examples"]:
            return
        self.doing = "training" if "loss" in self._line | line else "filling the replay window"
        self._line |= line
        step = int(line["step"])
        if not self.has_begun:
            self._first = step
        if step > self._first:  # the first steps compiled
            self._time_left = self._pace.time_left(step, self._steps)
        self._refresh()
        if not self._is_live and time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            display.note(self._in_one_line())

    def _refresh(self) -> None:
        if self._is_live:
            self._live.update(Group(Text(f"{self._title}: {self.doing}"), *self._table()))

    def _in_one_line(self) -> str:
        line = self._line
        words = [f"step {line['step']:,} of {self._steps:,}{self._time_left}"]
        words += [f"{text} {line[name]:.4g}" for name, text in _LOSSES if name in line]
        words.append(f"{line['examples']:,} examples")
        return ", ".join(words)

    def _table(self) -> list[Any]:
        line = self._line
        if not line:
            return []
        step = int(line["step"])
        head = Table.grid(padding=(0, 2))
        head.add_row(
            ProgressBar(total=self._steps, completed=step, width=_BAR_WIDTH),
            f"step {step:,} of {self._steps:,}{self._time_left}",
        )
        body = Table.grid(padding=(0, 2))
        for name, text in _LOSSES:
            if name in line:
                body.add_row(text, f"{line[name]:.4g}")
        speed = ", ".join(f"{line[f'{name}_per_second']:.3g} {name}" for name in _RATES)
        body.add_row("per second", speed)
        shares = ", ".join(f"{name} {line[f'{name}_share']:.0%}" for name in PARTS)
        body.add_row("time", shares)
        body.add_row(
            "replay", f"{line['examples']:,} examples so far, {line['queue']:,} queries wait"
        )
        return [head, body]


_LOSSES: Final = (
    ("value_loss", "value loss"),
    ("policy_loss", "policy loss"),
    ("value_error", "value error"),
)
_RATES: Final = ("games", "searches", "solves", "steps")
