"""The sequence-form linear program: an exact solver independent of CFR.

Koller, Megiddo, von Stengel (1996). Variables are player 0's realization plan x over sequences and
one value per infostate of player 1; constraints say that no sequence of player 1 improves on them.
Solved by HiGHS through scipy, for small games. A locked policy (`sog.tabular.locks`) adds a
constraint for each of its actions.
"""

import dataclasses

import numpy as np
import scipy  # loads `scipy.sparse` on first use, since that is slow

from sog.tabular.sequence_form import CompiledGame, Placement


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class LPSolution:
    """An exact equilibrium."""

    value: float
    """To player 0, in utility units."""
    policy: np.ndarray
    """[node, S, A]; uniform where a player's own policy never arrives."""


def solve_lp(compiled: CompiledGame) -> LPSolution:
    """Solves the game exactly, by both players' programs. Raises RuntimeError if HiGHS fails."""
    payoff = _payoff_matrix(compiled)
    constraints = [_realization(compiled, player) for player in (0, 1)]
    value, plan_0 = _maximin(payoff, constraints[0], constraints[1])
    _, plan_1 = _maximin(-payoff.T.tocsr(), constraints[1], constraints[0])
    layers = tuple(
        _behavior(plan, placement, compiled.tree.game.num_infostates)
        for plan, placement in zip((plan_0, plan_1), compiled.placements, strict=True)
    )
    policy = compiled.with_held(compiled.to_tree((layers[0], layers[1])))
    return LPSolution(value=value, policy=policy)


def _payoff_matrix(compiled: CompiledGame) -> "scipy.sparse.csr_matrix":
    """[sequence of player 0, sequence of player 1]: w * utility of the terminal states of both."""
    tree, size = compiled.tree, compiled.tree.game.num_infostates
    rows = [tree.payoff_node.astype(np.int64) * size + tree.payoff_infostates[:, i] for i in (0, 1)]
    source_0, source_1 = (placement.source for placement in compiled.placements)
    return (source_0[rows[0]].T @ scipy.sparse.diags(tree.payoff) @ source_1[rows[1]]).tocsr()


def _realization(
    compiled: CompiledGame, player: int
) -> "tuple[scipy.sparse.csr_matrix, np.ndarray]":
    """E and e of E x = e: root entries are 1, actions of an infostate sum to its reach."""
    placement, size = compiled.placements[player], compiled.tree.game.num_infostates
    num_entries = placement.source.shape[1]
    root = scipy.sparse.csr_matrix(
        (np.ones(size), (np.arange(size), np.arange(1, 1 + size))), (size, num_entries)
    )
    blocks, start = [root], 1 + size
    for number, (node, infostate, legal) in enumerate(
        zip(placement.node, placement.infostate, placement.legal, strict=True)
    ):
        column = np.broadcast_to(np.arange(legal.shape[1]), legal.shape)[legal]
        entry = start + np.flatnonzero(legal)
        shape = (legal.shape[1], num_entries)
        actions = scipy.sparse.csr_matrix((np.ones(len(entry)), (column, entry)), shape)
        reach = placement.source[node * size + infostate]
        blocks.append(actions - reach)
        held = compiled.form.treeplex[player].layers[number].held
        if held is not None:  # each action has its share of that reach
            action, place = np.nonzero(legal & np.asarray(held.is_held))
            entry = start + action * legal.shape[1] + place
            shape = (len(entry), num_entries)
            taken = scipy.sparse.csr_matrix(
                (np.ones(len(entry)), (np.arange(len(entry)), entry)), shape
            )
            share = scipy.sparse.diags(np.asarray(held.policy)[action, place])
            blocks.append(taken - share @ reach[place])
        start += legal.size
    right = np.zeros(sum(block.shape[0] for block in blocks))
    right[:size] = compiled.tree.node_mask[0, player]
    return scipy.sparse.vstack(blocks).tocsr(), right


def _maximin(
    payoff: "scipy.sparse.csr_matrix",
    own: "tuple[scipy.sparse.csr_matrix, np.ndarray]",
    other: "tuple[scipy.sparse.csr_matrix, np.ndarray]",
) -> tuple[float, np.ndarray]:
    """max over x of min over y of x'Ay, as max f'v with F'v <= A'x, Ex = e, x >= 0."""
    import scipy.optimize  # slow, and only needed here

    (own_matrix, own_right), (other_matrix, other_right) = own, other
    num_plan, num_value = own_matrix.shape[1], other_matrix.shape[0]
    result = scipy.optimize.linprog(
        c=np.concatenate([np.zeros(num_plan), -other_right]),
        A_ub=scipy.sparse.hstack([-payoff.T, other_matrix.T]).tocsr(),
        b_ub=np.zeros(other_matrix.shape[1]),
        A_eq=scipy.sparse.hstack(
            [own_matrix, scipy.sparse.csr_matrix((own_matrix.shape[0], num_value))]
        ).tocsr(),
        b_eq=own_right,
        bounds=[(0, None)] * num_plan + [(None, None)] * num_value,
        method="highs",
    )
    if not result.success:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    return -float(result.fun), np.asarray(result.x[:num_plan])


def _behavior(plan: np.ndarray, placement: Placement, size: int) -> tuple[np.ndarray, ...]:
    """From a realization plan to probabilities of actions, [A, H] per layer."""
    layers, start = [], 1 + size
    for legal in placement.legal:
        block = np.where(legal, plan[start : start + legal.size].reshape(legal.shape), 0).clip(0)
        total = block.sum(axis=0)
        uniform = legal / legal.sum(axis=0)
        arrives = total > 0
        layers.append(np.where(arrives, block / np.where(arrives, total, 1), uniform))
        start += legal.size
    return tuple(layers)
