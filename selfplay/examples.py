"""Stored training examples: rows of arrays, with packed public states.

What derives from the public state (features, legal actions) is computed when an example is used.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.packing import BeliefState, pack, packed_width, unpack
from networks.cvpn import ApplyNetwork
from networks.losses import Example
from sog.games.core import CHANCE, Game
from sog.games.encoding import at_stake
from sog.pytree import pytree


@pytree
class StoredExample(BeliefState):
    """An example, or many with a leading axis; JAX or NumPy arrays."""

    values: Array  # [player, S]: as a fraction of the largest utility
    value_mask: Array  # [player, S] bool
    policy: Array  # [S, A]
    policy_mask: Array  # [S] bool
    version: Array  # int32: learner steps of the network that searched


def store_example(
    game: Game[Any], belief: BeliefState, values: Array, policy: Array, version: Array
) -> StoredExample:
    """An example from a search of one belief state. values: [player, S], in utility units.

    A value is known where the infostate can occur with one of the opponent's, a policy where the
    acting player reaches the infostate: elsewhere the search has no average.
    """
    state, ranges = unpack(game, belief.state), belief.ranges
    actor = game.actor(state)
    mover = jnp.minimum(actor, 1)
    value_mask = game.infostate_mask(state) & (game.compatible_reach(state, ranges) > 0)
    legal = jnp.any(game.legal_actions(state), axis=1)
    return StoredExample(
        **vars(belief),
        values=jnp.where(value_mask, values / game.max_utility, 0),
        value_mask=value_mask,
        policy=policy,
        policy_mask=legal & (ranges[mover] > 0) & (actor < CHANCE),
        version=jnp.asarray(version, jnp.int32),
    )


def examples_of_values(
    game: Game[Any],
    belief: BeliefState,
    values: np.ndarray,
    value_mask: np.ndarray,
    policy: np.ndarray | None = None,
) -> StoredExample:
    """Examples that no search made, of version 0. NumPy arrays, [example, ...].

    policy: 0 where unknown; None if unknown everywhere.
    """
    count, size = len(values), game.num_infostates
    if policy is None:
        policy = np.zeros((count, size, game.num_actions), np.float32)
    arrays: dict[str, Any] = {
        **vars(belief),
        "values": values,
        "value_mask": value_mask,
        "policy": policy,
        "policy_mask": policy.sum(axis=2) > 0,
        "version": np.zeros(count, np.int32),
    }
    return StoredExample(**arrays)


def load_example(game: Game[Any], apply_fn: ApplyNetwork, stored: StoredExample) -> Example:
    """One example as the loss takes it, with the network's features."""
    state = unpack(game, stored.state)
    return Example(
        features=apply_fn.encode(game, state),
        legal=game.legal_actions(state),
        ranges=stored.ranges,
        values=stored.values,
        value_mask=stored.value_mask,
        policy=stored.policy,
        policy_mask=stored.policy_mask,
        at_stake=at_stake(game.encoding, state),
    )


def random_twin(game: Game[Any], stored: StoredExample, key: Array) -> StoredExample:
    """The example under a random symmetry, see `Game.random_symmetry`."""
    state = unpack(game, stored.state)
    twin, infostates, actions = game.random_symmetry(key, state)
    own = infostates[jnp.minimum(game.actor(state), 1)]
    return StoredExample(
        state=pack(twin),
        ranges=jnp.take_along_axis(stored.ranges, infostates, axis=1),
        values=jnp.take_along_axis(stored.values, infostates, axis=1),
        value_mask=jnp.take_along_axis(stored.value_mask, infostates, axis=1),
        policy=stored.policy[own][:, actions],
        policy_mask=stored.policy_mask[own],
        version=stored.version,
    )


def no_examples(game: Game[Any], size: int) -> StoredExample:
    """Zeros for `size` examples, NumPy arrays."""
    infostates, actions = game.num_infostates, game.num_actions
    arrays: dict[str, Any] = {
        "state": np.zeros((size, packed_width(game)), np.int32),
        "ranges": np.zeros((size, 2, infostates), np.float32),
        "values": np.zeros((size, 2, infostates), np.float32),
        "value_mask": np.zeros((size, 2, infostates), bool),
        "policy": np.zeros((size, infostates, actions), np.float32),
        "policy_mask": np.zeros((size, infostates), bool),
        "version": np.zeros(size, np.int32),
    }
    return StoredExample(**arrays)


def take(examples: StoredExample, rows: np.ndarray) -> StoredExample:
    """Some of the examples."""
    taken: StoredExample = jax.tree.map(lambda leaf: leaf[rows], examples)
    return taken
