"""CFR below a frontier: many disjoint subgames of one public tree, solved in one pass.

A search needs values at leaves, which are roots of disjoint subtrees of the game's public tree.
Reach is *given* at such nodes, for both players, and flows down from there; all other nodes have
reach 0. So one iteration of CFR on the whole tree is an iteration of each of the subgames, and
regrets persist from one update of the search to the next.

On the sequence form this needs no new solver. Reach given at a node arrives, along steps without a
choice of the player, at some infostates and terminal states. Each of those gets a root entry of its
own (an *entry*), which sums all reach that arrives there before the first iteration; then
`sog.tabular.cfr` runs unchanged. Cfvs return along the same lists.
"""

import dataclasses
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import scipy  # loads `scipy.sparse` on first use, since that is slow
from jax import Array

from sog.pytree import pytree
from sog.tabular.best_response import evaluate
from sog.tabular.cfr import (
    CFRState,
    PlayerLayers,
    average_policy,
    gather_sum,
    initial_state,
    iterate,
)
from sog.tabular.payoff_layout import lay_out_payoffs, padded_lists
from sog.tabular.public_tree import PublicTree
from sog.tabular.rules import Rule, Step
from sog.tabular.sequence_form import NOTHING, CompiledGame, Layer, SequenceForm, Treeplex

_FORCED: Final = 1  # `tree_policy` reads a 1 here, and a 0 at NOTHING
_FIRST_PROBABILITY: Final = 2


@pytree
class Frontier:
    """A game in which any disjoint nodes can be given reach; made by `build_frontier`."""

    form: SequenceForm
    """The game's, with entries in place of the S root entries."""
    entry_source: tuple[Array, Array]
    """Per player [list, entry]: the node infostates whose reach arrives there, counted from 1."""
    node_entry: tuple[Array, Array]
    """Per player [list, node * S]: the entries that each node infostate leads to."""
    policy_entry: Array
    """[node * S * A]: the row of the acting player's probability, see `tree_policy`."""


@pytree
class FrontierSolution:
    """The result of some iterations below a frontier; the batch axis is the last one."""

    cfvs: Array
    """[2, node * S, batch] under the average policies, at the nodes that were given reach."""
    policy: PlayerLayers
    """The average policies."""
    regret: PlayerLayers
    """The cumulative regrets, for the next call."""


def build_frontier(compiled: CompiledGame, dtype: str = "float32") -> Frontier:
    """Prepares a compiled game; numpy arrays, payoffs and uniform policies in `dtype`."""
    arriving = [_arriving(compiled, player) for player in (0, 1)]
    num_entries = max(matrix.shape[0] for matrix in arriving)
    for matrix in arriving:
        matrix.resize(num_entries, matrix.shape[1])
    first, second = (_entered(plex, num_entries) for plex in compiled.form.treeplex)
    form = SequenceForm(treeplex=(first, second), payoff=compiled.form.payoff)
    sources = [padded_lists(matrix, -1) + 1 for matrix in arriving]
    entries = [padded_lists(matrix.T.tocsr(), num_entries) for matrix in arriving]
    return Frontier(
        form=jax.tree.map(lambda leaf: leaf.astype(dtype) if leaf.dtype == float else leaf, form),
        entry_source=(sources[0], sources[1]),
        node_entry=(entries[0], entries[1]),
        policy_entry=_policy_entries(compiled),
    )


def _arriving(compiled: CompiledGame, player: int) -> "scipy.sparse.csr_matrix":
    """[entry, node * S]: node infostates that lead to each entry without a choice in between."""
    tree, placement = compiled.tree, compiled.placements[player]
    leaves = lay_out_payoffs(tree)[1][player]
    reached = _closure(_steps_without_choice(tree, player))
    used = (np.ones(len(leaves.row), np.int8), (leaves.row, np.arange(len(leaves.row))))
    at_leaves = scipy.sparse.csr_matrix(used, (leaves.num_rows, len(leaves.row)))
    size = tree.game.num_infostates
    infostates = [
        node * size + infostate
        for node, infostate in zip(placement.node, placement.infostate, strict=True)
    ]
    chosen = np.concatenate([np.zeros(0, int), *infostates])
    return scipy.sparse.vstack([reached[chosen], at_leaves @ reached[leaves.infostate]]).tocsr()


def _steps_without_choice(tree: PublicTree, player: int) -> "scipy.sparse.csr_matrix":
    """[node * S, node * S]: from the parent's reach to a node's, for one event."""
    size, flow = tree.game.num_infostates, tree.flows[player]
    parent = tree.node_parent[flow.node]
    own = (tree.node_actor[parent] == player) & tree.has_choice[parent, flow.parent_infostate]
    row, column = flow.node * size + flow.infostate, parent * size + flow.parent_infostate
    ones = np.ones(len(row), np.int8)[~own]
    return scipy.sparse.csr_matrix((ones, (row[~own], column[~own])), (tree.num_nodes * size,) * 2)


def _closure(step: "scipy.sparse.csr_matrix") -> "scipy.sparse.csr_matrix":
    """The sum of all powers of a step down a tree."""
    total = power = scipy.sparse.identity(step.shape[0], np.int8, "csr")
    while power.nnz:
        power = step @ power
        total = total + power
    return total.tocsr()


def _entered(plex: Treeplex, num_entries: int) -> Treeplex:
    """A treeplex whose infostates and leaf rows have a root entry each, in this order."""
    num_infostates = sum(layer.legal.shape[1] for layer in plex.layers)
    num_leaves = plex.leaf_source.shape[1]
    moved = num_entries - len(plex.root_mask)

    def enter(source: Any, first: int) -> Any:
        own = 1 + first + np.arange(source.shape[1], dtype=source.dtype)
        inner = np.where(source > len(plex.root_mask), source + moved, NOTHING)
        return np.concatenate([own[None], inner[(inner != NOTHING).any(axis=1)]])

    layers: list[Layer] = []
    first = 0
    for layer in plex.layers:
        layers.append(dataclasses.replace(layer, source=enter(layer.source, first)))
        first += layer.legal.shape[1]
    entry: Any = np.arange(num_entries, dtype=np.int32)
    everywhere: Any = np.ones(num_entries, bool)
    is_leaf = (entry >= num_infostates) & (entry < num_infostates + num_leaves)
    leaf: Any = np.where(is_leaf, entry - num_infostates, num_leaves)
    child: Any = np.minimum(entry, num_infostates)
    return Treeplex(
        layers=tuple(layers),
        leaf_source=enter(plex.leaf_source, num_infostates),
        root_leaf=leaf[None],
        root_child=child[None],
        root_mask=everywhere,
    )


def _policy_entries(compiled: CompiledGame) -> Any:
    """[node * S * A]: the rows that `tree_policy` reads."""
    tree = compiled.tree
    forced = tree.decisions & ~tree.has_choice[:, :, None]
    rows = np.where(forced, _FORCED, NOTHING).astype(np.int32)
    first = _FIRST_PROBABILITY
    for placement in compiled.placements:
        for node, infostate, action, legal in zip(
            placement.node, placement.infostate, placement.action, placement.legal, strict=True
        ):
            row = first + np.arange(legal.size, dtype=np.int32).reshape(legal.shape)
            at = np.nonzero(legal)[1]
            rows[node[at], infostate[at], action[legal]] = row[legal]
            first += legal.size
    return rows.reshape(-1)


def solve_frontier(
    frontier: Frontier, given: Array, regret: PlayerLayers, *, rule: Rule, iterations: int
) -> FrontierSolution:
    """Runs some iterations from given regrets; averages are over these iterations alone.

    given: [2, node * S, batch], the reach at the frontier, 0 elsewhere. Regrets above the frontier
    change too, without effect, since no reach comes from there. An infostate without own reach gets
    no average policy, so its cfvs are undefined: give a tiny reach to all possible ones.
    """
    form = frontier.form
    reach = jnp.stack([_arrive(frontier, given, player) for player in (0, 1)])
    start = initial_state(form, reach, regret)

    def body(number: Array, state: CFRState) -> CFRState:
        step = Step(number=(1 + number).astype(reach.dtype), planned=float(iterations))
        return iterate(form, reach, rule, state, step)

    last: CFRState = jax.lax.fori_loop(0, iterations, body, start)
    policy = average_policy(form, last.policy_sum)
    return FrontierSolution(
        cfvs=_return(frontier, evaluate(form, reach, policy).cfvs),
        policy=policy,
        regret=last.cumulative_regret,
    )


def _arrive(frontier: Frontier, given: Array, player: int) -> Array:
    """[entry, batch]: the reach that arrives at a player's entries."""
    nothing = jnp.zeros((1, given.shape[-1]), given.dtype)
    return gather_sum(jnp.concatenate([nothing, given[player]]), frontier.entry_source[player])


def _return(frontier: Frontier, cfvs: Array) -> Array:
    """[2, node * S, batch]: the cfvs of all nodes from those of the entries."""
    nothing = jnp.zeros((1, cfvs.shape[-1]), cfvs.dtype)
    return jnp.stack(
        [
            gather_sum(jnp.concatenate([cfvs[player], nothing]), frontier.node_entry[player])
            for player in (0, 1)
        ]
    )


def tree_policy(frontier: Frontier, policy: PlayerLayers) -> Array:
    """[node * S * A, batch]: the acting player's policy, 0 for illegal actions and at chance."""
    batch = policy[0][0].shape[-1]
    dtype = policy[0][0].dtype
    rows = [jnp.zeros((1, batch), dtype), jnp.ones((1, batch), dtype)]
    rows += [values.reshape(-1, batch) for player in policy for values in player]
    taken: Array = jnp.take(jnp.concatenate(rows), frontier.policy_entry, axis=0, mode="clip")
    return taken
