"""Agents that do not search: random play, and a policy of the whole game in a table.

They are the two ends of the scale for search agents. Like `SearchAgent` they track the public state
from the events they observe.
"""

import abc
import functools
import math
from typing import Any

import numpy as np

from sog.games.core import Game
from sog.play.match import Agent, only_at_the_start
from sog.play.rules import after, first_state, situation
from sog.tabular.enumerated_game import ROOT, EnumeratedGame
from sog.tabular.policy import check_policy
from sog.tabular.profile_analysis import ProfileAnalysis, analyze_profile


class SamplingAgent(Agent, abc.ABC):
    """Samples its actions from `policies`."""

    exposes_policies = True

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Seeds the random numbers."""
        if seed is not None:
            self._random = np.random.default_rng(seed)

    def act(self, infostate: int) -> int:
        """Samples an action at an infostate of the agent's player."""
        policy = self.policy(infostate)
        # A float32 policy does not sum to 1 exactly enough for `choice`.
        return int(self._random.choice(len(policy), p=policy / policy.sum()))


class RandomAgent(SamplingAgent):
    """Plays uniformly at random."""

    def __init__(self, game: Game[Any], *, player: int, seed: int = 0) -> None:
        """Sits down as a player, before the first public event."""
        self.game, self.player = game, player
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at any state."""
        self._state = first_state(self.game) if state is None else state
        super().begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Records a public event."""
        self._state = after(self.game, self._state, outcome)

    def policies(self) -> np.ndarray:
        """[S, A]: uniform over the legal actions of each infostate."""
        legal = np.asarray(situation(self.game, self._state).legal_actions, float)
        return np.asarray(legal / np.maximum(legal.sum(axis=1, keepdims=True), 1))


class TabularAgent(SamplingAgent):
    """Plays a policy of the enumerated game, such as the average policy of a solver."""

    doubt = 0.0
    knows_all_values = True
    game: EnumeratedGame

    def __init__(
        self, game: EnumeratedGame, policy: np.ndarray, *, player: int, seed: int = 0
    ) -> None:
        """Sits down as a player, before the first public event.

        policy: [node, S, A]; ValueError if invalid, see `check_policy`.
        """
        self.game, self.player = game, player
        self._policy = check_policy(game.tree, policy)
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start only."""
        only_at_the_start(state)
        self._node = ROOT
        super().begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Records a public event; ValueError if it is not legal here."""
        children = self.game.node_child[self._node]
        legal = np.flatnonzero(children != ROOT).tolist()
        if outcome not in legal:
            raise ValueError(f"outcome must be one of {legal}, got {outcome!r}.")
        self._node = int(children[outcome])

    def policies(self) -> np.ndarray:
        """[S, A]: the policy at the current node."""
        return np.asarray(self._policy[self._node])

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: value of each action if the player best-responds to the policy after it.

        NaN for illegal actions, and where the opponent's policy never leads.
        """
        node = self._node
        cfvs = self._examined.best_cfvs.of_actions[node, infostate]
        weight = self._examined.compatible_reach[node, self.player, infostate]
        known = self.game.tree.node_legal[node, infostate] & (weight > 0)
        return np.asarray(np.divide(cfvs, weight, out=np.full(len(cfvs), np.nan), where=known))

    def value_anywhere(self, infostate: int) -> float:
        """As `action_values`, of the current node."""
        node = self._node
        cfv = self._examined.best_cfvs.of_infostates[node, self.player, infostate]
        weight = self._examined.compatible_reach[node, self.player, infostate]
        return float(cfv / weight) if weight > 0 else math.nan

    @functools.cached_property
    def _examined(self) -> ProfileAnalysis:
        return analyze_profile(self.game.tree, self._policy)
