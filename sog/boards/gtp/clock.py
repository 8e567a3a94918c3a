"""The clock of a game by GTP: a main time, then so many seconds for so many stones."""

import dataclasses

from sog.boards.clock import seconds_for_move


@dataclasses.dataclass(kw_only=True)
class Clock:
    """Time of both players, in seconds; None where no time was set."""

    overhead: float
    """Of each move, see `seconds_for_move`."""
    main: float | None = None
    byo: float = 0.0
    stones: int = 0
    left: dict[int, tuple[float, int]] = dataclasses.field(default_factory=dict)
    """By player: seconds, and the stones to put in them; 0 stones in the main time."""

    def seconds(self, player: int, moves_left: int) -> float | None:
        """For the next move."""
        if self.main is None or (self.byo > 0 and self.stones == 0):  # no limit, by the protocol
            return None
        left, stones = self.left.get(player, (self.main, 0))
        if stones == 0 and left <= 0:
            left, stones = self.byo, self.stones
        return seconds_for_move(left, moves=stones or moves_left, overhead=self.overhead)

    def took(self, player: int, seconds: float) -> None:
        """A move took so long; a controller may say later what is left."""
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
