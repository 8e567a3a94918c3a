"""Calls a game at many public states at once, and reads its linear maps off as index lists.

Functions take a level or all of a public tree; the game's functions run jitted and vmapped over
chunks of it.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.chunks import chunks, in_chunks
from sog.games.core import PLAYER_1, Game
from sog.kept_programs import HostProgram, kept
from sog.memory import check_memory
from sog.pytree import pytree

_SMALL_CHUNK: Final = 256
_LARGE_CHUNK: Final = 8192
_CHUNK_ENTRIES: Final = 2**22  # probe results held at once
_BYTES_PER_PAYOFF: Final = 32  # a pair and an amount: in parts, and then joined


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Flow:
    """The map from a parent's reach to a child's, as parallel int arrays.

    Row r: the reach of `infostate[r]` at `node[r]` receives the parent's reach at
    `parent_infostate[r]`, times the probability of `action[r]` if the player acted there.
    """

    node: np.ndarray
    infostate: np.ndarray
    parent_infostate: np.ndarray
    action: np.ndarray


@pytree
class Visit:
    """A game's results at a node, and the map of its parent's reach."""

    state: Any
    actor: Any  # int32
    legal_outcomes: Any  # bool[K]
    legal_actions: Any  # bool[S, A]
    mask: Any  # bool[2, S]
    actor_target: Any  # int16[S, A]: the infostate fed by each entry of the actor's part
    actor_count: Any  # int16[S, A]: the number of infostates it feeds
    other_target: Any  # int16[S]
    other_count: Any  # int16[S]


def bytes_per_node(game: Game[Any]) -> int:
    """What is kept of a node: its part of `PublicTree`, with the flows of both players into it."""
    state = jax.tree.leaves(jax.eval_shape(game.root))
    size, entries = game.num_infostates, game.num_infostates * game.num_actions
    of_state: int = sum(leaf.size * leaf.dtype.itemsize for leaf in state)
    of_flows = 2 * size * len(dataclasses.fields(Flow)) * np.dtype(np.int32).itemsize
    return of_state + 4 + 2 * size + entries + of_flows


def _visit(game: Game[Any], state: Any, outcome: Array, at_root: Array) -> Visit:
    """Visits the child of `state` by `outcome`, or `state` itself at the root."""
    applied = game.apply(state, outcome)
    child = jax.tree.map(lambda old, new: jnp.where(at_root, old, new), state, applied)
    # Each entry feeds 0 or 1 infostates (private chance: more), each with coefficient 1. The
    # transposed map then names it: L^T 1 counts what is fed, L^T (0, 1, 2, ...) adds the indices.
    numbers = jnp.arange(game.num_infostates, dtype=float)
    probes = jnp.stack([jnp.ones_like(numbers), numbers])
    from_actor, from_other = jax.vmap(lambda probe: _transpose(game, state, outcome, probe))(probes)
    return Visit(
        state=child,
        actor=game.actor(child),
        legal_outcomes=game.legal_outcomes(child),
        legal_actions=game.legal_actions(child),
        mask=game.infostate_mask(child),
        actor_count=from_actor[0].astype(jnp.int16),
        actor_target=from_actor[1].astype(jnp.int16),
        other_count=from_other[0].astype(jnp.int16),
        other_target=from_other[1].astype(jnp.int16),
    )


def _transpose(
    game: Game[Any], state: Any, outcome: Array, cotangent: Array
) -> tuple[Array, Array]:
    """Both rows of `advance` transposed, applied to [S]: for the actor [S, A], the other [S]."""
    acts_first = game.actor(state) != PLAYER_1

    def rows(action_reach: Array, other_reach: Array) -> tuple[Array, Array]:
        reach = game.advance(state, outcome, action_reach, other_reach)
        return (
            jnp.where(acts_first, reach[0], reach[1]),
            jnp.where(acts_first, reach[1], reach[0]),
        )

    other = jnp.zeros(game.num_infostates, cotangent.dtype)
    actions = jnp.zeros((game.num_infostates, game.num_actions), cotangent.dtype)
    pulled: tuple[Array, Array] = jax.vjp(rows, actions, other)[1]((cotangent, cotangent))
    return pulled


@functools.partial(HostProgram, static_argnums=0)
def _visit_chunk(game: Game[Any], states: Any, outcomes: Array, at_root: Array) -> Visit:
    visit: Visit = kept(functools.partial(_visits, game))(states, outcomes, at_root)
    return visit


def _visits(game: Game[Any], states: Any, outcomes: Array, at_root: Array) -> Visit:
    return jax.vmap(lambda state, outcome: _visit(game, state, outcome, at_root))(states, outcomes)


def visit_children(
    game: Game[Any], states: Any, rows: np.ndarray, outcomes: np.ndarray, at_root: bool = False
) -> Visit:
    """Visits the children of `states[rows]` by `outcomes`, chunk by chunk."""
    entries = game.num_infostates * (game.num_actions + 2)

    def visit(at: tuple[np.ndarray, np.ndarray]) -> Any:
        parents = jax.tree.map(lambda leaf: leaf[at[0]], states)
        return _visit_chunk(game, parents, at[1], np.bool_(at_root))

    visited: Visit = in_chunks(visit, (rows, outcomes), _chunk(len(rows), entries))
    return visited


def _chunk(size: int, entries: int) -> int:
    """One of two sizes, so that there are two programs; fewer nodes if each has many entries."""
    most = max(1, _CHUNK_ENTRIES // entries)
    return min(_LARGE_CHUNK if size > 4 * _SMALL_CHUNK else _SMALL_CHUNK, most)


def join_flows(parts: Sequence[np.ndarray], first_nodes: Sequence[int]) -> Flow:
    """The flow to all levels, from the rows of each and the number of its first node."""
    rows = np.concatenate([np.zeros((4, 0), np.int32), *parts], axis=1)
    sizes = np.array([part.shape[1] for part in parts], int)
    rows[0] += np.repeat(np.array(first_nodes, np.int32), sizes)
    return Flow(node=rows[0], infostate=rows[1], parent_infostate=rows[2], action=rows[3])


def find_flows(
    game: Game[Any], above: Visit, level: Visit, parent: np.ndarray, outcome: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of `Flow` to the nodes of a level, for both players: int32 [4, row], sorted.

    Nodes are numbered within the level. parent: their rows in `above`.
    """
    child = np.arange(len(parent))
    legal = above.legal_actions[parent]  # chance: player 0's mask in column 0
    acts = np.where(above.actor[parent] == PLAYER_1, 1, 0)
    other_mask = above.mask[parent, 1 - acts]
    splits = ((level.actor_count > 1) & legal).any(axis=(1, 2)) | (
        (level.other_count > 1) & other_mask
    ).any(axis=1)
    flows = []
    for player in (0, 1):
        own = (acts == player) & ~splits
        edge, source, action = np.nonzero(own[:, None, None] & legal & (level.actor_count == 1))
        target = level.actor_target[edge, source, action]
        waits = (acts != player) & ~splits
        edge_w, source_w = np.nonzero(waits[:, None] & other_mask & (level.other_count == 1))
        target_w = level.other_target[edge_w, source_w]
        split_rows = _split_flows(game, above, parent, outcome, child[splits], player)
        rows = np.concatenate(
            [
                np.stack([edge, target, source, action]),
                np.stack([edge_w, target_w, source_w, np.zeros_like(edge_w)]),
                split_rows,
            ],
            axis=1,
        )
        flows.append(rows[:, np.lexsort(rows[::-1])].astype(np.int32))
    return flows[0], flows[1]


@functools.partial(HostProgram, static_argnums=0)
def _dense_transposes(game: Game[Any], states: Any, outcomes: Array) -> tuple[Array, Array]:
    """[edge, S, S, A] and [edge, S, S] bool: which entries of the parent feed each infostate."""
    basis = jnp.eye(game.num_infostates)

    def one(state: Any, outcome: Array) -> tuple[Array, Array]:
        return jax.vmap(lambda probe: _transpose(game, state, outcome, probe))(basis)

    from_actor, from_other = jax.vmap(one)(states, outcomes)
    return from_actor != 0, from_other != 0


def _split_flows(
    game: Game[Any],
    above: Visit,
    parent: np.ndarray,
    outcome: np.ndarray,
    nodes: np.ndarray,
    player: int,
) -> np.ndarray:
    """[4, row] flow rows of the nodes whose parents' infostates split (private chance)."""
    if nodes.size == 0:
        return np.zeros((4, 0), np.int64)
    size = game.num_infostates

    def call(some: np.ndarray) -> Any:
        states = jax.tree.map(lambda leaf: leaf[parent[some]], above.state)
        return _dense_transposes(game, states, outcome[some])

    chunk = _chunk(len(nodes), size * size * (game.num_actions + 1))
    from_actor, from_other = in_chunks(call, nodes, chunk)
    rows = parent[nodes]
    acts = np.where(above.actor[rows] == PLAYER_1, 1, 0)
    own = from_actor & above.legal_actions[rows][:, None] & (acts == player)[:, None, None, None]
    edge, target, source, action = np.nonzero(own)
    mask = above.mask[rows, player]
    waits = from_other & mask[:, None] & (acts != player)[:, None, None]
    edge_w, target_w, source_w = np.nonzero(waits)
    return np.concatenate(
        [
            np.stack([nodes[edge], target, source, action]),
            np.stack([nodes[edge_w], target_w, source_w, np.zeros_like(edge_w)]),
        ],
        axis=1,
    )


@functools.partial(HostProgram, static_argnums=(0, 1))
def _pair_chunk(game: Game[Any], name: str, states: Any) -> Array:
    """[node, S, S]: see `find_pairs`, read off with one-hot opponents."""
    basis = jnp.eye(game.num_infostates)
    nobody = jnp.zeros_like(basis)
    reach = jnp.stack([nobody, basis], axis=1)  # [s1, 2, S]

    def one(state: Any) -> Array:
        found: Array = jax.vmap(lambda pair: getattr(game, name)(state, pair)[0])(reach).T
        return found

    return jax.vmap(one)(states)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Payoffs:
    """What the ends of a game pay, in sparse entries; ends that pay the same are of one kind."""

    start: np.ndarray
    """[kind + 1] int: where the entries of each kind start, and the number of all."""
    infostates: np.ndarray
    """[entry, 2] int32."""
    amount: np.ndarray
    """[entry] float64: w(s0, s1) times the utility to player 0."""


def expand(start: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lists the entries of some kinds, kind by kind: the row in `kinds` of each, and its number.

    start: [kind + 1], as `Payoffs.start`.
    """
    count = np.diff(start)[kinds]
    first = np.cumsum(count) - count
    rows = np.repeat(np.arange(len(kinds)), count)
    return rows, np.arange(len(rows)) + np.repeat(start[kinds] - first, count)


def find_payoffs(
    game: Game[Any], nodes: np.ndarray, node_state: Any, node_mask: np.ndarray
) -> tuple[np.ndarray, Payoffs]:
    """The kind [node] of each of some terminal nodes, and what every kind pays.

    Raises ValueError if there is no memory for it.
    """
    kinds: dict[bytes, int] = {}
    of_nodes, start = list[int](), [0]
    pairs, amounts = list[np.ndarray](), list[np.ndarray]()
    for _, dense in _pairs(game, "utilities", nodes, node_state, node_mask):
        for matrix in dense.reshape(len(dense), -1) + 0.0:  # without negative zeros
            name = hashlib.blake2b(matrix, digest_size=16).digest()
            of_nodes.append(kinds.setdefault(name, len(kinds)))
            if of_nodes[-1] == len(pairs):
                pairs.append(np.flatnonzero(matrix))
                amounts.append(matrix[pairs[-1]])
                start.append(start[-1] + len(pairs[-1]))
        check_memory({"what its ends pay": _BYTES_PER_PAYOFF * start[-1]})
    infostates = np.stack(np.divmod(np.concatenate(pairs), game.num_infostates), axis=1)
    return np.array(of_nodes, np.int32), Payoffs(
        start=np.array(start),
        infostates=infostates.astype(np.int32),
        amount=np.concatenate(amounts),
    )


def find_pairs(
    game: Game[Any], name: str, nodes: np.ndarray, node_state: Any, node_mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of pairs of infostates at some nodes, as sparse triples (node, infostates, number).

    name: "utilities" for w(s0, s1) u_0(s0, s1) at terminal nodes, "compatible_reach" for w(s0, s1).
    """
    parts = []
    for some, dense in _pairs(game, name, nodes, node_state, node_mask):
        row, *pair = (where.astype(np.int32) for where in np.nonzero(dense))
        parts.append((some[row].astype(np.int32), np.stack(pair, 1), dense[dense != 0]))
    node, infostates, number = map(np.concatenate, zip(*parts, strict=True))
    return node, infostates, number


def _pairs(
    game: Game[Any], name: str, nodes: np.ndarray, node_state: Any, node_mask: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields some of the nodes and their numbers [node, S, S] at a time, see `find_pairs`."""

    def call(some: np.ndarray) -> tuple[np.ndarray, Array]:
        return some, _pair_chunk(game, name, jax.tree.map(lambda leaf: leaf[some], node_state))

    for some, found in chunks(call, nodes, _chunk(len(nodes), 2 * game.num_infostates**2)):
        possible = node_mask[some]
        yield some, np.where(possible[:, 0, :, None] & possible[:, 1, None, :], found, 0)
