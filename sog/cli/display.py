"""Output of commands: tables and JSON on stdout, everything else on stderr.

Imports games and progress bars late: lists need neither, and appear at once.
"""

import contextlib
import dataclasses
import io
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table

from sog.cli.interrupts import restoring
from sog.cli.lines import fold, name_values, print_note
from sog.parameters import as_typed, params_of, written_call

if TYPE_CHECKING:
    from rich.progress import Progress

    from sog.games import Game

_WIDTH_OF_FILES: Final = 160  # where stdout is not a terminal
_SECONDS_BETWEEN_LINES: Final = 10.0
_KINDS: Final = {bool: "true/false", int: "integer", float: "number", str: "text"}
_ROUNDING: Final = 1e-12  # of the largest utility: 64-bit sums over a game err by less


def print_json(value: Any) -> None:
    """Prints one JSON value on stdout."""
    print(json.dumps(value, allow_nan=False))


def values_of(thing: Any, *names: str) -> dict[str, Any]:
    """These attributes by name, for JSON."""
    return {name: getattr(thing, name) for name in names}


note: Final = print_note
"""Prints on stderr what is not a result."""


class _Page(io.StringIO):
    """A buffer with the encoding of stdout, so that Rich draws lines with its characters.

    Not stdout itself: on a broken pipe Rich exits the process with its own code.
    """

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self.encoding = sys.stdout.encoding or self.encoding


def width() -> int:
    """Characters that fit in a line of stdout."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH_OF_FILES


def print_table(table: RenderableType, title: str = "", footer: str = "") -> None:
    """Prints a table on stdout, a title above it and some lines below. Never breaks a word.

    A table wider than the terminal is transposed: each row becomes a block of lines.
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


def plain_table(*columns: str, right: Sequence[str] = (), wraps: bool = False) -> Table:
    """A table without lines, whose first column stays in one line.

    right: the columns of numbers, after the others. wraps: whether these may take several lines.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=not table.columns)
    for column in right:
        table.add_column(column, justify="right", no_wrap=not wraps)
    return table


def _fitted(table: Table, room: int) -> Table | str:
    """The table with columns at least as wide as their longest words; transposed if too wide."""
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
    """Prints names with their values, one pair per line."""
    print_table(name_values(facts, width(), "  "), title)


def print_text(text: str) -> None:
    """Prints sentences on stdout, folded to fit it."""
    print(fold(text, width()))


def number(value: float) -> str:
    """Four significant digits, or all before the point; with thousands separators."""
    value += 0.0  # no minus sign before zero
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def rounding(game: "Game[Any]") -> float:
    """The largest utility, in the game's unit, that may be a rounding error."""
    return _ROUNDING * game.max_utility


def or_nothing(game: "Game[Any]", value: float) -> float:
    """A utility for display: 0 where it is no more than `rounding`."""
    return 0.0 if abs(value) <= rounding(game) else value


def in_milli_units(game: "Game[Any]", value: float) -> str:
    """A utility as "0.8123 mbb"."""
    return f"{number(1000 * or_nothing(game, value))} {game.milli_unit}"


def in_units(game: "Game[Any]", value: float) -> str:
    """A utility as "-0.085606 chips"."""
    return f"{round(value, 6) + 0.0:.6f} {game.unit}"


def short_name(game: "Game[Any]") -> str:
    """The name of a game with its non-default parameters."""
    values = params_of(game)
    if not values:
        return str(game)
    defaults = {field.name: field.default for field in dataclasses.fields(game)}
    changed = {name: value for name, value in values.items() if value != defaults[name]}
    return written_call(game.name, changed)


class Work:
    """Progress of a command on stderr: a live line in a terminal, else a line now and then."""

    def __init__(self, progress: "Progress") -> None:
        """progress: Rich's display, already started."""
        self._progress = progress
        self._task = progress.add_task("", visible=False, detail="", total=None)
        self._last_line = 0.0
        self.doing = "starting"
        self.detail = ""
        self._first: tuple[int, float] | None = None

    def begin(self, doing: str, total: int | None = None) -> None:
        """Starts a part of the work; total: its amount, if known."""
        self.doing, self.detail, self._first = doing, "", None
        self._progress.reset(self._task, description=doing, total=total, visible=True, detail="")
        self._line(doing)

    def update(self, detail: str, completed: int | None = None) -> None:
        """Shows the progress of this part."""
        self.detail = detail
        self._progress.update(self._task, detail=detail, completed=completed)
        if time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._line(f"{self.doing}: {detail}")

    def time_left(self, completed: int, total: int) -> str:
        """The time left for this part, as ", about 3 min left", by the pace since the first call
        (before it, JAX may compile); "" if not known."""
        now = time.monotonic()
        first, began = self._first = self._first or (completed, now)
        if not first < completed < total:
            return ""
        seconds = (now - began) * (total - completed) / (completed - first)
        return f", about {duration(seconds)} left"

    def in_batches(self, doing: str) -> Callable[[int, int], None]:
        """Progress of a part that begins with its first batch: takes the batches done, and all."""

        def show(done: int, total: int) -> None:
            if done == 0:
                self.begin(doing, total=total)
            self.update(f"{done:,} of {total:,} batches{self.time_left(done, total)}", done)

        return show

    def report_interrupt(self, kept: str = "") -> None:
        """Notes what was interrupted, and what is kept."""
        far = f" ({self.detail})" if self.detail else ""
        kept = kept or "there is nothing to keep yet"
        note(f"interrupted while {self.doing}{far}: {kept}.")

    def _line(self, text: str) -> None:
        self._last_line = time.monotonic()
        if self._progress.disable:
            note(text)


def duration(seconds: float) -> str:
    """Seconds below 2 minutes, minutes below 2 hours, else hours."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextlib.contextmanager
def working() -> Iterator[Work]:
    """Shows the progress of its body, and restores the terminal afterwards."""
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


def parameter_facts(thing: Any) -> list[dict[str, Any]]:
    """The parameters of a game or a method as JSON."""
    return [
        {
            "name": field.name,
            "type": type(field.default).__name__,
            "default": field.default,
            "value": getattr(thing, field.name),
            **{key: field.metadata[key] for key in ("minimum", "maximum", "choices", "help")},
        }
        for field in dataclasses.fields(thing)
        if field.metadata
    ]


def print_parameters(parameters: list[dict[str, Any]]) -> None:
    """Prints a line per parameter, with values if any differs from its default."""
    given = any(parameter["value"] != parameter["default"] for parameter in parameters)
    values = ["value"] if given else []
    table = plain_table("  parameter", *values, "default", "type", "range", "")
    for parameter in parameters:
        table.add_row(
            f"  {parameter['name']}",
            *([as_typed(parameter["value"])] if given else []),
            as_typed(parameter["default"]),
            _KINDS[type(parameter["default"])],
            _range(parameter),
            parameter["help"],
        )
    if parameters:
        print_table(table)


def _range(parameter: dict[str, Any]) -> str:
    """The allowed values of a parameter."""
    low, high, choices = parameter["minimum"], parameter["maximum"], parameter["choices"]
    if choices is not None:
        return ", ".join(choices)
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"{low} or more"
    return "" if high is None else f"{high} or less"
