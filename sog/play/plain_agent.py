"""Agents whose searches play games in plain Python, and the budget of such a search."""

import abc
import random
import time
from typing import Any, Final

import jax
import numpy as np

from sog.games.core import Game, param
from sog.play.match import Agent
from sog.play.rules import after, first_state, situation

_CLOCK_EVERY: Final = 16
"""Simulations between two checks of the clock."""


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


def seconds_param() -> Any:
    """The time-limit parameter of a method."""
    return param(0.0, "time limit of a move, even if budget is left; 0: none", minimum=0)


class Simulations:
    """Counts from 0 until the budget or the time is spent; the clock starts at construction.

    A search always makes at least a few simulations.
    """

    def __init__(self, budget: int, seconds: float = 0.0) -> None:
        """seconds: 0 for no clock."""
        self._budget, self._next = budget, 0
        self._end = time.monotonic() + seconds if seconds else None

    def __iter__(self) -> "Simulations":
        return self

    def __next__(self) -> int:
        number = self._next
        if number == self._budget or self._is_late(number):
            raise StopIteration
        self._next += 1
        return number

    def _is_late(self, number: int) -> bool:
        if self._end is None or number == 0 or number % _CLOCK_EVERY:
            return False
        return time.monotonic() >= self._end
