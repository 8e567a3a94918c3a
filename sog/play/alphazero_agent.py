"""An agent that plays by AlphaZero's search, from the position alone.

It needs the package mctx (the extra `alphazero`).
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from gtcfr.evaluator import Evaluator
from selfplay.alphazero.search import AlphaZeroResult, check_game, search
from selfplay.settings import AlphaZeroSettings
from sog.games.core import Game
from sog.play.choice import DOUBT
from sog.play.match import Agent
from sog.play.rules import after, first_state, situation
from sog.precision import in_32_bits


class AlphaZeroAgent(Agent):
    """Takes the best action of a search without noise, hence always the same one of a position.

    The compiled search is shared by all agents with the same game and settings.
    """

    tells_policies = True
    doubt = DOUBT
    seconds = None
    """There is no clock that ends its searches."""

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator,
        settings: AlphaZeroSettings = AlphaZeroSettings(),  # noqa: B008 (frozen)
        *,
        num_simulations: int,
        player: int,
    ) -> None:
        """Sits down as a player, before the first public event.

        Raises ValueError for a game that AlphaZero cannot play, for less than one simulation, or if
        mctx is not installed.
        """
        check_game(game)
        if num_simulations < 1:
            raise ValueError(f"num_simulations must be >= 1, got {num_simulations}.")
        self.game, self.player, self.evaluator = game, player, evaluator
        self.settings, self.num_simulations = settings, num_simulations
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, anywhere."""
        self._state = first_state(self.game) if state is None else state
        self._found: AlphaZeroResult | None = None

    def observe(self, outcome: int) -> None:
        """Tells the agent a public event."""
        self._state = after(self.game, self._state, outcome)
        self._found = None

    def act(self, infostate: int) -> int:
        """The best action, the same until the next event. infostate: 0."""
        legal = self._legal
        return int(legal[0]) if len(legal) == 1 else int(self._search_here().action)

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: what the search found, of which `act` takes the best."""
        if len(self._legal) == 1:
            return np.asarray(self.policies()[0])
        return np.asarray(self._search_here().policy, float)

    def policies(self) -> np.ndarray:
        """[1, A]: 1 for the action that `act` takes."""
        chosen = np.zeros((1, self.game.num_actions))
        chosen[0, self.act(0)] = 1
        return chosen

    def value(self, infostate: int) -> float:
        """What the agent expects to get where it is to move, in units of utility."""
        return float(self._search_here().value)

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: what the agent expects to get by each action, in units of utility; NaN for one that
        its search did not try. infostate: 0."""
        return np.asarray(self._search_here().action_values, float)

    @property
    def _legal(self) -> np.ndarray:
        return np.flatnonzero(situation(self.game, self._state).legal_outcomes)

    @property
    def is_searched(self) -> bool:
        """Whether nothing is left to search here: there is no choice, or it has."""
        return self._found is not None or len(self._legal) < 2

    @property
    def how_it_searches(self) -> tuple[Any, ...]:
        """Agents for whom this is equal can search together, see `search_positions`."""
        return self.game, id(self.evaluator), self.settings, self.num_simulations

    def _search_here(self) -> AlphaZeroResult:
        """The search of the position, made once."""
        if self._found is None:
            search_positions([self])
        assert self._found is not None
        return self._found


@in_32_bits
def search_positions(agents: Sequence[AlphaZeroAgent], batch_size: int = 1) -> None:
    """Searches for several agents in one batch, each at the position that its game is at.

    All must have the same `how_it_searches`, and there are at most batch_size of them; each finds
    what it would alone, rounding and equally good actions apart.
    """
    first = agents[0]
    states = [agent._state for agent in agents]
    states += states[:1] * (batch_size - len(states))
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(states))
    found = jax.device_get(
        _search(first.game, first.settings, first.num_simulations, first.evaluator, stacked)
    )
    for number, agent in enumerate(agents):
        agent._found = jax.tree.map(lambda leaf, number=number: leaf[number], found)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _search(
    game: Game[Any],
    settings: AlphaZeroSettings,
    num_simulations: int,
    evaluator: Evaluator,
    states: Any,
) -> AlphaZeroResult:
    key = jax.random.key(0)  # for what is equally good
    return search(game, settings, num_simulations, evaluator, states, key, explores=False)
