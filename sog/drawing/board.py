"""A board with stones as a picture: tic-tac-toe, Connect Four, and other lines of stones."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.drawing.svg import as_text, choice, circle, document, line, rectangle, text
from sog.games.core import PLAYER_0
from sog.games.line_game import DIRECTIONS, EMPTY, MARKS, LineGame

_CELL, _MARGIN, _NAMES = 62.0, 14.0, 22.0
_BOARD, _HOLE, _RULE = "#2f4b6e", "#e9eff6", "#8aa4c2"
_STONES: Final = {0: "#f2b632", 1: "#d9534f"}
_EDGE, _WON = "#1d2733", "#2f9e44"


def draw_board(game: LineGame, state: Any, *, choices: Sequence[int] = ()) -> str:
    """The text of an SVG file; choices: actions that a page may let one click on the board."""
    rows, columns = game.shape
    width, height = 2 * _MARGIN + _NAMES + columns * _CELL, 2 * _MARGIN + _NAMES + rows * _CELL
    svg = document(game.describe_state(state), width, height, background=None)
    left, top = _MARGIN + _NAMES, _MARGIN
    rectangle(svg, 0, 0, width, height, fill=_BOARD, rx="14")
    drops = game.num_actions < rows * columns  # an action is a column, where the stone falls
    _names(svg, rows, columns, left, top, drops)
    board = np.asarray(state.board)
    winning = _winning_cells(game, board, np.asarray(state.has_line))
    landing = {int(game.cell_of(state.board, jnp.int32(action))): action for action in choices}
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        x, y = left + (column + 0.5) * _CELL, top + (row + 0.5) * _CELL
        action = column if drops else cell
        can = [action] if action in choices and (drops or cell in landing) else []
        name = game.describe_action(state, 0, action) if can else ""
        group = choice(svg, can, name or _told(board[cell]))
        if can:  # the whole square can be clicked
            rectangle(group, x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, fill=_BOARD)
        circle(group, x, y, 0.41 * _CELL, fill=_HOLE)
        if board[cell] != EMPTY:
            _stone(group, x, y, int(board[cell]), is_marked=cell in winning)
        elif cell in landing:
            circle(group, x, y, 0.1 * _CELL, fill=_RULE)
    return as_text(svg)


def _stone(group: ElementTree.Element, x: float, y: float, player: int, *, is_marked: bool) -> None:
    """A disk with the player's mark on it, so that nobody needs to tell colors apart."""
    stroke, width = (_WON, 6.0) if is_marked else (_EDGE, 1.2)
    circle(group, x, y, 0.37 * _CELL, fill=_STONES[player], stroke=stroke, width=width)
    r = 0.15 * _CELL
    if player == PLAYER_0:
        line(group, (x - r, y - r), (x + r, y + r), color=_EDGE, width=4)
        line(group, (x - r, y + r), (x + r, y - r), color=_EDGE, width=4)
    else:
        circle(group, x, y, r, fill="none", stroke=_EDGE, width=4)


def _names(
    svg: ElementTree.Element, rows: int, columns: int, left: float, top: float, drops: bool
) -> None:
    """Of columns and rows, as the actions are called."""
    below = top + rows * _CELL + _NAMES - 4
    for column in range(columns):
        name = str(column + 1) if drops else chr(ord("a") + column)
        text(svg, left + (column + 0.5) * _CELL, below, name, size=15, color=_HOLE, anchor="middle")
    for row in range(0 if drops else rows):
        y = top + (row + 0.5) * _CELL + 5
        text(svg, left - 14, y, str(rows - row), size=15, color=_HOLE, anchor="middle")


def _told(stone: int) -> str:
    return "empty" if stone == EMPTY else f"a stone of {MARKS[stone]}"


def _winning_cells(game: LineGame, board: np.ndarray, has_line: np.ndarray) -> set[int]:
    """The cells of every line that has won."""
    rows, columns = game.shape
    cells: set[int] = set()
    if not has_line.any():
        return cells
    grid, length = board.reshape(rows, columns), game.stones_in_line
    for row, column in np.ndindex(rows, columns):
        for down, right in DIRECTIONS:
            steps = [(row + down * step, column + right * step) for step in range(length)]
            inside = all(0 <= r < rows and 0 <= c < columns for r, c in steps)
            if inside and has_line[grid[row, column] % EMPTY] and grid[row, column] != EMPTY:
                stones = {int(grid[r, c]) for r, c in steps}
                if stones == {int(grid[row, column])}:
                    cells |= {r * columns + c for r, c in steps}
    return cells
