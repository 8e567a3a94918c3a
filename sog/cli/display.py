"""How results and progress look: tables and JSON on stdout, everything else on stderr.

Games and bars of progress are imported late: lists need neither, and are there at once.
"""

import contextlib
import dataclasses
import io
import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table

from sog.cli.interrupts import restoring
from sog.cli.lines import fold, name_values, tell
from sog.parameters import params_of, written_call

if TYPE_CHECKING:
    from rich.progress import Progress

    from sog.games import Game

_WIDTH_OF_FILES: Final = 160  # where stdout is no terminal, lines are not folded to fit one
_SECONDS_BETWEEN_LINES: Final = 10.0
_ROUNDING: Final = 1e-12  # of the largest utility: 64-bit sums over a game err by less


def print_json(value: Any) -> None:
    """Prints one JSON value on stdout."""
    print(json.dumps(value, allow_nan=False))


note: Final = tell
"""What is not a result, on stderr."""


class _Page(io.StringIO):
    """Text for stdout: Rich draws lines with the characters that it has.

    Not stdout itself: where nobody reads it, Rich ends the process with a code of its own.
    """

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self.encoding = sys.stdout.encoding or self.encoding


def width() -> int:
    """How many letters a line on stdout may have."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH_OF_FILES


def print_table(table: RenderableType, title: str = "", footer: str = "") -> None:
    """Prints a table on stdout, a title above it and some lines below. Breaks no word.

    One that is wider than the terminal is turned: each row becomes lines below each other.
    """
    columns = spare = width()
    if isinstance(table, Table) and table.show_header:
        spare += table.padding[1]  # Rich wants it after the last column, too
        table = _fitted(table, columns)
    page = _Page()
    console = Console(
        file=page,
        force_terminal=sys.stdout.isatty(),
        width=spare,
        markup=False,
        highlight=False,
        emoji=False,
    )
    if title:
        console.print(f"{fold(title, columns)}\n", style="bold", soft_wrap=True)
    console.print(table, soft_wrap=isinstance(table, str))
    if footer:
        console.print(f"\n{fold(footer, columns)}", soft_wrap=True)
    print("\n".join(line.rstrip() for line in page.getvalue().splitlines()))


def _fitted(table: Table, room: int) -> Table | str:
    """The table, its columns as wide as their longest words at least; turned if they are wider."""
    texts = [[str(text) for text in (column.header, *column.cells)] for column in table.columns]
    most = [max(map(cell_len, cells)) for cells in texts]
    least = [
        high if column.no_wrap else max(map(cell_len, " ".join(cells).split()), default=0)
        for column, cells, high in zip(table.columns, texts, most, strict=True)
    ]
    spare = room - sum(least) - (table.padding[1] + table.padding[3]) * (len(texts) - 1)
    if spare < 0:
        heads, *rows = zip(*texts, strict=True)
        pairs = ([pair for pair in zip(heads, row, strict=True) if pair[1]] for row in rows)
        return "\n\n".join(name_values(each, room) for each in pairs)
    wanted = [high - low for low, high in zip(least, most, strict=True)]
    for place, number in enumerate(sorted(range(len(texts)), key=wanted.__getitem__)):
        more = min(wanted[number], spare // (len(texts) - place))
        table.columns[number].width = least[number] + more
        spare -= more
    return table


def print_facts(title: str, facts: Sequence[tuple[str, str]]) -> None:
    """Prints names and values below each other."""
    print_table(name_values(facts, width(), "  "), title)


def print_text(text: str) -> None:
    """Prints sentences on stdout, folded to fit it."""
    print(fold(text, width()))


def number(value: float) -> str:
    """Four significant digits, and thousands as people write them."""
    value += 0.0  # no minus sign before zero
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def rounding(game: "Game[Any]") -> float:
    """A utility up to here, in the game's unit, may be nothing but the rounding of sums."""
    return _ROUNDING * game.max_utility


def or_nothing(game: "Game[Any]", value: float) -> float:
    """A utility for people: 0 where it is no more than `rounding`."""
    return 0.0 if abs(value) <= rounding(game) else value


def in_milli_units(game: "Game[Any]", value: float) -> str:
    """A utility as "0.8123 mbb"."""
    return f"{number(1000 * or_nothing(game, value))} {game.milli_unit}"


def in_units(game: "Game[Any]", value: float) -> str:
    """A utility as "-0.085606 chips"."""
    return f"{round(value, 6) + 0.0:.6f} {game.unit}"


def short_name(game: "Game[Any]") -> str:
    """The name of a game with those parameters only that are not its defaults."""
    values = params_of(game)
    if not values:
        return str(game)
    defaults = {field.name: field.default for field in dataclasses.fields(game)}
    changed = {name: value for name, value in values.items() if value != defaults[name]}
    return written_call(game.name, changed)


class Pace:
    """How long a part of the work may still take, by how fast it went since the first question.

    What was before that may have been compiling.
    """

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def time_left(self, completed: float, total: float) -> str:
        """As ", about 3 min left"; "" if not known."""
        now = time.monotonic()
        self._first = self._first or (completed, now)
        first, began = self._first
        if not first < completed < total:
            return ""
        seconds = (now - began) * (total - completed) / (completed - first)
        return f", about {duration(seconds)} left"


class Work:
    """What a command is busy with, on stderr: a live line in a terminal, else a line at times."""

    def __init__(self, progress: "Progress") -> None:
        """progress: Rich's display, already started."""
        self._progress = progress
        self._task = progress.add_task("", visible=False, detail="", total=None)
        self._last_line = 0.0
        self.doing = "starting"
        self.detail = ""
        self._pace = Pace()

    def begin(self, doing: str, total: int | None = None) -> None:
        """Starts a part of the work; total: how much of it there is, if that is known."""
        self.doing, self.detail, self._pace = doing, "", Pace()
        self._progress.reset(self._task, description=doing, total=total, visible=True, detail="")
        self._line(doing)

    def update(self, detail: str, completed: int | None = None) -> None:
        """Says how far this part is."""
        self.detail = detail
        self._progress.update(self._task, detail=detail, completed=completed)
        if time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._line(f"{self.doing}: {detail}")

    def time_left(self, completed: int, total: int) -> str:
        """How long the rest of this part may take, see `Pace`."""
        return self._pace.time_left(completed, total)

    def tell_interrupted(self, kept: str = "") -> None:
        """Says where an interrupt came, and what is kept."""
        far = f" ({self.detail})" if self.detail else ""
        kept = kept or "there is nothing to keep yet"
        note(f"interrupted while {self.doing}{far}: {kept}.")

    def _line(self, text: str) -> None:
        self._last_line = time.monotonic()
        if self._progress.disable:
            note(text)


def duration(seconds: float) -> str:
    """As people say it: seconds below 2 minutes, minutes below 2 hours."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextlib.contextmanager
def working() -> Iterator[Work]:
    """Shows the progress of what is done in its body; leaves a terminal as it was."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    has_dots = console.encoding.startswith("utf")
    columns = (
        SpinnerColumn("dots" if has_dots else "line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeElapsedColumn(),
    )
    live = console.is_interactive
    progress = Progress(*columns, console=console, transient=True, disable=not live)
    with progress, restoring(progress.stop):
        yield Work(progress)
