"""Agents whose searches play games in plain Python."""

import abc
import random
from typing import Any

import jax
import numpy as np

from sog.games.core import Game
from sog.play.match import Agent
from sog.play.rules import after, first_state, situation


class PlainSearch(abc.ABC):
    """A search for one player's decisions, in one game at a time."""

    source: random.Random
    """Randomness of sampled actions, and of the search unless it has its own."""

    @abc.abstractmethod
    def reset(self, seed: int | None = None) -> None:
        """Begins a new game. seed: None continues the random numbers, so that games differ."""

    @abc.abstractmethod
    def at(self, state: Any, player: int, infostate: int, num_actions: int) -> list[float]:
        """A probability for each of the player's actions at a public state."""

    def choose(self, policy: np.ndarray) -> int:
        """Samples an action from the policy."""
        (action,) = self.source.choices(range(len(policy)), policy.tolist())
        return action


class PlainAgent(Agent):
    """Searches where it has a choice; tracks the public state from the events it observes."""

    def __init__(self, game: Game[Any], search: PlainSearch, *, player: int) -> None:
        """Sits down as a player, before the first public event."""
        self._game, self.search, self.player = game, search, player
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at any state."""
        self._go_to(first_state(self._game) if state is None else state)
        self.search.reset(seed)

    def observe(self, outcome: int) -> None:
        """Records a public event."""
        self._go_to(after(self._game, self._state, outcome))

    def _go_to(self, state: Any) -> None:
        self._state, self._found = state, dict[int, np.ndarray]()

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses; one search per infostate and event."""
        if infostate not in self._found:
            legal = situation(self._game, self._state).legal_actions[infostate]
            actions = np.flatnonzero(legal)
            policy = np.asarray(legal, float)
            if len(actions) > 1:
                state = jax.device_get(self._state)
                policy[actions] = self.search.at(state, self.player, infostate, len(actions))
            self._found[infostate] = policy
        return self._found[infostate]

    def act(self, infostate: int) -> int:
        """Samples an action from the policy."""
        return self.search.choose(self.policy(infostate))
