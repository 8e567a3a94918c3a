"""How boards of stones are told to people, where cells are called as in Othello and Hex: columns by
letter, rows by number from the top."""

import re
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from sog.boards.line_game import EMPTY, MARKS
from sog.games.grid import cell_name
from sog.games.views import BoardView

_MOST_QUOTED: Final = 20


def write_rows(board: np.ndarray) -> str:
    """Rows of marks from the top. board: int[row, column] of PLAYER_0, PLAYER_1 or EMPTY."""
    return "/".join("".join(MARKS[mark] for mark in row) for row in board)


def draw_rows(board: np.ndarray, *, slant: int = 0) -> str:
    """The board with the names of its columns above and of its rows at the left.

    slant: letters by which every row begins further right than the one above it.
    """
    rows, columns = board.shape
    width = len(str(rows))
    names = " ".join(chr(ord("a") + column) for column in range(columns))
    lines = [f"{' ' * width} {names}"]
    for row in range(rows):
        marks = " ".join(MARKS[mark] for mark in board[row])
        lines.append(f"{' ' * (slant * row)}{row + 1:>{width}} {marks}")
    return "\n".join(lines)


def split_cells(text: str) -> list[str] | None:
    """The cells of "f5d6c3" or "f5 d6 c3"; None if that is not how the text is written."""
    joined = "".join(text.split())
    return re.findall(r"[a-z]\d+", joined) if re.fullmatch(r"([a-z]\d+)+", joined) else None


def read_cell(text: str, size: int) -> int:
    """The cell of "d3", in letters of either case, on a square board; ValueError if it is none."""
    match = re.fullmatch(r"([a-z])([0-9]{1,2})", text.strip().lower())
    column, row = (ord(match[1]) - ord("a"), int(match[2]) - 1) if match else (size, size)
    if not (column < size and 0 <= row < size):
        last = cell_name(size * size - 1, size)
        raise ValueError(f"cells go from a1 to {last}, got {text[:_MOST_QUOTED]!r}.")
    return row * size + column


def view_stones(
    title: str,
    board: np.ndarray,
    *,
    choices: Sequence[int],
    won: Collection[int] = (),
    is_rhombus: bool = False,
) -> BoardView:
    """The picture. choices: actions, of which those that are the number of a cell put a stone
    there; won: the cells that have decided the game."""
    rows, columns = board.shape
    told = ["empty" if mark == EMPTY else f"a stone of {MARKS[mark]}" for mark in board.flat]
    cells = [action for action in choices if action < board.size]
    for cell in cells:
        told[cell] = cell_name(cell, columns)
    return BoardView(
        title=title,
        rows=rows,
        columns=columns,
        row_names=[str(row + 1) for row in range(rows)],
        column_names=[chr(ord("a") + column) for column in range(columns)],
        pieces={
            cell: (int(mark), MARKS[mark]) for cell, mark in enumerate(board.flat) if mark != EMPTY
        },
        won=frozenset(won),
        landing=frozenset(cells),
        choices={cell: [cell] for cell in cells},
        told=told,
        is_rhombus=is_rhombus,
    )
