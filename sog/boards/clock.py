"""Time management: how long to think, given the time left on a clock; the clock of GTP."""

import dataclasses
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


@dataclasses.dataclass(kw_only=True)
class Clock:
    """The clock of a GTP game: main time, then Canadian byo-yomi (stones per period).

    Time of both players, in seconds; None if no time was set.
    """

    overhead: float
    """Of each move, see `seconds_for_move`; seconds."""
    main: float | None = None
    byo: float = 0.0
    stones: int = 0
    left: dict[int, tuple[float, int]] = dataclasses.field(default_factory=dict)
    """By player: seconds left, and the stones to play in them; 0 stones in the main time."""

    def seconds(self, player: int, moves_left: int) -> float | None:
        """Seconds for the next move."""
        if self.main is None or (self.byo > 0 and self.stones == 0):  # the protocol's "no limit"
            return None
        left, stones = self.left.get(player, (self.main, 0))
        if stones == 0 and left <= 0:
            left, stones = self.byo, self.stones
        return seconds_for_move(left, moves=stones or moves_left, overhead=self.overhead)

    def took(self, player: int, seconds: float) -> None:
        """Subtracts the time of a move; a controller may correct it by `time_left`."""
        if self.main is None:
            return
        left, stones = self.left.get(player, (self.main, 0))
        left -= seconds
        if stones > 1 and left > 0:
            self.left[player] = left, stones - 1
        elif (stones or left <= 0) and self.stones:
            self.left[player] = self.byo, self.stones
        else:
            self.left[player] = left, 0
