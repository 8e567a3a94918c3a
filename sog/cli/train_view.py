"""How training looks while it goes on: a table that changes in a terminal, else a line at times."""

import time
from types import TracebackType
from typing import Any, Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from selfplay.schedule import PARTS
from sog.cli import display

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
        self._doing, self._last_line = "starting", 0.0
        self._began = time.monotonic()

    def __enter__(self) -> "TrainView":
        if self._is_live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_live:
            self._live.stop()

    def tell(self, doing: str) -> None:
        """Says what is done instead of training."""
        self._doing = doing
        self._refresh()
        if not self._is_live and self._first < 0:
            display.note(doing)

    def show(self, line: dict[str, Any]) -> None:
        """Shows metrics; values that are not among them keep what they were."""
        self._doing = "training" if "loss" in self._line | line else "filling the replay window"
        self._line |= line
        if self._first < 0:
            self._first, self._began = int(line["step"]), time.monotonic()
        self._refresh()
        if not self._is_live and time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            display.note(self._in_one_line())

    def _refresh(self) -> None:
        if self._is_live:
            self._live.update(Group(Text(f"{self._title}: {self._doing}"), *self._table()))

    def _in_one_line(self) -> str:
        line = self._line
        words = [f"step {line['step']:,} of {self._steps:,}{self._time_left()}"]
        words += [f"{text} {line[name]:.4g}" for name, text in _LOSSES if name in line]
        words.append(f"{line['examples']:,} examples")
        return ", ".join(words)

    def _time_left(self) -> str:
        """How long the rest may take, as ", about 5 min left"; "" if not known."""
        done = self._line["step"] - self._first
        if done <= 0:
            return ""
        seconds = (time.monotonic() - self._began) * (self._steps - self._line["step"]) / done
        return f", about {display.duration(seconds)} left"

    def _table(self) -> list[Any]:
        line = self._line
        if not line:
            return []
        step = int(line["step"])
        head = Table.grid(padding=(0, 2))
        head.add_row(
            ProgressBar(total=self._steps, completed=step, width=_BAR_WIDTH),
            f"step {step:,} of {self._steps:,}{self._time_left()}",
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
