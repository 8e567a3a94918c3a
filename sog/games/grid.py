"""A grid of cells on which simultaneous movers go up, right, down or left."""

from typing import Final

import numpy as np

MOVES: Final = ("up", "right", "down", "left")
_STEPS: Final = ((-1, 0), (0, 1), (1, 0), (0, -1))
OUTSIDE: Final = -1


def neighbours(rows: int, columns: int) -> np.ndarray:
    """int32[cell, move]: where each of MOVES leads; OUTSIDE where it leaves the grid."""
    table = np.full((rows * columns, len(MOVES)), OUTSIDE, np.int32)
    for cell, (row, column) in enumerate(np.ndindex(rows, columns)):
        for move, (down, right) in enumerate(_STEPS):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                table[cell, move] = (row + down) * columns + column + right
    return table


def cell_name(cell: int, columns: int) -> str:
    """Column by letter, row by number from the top: a1."""
    row, column = divmod(cell, columns)
    return f"{chr(ord('a') + column)}{row + 1}"
