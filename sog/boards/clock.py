"""How long a move may take, by the time that is left on a clock."""

from typing import Final

OVERHEAD_MS: Final = 100
"""Of a move on a clock: between what we measure and what the other side does."""
MOST_OVERHEAD_MS: Final = 10_000
_USUAL_MOVES: Final = 30
"""Moves that time is kept for, where nobody says until when it must do."""
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
    that is not known. overhead: seconds that are lost with each move. An equal share of what is
    left, less that, and most of the increment; never more than half of what is left, unless the
    next move is the last before more is added.
    """
    usable = left - overhead
    share = left / (moves or _USUAL_MOVES) - overhead + _SHARE_OF_INCREMENT * increment
    most = usable if moves == 1 else _MOST_OF_THE_REST * usable
    return max(_LEAST_SECONDS, min(share, most))
