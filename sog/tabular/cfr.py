"""The CFR family on the sequence form: one implementation, the rule is an argument.

Pure functions, to be jitted by the caller (`sog.tabular.solver` does). Shapes: [A, H, batch] per
layer and player, sequences buffer [entry, batch]; see `sog.tabular.sequence_form`.
"""

import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.accelerators import is_accelerated
from sog.pytree import pytree
from sog.tabular.rules import Rule, Step, accumulate, add_to_average, predict
from sog.tabular.sequence_form import Layer, SequenceForm, SparsePayoff, Treeplex

LayerArrays = tuple[Array, ...]
"""One array [A, H, batch] per layer of a treeplex."""
PlayerLayers = tuple[LayerArrays, LayerArrays]
"""Of each player."""

_MOST_UNROLLED: Final = 32  # a longer sum is a loop, to keep programs small
_MOST_ADDED: Final = 8  # actions, on a CPU
_MOST_ADDED_ON_ACCELERATORS: Final = 64


@pytree
class CFRState:
    """The state of CFR between iterations; pairs are indexed by player."""

    cumulative_regret: PlayerLayers
    policy: PlayerLayers
    """The current policy."""
    sequences: tuple[Array, Array]
    """[entry, batch]: the reach of every sequence under the current policy."""
    policy_sum: tuple[Array, Array]
    """[entry, batch]: weighted sums of `sequences`; normalized, the average policy."""


def zero_regret(form: SequenceForm, batch_size: int, dtype: Any) -> PlayerLayers:
    """Cumulative regrets before the first iteration."""
    first, second = (
        tuple(jnp.zeros((*layer.legal.shape, batch_size), dtype) for layer in plex.layers)
        for plex in form.treeplex
    )
    return first, second


def initial_state(
    form: SequenceForm, root_reach: Array, regret: PlayerLayers | None = None
) -> CFRState:
    """The state before the first iteration. root_reach: [2, S, batch].

    regret: the cumulative regrets to begin with, 0 unless given.
    """
    if regret is None:
        regret = zero_regret(form, root_reach.shape[-1], root_reach.dtype)
    (policy_0, sequences_0), (policy_1, sequences_1) = (
        act(plex, root_reach[player], regret[player]) for player, plex in enumerate(form.treeplex)
    )
    return CFRState(
        cumulative_regret=regret,
        policy=(policy_0, policy_1),
        sequences=(sequences_0, sequences_1),
        policy_sum=(jnp.zeros_like(sequences_0), jnp.zeros_like(sequences_1)),
    )


def iterate(
    form: SequenceForm, root_reach: Array, rule: Rule, state: CFRState, step: Step
) -> CFRState:
    """One iteration of both players. root_reach: [2, S, batch]."""
    before = state.sequences
    regret, policy_sum = list(state.cumulative_regret), list(state.policy_sum)
    policy, sequences = list(state.policy), list(state.sequences)
    for player, plex in enumerate(form.treeplex):
        # An alternating rule lets player 1 answer the policy that player 0 has just updated.
        met = sequences[1 - player] if rule.alternating else before[1 - player]
        instant, _ = back_up(plex, policy[player], leaf_cfvs(form, player, met))
        policy_sum[player] = add_to_average(rule, policy_sum[player], sequences[player], step)
        regret[player] = tuple(
            accumulate(rule, old, new, step)
            for old, new in zip(regret[player], instant, strict=True)
        )
        matched = regret[player]
        if rule.prediction:
            matched = tuple(
                old + predict(rule, old, new, step)
                for old, new in zip(regret[player], instant, strict=True)
            )
        policy[player], sequences[player] = act(plex, root_reach[player], matched)
    return CFRState(
        cumulative_regret=(regret[0], regret[1]),
        policy=(policy[0], policy[1]),
        sequences=(sequences[0], sequences[1]),
        policy_sum=(policy_sum[0], policy_sum[1]),
    )


def regret_matching(regret: Array, uniform: Array, axis: int = 0) -> Array:
    """A policy proportional to positive regret, uniform where there is none.

    regret: [..., A, ...], 0 where illegal; axis: of its actions. uniform: the uniform policy over
    legal actions, of a shape that broadcasts.
    """
    positive = jnp.maximum(regret, 0)
    total = sum_actions(positive, axis)
    has_regret = total >= np.finfo(regret.dtype).tiny  # 1 / less may be infinite
    scale = 1 / jnp.where(has_regret, total, 1)
    return jnp.where(has_regret, positive * scale, uniform)


def act(plex: Treeplex, root_reach: Array, regret: LayerArrays) -> tuple[LayerArrays, Array]:
    """The policy by regret matching, and the reach of every sequence under it.

    root_reach: [S, batch]. Returns [A, H, batch] per layer and the buffer [entry, batch].
    """
    policy = tuple(
        hold(layer, regret_matching(values, layer.uniform[:, :, None]))
        for values, layer in zip(regret, plex.layers, strict=True)
    )
    return policy, realize(plex, root_reach, policy)


def hold(layer: Layer, policy: Array) -> Array:
    """The policy [A, H, batch] of a layer with locked columns replaced."""
    if layer.held is None:
        return policy
    held = layer.held.policy.astype(policy.dtype)
    return jnp.where(layer.held.is_held[None, :, None], held[:, :, None], policy)


def realize(plex: Treeplex, root_reach: Array, policy: LayerArrays) -> Array:
    """The reach of every sequence under a policy: the buffer [entry, batch]."""
    reach = jnp.where(plex.root_mask[:, None], root_reach, 0)
    buffer = jnp.concatenate([jnp.zeros_like(reach[:1]), reach])
    for layer, probability in zip(plex.layers, policy, strict=True):
        sequences = probability * gather_sum(buffer, layer.source)[None]
        buffer = jnp.concatenate([buffer, sequences.reshape(-1, buffer.shape[-1])])
    return buffer


def in_layers(plex: Treeplex, buffer: Array) -> LayerArrays:
    """The blocks of a sequence buffer: [A, H, batch] per layer."""
    start, blocks = 1 + plex.root_mask.shape[0], []
    for layer in plex.layers:
        stop = start + layer.legal.size
        blocks.append(buffer[start:stop].reshape(*layer.legal.shape, -1))
        start = stop
    return tuple(blocks)


def average_policy(form: SequenceForm, policy_sum: tuple[Array, Array]) -> PlayerLayers:
    """The policy of sums of sequences; uniform where a player never arrives."""
    first, second = (
        tuple(  # regret matching on sums is just normalization
            hold(layer, regret_matching(values, layer.uniform[:, :, None]))
            for values, layer in zip(in_layers(plex, sums), plex.layers, strict=True)
        )
        for plex, sums in zip(form.treeplex, policy_sum, strict=True)
    )
    return first, second


def leaf_cfvs(form: SequenceForm, player: int, opponent_sequences: Array) -> Array:
    """Cfvs [leaf row, batch] of a player at the terminal states, from the opponent's buffer."""
    reach = gather_sum(opponent_sequences, form.treeplex[1 - player].leaf_source)
    payoff = form.payoff
    if isinstance(payoff, SparsePayoff):
        weight, other = payoff.weight[player], payoff.other[player]
        if len(other) > _MOST_UNROLLED:
            # Unrolled: as one reduction over all lists, XLA's CPU code is many times slower.
            summed: Array = jax.lax.fori_loop(
                0,
                len(other),
                lambda place, total: total + weight[place] * reach[other[place]],
                jnp.zeros((other.shape[1], reach.shape[1]), reach.dtype),
            )
            return summed
        return add_up([weight[place] * reach[other[place]] for place in range(len(other))])
    cfvs, start = list[Array](), 0
    for matrix, num_ends in zip(payoff.matrices, payoff.num_ends, strict=True):
        # [own infostate, other infostate, terminal, batch]
        own = matrix if player == 0 else -matrix.swapaxes(0, 1)
        rows, columns, num_matrices, _ = own.shape
        stop = start + columns * num_ends
        met = reach[start:stop].reshape(columns, num_ends, reach.shape[-1])
        start = stop
        if num_matrices < num_ends:
            product = jnp.tensordot(own[:, :, 0, 0], met, 1, precision=jax.lax.Precision.HIGHEST)
            cfvs.append(product.reshape(rows * num_ends, -1))
            continue
        # Unrolled: as one reduction or matrix product XLA's CPU code is 5 to 50 times slower here.
        cfvs += [
            add_up([own[row, column] * met[column] for column in range(columns)])
            for row in range(rows)
        ]
    return jnp.concatenate(cfvs)


def back_up(
    plex: Treeplex, policy: LayerArrays, leaf: Array, best_response: bool = False
) -> tuple[LayerArrays, Array]:
    """Backs cfvs up a treeplex.

    policy: [A, H, batch] per layer (not read for a best response). leaf: cfvs [leaf row, batch].
    Returns the advantage of every action over the policy (or over the best action), [A, H, batch]
    per layer, and the cfvs [S, batch] of the root infostates.
    """
    nothing = jnp.zeros((1, leaf.shape[1]), leaf.dtype)
    leaf = jnp.concatenate([leaf, nothing])
    below = nothing  # cfvs of the infostates in later layers, then 0
    advantages = []
    for layer, probability in zip(reversed(plex.layers), reversed(policy), strict=True):
        q = gather_sum(leaf, layer.leaf) + gather_sum(below, layer.child)
        q = q.reshape(*layer.legal.shape, -1)
        if best_response:
            value = jnp.max(jnp.where(layer.legal[:, :, None], q, -jnp.inf), axis=0)
            if layer.held is not None:
                given = add_up([p * q[a] for a, p in enumerate(layer.held.policy[:, :, None])])
                value = jnp.where(layer.held.is_held[:, None], given, value)
        else:
            value = add_up([p * action for p, action in zip(probability, q, strict=True)])
        advantages.append(jnp.where(layer.legal[:, :, None], q - value[None], 0))
        below = jnp.concatenate([value, below])
    root = gather_sum(leaf, plex.root_leaf) + gather_sum(below, plex.root_child)
    return tuple(reversed(advantages)), root


def gather_sum(values: Array, lists: Array) -> Array:
    """Sums `values[lists[0]] + values[lists[1]] + ...`; values [n, batch], lists [list, m]."""
    if len(lists) == 0:
        return jnp.zeros((lists.shape[1], values.shape[1]), values.dtype)
    if values.shape[1] == 1:
        # Rows of one number: fewer kernels matter more than contiguous rows.
        return jnp.sum(jnp.take(values, lists, axis=0, mode="clip"), axis=0)
    taken = [jnp.take(values, row, axis=0, mode="clip") for row in lists]
    return add_up(taken)


def sum_actions(values: Array, axis: int) -> Array:
    """The sum over actions; the axis stays, with length 1.

    XLA fuses a short unrolled sum into what follows, where every action's entry computes the sum
    again. So longer ones are reductions: with 13 actions regret matching takes a third of the time.
    On accelerators, where every reduction is another kernel, only much longer ones.
    """
    num_actions = values.shape[axis]
    if num_actions > (_MOST_ADDED_ON_ACCELERATORS if is_accelerated() else _MOST_ADDED):
        return jnp.sum(values, axis=axis, keepdims=True)
    # Parts that keep the axis: each an operation over contiguous rows.
    return add_up(jnp.split(values, num_actions, axis=axis))


def add_up(terms: Sequence[Array]) -> Array:
    """An unrolled sum, which XLA fuses into one loop over contiguous rows."""
    return functools.reduce(jnp.add, terms)
