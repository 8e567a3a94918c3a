"""Lays out what the ends of a public tree pay for the sequence form, and numbers its leaf rows."""

import dataclasses
from typing import Any, Final

import numpy as np
import scipy  # loads `scipy.sparse` on first use, since that is slow

from sog.tabular.linear_maps import Payoffs, expand
from sog.tabular.public_tree import NO_PAYOFF, PublicTree
from sog.tabular.sequence_form import DensePayoff, SparsePayoff

_MOST_DENSE_WASTE: Final = 8  # dense payoffs may hold this many times the nonzero entries
_LEAST_SHARED: Final = 256  # ends that pay the same, for a product with one matrix for all


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class LeafRows:
    """The leaf rows of one player, and the terminal infostate of each used one."""

    infostate: np.ndarray  # [used]: node * S + infostate
    row: np.ndarray  # [used]
    num_rows: int


def lay_out_payoffs(
    tree: PublicTree,
) -> tuple[DensePayoff | SparsePayoff, tuple[LeafRows, LeafRows]]:
    """Lays out the terminal payoffs, dense where that wastes little, and numbers the leaf rows."""
    payoffs, size = tree.payoffs, tree.game.num_infostates
    count = np.diff(payoffs.start)
    used = [_find_used(payoffs, player, size) for player in (0, 1)]
    ends = np.flatnonzero(tree.node_payoff != NO_PAYOFF)
    ends = ends[count[tree.node_payoff[ends]] > 0]
    kind = tree.node_payoff[ends]
    if used[0].width * used[1].width * len(ends) > _MOST_DENSE_WASTE * int(count[kind].sum()):
        return _lay_out_sparse(tree)
    # Kinds of many ends first, each a group; then a group of all others.
    shared = np.flatnonzero(np.bincount(kind, minlength=len(count)) >= _LEAST_SHARED)
    group_of_kind = np.full(len(count), len(shared))
    group_of_kind[shared] = np.arange(len(shared))
    order = np.argsort(group_of_kind[kind], kind="stable")
    ends, kind = ends[order], kind[order]
    group = group_of_kind[kind]
    num_ends = np.bincount(group, minlength=len(shared) + 1)
    first = np.cumsum(num_ends) - num_ends
    matrices = list[Any]()
    for number, (start, length) in enumerate(zip(first, num_ends, strict=True)):
        own = kind[start : start + (length if number == len(shared) else 1)]
        of_end, entry = expand(payoffs.start, own)
        matrix = np.zeros((used[0].width, used[1].width, len(own), 1))
        matrix[used[0].rank[entry], used[1].rank[entry], of_end, 0] = payoffs.amount[entry]
        matrices.append(matrix)
    leaves = []
    for player in (0, 1):
        of_end, at = expand(used[player].start, kind)
        rank, width = used[player].rank_of_used[at], used[player].width
        place = np.arange(len(ends)) - first[group] + width * first[group]
        leaves.append(
            LeafRows(
                infostate=ends[of_end] * size + used[player].infostate[at],
                row=place[of_end] + rank * num_ends[group][of_end],
                num_rows=width * len(ends),
            )
        )
    payoff = DensePayoff(matrices=tuple(matrices), num_ends=tuple(num_ends.tolist()))
    return payoff, (leaves[0], leaves[1])


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Used:
    """The infostates of one player that occur in each kind of payoffs, in order."""

    start: np.ndarray  # [kind + 1]: where those of a kind start
    infostate: np.ndarray  # [used]
    rank_of_used: np.ndarray  # [used]: its number within the kind
    rank: np.ndarray  # [entry]: the same for every entry of the payoffs
    width: int  # the most of any kind, at least 1


def _find_used(payoffs: Payoffs, player: int, size: int) -> _Used:
    num_kinds = len(payoffs.start) - 1
    kind = np.repeat(np.arange(num_kinds), np.diff(payoffs.start))
    keys, used = np.unique(kind * size + payoffs.infostates[:, player], return_inverse=True)
    start = np.searchsorted(keys, np.arange(num_kinds + 1) * size)
    rank = np.arange(len(keys)) - start[keys // size]
    return _Used(
        start=start,
        infostate=keys % size,
        rank_of_used=rank,
        rank=rank[used],
        width=int(rank.max(initial=0)) + 1,
    )


def _lay_out_sparse(tree: PublicTree) -> tuple[SparsePayoff, tuple[LeafRows, LeafRows]]:
    """As padded lists; every infostate of an end that is paid has a leaf row."""
    size, leaves, entry = tree.game.num_infostates, [], []
    for player in (0, 1):
        key = tree.payoff_node.astype(np.int64) * size + tree.payoff_infostates[:, player]
        keys, rows = np.unique(key, return_inverse=True)
        leaves.append(LeafRows(infostate=keys, row=np.arange(len(keys)), num_rows=len(keys)))
        entry.append(rows)
    other, weight = [], []
    for player, sign in ((0, 1.0), (1, -1.0)):
        pairs = (entry[player], entry[1 - player])
        shape = (leaves[player].num_rows, leaves[1 - player].num_rows)
        amounts = scipy.sparse.csr_matrix((sign * tree.payoff, pairs), shape)
        other.append(padded_lists(amounts, 0))
        weight.append(padded_lists(amounts, 0.0, amounts.data)[..., None])
    payoff = SparsePayoff(other=(other[0], other[1]), weight=(weight[0], weight[1]))
    return payoff, (leaves[0], leaves[1])


def padded_lists(
    matrix: "scipy.sparse.csr_matrix", fill: float, values: np.ndarray | None = None
) -> Any:
    """[longest, row]: the columns (or values) of each row's nonzero entries, then `fill`."""
    count = np.diff(matrix.indptr)
    taken = matrix.indices.astype(np.int32) if values is None else values
    lists = np.full((int(count.max(initial=0)), len(count)), fill, taken.dtype)
    for place in range(len(lists)):
        has = count > place
        lists[place, has] = taken[matrix.indptr[:-1][has] + place]
    return lists
