"""Continual depth-limited best response: a lower bound on a player's exploitability.

It knows the opponent's policy at every infostate, and so the opponent's range. At each decision it
searches a tree of a few public events, in which the opponent keeps to that policy. The opponent's
evaluator values the leaves, as if both players played well from there on. A best response wins at
least as much.
"""

import copy
import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.flow import normalize
from gtcfr.locks import held_policies
from gtcfr.memory_estimate import search_memory
from gtcfr.root import SearchRoot, known_root
from gtcfr.search import check_result, keys_of
from gtcfr.settings import SearchSettings
from sog.games.core import CHANCE, Game, param
from sog.memory import available_bytes, check_memory
from sog.play.agent import SearchAgent
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
_SHARE_OF_MEMORY: Final = 0.25  # for its own trees: the opponent's searches have theirs
_ZERO: Final = ZeroEvaluator()


class DepthLimitedResponseAgent(RespondingAgent):
    """Plays `DepthLimitedResponse` against the agent given to `watch`."""

    name = "cdbr"

    def __init__(
        self,
        game: Game[Any],
        method: "DepthLimitedResponse",
        fitting: dict[SearchSettings, int],
        *,
        player: int,
    ) -> None:
        """fitting: how many searches there is memory for; shared between agents."""
        self._method, self._fitting = method, fitting
        super().__init__(game, player=player)

    def watch(self, other: Agent) -> None:
        """See `RespondingAgent`; also ValueError if there is no memory for the search."""
        super().watch(other)
        settings = self._settings
        if settings not in self._fitting:
            try:
                needed = sum(search_memory(self.game, self._evaluator, settings, 1).values())
                check_memory({"its tree": needed})
            except ValueError as error:
                problem = str(error).rstrip(".")
                raise ValueError(f"{self._method}: {problem}; try a smaller depth.") from None
            free = _SHARE_OF_MEMORY * (available_bytes() or 0)
            self._fitting[settings] = max(1, int(free) // needed)

    @property
    def waits_for(self) -> Hashable | None:
        """See `Agent`."""
        now = situation(self.game, self._state)
        if now.actor != self.player or not now.has_choice or self._policies is not None:
            return None
        others = getattr(self.opponent, "how_it_searches", None)
        return self._method, id(self._evaluator), self._settings, others

    @staticmethod
    def search_together(agents: Sequence[Any], batch_size: int = 1) -> None:
        """See `Agent`; first their opponents search, at all replies in their trees."""
        replies = [list(agent._replies()) for agent in agents]
        waiting = [other for some in replies for _, other in some if other.waits_for is not None]
        size = max(batch_size, min(_BATCH, agents[0].game.num_decision_outcomes))
        for start in range(0, len(waiting), size):
            waiting[0].search_together(waiting[start : start + size], size)
        size = min(batch_size, agents[0]._fitting[agents[0]._settings])
        for start in range(0, len(agents), size):
            some = slice(start, start + size)
            _respond(agents[some], replies[some], size)

    def respond(self, legal: np.ndarray) -> np.ndarray:
        """1 for the action most taken by the search."""
        self.search_together([self])
        assert self._policies is not None
        return self._policies

    @property
    def _evaluator(self) -> Evaluator:
        other = self.opponent
        return other.evaluator if other.game == self.game and other.evaluator else _ZERO

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

    def _root(self, replies: Sequence[tuple[Any, Agent]], num_held: int) -> SearchRoot:
        """The root of its search, in which the opponent keeps to the policies of the replies."""
        mask = situation(self.game, self._state).infostate_mask
        policies = [(state, other.policies()) for state, other in replies]
        held = [(state, np.asarray(policy.any(axis=1)), policy) for state, policy in policies]
        size = self.game.num_infostates, self.game.num_actions
        nothing = self._state, np.zeros(size[0], bool), np.zeros(size)
        held += [nothing] * (num_held - len(held))
        states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], self._state)
        ranges = normalize(jnp.asarray(self._reach), jnp.asarray(mask))[None]
        return dataclasses.replace(known_root(states, ranges), held=held_policies(self.game, held))

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


def _respond(
    agents: Sequence[DepthLimitedResponseAgent],
    replies: Sequence[list[tuple[Any, Agent]]],
    batch_size: int,
) -> None:
    """Searches for several agents in one batch, padded with copies of the first.

    replies: as of `_replies`, of each agent.
    """
    first = agents[0]
    # A power of two of locks, so that few programs are compiled.
    num_held = 1 << max(_LEAST_HELD, *map(len, replies)).bit_length()
    roots = [agent._root(some, num_held) for agent, some in zip(agents, replies, strict=True)]
    roots += roots[:1] * (batch_size - len(agents))
    result = think(
        first.game,
        evaluator=first._evaluator,
        root=jax.tree.map(lambda *rows: np.concatenate(rows), *jax.device_get(roots)),
        key=jnp.repeat(keys_of(1, jax.random.key(0)), batch_size),  # the same in any batch
        settings=first._settings,
    )
    check_result(first.game, result)
    for agent, policy in zip(agents, np.asarray(result.policy), strict=False):
        legal = situation(agent.game, agent._state).legal_actions
        agent._policies = np.eye(legal.shape[1])[policy.argmax(axis=1)] * legal


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
        fitting: dict[SearchSettings, int] = {}
        return lambda player, seed: DepthLimitedResponseAgent(game, self, fitting, player=player)
