"""Positions of Go that are set up: handicap stones, problems, boards without a game before them."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from sog.games.boards.go_notation import vertex
from sog.games.boards.go_rules import BITS, EMPTY, NUM_SHOWN, neighbors

_IN_ALL_SHOWN: Final = sum(1 << (BITS * number) for number in range(NUM_SHOWN))


def board_of(stones: Mapping[int, int], size: int) -> tuple[np.ndarray, np.ndarray]:
    """What `GoState.shown` and its chains are of stones, by point the player whose each is.

    Nothing is known of what was before: the board is shown as if it had always been so. Returns
    (uint16[N], int32[N]). Raises ValueError, one line, for a chain that has no liberty.
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
    """Names all stones that are joined to the first one after it, the lowest of them."""
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
