"""The search tree as arrays: the public states grown so far.

A node is a public state. Its kind decides in which of three tables it is:

    interior    has children and a policy; CFR keeps regrets there
    leaf        not expanded yet; the evaluator values it in every update
    terminal    the game is over; the game values it

A *row* names a node of any kind: interior slots come first, then leaf slots, then terminal slots,
and last `TreeShape.nothing`, the missing child. A leaf that is expanded moves to an interior slot.

Interior slots come in *chunks* of C. A node goes into the first chunk after its parent's that has
room, so that parents come before children in the order of chunks, and a chunk is processed as one
array operation. A tree of depth D with E interior nodes fills at most D + E / C chunks.

Everything here is unbatched; `gtcfr.search` vmaps it. Fields therefore name the axes after the
batch axis, which comes first in a result. Inside a tree the action axis comes before the infostate
axis: a sum over actions is then a sum of rows, which is fast on CPUs and accelerators.
"""

import dataclasses
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.layout import NOT_LISTED, Layout
from sog.pytree import pytree

ROOT: Final = 0
"""The interior slot of the root of a tree."""
NO_PARENT: Final = -1
"""The edge to a slot that holds no node."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TreeShape:
    """Static sizes of a tree."""

    layout: Layout
    num_chunks: int
    chunk_size: int
    depth: int
    """The most interior nodes on a path from the root."""
    num_leaves: int
    num_terminals: int
    ends_per_step: int
    """Leaves, or terminal states, that are processed as one array operation."""

    @property
    def num_interior(self) -> int:
        """Interior slots."""
        return self.num_chunks * self.chunk_size

    @property
    def root_source(self) -> tuple[int, int]:
        """The rows that bring reach to the root, by player."""
        first = self.num_interior * self.layout.rows_per_node
        return first, first + 1

    @property
    def leaf_row(self) -> int:
        """The row of the first leaf slot."""
        return self.num_interior

    @property
    def terminal_row(self) -> int:
        """The row of the first terminal slot."""
        return self.num_interior + self.num_leaves

    @property
    def root_edge(self) -> int:
        """The edge that leads to the root; it comes from no slot."""
        return self.num_interior * self.layout.num_children

    @property
    def nothing(self) -> int:
        """The row of a missing child."""
        return self.terminal_row + self.num_terminals


@pytree
class InteriorNodes:
    """Interior nodes, a row per slot; only the expansion phase writes them."""

    state: Array  # [slot, width] int32, packed
    edge: Array  # [slot] int32: parent slot * num_children + child number; the root's is
    # `TreeShape.root_edge`, a free slot's NO_PARENT
    source: Array  # [slot, player] int32: the rows that bring reach from its parent; in a sparse
    # tree [slot, 1], the parent's slot
    actor: Array  # [slot] int32
    mask: Array  # [slot, player, S] bool: infostates that can occur
    takeable: Array  # [slot, A, S] bool: legal, and leads to a child
    child: Array  # [slot, child] int32: rows
    listed: Array  # [slot, `Layout.num_listed`] int32: the event to each child, or NOT_LISTED
    chance_weight: Array  # [slot, `Layout.num_weights`]: above 1 where a sample is kept
    prior: Array  # [slot, A, S] float16: the evaluator's policy when the node was expanded
    visits: Array  # [slot, A, S]: how often simulations chose the action
    since: Array  # [slot]: the weight of all updates before the node joined the tree


@pytree
class InteriorStatistics:
    """CFR's tables of interior nodes, a row per slot; the regret update phase writes them."""

    policy: Array  # [slot, A, S]: the current one; at a chance node, its forced action
    cumulative_regret: Array  # [slot, A, S]
    prediction: Array | None  # [slot, A, S], of a predictive rule, see `predict`
    policy_sum: Array  # [slot, A, S]: weighted sum of own reach times policy
    action_cfv: Array  # [slot, A, S]: of the last update
    reach: Array  # [slot, player, S]: of the last update
    reach_sum: Array  # [slot, player, S]: weighted sum
    cfv_sum: Array  # [slot, player, S]: weighted sum
    share: Array | None  # [slot, player, 1], of a sparse tree, see `gtcfr.sparse_update`

    @property
    def matched_regret(self) -> Array:
        """[slot, A, S]: the input of regret matching."""
        if self.prediction is None:
            return self.cumulative_regret
        return self.cumulative_regret + self.prediction


@pytree
class LeafNodes:
    """Leaves, a row per slot; the slot of an expanded leaf is reused."""

    state: Array  # [slot, width] int32, packed
    edge: Array  # [slot] int32, NO_PARENT where free
    source: Array  # [slot, player] int32
    mask: Array  # [slot, player, S] bool
    listed: Array  # [slot, `Layout.num_best`] int32: as for the interior node it will be
    depth: Array  # [slot] int32: public events below the searched state
    encoded: Any  # [slot, ...]: the state encoded by the evaluator, see `encode_to_keep`
    since: Array  # [slot]
    free: Array  # [slot] int32: a stack of free slots, from `num_leaves` on


@pytree
class LeafStatistics:
    """CFR's tables of leaves, a row per slot; the regret update phase writes them."""

    values: Array | None  # [slot, player, S], if leaves are evaluated only once, or smoothed
    logits: Array | None  # [slot, S, A], if leaves are evaluated only once
    reach_sum: Array  # [slot, player, S]: weighted sum
    cfv_sum: Array  # [slot, player, S]: weighted sum


@pytree
class TerminalNodes:
    """Terminal nodes, a row per slot.

    With perfect information (S = 1) the tree keeps utilities, otherwise the game's packed digest of
    the state (`Game.keep_terminal`); the other table has no columns.
    """

    kept: Array  # [slot, width or 0] int32
    worth: Array  # [slot, player, 1 or 0]: utilities, where the other player's reach is 1
    edge: Array  # [slot] int32
    source: Array  # [slot, player] int32
    mask: Array  # [slot, player, S] bool


@pytree
class SearchTree:
    """Public states grown so far."""

    shape: TreeShape = dataclasses.field(metadata={"static": True})
    interior: InteriorNodes
    interior_statistics: InteriorStatistics
    leaf: LeafNodes
    leaf_statistics: LeafStatistics
    terminal: TerminalNodes
    chunk_fill: Array  # [chunk] int32: interior nodes in each chunk
    num_leaves: Array  # int32
    leaf_limit: Array  # int32: leaf slots from here on were never used
    num_terminals: Array  # int32
    is_full: Array  # bool: some node was not added because the tree was full
    is_sampled: Array  # bool: some chance node has only a sample of its outcomes
    is_pruned: Array  # bool: some state has more legal actions than are considered
    total_weight: Array  # the weight of all updates so far
    reach_rows: Array  # [row, S]: the last update's reach from interior nodes to their children
    cfvs: Array  # [row of a node, player, S]: the last update's

    @property
    def num_chunks(self) -> Array:
        """int32: chunks in use, which are the first ones."""
        return jnp.sum(self.chunk_fill > 0, axis=-1, dtype=jnp.int32)

    @property
    def num_interior(self) -> Array:
        """int32: interior nodes."""
        return jnp.sum(self.chunk_fill, axis=-1, dtype=jnp.int32)

    @property
    def outcomes(self) -> Array:
        """[slot, child] int32: the public event to each child; NOT_LISTED where a child is
        missing."""
        children = self.interior.child
        events = jnp.broadcast_to(self.shape.layout.events(self.interior.listed), children.shape)
        return jnp.where(children != self.shape.nothing, events, NOT_LISTED)

    @property
    def num_nodes(self) -> Array:
        """int32: public states of all kinds."""
        return self.num_interior + self.num_leaves + self.num_terminals


def take_slots(tables: Any, start: Array, size: int) -> Any:
    """Slots `start` to `start + size` of the tables of all trees; None stays None."""
    return jax.tree.map(lambda one: jax.lax.dynamic_slice_in_dim(one, start, size, 1), tables)


def put(whole: Any, part: Any, start: Array, axis: int = 0) -> Any:
    """The table, or array, with `part` written to it from `start` on."""
    return jax.tree.map(
        lambda old, new: jax.lax.dynamic_update_slice_in_dim(old, new, start, axis), whole, part
    )


def take_rows(tables: Array, rows: Array) -> Array:
    """[batch, n, ...]: rows [batch, n] of a table of each tree."""
    taken: Array = jax.vmap(lambda table, row: jnp.take(table, row, axis=0, mode="clip"))(
        tables, rows
    )
    return taken


def set_rows(tables: Array, at: Array | tuple[Array, Array], rows: Array) -> Array:
    """A table of each tree with rows [batch, n, ...] set where `at` [batch, n] says: numbers of
    rows, or those and numbers within them. Rows that do not exist are left out."""
    new: Array = jax.vmap(lambda table, at, row: table.at[at].set(row, mode="drop"))(
        tables, at, rows
    )
    return new


def write(tables: Any, start: Array, **rows: Array) -> Any:
    """The tables of all trees with rows [batch, n, ...] of some of them written from `start` on."""
    written = {name: put(getattr(tables, name), new, start, 1) for name, new in rows.items()}
    return dataclasses.replace(tables, **written)


def share_of(tree: SearchTree, parent: Array, edge: Array) -> Array:
    """[n, player, 1]: the share of each player's reach that goes along edges of a sparse tree; see
    `gtcfr.sparse_update`. parent, edge: [n] int32, parent the slots that they come from."""
    number = edge - parent * tree.shape.layout.num_children
    actor = jnp.take(tree.interior.actor, parent, mode="clip")
    policy = tree.interior_statistics.policy.at[parent, number].get(mode="clip")
    return jnp.where(jnp.arange(2)[None] == actor[:, None], policy, 1)[..., None]


def reach_of(tree: SearchTree, nodes: LeafNodes | TerminalNodes) -> Array:
    """Reach of leaves or terminal nodes, [node, player, S], after reach was pushed and before
    policies change; 0 outside their masks."""
    if not tree.shape.layout.is_sparse:
        return take_reach(tree.reach_rows, nodes.source, nodes.mask)
    parent = nodes.source[:, 0]
    above = jnp.take(tree.interior_statistics.reach, parent, axis=0, mode="clip")
    reach = share_of(tree, parent, nodes.edge) * above
    is_root = (nodes.edge == tree.shape.root_edge)[:, None, None]
    return jnp.where(nodes.mask, jnp.where(is_root, tree.reach_rows[None], reach), 0)


def take_reach(reach_rows: Array, source: Array, mask: Array) -> Array:
    """Reach of nodes, [node, player, S], from the rows of their parents; 0 outside the mask.

    reach_rows: [row, S]. source: [node, player] int32.
    """
    return jnp.where(mask, jnp.take(reach_rows, source, axis=0, mode="clip"), 0)
