"""UCT with random rollouts, OpenSpiel's, in C++: the baseline for perfect information."""

import dataclasses
from typing import Any, ClassVar, Final

import numpy as np

from sog.games.core import Game, param
from sog.openspiel.loading import load_spiel
from sog.openspiel.twins import twin_of
from sog.play.arena import AgentFactory
from sog.play.match import Agent, only_at_the_start
from sog.players.method import Method
from sog.players.player import Host

_C_INT: Final = 2**31 - 1
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
        have, and without OpenSpiel.
        """
        if game.hides_information:
            raise ValueError(f"uct needs perfect information, which {game} does not have.")
        self._spiel = load_spiel(twin_of(game).spiel)
        self._num_actions, self._num_simulations = game.num_actions, num_simulations
        self.player = player
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start."""
        import pyspiel

        only_at_the_start(state)
        if seed is not None:
            seed %= _C_INT + 1
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Uct(Method):
    """UCT (Kocsis and Szepesvari 2006) of perfect information: OpenSpiel's, in C++."""

    name = "uct"
    paper: ClassVar[str] = "Kocsis and Szepesvari 2006"

    budget: int = param(1000, "simulations per move", minimum=1, maximum=_C_INT)

    def check(self, game: Game[Any]) -> None:
        """Needs OpenSpiel, and a game of perfect information that it has, too."""
        UctAgent(game, self.budget, player=0)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents with independent searches."""
        return lambda player, seed: UctAgent(game, self.budget, player=player, seed=seed)
