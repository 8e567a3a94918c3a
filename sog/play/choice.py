"""A choice in a finished game, as an adviser judges it: what it lost, in units and in a word."""

import dataclasses
import math
from typing import Any, Final

import numpy as np

GRADES: Final = (("good", 0.02), ("inaccuracy", 0.08), ("mistake", math.inf))
"""Words for what a choice lost that was not the best, each up to a share of the largest utility."""
_ROUNDING: Final = 0.005
"""Of the largest utility: actions that differ by less are worth the same."""
DOUBT: Final = 2 * GRADES[1][1]
"""The same, by the values of a search: where each errs by what makes a mistake, two of them differ
by twice that."""
_MENTIONED: Final = 0.01
"""A probability from which on an adviser means an action, as a solution means a rare bluff."""
_LEAST_SHARE: Final = 0.1
"""Of the likeliest action's probability, from which on the adviser would take an action."""
_MIXED_SHARE: Final = 0.5
"""The same, from which on it is one of those that the adviser mixes: all are worth the same then,
and what they are short of the best is what its search is off."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class JudgedChoice:
    """A decision at which the player had more than one action."""

    number: int
    """Of the public event that it led to, from 0."""
    player: int
    state: Any
    """The public state."""
    infostate: int
    action: int
    """What he did."""
    legal: np.ndarray
    """[A] bool."""
    policy: np.ndarray
    """[A]: what the adviser would have done."""
    values: np.ndarray
    """[A]: what each action was worth to him, in utility units; NaN where that is unknown."""
    doubt: float = 0.0
    """By how much values may differ that may be the same, in utility units; see `DOUBT`."""
    ranges: np.ndarray | None = None
    """[player, S]: of both, as the adviser had them; None for one who does not search."""
    line: tuple[int, ...] = ()
    """The public events that the adviser expected instead; none for one who does not say."""

    @property
    def best_action(self) -> int:
        """The likeliest action, unless the adviser would take another that is clearly worth more.

        A search concludes by its policy, and the largest of its values, which are noisy, is often
        only the luckiest. Of what it hardly tried it knows little. The values of an exact solution
        leave no doubt.
        """
        taken = self.policy >= _LEAST_SHARE * self.policy.max()
        values = np.where(taken & ~np.isnan(self.values), self.values, -np.inf)
        if np.isinf(values).all():
            return int(np.argmax(self.policy))
        return int(np.argmax(np.where(values >= values.max() - self.doubt, self.policy, -1)))

    @property
    def value(self) -> float:
        """That of the best action; NaN if none is known."""
        return float(self.values[self.best_action])

    @property
    def loss(self) -> float:
        """What the choice lost, in utility units, at least 0; NaN if it is unknown."""
        return max(self.value - float(self.values[self.action]), 0.0)

    def grade(self, max_utility: float) -> str:
        """Of `GRADES`, or "best"; "unknown" where the loss is."""
        if self.is_best(self.action, max_utility):
            return "best"
        if math.isnan(self.loss):
            return "unknown"
        return next(word for word, share in GRADES if self.loss < share * max_utility)

    def is_best(self, action: int, max_utility: float) -> bool:
        """Whether it is the best action, worth as much, or one that the adviser mixes with it.

        What it plays at least now and then is worth as much up to rounding, and what it plays about
        as often as anything, up to what a good choice may lose.
        """
        short, share = self.value - float(self.values[action]), float(self.policy[action])
        is_mixed = share >= _MIXED_SHARE * self.policy.max()
        allowed = GRADES[0][1] if is_mixed else _ROUNDING if share >= _MENTIONED else 0.0
        return action == self.best_action or short <= 0 or short < allowed * max_utility
