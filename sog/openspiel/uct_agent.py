"""UCT with random rollouts (OpenSpiel's, in C++): the baseline for perfect information.

Importing this module needs the `openspiel` extra.
"""

from typing import Any, Final

import numpy as np

from sog.games.core import Game
from sog.openspiel.loading import MISSING_EXTRA, load_spiel
from sog.openspiel.twins import twin_of
from sog.play.match import Agent, only_at_the_start

try:
    import pyspiel
except ImportError:
    raise ImportError(MISSING_EXTRA) from None

_EXPLORATION: Final = 2.0  # of OpenSpiel's own examples; utilities are in [-1, 1]
_MEGABYTES: Final = 500


class UctAgent(Agent):
    """Searches at its decisions with UCT, using only the rules of the game.

    Each simulation ends with one random game; proven wins and losses are propagated.
    """

    exposes_policies = True

    def __init__(
        self, game: Game[Any], num_simulations: int, *, player: int, seed: int = 0
    ) -> None:
        """Raises ValueError for a game with hidden information, for one that OpenSpiel does not
        have, or for less than one simulation.
        """
        if game.hides_information:
            raise ValueError(f"uct needs perfect information, which {game} does not have.")
        if not 1 <= num_simulations < 2**31:  # a C++ int
            raise ValueError(
                f"num_simulations of uct must be >= 1 and < 2**31, got {num_simulations}."
            )
        self._spiel = load_spiel(twin_of(game).spiel)
        self._num_actions, self._num_simulations = game.num_actions, num_simulations
        self.player = player
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start."""
        only_at_the_start(state)
        if seed is not None:
            seed %= 2**31  # another C++ int
            rollouts, most = pyspiel.RandomRolloutEvaluator(1, seed), self._num_simulations
            self._bot = pyspiel.MCTSBot(
                self._spiel, rollouts, _EXPLORATION, most, _MEGABYTES, True, seed, False
            )
        self._state = self._spiel.new_initial_state()
        self._chosen: int | None = None

    def observe(self, outcome: int) -> None:
        """Observes a public event, which is the move itself."""
        self._state.apply_action(outcome)
        self._chosen = None

    def policies(self) -> np.ndarray:
        """[1, A]: 1 for the move that `act` makes."""
        return np.eye(1, self._num_actions, self.act(0))

    def act(self, infostate: int) -> int:
        """The most promising move, the same until the next event. infostate: 0."""
        if self._chosen is None:
            self._chosen = int(self._bot.step(self._state))
        return self._chosen
