"""Setup positions of Go: handicap stones, problems, boards without a history."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from sog.boards.go_notation import vertex
from sog.boards.go_rules import BITS, EMPTY, NUM_SHOWN, neighbors

_SMALLEST_WITH_HANDICAP, _SMALLEST_WITH_NINE = 7, 9  # lines
_SMALLEST_WITH_FOURTH_LINE: Final = 12
_LOW, _MIDDLE, _HIGH = range(3)
"""Lines, as columns from the left and rows from below."""
_CORNERS: Final = ((_LOW, _LOW), (_HIGH, _HIGH), (_LOW, _HIGH), (_HIGH, _LOW))
_SIDES: Final = ((_LOW, _MIDDLE), (_HIGH, _MIDDLE), (_MIDDLE, _LOW), (_MIDDLE, _HIGH))
_CENTER: Final = (_MIDDLE, _MIDDLE)
_IN_ALL_SHOWN: Final = sum(1 << (BITS * number) for number in range(NUM_SHOWN))


def corner_line(size: int) -> int:
    """The lines between a corner handicap stone and either edge."""
    return 3 if size >= _SMALLEST_WITH_FOURTH_LINE else 2


def most_handicap(size: int) -> int:
    """The largest handicap with fixed points; 0 for a board without any."""
    if size < _SMALLEST_WITH_HANDICAP:
        return 0
    has_middle = size % 2 == 1 and size >= _SMALLEST_WITH_NINE
    return len(_CORNERS) + (len(_SIDES) + 1 if has_middle else 0)


def handicap_points(number: int, size: int) -> tuple[int, ...]:
    """The fixed points of a handicap (section 4.1.1 of GTP 2): corners, then pairs of sides; an odd
    number from 5 on ends with the center.

    Raises ValueError, one line, for a number without fixed points.
    """
    most = most_handicap(size)
    if not 2 <= number <= most:
        have = f"go from 2 to {most}" if most else "have no fixed points"
        raise ValueError(f"handicap stones {have} on {size} x {size}, got {number}.")
    pairs: Sequence[tuple[int, int]] = (*_CORNERS, *_SIDES)
    has_center = number > len(_CORNERS) and number % 2 == 1
    chosen = (*pairs[: number - 1], _CENTER) if has_center else pairs[:number]
    corner = corner_line(size)
    lines = (corner, size // 2, size - 1 - corner)
    return tuple((size - 1 - lines[row]) * size + lines[column] for column, row in chosen)


def board_of(stones: Mapping[int, int], size: int) -> tuple[np.ndarray, np.ndarray]:
    """`GoState.shown` and `GoState.chain` for stones, given by point and owner.

    The history planes repeat the board. Returns (uint16[N], int32[N]). Raises ValueError, one line,
    for a chain without a liberty.
    """
    color = np.full(size * size, EMPTY)
    for point, player in stones.items():
        color[point] = player + 1
    chain = np.arange(size * size)
    for point in sorted(stones):
        if chain[point] == point:
            _name_chain(point, color, chain, size)
    return (color * _IN_ALL_SHOWN).astype(np.uint16), chain


def _name_chain(first: int, color: np.ndarray, chain: np.ndarray, size: int) -> None:
    """Labels all stones connected to the first one by it, the lowest of them."""
    beside, found, has_liberty = neighbors(size), {first}, False
    waiting = [first]
    while waiting:
        for near in beside[waiting.pop()].tolist():
            if near == size * size:  # off the board
                continue
            has_liberty |= color[near] == EMPTY
            if color[near] == color[first] and near not in found:
                found.add(near)
                waiting.append(near)
    if not has_liberty:
        raise ValueError(f"the stones at {vertex(first, size)} have no liberty.")
    chain[sorted(found)] = first
