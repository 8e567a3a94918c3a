"""The clock of a GTP game: main time, then Canadian byo-yomi (stones per period)."""

import dataclasses

from sog.boards.clock import seconds_for_move


@dataclasses.dataclass(kw_only=True)
class Clock:
    """Time of both players, in seconds; None if no time was set."""

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
