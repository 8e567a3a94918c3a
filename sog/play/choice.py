"""A choice in a finished game as judged by an adviser: its loss, and a grade."""

import dataclasses
import math
from typing import Any, Final

import numpy as np

GRADES: Final = (("good", 0.02), ("inaccuracy", 0.08), ("mistake", math.inf))
"""Grades of a choice that was not the best, each up to a loss as a share of the maximum utility."""
_ROUNDING: Final = 0.005
"""Share of the maximum utility within which actions count as equal."""
DOUBT: Final = 2 * GRADES[1][1]
"""The same for values of a search: each may err by as much as a mistake, so two differ by twice
that."""
_MENTIONED: Final = 0.01
"""Least probability of an action that an adviser plays on purpose, such as a rare bluff."""
_LEAST_SHARE: Final = 0.1
"""Least probability of an action to be considered, as a share of the most likely one's."""
_MIXED_SHARE: Final = 0.5
"""The same for an action that the adviser mixes: such actions are worth the same, and differences
in value are errors of the search."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class JudgedChoice:
    """A decision at which the player had more than one action."""

    number: int
    """Number of the public event that it led to, from 0."""
    player: int
    state: Any
    """The public state."""
    infostate: int
    action: int
    """The action taken."""
    legal: np.ndarray
    """[A] bool."""
    policy: np.ndarray
    """[A]: the adviser's policy."""
    values: np.ndarray
    """[A]: action values in utility units; NaN where unknown."""
    doubt: float = 0.0
    """Difference within which values may be equal, in utility units; see `DOUBT`."""
    ranges: np.ndarray | None = None
    """[player, S]: the adviser's ranges; None for one that does not search."""
    line: tuple[int, ...] = ()
    """The adviser's principal variation; empty if it has none."""

    @property
    def best_action(self) -> int:
        """The most likely action, unless another considered one is clearly worth more.

        A search's conclusion is its policy: its values are noisy, so the largest is often luck, and
        rarely tried actions are hardly known. Exact values leave no doubt.
        """
        taken = self.policy >= _LEAST_SHARE * self.policy.max()
        values = np.where(taken & ~np.isnan(self.values), self.values, -np.inf)
        if np.isinf(values).all():
            return int(np.argmax(self.policy))
        return int(np.argmax(np.where(values >= values.max() - self.doubt, self.policy, -1)))

    @property
    def value(self) -> float:
        """Value of the best action; NaN if unknown."""
        return float(self.values[self.best_action])

    @property
    def loss(self) -> float:
        """Loss against the best action in utility units, at least 0; NaN if unknown."""
        return max(self.value - float(self.values[self.action]), 0.0)

    def grade(self, max_utility: float) -> str:
        """One of `GRADES`, "best", or "unknown" if the loss is."""
        if self.is_best(self.action, max_utility):
            return "best"
        if math.isnan(self.loss):
            return "unknown"
        return next(word for word, share in GRADES if self.loss < share * max_utility)

    def is_best(self, action: int, max_utility: float) -> bool:
        """Whether it is the best action, equally good, or mixed with it by the adviser.

        An action played occasionally must be equal up to rounding; one that is mixed may be short
        by the loss of a good choice.
        """
        short, share = self.value - float(self.values[action]), float(self.policy[action])
        is_mixed = share >= _MIXED_SHARE * self.policy.max()
        allowed = GRADES[0][1] if is_mixed else _ROUNDING if share >= _MENTIONED else 0.0
        return action == self.best_action or short <= 0 or short < allowed * max_utility
