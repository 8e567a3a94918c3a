"""Agents that search with trees that grow on demand."""

import random
from typing import Any

import numpy as np

from sog.games.core import Game
from sog.methods.grown.search import TreeSearch
from sog.play.match import Agent, only_at_the_start
from sog.play.rules import after, first_state, situation


class GrownAgent(Agent):
    """Searches where it has a choice; knows the public events that it is told."""

    def __init__(self, game: Game[Any], search: TreeSearch[Any], *, player: int) -> None:
        """Sits down as a player, before the first public event."""
        self._game, self._search, self.player = game, search, player
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start."""
        only_at_the_start(state)
        if seed is not None:
            self._search.source = random.Random(seed)
        self._state, self._events = first_state(self._game), list[int]()
        self._search.reset()
        self._found: dict[int, np.ndarray] = {}

    def observe(self, outcome: int) -> None:
        """Tells the agent a public event."""
        self._state = after(self._game, self._state, outcome)
        self._events.append(outcome)
        self._found = {}

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses; one search, until the next event."""
        if infostate not in self._found:
            legal = situation(self._game, self._state).legal_actions[infostate]
            actions = np.flatnonzero(legal)
            policy = np.asarray(legal, float)
            if len(actions) > 1:
                seen = self._search.game.seen(self.player, infostate, self._events)
                policy[actions] = self._search.search(seen, len(actions))
            self._found[infostate] = policy
        return self._found[infostate]

    def act(self, infostate: int) -> int:
        """Draws from the policy."""
        policy = self.policy(infostate)
        (action,) = self._search.source.choices(range(len(policy)), policy.tolist())
        return action
