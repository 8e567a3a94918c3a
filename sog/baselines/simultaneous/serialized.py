"""Alpha-beta on serializations of simultaneous moves: one player sees the other's move."""

import math

from sog.baselines.simultaneous.stages import Stage, Stages
from sog.games.core import PLAYER_0, PLAYER_1


class Serialized:
    """Bounds of the values of subgames, each searched once, with a full window.

    Seeing the other's move cannot hurt: the value with player 1 second is a lower bound of player
    0's (Bosansky et al. 2016, section 4.2). Chance is searched by Star1 (Ballard 1983).
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._known: tuple[dict[int, float], dict[int, float]] = ({}, {})
        self.states = 0
        """Stages visited."""
        self.cut_offs = 0
        """Cutoffs: of the rest of a stage, or of the replies to a move."""

    def low(self, history: int) -> float:
        """Player 0's value if player 1 sees player 0's moves."""
        return self._full(history, PLAYER_1)

    def high(self, history: int) -> float:
        """Player 0's value if player 0 sees player 1's moves."""
        return self._full(history, PLAYER_0)

    def first_move(self, history: int, player: int) -> int:
        """The choice of a player at a stage of players, if the other one sees it."""
        stage = self._stages.stage[history]
        assert stage is not None
        sign = 1 if player == PLAYER_0 else -1
        worst = [
            min(sign * self._full(child, 1 - player) for child in line)
            for line in stage.lines(player)
        ]
        return max(range(len(worst)), key=worst.__getitem__)

    def _full(self, history: int, second: int) -> float:
        known = self._known[second]
        if history not in known:
            known[history] = self._search(history, second, -math.inf, math.inf)
        return known[history]

    def _search(self, history: int, second: int, alpha: float, beta: float) -> float:
        """The value to player 0; if it is outside the window, a bound on that side of it."""
        stage = self._stages.stage[history]
        if stage is None:
            return self._stages.utility[history]
        if history in self._known[second]:
            return self._known[second][history]
        self.states += 1
        if stage.odds:
            return self._average(stage, second, alpha, beta)
        first = 1 - second
        sign = 1 if first == PLAYER_0 else -1  # below, values are to the first player
        if sign < 0:
            alpha, beta = -beta, -alpha
        lines = stage.lines(first)
        best = -math.inf
        for number, line in enumerate(lines):
            worst, low = math.inf, max(alpha, best)
            for place, child in enumerate(line):
                window = (low, min(beta, worst))
                if sign < 0:
                    window = (-window[1], -window[0])
                worst = min(worst, sign * self._search(child, second, *window))
                if worst <= low:
                    self.cut_offs += place + 1 < len(line)
                    break
            best = max(best, worst)
            if best >= beta:
                self.cut_offs += number + 1 < len(lines)
                break
        return sign * best

    def _average(self, stage: Stage, second: int, alpha: float, beta: float) -> float:
        """Star1: the remaining children add between the least and the largest utility."""
        scale = self._stages.scale
        total, left = 0.0, 1.0
        children = stage.children[0]
        for place, (odds, child) in enumerate(zip(stage.odds, children, strict=True)):
            left = max(left - odds, 0.0)
            low = max((alpha - total - scale * left) / odds, -scale)
            high = min((beta - total + scale * left) / odds, scale)
            total += odds * self._search(child, second, low, high)
            fails_low, fails_high = total + scale * left <= alpha, total - scale * left >= beta
            if fails_low or fails_high:
                self.cut_offs += place + 1 < len(children)
                bound: float = total + scale * (left if fails_low else -left)
                return bound
        return total
