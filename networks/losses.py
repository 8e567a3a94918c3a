"""Training examples and losses: written for one example, vmapped once.

Student of Games, supplement, "Network Architecture and Optimization":

    loss = w_v Huber(values, target values) + w_p (sum over infostates of KL(target || policy))

with w_v and w_p of Table S2. The sum over infostates is the paper's, so `policy_weight` is w_p: it
weighs one infostate's KL divergence, in nats, and a game with more infostates gives its policy more
weight. The paper does not say whether the Huber loss is the mean or the sum over values. Here it is
the mean over the known values of both players, so `value_weight` is w_v. That is our reading: the
mean is the default of TensorFlow, which the paper used, and its w_p falls with the infostates of
the game (1 for 1, 0.05 for 199, 0.01 for 1326), as suits a sum beside a mean. To read it as a sum,
multiply w_v by the number of known values, in Scotland Yard at most 200 (the detectives have one
infostate). Huber's delta is not published either. Values are shares of the largest utility U: a w_v
and delta for values in points become w_v U ** 2 and delta / U.

Beyond the paper: where stakes grow during a game, as in poker, errors about small pots count for
little beside those about large ones, though most pots are small and their errors add up. The loss
can be of values as shares of the stake in their state, as in DeepStack's networks, where values are
shares of the pot (Moravcik et al. 2017).
"""

from typing import Any, Final

import jax
import jax.numpy as jnp
import optax
from jax import Array

from networks.cvpn import ApplyNetwork
from sog.pytree import pytree

_IMPOSSIBLE: Final = -1e9  # a logit; softmax must not get infinities


@pytree
class Example:
    """A belief state with targets from a search or from the outcome of a game."""

    features: Array  # [feature]
    legal: Array  # [S, A] bool: actions of the player to act
    ranges: Array  # [player, S]
    values: Array  # [player, S]: as a fraction of the largest utility
    value_mask: Array  # [player, S] bool: where `values` are known
    policy: Array  # [S, A]: rows of `policy_mask` sum to 1
    policy_mask: Array  # [S] bool
    at_stake: Array  # scalar: a share of the largest utility, 1 if the encoding lacks it


def example_losses(
    values: Array,
    logits: Array,
    example: Example,
    *,
    huber_delta: float,
    relative_values: bool = False,
) -> dict[str, Array]:
    """The unweighted losses of one example. values: [player, S]; logits: [S, A].

    `value_loss`: Huber loss, mean over the known values; with relative_values both values and delta
    are shares of what is at stake. `policy_loss`: KL(target || policy), sum over the known
    infostates. `value_error`: absolute error, mean over the known values.
    """
    error = jnp.where(example.value_mask, values - example.values, 0)
    counted = error / example.at_stake if relative_values else error
    num_values = jnp.maximum(jnp.sum(example.value_mask), 1)
    log_policy = jax.nn.log_softmax(jnp.where(example.legal, logits, _IMPOSSIBLE), axis=1)
    target = jnp.where(example.legal & example.policy_mask[:, None], example.policy, 0)
    log_target = jnp.log(jnp.where(target > 0, target, 1))
    divergence = jnp.where(target > 0, target * (log_target - log_policy), 0)
    return {
        "value_loss": jnp.sum(optax.losses.huber_loss(counted, delta=huber_delta)) / num_values,
        "policy_loss": jnp.sum(divergence),
        "value_error": jnp.sum(jnp.abs(error)) / num_values,
    }


def batch_loss(
    apply_fn: ApplyNetwork,
    params: Any,
    examples: Example,
    *,
    value_weight: float,
    policy_weight: float,
    huber_delta: float,
    relative_values: bool = False,
) -> tuple[Array, dict[str, Array]]:
    """The loss of a batch and its unweighted terms, means over the examples."""
    values, logits = apply_fn(params, examples.features, examples.ranges)

    def of_one(*arguments: Any) -> dict[str, Array]:
        return example_losses(*arguments, huber_delta=huber_delta, relative_values=relative_values)

    terms = jax.tree.map(jnp.mean, jax.vmap(of_one)(values, logits, examples))
    loss = value_weight * terms["value_loss"] + policy_weight * terms["policy_loss"]
    return loss, {"loss": loss, **terms}
