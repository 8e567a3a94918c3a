# ruff: noqa: D102 (the methods of a game are described once, in `Game`)
"""An enumerated game as a `Game` whose states are node numbers of the public tree.

Results that the enumeration computed for every node are looked up; others come from the underlying
game at the node's state. Exact evaluators of a search use it, since they need only the node number
of a public state.
"""

import dataclasses
import functools
from typing import Any, ClassVar, Final, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.games.encoding import CardHands, Encoding, Graph
from sog.pytree import pytree
from sog.tabular.public_tree import PublicTree

ROOT: Final = 0  # the root node of a public tree


@pytree
class EnumeratedState:
    """A public state of an enumerated game."""

    node: Array
    """int32."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class EnumeratedGame(Game[EnumeratedState]):
    """The game of a public tree; equal to another if the tree is the same object.

    `deal` is undefined for a tree whose root is not the game's.
    """

    name: ClassVar[str] = "enumerated"
    summary: ClassVar[str] = "a game whose public states are numbered"

    tree: PublicTree

    def __post_init__(self) -> None:
        # Class variables in other games; a wrapper copies those of the wrapped game.
        for attribute in ("name", "summary", "unit", "milli_unit"):
            object.__setattr__(self, attribute, getattr(self.tree.game, attribute))

    def __str__(self) -> str:
        return str(self.tree.game)

    def params(self) -> dict[str, Any]:
        return self.tree.game.params()

    def state_of(self, state: EnumeratedState) -> Any:
        """The underlying game's state."""
        return jax.tree.map(lambda leaf: jnp.asarray(leaf)[state.node], self.tree.node_state)

    @functools.cached_property
    def node_child(self) -> np.ndarray:
        """[node, K] int32: the child for each public event; ROOT where there is none."""
        child = np.full((self.tree.num_nodes, self.num_outcomes), ROOT, np.int32)
        nodes = np.arange(1, self.tree.num_nodes)
        child[self.tree.node_parent[nodes], self.tree.node_outcome[nodes]] = nodes
        return child

    # Sizes.

    @property
    def num_infostates(self) -> int:
        return self.tree.game.num_infostates

    @property
    def num_actions(self) -> int:
        return self.tree.game.num_actions

    @property
    def num_outcomes(self) -> int:
        return self.tree.game.num_outcomes

    @property
    def num_searched_actions(self) -> int:
        return self.tree.game.num_searched_actions

    @property
    def num_searched_outcomes(self) -> int:
        return self.tree.game.num_searched_outcomes

    @property
    def num_decision_outcomes(self) -> int:
        return self.tree.game.num_decision_outcomes

    @property
    def num_chance_outcomes(self) -> int:
        return self.tree.game.num_chance_outcomes

    @property
    def max_depth(self) -> int:
        return self.tree.game.max_depth

    @property
    def max_utility(self) -> float:
        return self.tree.game.max_utility

    @property
    def has_public_actions(self) -> bool:
        return self.tree.game.has_public_actions

    @property
    def has_chance(self) -> bool:
        return self.tree.game.has_chance

    # Looked up.

    def root(self) -> EnumeratedState:
        return EnumeratedState(node=jnp.int32(ROOT))

    def actor(self, state: EnumeratedState) -> Array:
        return _look_up(self.tree.node_actor, state)

    def legal_outcomes(self, state: EnumeratedState) -> Array:
        return _look_up(self.node_child, state) != ROOT

    def apply(self, state: EnumeratedState, outcome: Array) -> EnumeratedState:
        return EnumeratedState(node=_look_up(self.node_child, state)[outcome])

    def infostate_mask(self, state: EnumeratedState) -> Array:
        return _look_up(self.tree.node_mask, state)

    def legal_actions(self, state: EnumeratedState) -> Array:
        return _look_up(self.tree.node_legal, state)

    # Asked of the underlying game.

    def advance(
        self, state: EnumeratedState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        return self.tree.game.advance(self.state_of(state), outcome, action_reach, other_reach)

    def compatible_reach(self, state: EnumeratedState, reach: Array) -> Array:
        return self.tree.game.compatible_reach(self.state_of(state), reach)

    def utilities(self, state: EnumeratedState, reach: Array) -> Array:
        return self.tree.game.utilities(self.state_of(state), reach)

    def outcomes_in_order(self, state: EnumeratedState) -> Array:
        return self.tree.game.outcomes_in_order(self.state_of(state))

    def observe(self, state: EnumeratedState) -> Array:
        return self.tree.game.observe(self.state_of(state))

    @functools.cached_property
    def encoding(self) -> Encoding:
        found = self.tree.game.encoding
        if not isinstance(found, Graph | CardHands):
            return found
        whole: Any = found
        own = dataclasses.replace(whole, observe=lambda node: whole.observe(self.state_of(node)))
        return cast(Encoding, own)

    def deal(self, key: Array) -> Array:
        return self.tree.game.deal(key)

    def transition(
        self, key: Array, state: EnumeratedState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        return self.tree.game.transition(key, self.state_of(state), infostates, action)

    def describe_state(self, state: EnumeratedState) -> str:
        return self.tree.game.describe_state(self.state_of(state))

    def draw(self, state: EnumeratedState, ranges: np.ndarray | None = None) -> str:
        return self.tree.game.draw(self.state_of(state), ranges)

    def describe_infostate(self, state: EnumeratedState, player: int, infostate: int) -> str:
        return self.tree.game.describe_infostate(self.state_of(state), player, infostate)

    def describe_action(self, state: EnumeratedState, infostate: int, action: int) -> str:
        return self.tree.game.describe_action(self.state_of(state), infostate, action)

    def describe_outcome(self, state: EnumeratedState, outcome: int) -> str:
        return self.tree.game.describe_outcome(self.state_of(state), outcome)


def _look_up(table: np.ndarray, state: EnumeratedState) -> Array:
    row: Array = jnp.asarray(table)[state.node]
    return row
