"""Positions of Go for people: in a line, as a text board, and as a picture."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from sog.boards.go_notation import COLUMNS, vertex
from sog.boards.go_rules import EMPTY
from sog.boards.go_setup import corner_line
from sog.boards.stones import write_counted
from sog.boards.views import GoView

MARKS: Final = ".XO"
"""By color: X is Black."""
NAMES: Final = ("Black", "White")
_STAR: Final = "+"
_SMALLEST_WITH_STARS, _SMALLEST_WITH_CORNERS, _SMALLEST_WITH_SIDES = 5, 8, 15  # lines


def star_points(size: int) -> tuple[int, ...]:
    """The star points: the center, corners and sides."""
    if size < _SMALLEST_WITH_STARS:
        return ()
    edge = corner_line(size)
    lines = {edge, size - 1 - edge} if size >= _SMALLEST_WITH_CORNERS else set()
    stars = {row * size + column for row in lines for column in lines}
    if size % 2:
        middle = size // 2
        stars.add(middle * size + middle)
        if size >= _SMALLEST_WITH_SIDES:
            stars |= {row * size + middle for row in lines}
            stars |= {middle * size + column for column in lines}
    return tuple(sorted(stars))


def write_board(color: np.ndarray, size: int) -> str:
    """The rows from the top, with empty points counted: "5/2X2/5/5/5"."""
    return write_counted("".join(MARKS[one] for one in row) for row in color.reshape(size, size))


def draw_board(color: np.ndarray, size: int, last: int | None, captured: Sequence[int]) -> str:
    """The board with its coordinates; the last stone is in brackets."""
    width, stars = len(str(size)), star_points(size)
    names = f"{' ' * width}  {' '.join(COLUMNS[:size])}"
    lines = [names]
    for row in range(size):
        line = f"{size - row:>{width}} "
        for column in range(size):
            point = row * size + column
            mark = MARKS[color[point]]
            if color[point] == EMPTY and point in stars:
                mark = _STAR
            is_marked, was_marked = point == last, point - 1 == last and column > 0
            line += f"{'(' if is_marked else ')' if was_marked else ' '}{mark}"
        ends_marked = last is not None and last == row * size + size - 1
        lines.append(f"{line}{')' if ends_marked else ' '}{size - row}")
    taken = f"X has captured {captured[0]}, O {captured[1]}"
    return "\n".join([*lines, names, taken])


def view_board(
    title: str,
    color: np.ndarray,
    size: int,
    *,
    last: int | None,
    captured: Sequence[int],
    owners: Mapping[int, int],
    mover: int,
    choices: Sequence[int],
) -> GoView:
    """The picture's data. owners: the owner of each empty point after the end."""
    labels = []
    for point, one in enumerate(color.tolist()):
        what = f", {NAMES[one - 1]}" if one != EMPTY else ""
        whose = f", a point of {NAMES[owners[point]]}" if point in owners else ""
        labels.append(f"{vertex(point, size)}{what}{whose}")
    return GoView(
        title=title,
        size=size,
        column_names=list(COLUMNS[:size]),
        row_names=[str(size - row) for row in range(size)],
        stars=star_points(size),
        stones={point: one - 1 for point, one in enumerate(color.tolist()) if one != EMPTY},
        mover=mover,
        last=last,
        owners=owners,
        captured=(captured[0], captured[1]),
        choices={action: [action] for action in choices if action < size * size},
        passes=[action for action in choices if action == size * size],
        told=labels,
    )
