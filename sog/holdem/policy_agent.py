"""An agent whose policy is a function of the public state, as of simple bots and blueprints."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sog.games.core import Game
from sog.play.simple_agents import RandomAgent


class PolicyAgent(RandomAgent):
    """Plays a policy that is a function of the public state."""

    def __init__(
        self,
        game: Game[Any],
        policy_of: Callable[[Any], np.ndarray],
        *,
        player: int,
        seed: int = 0,
    ) -> None:
        """policy_of: [S, A] at a public state in which the player acts."""
        self._policy_of = policy_of
        self._known: tuple[Any, np.ndarray] | None = None
        super().__init__(game, player=player, seed=seed)

    def policies(self) -> np.ndarray:
        """[S, A]: the policy at the current public state."""
        if self._known is None or self._known[0] is not self._state:
            self._known = self._state, self._policy_of(self._state)
        return self._known[1]
