"""What a search asks at its leaves: the evaluator protocol, and evaluators that know nothing.

A leaf query is a belief state: a public state and a range for each player. An evaluator answers
with a value for every infostate of both players, in utility units given that infostate (not
weighted by anybody's reach), and with policy logits for the acting player.

An evaluator is a pytree, so that network parameters travel through `jax.jit` as arguments. Its
methods are pure. `encode` sees a public state once, when it joins the tree; `evaluate` sees all
leaves of all searches of the batch in one call or in several (`Evaluator.leaves_per_call`), again
in every regret update (`SearchSettings.leaf_interval`), since beliefs change. Where they do not, or
it does not look at them, it sees each leaf once, many of those that join the trees in one call
(`is_asked_once`).
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
    """Belief states put to an evaluator; entries that are not valid may be answered by anything.

    The first two axes are [batch, leaf] for an evaluator that is asked about all leaves at once
    (`Evaluator.leaves_per_call` is None). Otherwise they are [1, query], the leaves of one search
    after those of the other.
    """

    encoded: Any
    """What `Evaluator.encode` made of the public states, [batch, leaf, ...]."""
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
    """What the evaluator wants back in the next update of the same batch of searches."""


class Evaluator(Protocol):
    """How to value a belief state. Implementations are `sog.pytree.pytree` classes."""

    @property
    def leaves_per_call(self) -> int | None:
        """Leaves per call and search of the batch: a call gets so many times the batch size.

        It does not matter of which searches they are. None: every call gets all leaves, by search.
        """

    @property
    def looks_at_ranges(self) -> bool:
        """Whether its answers depend on ranges."""

    def encode(self, game: Game[Any], state: Any) -> Any:
        """What to keep of one public state; called once, when the state joins the tree."""

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """The memory that the first call of a batch of searches gets."""

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """Answers the queries."""


@runtime_checkable
class BatchEncoder(Protocol):
    """An evaluator whose work is in `encode`: it gets all that join the trees in one call."""

    def encode_many(self, game: Game[Any], states: Any, is_valid: Array) -> Any:
        """What `encode` makes of each public state [n, ...]; anything where not is_valid [n]."""


def is_asked_once(game: Game[Any], evaluator: Evaluator) -> bool:
    """Whether a leaf is put to an evaluator once, when it joins the tree, or in every update."""
    return not game.hides_information or not evaluator.looks_at_ranges


@pytree
class ZeroEvaluator:
    """Every value is 0 and every action equally likely: search from the rules alone.

    It is asked as a network would be.
    """

    looks_at_ranges = True

    leaves_per_call: int | None = dataclasses.field(default=16, metadata={"static": True})

    def encode(self, game: Game[Any], state: Any) -> Any:
        """Nothing: public states are not looked at."""
        return ()

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """No memory."""
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """Zeros."""
        values = jnp.zeros_like(queries.ranges)
        logits = jnp.zeros((*values.shape[:2], game.num_infostates, game.num_actions), values.dtype)
        return LeafEvaluation(values=values, policy_logits=logits, memory=memory)


@pytree
class NetworkEvaluator:
    """Asks a network about many belief states at once, the features of each computed only once."""

    looks_at_ranges = True

    apply_fn: Callable[[Any, Array, Array], tuple[Array, Array]] = dataclasses.field(
        metadata={"static": True}
    )
    """(parameters, features [query, feature], ranges [query, player, S]) -> values [query, player,
    S] in [-1, 1], the fraction of the game's `max_utility`, and logits [query, S, A]. With an
    `embed_fn`, of what that keeps instead of the features."""
    params: Any
    leaves_per_call: int | None = dataclasses.field(default=16, metadata={"static": True})
    encode_fn: Callable[[Game[Any], Any], Array] | None = dataclasses.field(
        default=None, metadata={"static": True}
    )
    """(game, public state) -> features [feature]; None for those of the game."""
    embed_fn: Callable[[Any, Array], Array] | None = dataclasses.field(
        default=None, metadata={"static": True}
    )
    """(parameters, features [n, feature]) -> [n, kept]: the part of the network that does not look
    at ranges, which a public state goes through once; None keeps the features."""

    def encode(self, game: Game[Any], state: Any) -> Any:
        """The features of the public state, or what the network makes of them without ranges."""
        features = game.observe(state) if self.encode_fn is None else self.encode_fn(game, state)
        return features if self.embed_fn is None else self.embed_fn(self.params, features[None])[0]

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """No memory."""
        return ()

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
    """The first answer of an evaluator, if any, that was not finite; the batch axis comes first."""

    found: Array  # [batch] bool
    state: Array  # [batch, width] int32, packed: the public state it was asked about


def look_for_faults(fault: Fault, states: Array, values: Array, is_valid: Array) -> Fault:
    """Notes an answer that is not finite. states: [batch, leaf, width], packed."""
    is_bad = is_valid & ~jnp.all(jnp.isfinite(values), axis=(2, 3))
    first = jnp.argmax(is_bad, axis=1)
    state = jnp.take_along_axis(states, first[:, None, None], axis=1)[:, 0]
    found = jnp.any(is_bad, axis=1)
    is_first = found & ~fault.found
    return Fault(found=fault.found | found, state=jnp.where(is_first[:, None], state, fault.state))


def ask_once(game: Game[Any], evaluator: Evaluator, states: Any, ranges: Array) -> LeafEvaluation:
    """What an evaluator says of public states [batch, ...] with ranges [batch, player, S], asked
    once. Its answer has the axes [batch, ...] as well."""
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
    """What the tree keeps of a leaf for the evaluator.

    Nothing if it is asked about a leaf only once: that is encoded then. Of the children that could
    be, few do join the tree; for that reason a `BatchEncoder` gets room only, which
    `gtcfr.expansion` has filled for those that do.
    """
    if is_asked_once(game, evaluator):
        return ()
    if isinstance(evaluator, BatchEncoder):
        shapes = jax.eval_shape(lambda: evaluator.encode(game, game.root()))
        return jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
    return evaluator.encode(game, state)


def evaluate(
    game: Game[Any], evaluator: Evaluator, memory: Any, queries: LeafQueries
) -> LeafEvaluation:
    """Asks an evaluator, and holds it to the shapes of its answer (ValueError)."""
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
