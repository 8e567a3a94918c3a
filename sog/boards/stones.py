"""Boards of stones: symmetries, drawing and coordinates. Columns are letters and rows numbers, from
the top as in Othello and Hex, or from the bottom."""

import functools
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

import numpy as np

from sog.games.grid import cell_name
from sog.games.shown import Shown
from sog.games.views import BoardView

EMPTY: Final = 2
"""A board holds PLAYER_0, PLAYER_1 or EMPTY."""
MARKS: Final = "XO."
_MOST_QUOTED: Final = 20


@functools.cache
def symmetries(size: int) -> np.ndarray:
    """int32[8, N]: for each rotation and reflection of a square board, which cell moves to each."""
    cells = np.arange(size * size, dtype=np.int32).reshape(size, size)
    turned = [np.rot90(side, turns) for side in (cells, cells.T) for turns in range(4)]
    return np.stack([board.ravel() for board in turned])


def write_counted(rows: Iterable[str]) -> str:
    """Rows from the top, empty cells counted: "5/2X2/5/5/5". rows: with dots for empty cells."""
    return re.sub(r"\.+", lambda empty: str(len(empty.group())), "/".join(rows))


def write_rows(board: np.ndarray) -> str:
    """Rows of marks from the top. board: int[row, column] of PLAYER_0, PLAYER_1 or EMPTY."""
    return "/".join("".join(MARKS[mark] for mark in row) for row in board)


def draw_rows(board: np.ndarray, *, slant: int = 0, upwards: bool = False) -> str:
    """The board with column names above and row names at the left.

    slant: characters by which each row is indented more than the one above. upwards: whether rows
    are numbered from the bottom.
    """
    rows, columns = board.shape
    width = len(str(rows))
    lines = [f"{' ' * width} {' '.join(_letters(columns))}"]
    for row in range(rows):
        marks = " ".join(MARKS[mark] for mark in board[row])
        number = rows - row if upwards else row + 1
        lines.append(f"{' ' * (slant * row)}{number:>{width}} {marks}")
    return "\n".join(lines)


def _letters(columns: int) -> list[str]:
    return [chr(ord("a") + column) for column in range(columns)]


def split_cells(text: str) -> list[str] | None:
    """The cells of "f5d6c3" or "f5 d6 c3"; None for any other text."""
    joined = "".join(text.split())
    return re.findall(r"[a-z]\d+", joined) if re.fullmatch(r"([a-z]\d+)+", joined) else None


def read_cell(text: str, size: int) -> int:
    """The cell of "d3", in either case, on a square board; ValueError for any other text."""
    match = re.fullmatch(r"([a-z])([0-9]{1,2})", text.strip().lower())
    column, row = (ord(match[1]) - ord("a"), int(match[2]) - 1) if match else (size, size)
    if not (column < size and 0 <= row < size):
        last = cell_name(size * size - 1, size)
        raise ValueError(f"cells go from a1 to {last}, got {text[:_MOST_QUOTED]!r}.")
    return row * size + column


def view_stones(
    game: Shown[Any],
    state: Any,
    board: np.ndarray,
    choices: Mapping[int, int],
    *,
    won: Collection[int] = (),
    is_rhombus: bool = False,
) -> BoardView:
    """The picture's data. choices: by cell, the action that puts a stone there; won: the winning
    cells."""
    rows, columns = board.shape
    labels = ["empty" if mark == EMPTY else f"a stone of {MARKS[mark]}" for mark in board.flat]
    for cell, action in choices.items():
        labels[cell] = game.describe_action(state, 0, action)
    return BoardView(
        title=game.describe_state(state),
        rows=rows,
        columns=columns,
        row_names=[str(row + 1) for row in range(rows)],
        column_names=_letters(columns),
        pieces={
            cell: (int(mark), MARKS[mark]) for cell, mark in enumerate(board.flat) if mark != EMPTY
        },
        won=frozenset(won),
        landing=frozenset(choices),
        choices={cell: [action] for cell, action in choices.items()},
        told=labels,
        is_rhombus=is_rhombus,
    )
