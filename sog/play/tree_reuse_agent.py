"""An agent that reuses its tree: the subtree below the moves played is kept.

    settings = SearchSettings(kept_simulations=100)
    agent = TreeReuseAgent(make("go5"), evaluator, settings, player=0, greedy=True)

For perfect information. Its first search in a game is as without reuse; later ones add as many
simulations to those that are kept (`gtcfr.tree_reuse`).
"""

import functools
import math
import time
from typing import Any

import numpy as np

from sog.play.agent import SearchAgent
from sog.play.analyst import Analyst
from sog.play.game_in_progress import Position


class TreeReuseAgent(SearchAgent):
    """A `SearchAgent` with tree reuse. Raises ValueError for hidden information."""

    is_copied = False  # the tree is updated in place
    waits_for = None

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at any state."""
        super().begin(state, seed)
        self._everywhere = False  # it searches only at its own decisions
        self._analyst.forget()
        if seed is not None:
            self._analyst.draw_from(seed)
        self._found: _Found | None = None

    @functools.cached_property
    def _analyst(self) -> Analyst:
        settings = self.settings
        return Analyst(self.game, self.evaluator, settings, most=settings.num_simulations)

    def prepare(self) -> None:
        """Compiles its searches."""
        self._analyst.prepare(with_drafts=False)

    def observe(self, outcome: int) -> None:
        """Records a public event."""
        super().observe(outcome)
        self._found = None

    def _search_here(self) -> Any:
        """The search at the current position; made once."""
        if self._found is None:
            began, chain = time.monotonic(), self._chain

            def left() -> float:
                seconds = self.seconds
                return math.inf if seconds is None else began + seconds - time.monotonic()

            position = Position(start=chain.start, outcomes=chain.path, state=chain.state)
            self._analyst.think(position, self._analyst.usual_simulations, left)
            self._found = _Found(self._analyst)
        return self._found


class _Found:
    """A lazy `LastSearch`: each part is read by a program of its own, when used."""

    def __init__(self, analyst: Analyst) -> None:
        self._analyst = analyst

    @property
    def policy(self) -> np.ndarray:
        return np.asarray(self._analyst.policy()[None])

    @property
    def best(self) -> np.ndarray:
        return np.asarray(self.policy.argmax(axis=1))

    @property
    def values(self) -> np.ndarray:
        return np.array([[self._analyst.value(player)] for player in (0, 1)])

    @property
    def action_values(self) -> np.ndarray:
        return np.asarray(self._analyst.action_values()[None])

    @property
    def line(self) -> np.ndarray:
        return np.array(self._analyst.line())
