"""Time management: how long to think, given the time left on a clock."""

from typing import Final

OVERHEAD_MS: Final = 100
"""Per move on a clock: the lag between our clock and the other side's."""
MOST_OVERHEAD_MS: Final = 10_000
_USUAL_MOVES: Final = 30
"""Moves to reserve time for if the time control does not say."""
_SHARE_OF_INCREMENT: Final = 0.8
_MOST_OF_THE_REST: Final = 0.5
_LEAST_SECONDS: Final = 0.01


def seconds_for_move(
    left: float,
    increment: float = 0.0,
    moves: int | None = None,
    *,
    overhead: float,
) -> float:
    """Seconds to think about a move.

    left: on the clock. increment: added after the move. moves: until more time is added; None if
    unknown. overhead: seconds lost with each move. Returns an equal share of the time left, less
    the overhead, plus most of the increment; at most half of the time left, unless the next move
    is the last before time is added.
    """
    usable = left - overhead
    share = left / (moves or _USUAL_MOVES) - overhead + _SHARE_OF_INCREMENT * increment
    most = usable if moves == 1 else _MOST_OF_THE_REST * usable
    return max(_LEAST_SECONDS, min(share, most))
