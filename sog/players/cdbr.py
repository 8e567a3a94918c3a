"""Continual depth-limited best response: a lower bound on a player's exploitability.

It knows the opponent's policy at every infostate, and so the opponent's range. At each decision it
searches a tree of a few public events, in which the opponent keeps to that policy. The opponent's
evaluator values the leaves, as if both players played well from there on. A best response wins at
least as much.
"""

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.flow import normalize
from gtcfr.locks import held_policies
from gtcfr.memory_estimate import search_memory
from gtcfr.root import known_root
from gtcfr.search import check_result
from gtcfr.settings import SearchSettings
from sog.games.core import CHANCE, Game, param
from sog.memory import check_memory
from sog.play.agent import SearchAgent, search_together
from sog.play.arena import AgentFactory
from sog.play.match import Agent
from sog.play.responding_agent import RespondingAgent
from sog.play.rules import after, situation
from sog.play.thinking import think
from sog.players.method import Method
from sog.players.player import Host

_BATCH: Final = 16  # searches of the opponent
_LEAST_HELD: Final = 3
_MOST_OUTCOMES: Final = 32


class DepthLimitedResponseAgent(RespondingAgent):
    """Plays `DepthLimitedResponse` against the agent given to `watch`."""

    name = "cdbr"

    def __init__(
        self,
        game: Game[Any],
        method: "DepthLimitedResponse",
        fitting: set[SearchSettings],
        *,
        player: int,
    ) -> None:
        """fitting: searches for which there is memory; shared between agents."""
        self._method, self._fitting = method, fitting
        super().__init__(game, player=player)

    def watch(self, other: Agent) -> None:
        """See `RespondingAgent`; also ValueError if there is no memory for the search."""
        super().watch(other)
        settings = self._settings
        if settings not in self._fitting:
            try:
                parts = search_memory(self.game, self._evaluator, settings, 1)
                check_memory({"its tree": sum(parts.values())})
            except ValueError as error:
                problem = str(error).rstrip(".")
                raise ValueError(f"{self._method}: {problem}; try a smaller depth.") from None
            self._fitting.add(settings)

    def respond(self, legal: np.ndarray) -> np.ndarray:
        """1 for the action most taken by the search."""
        game, mask = self.game, situation(self.game, self._state).infostate_mask
        states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], self._state)
        ranges = normalize(jnp.asarray(self._reach), jnp.asarray(mask))
        held = held_policies(game, self._held(legal))
        result = think(
            game,
            evaluator=self._evaluator,
            root=dataclasses.replace(known_root(states, ranges[None]), held=held),
            key=jax.random.key(0),
            settings=self._settings,
        )
        check_result(game, result)
        best = np.asarray(result.policy[0]).argmax(axis=1)
        return np.asarray(np.eye(legal.shape[1])[best])

    @property
    def _evaluator(self) -> Evaluator:
        other = self.opponent
        return other.evaluator if other.game == self.game and other.evaluator else ZeroEvaluator()

    @property
    def _settings(self) -> SearchSettings:
        """Those of the opponent's search where the method has none."""
        other, method = self.opponent, self._method
        return dataclasses.replace(
            other.settings if isinstance(other, SearchAgent) else SearchSettings(),
            num_simulations=method.budget,
            simulations_per_update=1.0,
            growth_share=1.0,
            lookahead=method.depth,
            grow=False,
            num_queries=0,
            capacity=None,
            kept_simulations=0,
        )

    def _held(self, legal: np.ndarray) -> list[tuple[Any, np.ndarray, np.ndarray]]:
        """The opponent's policies in the tree, as `held_policies` takes them."""
        replies = list(self._replies())
        waiting: list[Any] = [other for _, other in replies if other.waits_for is not None]
        size = min(_BATCH, self.game.num_decision_outcomes)
        for start in range(0, len(waiting), size):
            search_together(waiting[start : start + size], size)
        policies = [(state, other.policies()) for state, other in replies]
        held = [(state, policy.any(axis=1), policy) for state, policy in policies]
        # A power of two of them, so that few programs are compiled; these hold nothing.
        nothing = (self._state, np.zeros(legal.shape[0], bool), np.zeros(legal.shape))
        size = 1 << max(len(held), _LEAST_HELD).bit_length()
        return held + [nothing] * (size - len(held))

    def _replies(self) -> Iterator[tuple[Any, Agent]]:
        """The public states in the tree where the opponent has a choice, with copies of it."""
        level = [(self._state, self.opponent)]
        for _ in range(self._method.depth - 1):
            level = [below for state, other in level for below in self._after(state, other)]
            for state, other in level:
                now = situation(self.game, state)
                if now.actor == 1 - self.player and now.has_choice:
                    yield state, other

    def _after(self, state: Any, other: Agent) -> Iterator[tuple[Any, Agent]]:
        now = situation(self.game, state)
        outcomes = np.flatnonzero(now.legal_outcomes).tolist()
        if now.actor == CHANCE and len(outcomes) > _MOST_OUTCOMES:
            return  # the search samples them
        for outcome in outcomes:
            moved = copy.copy(other)
            moved.observe(outcome)
            yield after(self.game, state, outcome), moved


@dataclasses.dataclass(frozen=True, kw_only=True)
class DepthLimitedResponse(Method):
    """Milec, Kubicek and Lisy 2021, "Continual depth-limited responses for computing
    counter-strategies in sequential games".

    The search has a tree of fixed depth. The opponent's replies that it holds are those of the
    opponent's own searches there.
    """

    name = "cdbr"
    paper: ClassVar[str] = "Milec, Kubicek and Lisy 2021, Continual depth-limited best response"

    depth: int = param(2, "public events to look ahead", minimum=1, maximum=100)
    budget: int = param(100, "updates of a search", minimum=1, maximum=1_000_000)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that search with the settings and the evaluator of their opponent."""
        fitting: set[SearchSettings] = set()
        return lambda player, seed: DepthLimitedResponseAgent(game, self, fitting, player=player)
