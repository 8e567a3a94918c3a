"""The re-solving gadget (Student of Games, "Modified Continual Re-solving"; CFR-D, DeepStack).

Before the root of a re-solve the opponent chooses, at each infostate, to FOLLOW into the subgame or
to TERMINATE and take the cfv that the last search promised. So a new policy for the subgame cannot
give the opponent more than the old one did without regret noticing it.
"""

from typing import Final

import jax.numpy as jnp
from jax import Array

from gtcfr.flow import normalize
from sog.pytree import pytree
from sog.tabular.rules import Rule, Step, accumulate, predict

NOBODY: Final = -1
"""The opponent of a search whose root ranges are known: there is no gadget."""
FOLLOW: Final = 0
TERMINATE: Final = 1


@pytree
class Gadget:
    """The opponent's choice before the root, for one search."""

    opponent: Array  # int32: the player who chooses, or NOBODY
    terminate_cfvs: Array  # [S]: for TERMINATE, under a range of the other player that sums to 1
    cumulative_regret: Array  # [choice, S]
    follow: Array  # [S]: the current probability of FOLLOW


def make_gadget(opponent: Array, terminate_cfvs: Array) -> Gadget:
    """A gadget without regrets; the opponent follows with probability 1/2."""
    return Gadget(
        opponent=opponent,
        terminate_cfvs=terminate_cfvs,
        cumulative_regret=jnp.zeros((2, *terminate_cfvs.shape), terminate_cfvs.dtype),
        follow=jnp.full_like(terminate_cfvs, 0.5),
    )


def root_reach(gadget: Gadget, ranges: Array, mask: Array, alpha: float) -> Array:
    """Reach at the root in the next update: [player, S].

    ranges: [player, S], given or from the last search; mask: [player, S], possible infostates. The
    opponent's reach is alpha * FOLLOW + (1 - alpha) * its range, where FOLLOW is the reach behind
    the gadget if every possible infostate is equally likely before it. It is not normalized, as in
    CFR-D: an update counts the less, the more the opponent terminates. (The paper is silent.)
    """
    follow = gadget.follow[None] * mask / jnp.sum(mask, axis=-1, keepdims=True)
    chosen = alpha * follow + (1 - alpha) * ranges
    chooses = (jnp.arange(2) == gadget.opponent)[:, None]
    return jnp.where(chooses, chosen, ranges)


def update_gadget(gadget: Gadget, root_cfvs: Array, rule: Rule, step: Step) -> Gadget:
    """One update of the opponent's choice. root_cfvs: [player, S] of this update."""
    following = root_cfvs[jnp.maximum(gadget.opponent, 0)]
    cfvs = jnp.stack([following, gadget.terminate_cfvs])
    value = gadget.follow * cfvs[FOLLOW] + (1 - gadget.follow) * cfvs[TERMINATE]
    instant = cfvs - value[None]
    regret = accumulate(rule, gadget.cumulative_regret, instant, step)
    matched = regret + predict(rule, regret, instant, step) if rule.prediction else regret
    # Without positive regret, both choices are equally likely.
    follow = normalize(jnp.maximum(matched, 0).T, jnp.ones((len(following), 2), bool))[:, FOLLOW]
    return Gadget(
        opponent=gadget.opponent,
        terminate_cfvs=gadget.terminate_cfvs,
        cumulative_regret=regret,
        follow=follow,
    )
