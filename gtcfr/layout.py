"""How the children of a node are stored: child number, action, public event and row of reach.

A node has `num_children` places, in one of three orders:

    BY_EVENT    child k follows event k of the game, all of which have their place
    BY_PRIOR    child k follows the k-th best action by the prior; the node lists which these are
    AS_ADDED    a child has the next place that is free, and the node lists the event to it

Reach goes to children in a row per action and one for the other player where all actions are public
and child k of a decision is the node's action k: that needs no call of the game. Otherwise it goes
in a row per child and player, by `Game.advance`. In a sparse tree, whose nodes have few of their
children, there are no such rows, see `gtcfr.sparse_update`.
"""

import dataclasses
import functools
from typing import Any, Final, Literal

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.flow import by_player
from sog.games.core import CHANCE, PLAYER_1, Game
from sog.tabular.cfr import sum_actions

NOT_LISTED: Final = -1
"""Pads the list of events of a node."""


Order = Literal["by event", "by prior", "as added"]
BY_EVENT: Final = "by event"
BY_PRIOR: Final = "by prior"
AS_ADDED: Final = "as added"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Layout:
    """Static, and the same for all nodes of a tree."""

    num_children: int
    """The most children of a node."""
    num_actions: int
    """A in the tree: all of the game's, or only the best by the prior."""
    decisions: Order
    chance: Order
    samples_chance: bool
    """Whether a chance node may have only some of its outcomes."""
    has_rows_per_action: bool
    """Whether reach goes to children in a row per action and one for the other player."""
    is_sparse: bool
    """Whether information is perfect, chance never acts, and children are added one by one."""

    @property
    def num_sources(self) -> int:
        """Rows that bring reach to a node."""
        return 1 if self.is_sparse else 2

    @property
    def num_listed(self) -> int:
        """Events that a node lists; 0 where the number of a child is its event."""
        by_event = self.decisions == self.chance == BY_EVENT
        return 0 if by_event else self.num_children

    @property
    def num_best(self) -> int:
        """Actions that a leaf lists, for when it is expanded."""
        return self.num_actions if self.decisions == BY_PRIOR else 0

    @property
    def num_weights(self) -> int:
        """Children with a weight, see `gtcfr.children`."""
        return self.num_children if self.samples_chance else 0

    @property
    def rows_per_node(self) -> int:
        """Rows of reach [S] that an interior node sends to its children."""
        if self.is_sparse:
            return 0
        return self.num_actions + 1 if self.has_rows_per_action else 2 * self.num_children

    def events(self, listed: Array) -> Array:
        """[..., child] int32: the public event that each child follows; of a missing child, some
        event. listed: [..., num_listed] int32."""
        if self.num_listed:
            return jnp.maximum(listed, 0)
        # The same for all nodes, so that XLA computes what depends on it alone only once.
        return jnp.arange(self.num_children, dtype=jnp.int32)

    def find(self, listed: Array, event: Array) -> tuple[Array, Array]:
        """The number of the child that follows an event (int32), and whether it has one (bool)."""
        if not self.num_listed:
            return event, jnp.bool_(True)
        is_it = listed == event
        return jnp.argmax(is_it).astype(jnp.int32), jnp.any(is_it)

    def child(
        self, listed: Array, children: Array, event: Array, nothing: int
    ) -> tuple[Array, Array]:
        """The number of the child that an event leads to, and whether it exists.

        children: [child] int32, rows; nothing: the row of a missing child.
        """
        number, is_listed = self.find(listed, event)
        return number, is_listed & (children[number] != nothing)

    def place(self, listed: Array, event: Array, count: Array, is_chance: Array) -> Array:
        """int32: the number of a child to add to a node that has `count`."""

        def by(order: Order) -> Array:
            if order == AS_ADDED:
                return count
            return event if order == BY_EVENT else self.find(listed, event)[0]

        return jnp.where(is_chance, by(self.chance), by(self.decisions)).astype(jnp.int32)

    def action(self, listed: Array, number: Array) -> Array:
        """int32: the game's action that has this number in the tree."""
        return listed[number] if self.decisions == BY_PRIOR else number

    def number_of(self, listed: Array, action: Array) -> Array:
        """int32: the number in the tree of an action that is considered."""
        return self.find(listed, action)[0] if self.decisions == BY_PRIOR else action

    def over_all_actions(self, game: Game[Any], listed: Array, table: Array) -> Array:
        """[A of the game, S] from a node's [A, S]; 0 for actions that are not considered."""
        if self.decisions != BY_PRIOR:
            return table
        number = jnp.where(listed == NOT_LISTED, game.num_actions, listed)
        everything = jnp.zeros((game.num_actions, *table.shape[1:]), table.dtype)
        return everything.at[number].set(table, mode="drop")

    def rows_to(self, actor: Array, number: Array) -> Array:
        """[player] int32: which of its parent's rows of reach child `number` takes up."""
        if not self.has_rows_per_action:
            return 2 * number + jnp.arange(2, dtype=jnp.int32)
        action, others = jnp.where(actor == CHANCE, 0, number), jnp.int32(self.num_actions)
        return by_player(actor != PLAYER_1, action, others).astype(jnp.int32)

    def push(
        self,
        game: Game[Any],
        state: Any,
        actor: Array,
        listed: Array,
        policy: Array,
        reach: Array,
    ) -> Array:
        """The rows of reach from a node to its children: [row, S].

        Entries outside a child's infostate mask, and rows to a missing child, are undefined.
        policy: [A, S]. reach: [player, S].
        """
        first = actor != PLAYER_1
        actors, others = jnp.where(first, reach[0], reach[1]), jnp.where(first, reach[1], reach[0])
        action_reach = actors[None] * policy
        if self.has_rows_per_action:
            return jnp.concatenate([action_reach, others[None]])
        return self._advance(game, state, listed, action_reach, others).reshape(-1, len(others))

    def pull(
        self, game: Game[Any], state: Any, actor: Array, listed: Array, child_cfvs: Array
    ) -> tuple[Array, Array]:
        """The transpose of `push`: cfvs of the actor's actions [A, S] and of the other player [S].

        child_cfvs: [child, player, S], 0 outside the children's masks and for missing children.
        """
        if self.has_rows_per_action:
            first = actor != PLAYER_1
            actors = jnp.where(first, child_cfvs[:, 0], child_cfvs[:, 1])
            others = jnp.where(first, child_cfvs[:, 1], child_cfvs[:, 0])
            # The forced action of chance leads to every child; the others cannot be taken.
            q = jnp.where(actor == CHANCE, sum_actions(actors, 0), actors[: self.num_actions])
            return q, sum_actions(others, 0)[0]
        pulled: tuple[Array, Array] = jax.vjp(
            functools.partial(self._advance, game, state, listed),
            jnp.zeros((game.num_actions, game.num_infostates), child_cfvs.dtype),
            jnp.zeros(game.num_infostates, child_cfvs.dtype),
        )[1](child_cfvs)
        return pulled

    def _advance(
        self, game: Game[Any], state: Any, listed: Array, action_reach: Array, others: Array
    ) -> Array:
        """[child, player, S] from the actor's reach per action [A, S] and the other's [S]."""
        outcomes = self.events(listed) if self.num_listed else None
        return game.advance_all(state, outcomes, action_reach.T, others)


def layout_of(
    game: Game[Any],
    max_actions: int | None = None,
    max_outcomes: int | None = None,
    *,
    is_sparse: bool,
) -> Layout:
    """How children are stored with at most so many considered actions and kept outcomes; None for
    all. is_sparse: whether the tree is to be sparse, if the game allows it."""
    actions = min(max_actions or game.num_actions, game.num_actions)
    children = min(max_outcomes or game.num_outcomes, game.num_outcomes)
    decisions: Order = BY_EVENT
    chance: Order = BY_EVENT
    if actions < game.num_actions:
        children, decisions = actions, BY_PRIOR
    elif children < game.num_outcomes:
        chance = AS_ADDED
        if not (game.has_public_actions and children >= actions):
            decisions = AS_ADDED
    has_rows_per_action = game.has_public_actions and decisions != AS_ADDED
    return Layout(
        num_children=children,
        num_actions=actions,
        decisions=decisions,
        chance=chance,
        samples_chance=game.has_chance and chance == AS_ADDED,
        has_rows_per_action=has_rows_per_action,
        is_sparse=(
            is_sparse and not game.has_chance and has_rows_per_action and children == actions
        ),
    )
