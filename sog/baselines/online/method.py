"""Methods that search at every decision, with a budget of simulations per move.

The search is a pure function on the arrays of a game's histories, compiled once per game and
method; an agent calls it wherever it has a choice, and keeps the method's memory during a game.
"""

import abc
import dataclasses
import functools
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.baselines.grown.search import TreeSearch
from sog.baselines.histories.arrays import HistoryTree
from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.plain.games import infostate_game
from sog.baselines.plain.worlds import InfostateGame
from sog.games.core import Game, param
from sog.play.arena import AgentFactory
from sog.play.budget import seconds_param
from sog.play.match import Agent, only_at_the_start
from sog.play.plain_agent import PlainAgent
from sog.play.rules import sample
from sog.players.method import Method
from sog.players.player import Host
from sog.precision import in_32_bits
from sog.tabular.enumerated_game import ROOT, EnumeratedGame

Memory = TypeVar("Memory")


class Searcher(abc.ABC, Generic[Memory]):
    """A method prepared for a game."""

    tree: HistoryTree

    @functools.cached_property
    def game(self) -> EnumeratedGame:
        """The enumerated game, shared by all agents."""
        return EnumeratedGame(tree=self.tree.tree)

    @abc.abstractmethod
    def begin(self) -> Memory:
        """The memory at the start of a game."""

    @abc.abstractmethod
    def search(self, memory: Memory, row: int, key: Array) -> tuple[Memory, np.ndarray]:
        """Searches at a row; returns the new memory and the policy [choice]."""

    @abc.abstractmethod
    def search_root(self, key: Array) -> Memory:
        """Searches the whole game, before the deal; returns the memory."""

    @abc.abstractmethod
    def learned(self, memory: Memory) -> np.ndarray:
        """[row + 1, choice]: unnormalized weights of the policy learned."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class OnlineMethod(Method):
    """A method that searches at every decision."""

    tree: str = param(
        "whole",
        "whole: all infostates of an enumerated game; grown: it grows with the search, for "
        "liars_dice, ii_goofspiel and poker with one private card, of any size",
        choices=("whole", "grown"),
    )
    seconds: float = seconds_param()
    budget: int  # declared by each method, with a default of its own

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds and self.tree == "whole":
            raise ValueError(
                f"{self.name}: seconds must be 0 with tree=whole, whose searches are programs that "
                f"run to their end, got {self.seconds}."
            )

    @abc.abstractmethod
    def searcher(self, tree: HistoryTree) -> Searcher[Any]:
        """Prepares the method for an enumerated game."""

    @abc.abstractmethod
    def grown(self, game: InfostateGame, seed: int = 0) -> TreeSearch[Any]:
        """A search with its own tree."""

    def check(self, game: Game[Any]) -> None:
        """Raises ValueError if tree=grown has no plain Python version of the game."""
        if self.tree == "grown":
            plain = infostate_game(game)
            if plain is None:
                raise ValueError(
                    f"tree=grown needs liars_dice, generic_poker, leduc, kuhn, or ii_goofspiel "
                    f"with point cards in a fixed order, got {game}."
                )
            self.grown(plain)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that share the game's arrays and the compiled search, or grow a tree each."""
        if self.tree == "grown":
            plain = infostate_game(game)
            assert plain is not None
            return lambda player, seed: PlainAgent(game, self.grown(plain, seed), player=player)
        tree = host.enumerate(game)
        host.begin(f"laying out the histories of {game.name}")
        searcher = self.searcher(lay_out_histories(tree))
        return lambda player, seed: OnlineAgent(searcher, player=player, seed=seed)


class OnlineAgent(Agent):
    """Searches where it has a choice; tracks the public state by the observed events."""

    def __init__(self, searcher: Searcher[Any], *, player: int, seed: int = 0) -> None:
        """An agent for `player`, before the first public event."""
        self._searcher, self.player = searcher, player
        self._game = searcher.game
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Starts a new game."""
        only_at_the_start(state)
        if seed is not None:
            self._key = jax.random.key(seed)
        self._node = ROOT
        self.memory = self._searcher.begin()
        self._found: dict[int, np.ndarray] = {}

    def observe(self, outcome: int) -> None:
        """Advances the agent by a public event."""
        self._node = int(self._game.node_child[self._node, outcome])
        self._found = {}

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the policy of `act`; the first call after an event searches."""
        if infostate not in self._found:
            self._found[infostate] = self._search(infostate)
        return self._found[infostate]

    def act(self, infostate: int) -> int:
        """Chooses an action at an infostate of the agent's player."""
        policy = self.policy(infostate)
        return sample(self._next_key(), policy)

    def _search(self, infostate: int) -> np.ndarray:
        tree = self._searcher.tree
        legal = tree.tree.node_legal[self._node, infostate]
        row = int(tree.row_of[self._node, infostate])
        if row == tree.histories.num_rows:  # there is no choice
            return np.asarray(legal, float)
        self.memory, found = self._searcher.search(self.memory, row, self._next_key())
        policy = np.zeros(len(legal))
        policy[legal] = found[: int(legal.sum())]
        return policy

    def _next_key(self) -> Array:
        key: Array
        self._key, key = jax.random.split(self._key)
        return key


@in_32_bits
def on_device(arrays: Any) -> Any:
    """Copies host arrays to the device with 32-bit numbers, for repeated searches."""

    def convert(leaf: np.ndarray) -> Array:
        return jnp.asarray(leaf, "float32" if leaf.dtype == np.float64 else leaf.dtype)

    return jax.tree.map(convert, arrays)
