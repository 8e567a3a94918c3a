"""Compiles the public tree to the sequence form: index lists, from sparse matrices on the host."""

from typing import Any, Final

import numpy as np
import scipy  # loads `scipy.sparse` on first use, since that is slow

from sog.memory import check_memory
from sog.tabular.payoff_layout import LeafRows, lay_out_payoffs, padded_lists
from sog.tabular.public_tree import PublicTree, TreeMemoryError
from sog.tabular.sequence_form import (
    NOTHING,
    CompiledGame,
    Layer,
    Placement,
    SequenceForm,
    Treeplex,
)

_BYTES_PER_PROBABILITY: Final = 16  # of a policy, with the solver's lists: what liar's dice takes


def compile_game(tree: PublicTree) -> CompiledGame:
    """Compiles an enumerated public tree; index lists are int32, payoffs float64.

    Raises TreeMemoryError if a solver and its policy would not fit into memory.
    """
    try:
        check_memory({"solving it": _BYTES_PER_PROBABILITY * tree.node_legal.size})
    except ValueError as error:
        raise TreeMemoryError(tree.game, f"is too large: {error}") from None
    payoff, leaves = lay_out_payoffs(tree)
    (plex_0, place_0), (plex_1, place_1) = (
        _treeplex(tree, player, leaves[player]) for player in (0, 1)
    )
    form = SequenceForm(treeplex=(plex_0, plex_1), payoff=payoff)
    return CompiledGame(tree=tree, form=form, placements=(place_0, place_1))


def _treeplex(tree: PublicTree, player: int, leaves: LeafRows) -> tuple[Treeplex, Placement]:
    """Orders the player's infostates in layers and lists their connections."""
    size = tree.game.num_infostates
    chooses = (tree.node_actor == player)[:, None] & tree.has_choice
    node, infostate, action = np.nonzero(chooses[:, :, None] & tree.node_legal)  # the sequences
    keys, first, owner, count = np.unique(
        node * size + infostate, return_index=True, return_inverse=True, return_counts=True
    )
    source = _sources(tree, player, node, infostate, action)  # columns: S root entries, sequences
    leads = source[keys].tocoo()
    later = leads.col >= size
    layer = _layers(owner[leads.col[later] - size], leads.row[later], count)
    order = np.lexsort((keys, -count, layer))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))

    # The position of each column of `source` in the buffer.
    entry = np.concatenate([1 + np.arange(size), np.zeros(len(node), np.int64)])
    blocks, start, base = [], 0, 1 + size
    for number in range(int(layer.max(initial=-1)) + 1):
        members = order[layer[order] == number]
        most = int(count[members].max())
        sequences = np.nonzero(layer[owner] == number)[0]
        which_action = sequences - first[owner[sequences]]
        column = rank[owner[sequences]] - start
        entry[size + sequences] = base + which_action * len(members) + column
        blocks.append((members, most, start, base))
        start, base = start + len(members), base + most * len(members)
    source = _moved(source, source.shape[0], base, column=entry)
    action_of = np.zeros(base, np.int32)
    action_of[entry[size:]] = action

    to_infostate = source[keys[order]].T.tocsr()
    from_leaf = _moved(source[leaves.infostate], leaves.num_rows, base, row=leaves.row)
    to_leaf = from_leaf.T.tocsr()
    layers, actions = [], []
    for members, most, start, base in blocks:
        block, stop = slice(base, base + most * len(members)), start + len(members)
        legal: Any = np.arange(most)[:, None] < count[members]
        layers.append(
            Layer(
                source=padded_lists(source[keys[members]], NOTHING),
                legal=legal,
                uniform=legal / legal.sum(axis=0),
                leaf=padded_lists(to_leaf[block], leaves.num_rows),
                child=padded_lists(to_infostate[block, stop:], len(keys) - stop),
            )
        )
        actions.append(action_of[block].reshape(most, len(members)))
    root = slice(1, 1 + size)
    treeplex = Treeplex(
        layers=tuple(layers),
        leaf_source=padded_lists(from_leaf, NOTHING),
        root_leaf=padded_lists(to_leaf[root], leaves.num_rows),
        root_child=padded_lists(to_infostate[root], len(keys)),
        root_mask=tree.node_mask[0, player],
    )
    placement = Placement(
        node=tuple(keys[members] // size for members, *_ in blocks),
        infostate=tuple(keys[members] % size for members, *_ in blocks),
        action=tuple(actions),
        legal=tuple(np.asarray(layer.legal) for layer in layers),
        source=source,
    )
    return treeplex, placement


def _sources(
    tree: PublicTree,
    player: int,
    node: np.ndarray,
    infostate: np.ndarray,
    action: np.ndarray,
) -> "scipy.sparse.csr_matrix":
    """[node * S + infostate, S + sequence]: the player's reach there is the row sum of these.

    The sequences are given as (node, infostate, action), sorted. Steps of the opponent, of chance
    and forced ones compose, level by level; a choice of the player starts new sequences.
    """
    size, flow = tree.game.num_infostates, tree.flows[player]
    shape, columns = tree.node_legal.shape, size + len(node)
    given = np.ravel_multi_index((node, infostate, action), shape)
    parent = tree.node_parent[flow.node]
    own = (tree.node_actor[parent] == player) & tree.has_choice[parent, flow.parent_infostate]
    taken = np.ravel_multi_index((parent, flow.parent_infostate, flow.action), shape)
    sequence = size + np.searchsorted(given, taken)
    first_of = np.searchsorted(tree.node_depth, np.arange(tree.node_depth[-1] + 2))

    mask = tree.node_mask[0, player]
    levels = [
        scipy.sparse.csr_matrix((mask.astype(np.int8), (np.arange(size),) * 2), (size, columns))
    ]
    flow_of = np.searchsorted(flow.node, first_of)
    for depth in range(1, len(first_of) - 1):
        part = slice(flow_of[depth], flow_of[depth + 1])
        row = (flow.node[part] - first_of[depth]) * size + flow.infostate[part]
        above = (parent[part] - first_of[depth - 1]) * size + flow.parent_infostate[part]
        rows = (first_of[depth + 1] - first_of[depth]) * size
        acts, waits = own[part], ~own[part]
        started = scipy.sparse.csr_matrix(
            (np.ones(acts.sum(), np.int8), (row[acts], sequence[part][acts])), (rows, columns)
        )
        step = scipy.sparse.csr_matrix(
            (np.ones(waits.sum(), np.int8), (row[waits], above[waits])),
            (rows, levels[-1].shape[0]),
        )
        levels.append((started + step @ levels[-1]).tocsr())
    return scipy.sparse.vstack(levels).tocsr()


def _layers(parent: np.ndarray, child: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The layer of each infostate; parents come first.

    By the number of own moves before, or by the number after, whichever pads less: in liar's dice
    infostates with equally many moves to come have similar numbers of actions.
    """

    def longest(start: np.ndarray, end: np.ndarray) -> np.ndarray:
        length = np.zeros(len(count), np.int64)
        while True:
            longer = np.zeros_like(length)
            np.maximum.at(longer, end, length[start] + 1)
            if (longer == length).all():
                return length
            length = longer

    def padded_size(layer: np.ndarray) -> int:
        return sum(
            int(count[layer == number].max() * (layer == number).sum())
            for number in range(int(layer.max(initial=-1)) + 1)
        )

    to_come = longest(child, parent)
    candidates = [longest(parent, child), to_come.max(initial=0) - to_come]
    return min(candidates, key=padded_size)


def _moved(
    matrix: "scipy.sparse.csr_matrix",
    num_rows: int,
    num_columns: int,
    *,
    row: np.ndarray | None = None,
    column: np.ndarray | None = None,
) -> "scipy.sparse.csr_matrix":
    """The matrix with its rows or columns renumbered."""
    entries = matrix.tocoo()
    rows = entries.row if row is None else row[entries.row]
    columns = entries.col if column is None else column[entries.col]
    return scipy.sparse.csr_matrix((entries.data, (rows, columns)), (num_rows, num_columns))
