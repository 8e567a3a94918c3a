"""The data of pictures of chess and Go, see `sog.games.views`."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final

from sog.games.views import PASS, Choices, Place, View

# Of 256 terminal colors: by player, then light and dark squares, the last move, and check.
_PIECES: Final = (231, 16)
_SQUARES: Final = (109, 66)
_LAST: Final = (143, 100)
_CHECK: Final = 167


@dataclasses.dataclass(frozen=True, kw_only=True)
class SquaresView(View):
    """Squares with pieces that move; cells are numbered row by row from the top."""

    drawer = "sog.boards.chessboard:draw_squares"
    status: str
    """The player to move, or how the game ended."""
    rows: int
    columns: int
    row_names: Sequence[str]
    """From the top."""
    column_names: Sequence[str]
    pieces: Mapping[int, tuple[int, str]]
    """By cell: its owner and symbol."""
    last: frozenset[int]
    """The cells of the last move."""
    in_check: frozenset[int]
    """Cells of kings in check."""
    moves: Mapping[int, Choices]
    """By the cell a move leaves: choices by the cell it reaches."""
    told: Sequence[str]
    """[cell]: its tooltip."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By the cells that a move leaves and reaches."""
        return {
            (start, end): actions
            for start, ends in self.moves.items()
            for end, actions in ends.items()
        }

    def colored(self) -> str:
        """The squares with their pieces, in terminal colors."""
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
    """A Go board; points are numbered row by row from the top left."""

    drawer = "sog.boards.goban:draw_goban"
    size: int
    """Lines, each way."""
    column_names: Sequence[str]
    row_names: Sequence[str]
    """From the top."""
    stars: Sequence[int]
    """The star points."""
    stones: Mapping[int, int]
    """Owners by point."""
    mover: int
    """The player to move."""
    last: int | None
    """The point of the last move; None after a pass."""
    owners: Mapping[int, int]
    """By empty point: whose area it is, once the game is over."""
    captured: tuple[int, int]
    """Stones that each player has captured."""
    choices: Choices
    """By point."""
    passes: Sequence[int]
    """Actions that place no stone."""
    told: Sequence[str]
    """[point]: its tooltip."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By point, and the pass."""
        points: dict[Place, Sequence[int]] = {**dict(self.choices.items())}
        return {**points, PASS: self.passes} if self.passes else points
