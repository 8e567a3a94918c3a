"""A search as a list of nodes on the host, for display.

    for node in read_nodes(game, result):
        print("  " * node.depth, node.event, node.mean_value)

Averages are over the updates since a node was added. Values before the first update, such as those
of nodes added by the last expansion phase, are NaN.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.action_values import action_values_at
from gtcfr.flow import normalize
from gtcfr.packing import unpack
from gtcfr.search import SearchResult
from gtcfr.tree import ROOT, SearchTree, put
from sog.games.core import CHANCE, PLAYER_1, Game
from sog.kept_programs import HostProgram, kept
from sog.precision import in_32_bits
from sog.pytree import pytree
from sog.tabular.enumerated_game import EnumeratedGame

Kind = Literal["interior", "leaf", "terminal"]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """Arrays over the actions of a node, [S, A] each."""

    policy: np.ndarray
    action_values: np.ndarray
    visits: np.ndarray


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class NodeView:
    """One public state of a search tree."""

    game: Game[Any]
    """The game of `state`: the one that an `EnumeratedGame` wraps, if one was searched."""
    kind: Kind
    row: int
    """Its row in the tree, see `gtcfr.tree`."""
    parent: int | None
    """The row of its parent; None at the root."""
    children: tuple[int, ...]
    """The rows of its children, ascending."""
    outcome: int | None
    """The public event that led here from the parent; None at the root."""
    event: str
    """That event as text; empty at the root."""
    depth: int
    """Public events from the root."""
    state: Any
    """The public state."""
    actor: int
    """As `Game.actor`."""
    is_possible: np.ndarray
    """[player, S] bool: possible infostates."""
    ranges: np.ndarray
    """[player, S]: average ranges, from each player's own reach."""
    values: np.ndarray
    """[player, S]: average values in utility units; NaN where undefined."""
    mean_value: float
    """The average value to player 0 over all worlds."""
    probability: float
    """Probability to reach it from the root under the average policies."""
    legal: np.ndarray
    """[S, A] bool: legal actions of the acting player; all False if no player acts."""
    read_choices: Callable[[], Choices]
    """Reads the arrays over actions on demand, since they can be large."""

    @property
    def policy(self) -> np.ndarray:
        """[S, A]: the average policy of an interior decision node; NaN elsewhere and in rows of
        infostates that were never reached."""
        return self.read_choices().policy

    @property
    def action_values(self) -> np.ndarray:
        """[S, A]: action values of an interior decision node to the acting player, see
        `gtcfr.action_values`; NaN if unknown."""
        return self.read_choices().action_values

    @property
    def visits(self) -> np.ndarray:
        """[S, A] int: how often simulations chose the action."""
        return self.read_choices().visits

    @property
    def description(self) -> str:
        """The public state in one line."""
        return self.game.describe_state(self.state)

    @property
    def num_visits(self) -> int:
        """How many simulations chose an action here."""
        return int(self.visits.sum())


@pytree
class _Rows:
    """Arrays of all nodes; `row` is a node of any kind, `slot` an interior one."""

    state: Any
    edge: Array
    outcomes: Array  # [slot, child]
    actor: Array
    is_possible: Array  # [row, player, S]
    legal: Array  # [row, S, A]
    reach: Array  # [row, player, S]: average, up to a factor
    cfvs: Array  # [row, player, S]: under `reach` of the other player
    compatible: Array  # [row, player, S]: of `reach`
    probability: Array  # [row]
    action_values: Array  # [slot, S, A]


@in_32_bits
def read_nodes(game: Game[Any], result: SearchResult, search: int = 0) -> list[NodeView]:
    """The nodes of one search of a batch in depth-first order, parents first.

    game: the searched one; search: index in the batch. Runs on the host.
    """
    tree: SearchTree = jax.tree.map(lambda leaf: leaf[search], jax.device_get(result.tree))
    rows: _Rows = jax.tree.map(np.asarray, _read_rows(game, tree))
    shown = game.tree.game if isinstance(game, EnumeratedGame) else game
    root = int(np.flatnonzero(rows.edge == tree.shape.root_edge)[0])
    found: dict[int, NodeView] = {}
    waiting: list[tuple[int, NodeView | None, int | None]] = [(root, None, None)]
    while waiting:
        row, parent, outcome = waiting.pop()
        node = _view(shown, tree, rows, row, parent, outcome)
        found[row] = node
        outcomes = _children(tree, rows, row)
        waiting += [(child, node, outcomes[child]) for child in reversed(node.children)]
    return list(found.values())


def left_out(result: SearchResult, search: int = 0) -> tuple[str, ...]:
    """What the tree of a search leaves out, as text."""
    tree = result.tree
    notes = (
        (tree.is_full, "the tree is full, so some nodes were not added"),
        (tree.is_pruned, "in some states only the best actions were considered"),
        (tree.is_sampled, "some chance events are only sampled"),
    )
    return tuple(text for happened, text in notes if happened[search])


def _view(
    game: Game[Any],
    tree: SearchTree,
    rows: _Rows,
    row: int,
    parent: NodeView | None,
    outcome: int | None,
) -> NodeView:
    state = jax.tree.map(lambda leaf: leaf[row], rows.state)
    actor = int(rows.actor[row])
    event, depth = "", 0
    if parent is not None and outcome is not None:
        event, depth = game.describe_outcome(parent.state, outcome), parent.depth + 1
    reach, cfvs, compatible = rows.reach[row], rows.cfvs[row], rows.compatible[row]
    worth = (reach[0] * cfvs[0]).sum(keepdims=True)
    return NodeView(
        game=game,
        kind=_kind(tree, row),
        row=row,
        parent=None if parent is None else parent.row,
        children=tuple(_children(tree, rows, row)),
        outcome=outcome,
        event=event,
        depth=depth,
        state=state,
        actor=actor,
        is_possible=np.asarray(rows.is_possible[row]),
        ranges=_ratio(reach, reach.sum(axis=-1, keepdims=True)),
        values=_ratio(cfvs, compatible),
        mean_value=float(_ratio(worth, (reach[0] * compatible[0]).sum(keepdims=True))[0]),
        probability=float(rows.probability[row]),
        legal=np.asarray(rows.legal[row]) & (actor < CHANCE),
        read_choices=functools.cache(functools.partial(_choices, game, tree, rows, row)),
    )


@in_32_bits
def _choices(game: Game[Any], tree: SearchTree, rows: _Rows, row: int) -> Choices:
    shape = rows.legal[row].shape
    if row >= tree.shape.leaf_row or int(rows.actor[row]) >= CHANCE:
        nothing = np.full(shape, np.nan)
        return Choices(policy=nothing, action_values=nothing, visits=np.zeros(shape, int))
    # In trees the action axis comes before the infostate axis.
    listed = tree.interior.listed[row]
    over_all = functools.partial(tree.shape.layout.over_all_actions, game, listed)
    policy_sum = np.asarray(over_all(tree.interior_statistics.policy_sum[row])).T
    return Choices(
        policy=_ratio(policy_sum, policy_sum.sum(axis=-1, keepdims=True)),
        action_values=np.asarray(rows.action_values[row], float),
        visits=np.asarray(over_all(tree.interior.visits[row])).T.astype(int),
    )


def _kind(tree: SearchTree, row: int) -> Kind:
    if row < tree.shape.leaf_row:
        return "interior"
    return "leaf" if row < tree.shape.terminal_row else "terminal"


def _children(tree: SearchTree, rows: _Rows, row: int) -> dict[int, int]:
    """The rows of a node's children, and the public events that lead there."""
    if row >= tree.shape.leaf_row:
        return {}
    children = np.asarray(tree.interior.child[row])
    there = children != tree.shape.nothing
    return dict(zip(children[there].tolist(), rows.outcomes[row][there].tolist(), strict=True))


def _ratio(part: Any, whole: Any) -> np.ndarray:
    """part / whole in double precision, NaN if whole is 0 or unknown."""
    part, whole = np.broadcast_arrays(np.float64(part), np.float64(whole))
    undefined = np.full(part.shape, np.nan)
    return np.asarray(np.divide(part, whole, out=undefined, where=whole > 0))


@functools.partial(HostProgram, static_argnums=0)
def _read_rows(game: Game[Any], tree: SearchTree) -> _Rows:
    rows: _Rows = kept(functools.partial(_rows_of, game))(tree)
    return rows


def _rows_of(game: Game[Any], tree: SearchTree) -> _Rows:
    """Evaluates the game's functions at all nodes at once."""
    parent, number = jnp.divmod(tree.terminal.edge, tree.shape.layout.num_children)

    def end_of(packed: Array, outcome: Array) -> Any:
        return game.apply(unpack(game, packed), outcome)

    ends = jax.vmap(end_of)(tree.interior.state[parent], tree.outcomes[parent, number])
    packed = jnp.concatenate([tree.interior.state, tree.leaf.state])
    states = jax.vmap(lambda row: unpack(game, row))(packed)
    states = jax.tree.map(lambda *parts: jnp.concatenate(parts), states, ends)
    edge = jnp.concatenate([nodes.edge for nodes in (tree.interior, tree.leaf, tree.terminal)])
    played = _average_reach(game, tree)[edge]
    compatible = jax.vmap(game.compatible_reach)(states, played)
    joint = jnp.sum(played[:, 0] * compatible[:, 0], axis=-1)
    # Trees keep no sums for terminal nodes; their reach follows from average play.
    at_end = slice(tree.shape.terminal_row, None)
    utilities = jax.vmap(game.utilities)(ends, played[at_end])
    sums = (tree.interior_statistics, tree.leaf_statistics)
    reach = jnp.concatenate([*(table.reach_sum for table in sums), played[at_end]])
    return _Rows(
        state=jax.vmap(game.state_of)(states) if isinstance(game, EnumeratedGame) else states,
        edge=edge,
        outcomes=tree.outcomes,
        actor=jax.vmap(game.actor)(states),
        is_possible=jax.vmap(game.infostate_mask)(states),
        legal=jax.vmap(game.legal_actions)(states),
        reach=reach,
        cfvs=jnp.concatenate([*(table.cfv_sum for table in sums), utilities]),
        compatible=jax.vmap(game.compatible_reach)(states, reach),
        probability=joint / jnp.sum(jnp.where(edge == tree.shape.root_edge, joint, 0)),
        action_values=jax.lax.map(
            functools.partial(action_values_at, game, tree),
            jnp.arange(tree.shape.num_interior, dtype=jnp.int32),
        ),
    )


def _average_reach(game: Game[Any], tree: SearchTree) -> Array:
    """Reach along every edge under the average policies: [edge, player, S].

    NaN below a node that no update has visited yet.
    """
    shape, layout, statistics = tree.shape, tree.shape.layout, tree.interior_statistics
    is_there = tree.interior.child != shape.nothing

    def step(slot: Array, edge_reach: Array) -> Array:
        state, listed = unpack(game, tree.interior.state[slot]), tree.interior.listed[slot]
        reach = edge_reach[tree.interior.edge[slot]]
        policy_sum = layout.over_all_actions(game, listed, statistics.policy_sum[slot]).T
        policy = normalize(policy_sum, game.legal_actions(state))
        policy = jnp.where(jnp.any(policy_sum > 0), policy, jnp.nan)
        first = game.actor(state) != PLAYER_1
        actors, others = jnp.where(first, reach[0], reach[1]), jnp.where(first, reach[1], reach[0])
        below = jax.vmap(game.advance, in_axes=(None, 0, None, None))(
            state, layout.events(listed), actors[:, None] * policy, others
        )
        below = jnp.where(is_there[slot, :, None, None], below, 0)
        pushed: Array = put(edge_reach, below, slot * layout.num_children)
        return pushed

    mask = game.infostate_mask(unpack(game, tree.interior.state[ROOT]))
    none = jnp.zeros((shape.root_edge + 1, *mask.shape), statistics.reach_sum.dtype)
    start = none.at[shape.root_edge].set(normalize(statistics.reach_sum[ROOT], mask))
    # Parents have lower slots than children.
    slots = tree.num_chunks * shape.chunk_size
    played: Array = jax.lax.fori_loop(0, slots, step, start)
    return played
