"""Exact values of Goofspiel for points with shuffled point cards, without its histories.

Points already won do not affect the rest of the game, and only the order of bids counts. So
backward induction (Ross 1971; Rhoads and Bartholdi 2012) needs one matrix per point card shown, set
of point cards to come, and order of the two hands: 7 cards have some 50,000 instead of some hundred
million.
"""

import functools

import numpy as np

from sog.baselines.simultaneous.matrix_solver import solve_matrix

Cards = tuple[int, ...]


class PointValues:
    """Values to player 0 of the remaining rounds, in points; cached between calls."""

    def __init__(self) -> None:
        self._after = functools.lru_cache(maxsize=None)(self._mean)

    def before_a_card(self, first: Cards, second: Cards, points: Cards) -> float:
        """Before a point card is shown.

        first, second: both hands, ascending, as many cards as points. points: the remaining point
        cards, ascending, all equally likely.
        """
        if first == second:
            return 0.0  # symmetric players
        rank = {card: number for number, card in enumerate(sorted({*first, *second}))}
        first, second = (tuple(rank[card] for card in hand) for hand in (first, second))
        if first > second:
            return -self._after(second, first, points)
        return self._after(first, second, points)

    def matrix(self, first: Cards, second: Cards, points: Cards, shown: int) -> np.ndarray:
        """[bid of player 0, bid of player 1]: values of bids; shown: one of `points`."""
        left = _without(points, shown)
        return np.array(
            [
                [
                    shown * ((own > other) - (own < other))
                    + self.before_a_card(_without(first, own), _without(second, other), left)
                    for other in second
                ]
                for own in first
            ]
        )

    def _mean(self, first: Cards, second: Cards, points: Cards) -> float:
        values = [_value(self.matrix(first, second, points, shown)) for shown in points]
        return sum(values) / len(values)


def _value(payoff: np.ndarray) -> float:
    """The value of a matrix; by a linear program if there is no pure equilibrium."""
    lower, upper = payoff.min(axis=1).max(), payoff.max(axis=0).min()
    return float(lower) if lower >= upper else solve_matrix(payoff)[0]


def _without(cards: Cards, card: int) -> Cards:
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
