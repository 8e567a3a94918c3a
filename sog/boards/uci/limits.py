"""The arguments of `go`: how long to think, and which moves to consider."""

import dataclasses
from collections.abc import Sequence
from typing import Final

from sog.boards.clock import seconds_for_move
from sog.games.core import PLAYER_0

_NUMBERS: Final = (
    *("wtime", "btime", "winc", "binc", "movestogo"),
    *("nodes", "movetime", "depth", "mate"),
)
_LARGEST: Final = 2**53  # exact as a float
_FLAGS: Final = ("infinite", "ponder")
_MOVES: Final = "searchmoves"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """How long to think; None for no limit."""

    nodes: int | None = None
    seconds: float | None = None
    depth: int | None = None
    waits: bool = False
    """Whether to report the move only after stop or ponderhit."""
    ponders: bool = False
    """Whether time counts only from ponderhit."""
    moves: tuple[str, ...] = ()
    """The moves to consider; empty for all."""

    @property
    def is_limited(self) -> bool:
        """Whether anything but stop ends the search."""
        return any(one is not None for one in (self.nodes, self.seconds, self.depth))


def read_limits(words: Sequence[str], player: int, overhead_seconds: float) -> Limits:
    """Reads the words after `go`; player: to move, player 0 being White.

    Unknown words are ignored, as the protocol asks.
    """
    numbers, flags, moves = dict[str, int](), set[str](), list[str]()
    left = list(words)
    while left:
        word = left.pop(0)
        if word in _FLAGS:
            flags.add(word)
        elif word == _MOVES:
            while left and left[0] not in (*_NUMBERS, *_FLAGS):
                moves.append(left.pop(0))
        elif word in _NUMBERS and left:
            try:
                numbers[word] = max(-_LARGEST, min(int(left[0]), _LARGEST))
            except ValueError:
                continue
            left.pop(0)
    return Limits(
        nodes=_positive(numbers.get("nodes")),
        seconds=_seconds(numbers, player, overhead_seconds),
        depth=_positive(numbers.get("depth")),
        waits=bool(flags),
        ponders="ponder" in flags,
        moves=tuple(moves),
    )


def _positive(number: int | None) -> int | None:
    return None if number is None else max(1, number)


def _seconds(numbers: dict[str, int], player: int, overhead: float) -> float | None:
    if "movetime" in numbers:
        return max(numbers["movetime"] / 1000 - overhead, 1e-3)
    letter = "w" if player == PLAYER_0 else "b"
    left = numbers.get(f"{letter}time")
    if left is None:
        return None
    moves = numbers.get("movestogo")
    increment = numbers.get(f"{letter}inc", 0) / 1000
    return seconds_for_move(
        left / 1000, increment, moves if moves and moves > 0 else None, overhead=overhead
    )
