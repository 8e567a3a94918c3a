"""What pictures of chess and of Go show, as data; see `sog.games.views`."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final

from sog.games.views import PASS, Choices, Place, View

# Of 256 colors: by player, then of light and dark squares, those of the last move, and a check.
_PIECES: Final = (231, 16)
_SQUARES: Final = (109, 66)
_LAST: Final = (143, 100)
_CHECK: Final = 167


@dataclasses.dataclass(frozen=True, kw_only=True)
class SquaresView(View):
    """Squares and pieces that go from one to another; cells are counted row by row from the top."""

    drawer = "sog.boards.chessboard:draw_squares"
    status: str
    """Who is to move, or how the game has ended."""
    rows: int
    columns: int
    row_names: Sequence[str]
    """From the top."""
    column_names: Sequence[str]
    pieces: Mapping[int, tuple[int, str]]
    """By cell: whose it is, and its sign."""
    last: frozenset[int]
    """The cells of the last move."""
    in_check: frozenset[int]
    """Cells of pieces that are threatened so that something must be done."""
    moves: Mapping[int, Choices]
    """By the cell where a move begins: its choices by the cell where it ends."""
    told: Sequence[str]
    """[cell]: what pointing at it shows."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By the cells where a move begins and ends."""
        return {
            (start, end): actions
            for start, ends in self.moves.items()
            for end, actions in ends.items()
        }

    def colored(self) -> str:
        """The squares with their pieces."""
        lines, width = list[str](), max(map(len, self.row_names))
        for row, name in enumerate(self.row_names):
            squares = []
            for column in range(self.columns):
                cell = row * self.columns + column
                is_dark = (self.rows - 1 - row + self.columns - 1 - column) % 2
                back = (
                    _CHECK
                    if cell in self.in_check
                    else (_LAST if cell in self.last else _SQUARES)[is_dark]
                )
                player, sign = self.pieces.get(cell, (0, " "))
                squares.append(f"\033[1;38;5;{_PIECES[player]};48;5;{back}m {sign} ")
            lines.append(f"{name:>{width}} {''.join(squares)}\033[0m")
        files = "".join(f" {name} " for name in self.column_names)
        return "\n".join([*lines, f"{'':{width}} {files}".rstrip(), self.status])


@dataclasses.dataclass(frozen=True, kw_only=True)
class GoView(View):
    """A board of Go; points are counted row by row from the top left."""

    drawer = "sog.boards.goban:draw_goban"
    size: int
    """Lines, each way."""
    column_names: Sequence[str]
    row_names: Sequence[str]
    """From the top."""
    stars: Sequence[int]
    """Points with a dot."""
    stones: Mapping[int, int]
    """By point: whose it is."""
    mover: int
    """Who puts the next stone, if anybody does."""
    last: int | None
    """The stone that was put last, if the last move put one."""
    owners: Mapping[int, int]
    """By empty point: for whom it counts, once the game is over."""
    captured: tuple[int, int]
    """Stones that each player has taken."""
    choices: Choices
    """By point."""
    passes: Sequence[int]
    """Actions that put no stone."""
    told: Sequence[str]
    """[point]: what pointing at it shows."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By point, and the pass."""
        points: dict[Place, Sequence[int]] = {**dict(self.choices.items())}
        return {**points, PASS: self.passes} if self.passes else points
