"""Leaf evaluation: the evaluator protocol, and the zero and network evaluators.

A leaf query is a belief state: a public state and a range for each player. An evaluator answers
with a value for every infostate of both players, in utility units given that infostate (not
weighted by anybody's reach), and with policy logits for the acting player.

An evaluator is a pytree, so that network parameters pass through `jax.jit` as arguments. Its
methods are pure. `encode` sees a public state once, when it joins the tree; `evaluate` sees all
leaves of all searches of the batch in one call or in several (`Evaluator.leaves_per_call`), again
in every regret update (`SearchSettings.leaf_interval`), since beliefs change. Where beliefs cannot
change, or its answers do not depend on them, it sees each leaf once, new leaves batched into one
call (`evaluates_once`).
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.core import Game
from sog.pytree import pytree


@pytree
class LeafQueries:
    """Belief states to evaluate; answers for entries that are not valid are ignored.

    The first two axes are [batch, leaf] for an evaluator that takes all leaves in one call
    (`Evaluator.leaves_per_call` is None). Otherwise they are [1, query], with the leaves of the
    searches concatenated.
    """

    encoded: Any
    """Public states as encoded by `Evaluator.encode`, [batch, leaf, ...]."""
    ranges: Array
    """[batch, leaf, player, infostate]; those of a player sum to 1."""
    is_valid: Array
    """[batch, leaf] bool."""


@pytree
class LeafEvaluation:
    """An evaluator's answer."""

    values: Array
    """[batch, leaf, player, infostate]: expected utility given the infostate, in utility units."""
    policy_logits: Array
    """[batch, leaf, infostate, action], for the acting player; illegal actions are ignored."""
    memory: Any
    """State that the evaluator gets back in the next update of the same batch of searches."""


class Evaluator(Protocol):
    """How to value a belief state. Implementations are `sog.pytree.pytree` classes.

    Those that derive from it define `encode` and `evaluate`, and what differs from what is here.
    """

    @property
    def leaves_per_call(self) -> int | None:
        """Leaves per call and search: a call gets this number times the batch size.

        They may come from any of the searches. None: every call gets all leaves, by search.
        """
        return None

    @property
    def looks_at_ranges(self) -> bool:
        """Whether its answers depend on ranges."""
        return True

    def encode(self, game: Game[Any], state: Any) -> Any:
        """Encodes one public state; called once, when the state joins the tree."""

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """The initial memory of a batch of searches: nothing, unless overridden."""
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """Evaluates the queries."""


@runtime_checkable
class BatchEncoder(Protocol):
    """An evaluator whose work is in `encode`: it gets all new leaves in one call."""

    def encode_many(self, game: Game[Any], states: Any, is_valid: Array) -> Any:
        """Encodes each public state [n, ...]; entries where not is_valid [n] are ignored."""


def evaluates_once(game: Game[Any], evaluator: Evaluator) -> bool:
    """Whether a leaf is evaluated only once, when it joins the tree, and not in every update."""
    return not game.hides_information or not evaluator.looks_at_ranges


@pytree
class ZeroEvaluator(Evaluator):
    """Every value is 0 and every action equally likely: search from the rules alone.

    It is called as often as a network would be.
    """

    leaves_per_call: int | None = dataclasses.field(default=16, metadata={"static": True})

    def encode(self, game: Game[Any], state: Any) -> Any:
        """Nothing: values do not depend on public states."""
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """Zeros."""
        values = jnp.zeros_like(queries.ranges)
        logits = jnp.zeros((*values.shape[:2], game.num_infostates, game.num_actions), values.dtype)
        return LeafEvaluation(values=values, policy_logits=logits, memory=memory)


@pytree
class NetworkEvaluator(Evaluator):
    """Evaluates belief states with a network in batches; the features of each are computed once."""

    apply_fn: Callable[[Any, Array, Array], tuple[Array, Array]] = dataclasses.field(
        metadata={"static": True}
    )
    """(parameters, features [query, feature], ranges [query, player, S]) -> values [query, player,
    S] in [-1, 1], the fraction of the game's `max_utility`, and logits [query, S, A]. With an
    `embed_fn`, its output takes the place of the features."""
    params: Any
    leaves_per_call: int | None = dataclasses.field(default=16, metadata={"static": True})
    encode_fn: Callable[[Game[Any], Any], Array] | None = dataclasses.field(
        default=None, metadata={"static": True}
    )
    """(game, public state) -> features [feature]; None for the game's own."""
    embed_fn: Callable[[Any, Array], Array] | None = dataclasses.field(
        default=None, metadata={"static": True}
    )
    """(parameters, features [n, feature]) -> [n, kept]: the part of the network that does not
    depend on ranges, computed once per public state; None keeps the features."""

    def encode(self, game: Game[Any], state: Any) -> Any:
        """The features of the public state, or their embedding by `embed_fn`."""
        features = game.observe(state) if self.encode_fn is None else self.encode_fn(game, state)
        return features if self.embed_fn is None else self.embed_fn(self.params, features[None])[0]

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """One call of the network for all queries."""
        batch, leaves = queries.is_valid.shape
        features = queries.encoded.reshape(batch * leaves, -1)
        ranges = queries.ranges.reshape(batch * leaves, 2, game.num_infostates)
        values, logits = self.apply_fn(self.params, features, ranges)
        return LeafEvaluation(
            values=values.reshape(queries.ranges.shape) * game.max_utility,
            policy_logits=logits.reshape(batch, leaves, game.num_infostates, game.num_actions),
            memory=memory,
        )


@pytree
class Fault:
    """The first non-finite answer of an evaluator, if any; the batch axis comes first."""

    found: Array  # [batch] bool
    state: Array  # [batch, width] int32, packed: the public state of the query


def look_for_faults(fault: Fault, states: Array, values: Array, is_valid: Array) -> Fault:
    """Records the first non-finite answer. states: [batch, leaf, width], packed."""
    is_bad = is_valid & ~jnp.all(jnp.isfinite(values), axis=(2, 3))
    first = jnp.argmax(is_bad, axis=1)
    state = jnp.take_along_axis(states, first[:, None, None], axis=1)[:, 0]
    found = jnp.any(is_bad, axis=1)
    is_first = found & ~fault.found
    return Fault(found=fault.found | found, state=jnp.where(is_first[:, None], state, fault.state))


def evaluate_beliefs(
    game: Game[Any], evaluator: Evaluator, states: Any, ranges: Array
) -> LeafEvaluation:
    """Evaluates public states [batch, ...] with ranges [batch, player, S], without a search. The
    result has the axes [batch, ...] as well."""
    size, axis = len(ranges), 0 if evaluator.leaves_per_call is not None else 1
    is_valid = jnp.ones(size, bool)
    if isinstance(evaluator, BatchEncoder):
        encoded = evaluator.encode_many(game, states, is_valid)
    else:
        encoded = jax.vmap(lambda state: evaluator.encode(game, state))(states)
    queries = LeafQueries(encoded=encoded, ranges=ranges, is_valid=is_valid)
    queries = jax.tree.map(lambda leaf: jnp.expand_dims(leaf, axis), queries)
    answer = evaluate(game, evaluator, evaluator.start(game, size), queries)
    return LeafEvaluation(
        values=jnp.squeeze(answer.values, axis),
        policy_logits=jnp.squeeze(answer.policy_logits, axis),
        memory=answer.memory,
    )


def encode_to_keep(game: Game[Any], evaluator: Evaluator, state: Any) -> Any:
    """The encoding of a leaf that the tree keeps for the evaluator.

    Nothing if leaves are evaluated only once: they are encoded then. For a `BatchEncoder` only
    zeros, which `gtcfr.expansion` fills in for the few candidates that join the tree.
    """
    if evaluates_once(game, evaluator):
        return ()
    if isinstance(evaluator, BatchEncoder):
        shapes = jax.eval_shape(lambda: evaluator.encode(game, game.root()))
        return jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
    return evaluator.encode(game, state)


def evaluate(
    game: Game[Any], evaluator: Evaluator, memory: Any, queries: LeafQueries
) -> LeafEvaluation:
    """Calls an evaluator; raises ValueError if its answer has wrong shapes."""
    answer = evaluator.evaluate(game, memory, queries)
    batch, leaves, _, size = queries.ranges.shape
    wanted = {
        "values": (answer.values, (batch, leaves, 2, size)),
        "policy_logits": (answer.policy_logits, (batch, leaves, size, game.num_actions)),
    }
    for name, (array, shape) in wanted.items():
        if array.shape != shape:
            raise ValueError(
                f"the evaluator's {name} must have shape {shape} "
                f"([batch, leaf, ...]), got {array.shape}."
            )
    return answer
