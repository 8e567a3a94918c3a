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


def _of_the_game(name: str) -> Any:
    """A property of the underlying game."""
    return property(lambda self: getattr(self.tree.game, name))


def _at_the_node(name: str) -> Any:
    """A method of the underlying game, called with its state."""

    def method(self: "EnumeratedGame", state: EnumeratedState, *others: Any, **named: Any) -> Any:
        return getattr(self.tree.game, name)(self.state_of(state), *others, **named)

    return method


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

    num_infostates = _of_the_game("num_infostates")
    num_actions = _of_the_game("num_actions")
    num_outcomes = _of_the_game("num_outcomes")
    num_searched_actions = _of_the_game("num_searched_actions")
    num_searched_outcomes = _of_the_game("num_searched_outcomes")
    num_decision_outcomes = _of_the_game("num_decision_outcomes")
    num_chance_outcomes = _of_the_game("num_chance_outcomes")
    max_depth = _of_the_game("max_depth")
    max_utility = _of_the_game("max_utility")
    has_public_actions = _of_the_game("has_public_actions")
    has_chance = _of_the_game("has_chance")

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

    advance = _at_the_node("advance")
    compatible_reach = _at_the_node("compatible_reach")
    utilities = _at_the_node("utilities")
    outcomes_in_order = _at_the_node("outcomes_in_order")
    observe = _at_the_node("observe")
    describe_state = _at_the_node("describe_state")
    draw = _at_the_node("draw")
    describe_infostate = _at_the_node("describe_infostate")
    describe_action = _at_the_node("describe_action")
    describe_outcome = _at_the_node("describe_outcome")

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


def _look_up(table: np.ndarray, state: EnumeratedState) -> Array:
    row: Array = jnp.asarray(table)[state.node]
    return row
