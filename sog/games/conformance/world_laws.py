"""Laws of single worlds: functions of worlds must agree with the flow of ranges.

A world (s0, s1) with joint weight w > 0 and an action, pushed through `advance` as one-hot ranges,
predicts the probability of every world of every child: the child's joint weight where both pushed
ranges are 1, divided by w. Samples of `transition` are compared with that prediction. By induction
from the root, `deal` and `transition` then play the same game as `advance`.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.finding import Finding, agree
from sog.games.conformance.outcomes import followed_outcomes, num_followed, of_all_outcomes
from sog.games.conformance.sample import MOST_ENTRIES_PER_CALL, acting_row, entries_per_outcome
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree

SAMPLES_PER_WORLD: Final = 4


@pytree
class WorldProbe:
    """Worlds of one public state, predictions of one-hot ranges, and samples of `transition`."""

    infostates: Array  # int32[M, 2]
    action: Array  # int32[M]
    exists: Array  # bool[M]: False for padding
    actor: Array  # int32
    followed: Array  # int32[F]: outcomes, see `followed_outcomes`
    follows_legal: Array  # bool[F]: which of these are legal
    child_reach: Array  # [M, F, 2, S]: `advance` of the one-hot ranges
    probability: Array  # [M, K]: predicted, of each outcome
    sampled_outcome: Array  # int32[M, N]
    sampled_infostates: Array  # int32[M, N, 2]
    sampled_is_legal: Array  # bool[M, N]: a legal outcome, and infostates within bounds
    sampled_probability: Array  # [M, N]: predicted, of the sampled outcome and infostates
    first_key: Array  # uint32[M, ...]: key data of the first sample
    payoffs: Array  # [M, 2]: utilities by the one-hot ranges, where terminal
    legal: Array  # bool[M, A]: the acting player's row of `legal_actions`
    world_legal: Array  # bool[M, A]: the result of `world_actions`
    world_payoff: Array  # [M]: the result of `world_utility`

    @property
    def names(self) -> np.ndarray:
        """int[M, 3]: infostate of player 0, of player 1, and action."""
        return np.concatenate([self.infostates, np.asarray(self.action)[:, None]], axis=1)

    @property
    def is_over(self) -> Array:
        """bool[M]: worlds that are over."""
        return self.exists & (self.actor == TERMINAL)

    @property
    def is_not_over(self) -> Array:
        """bool[M]: worlds that are not over."""
        return self.exists & (self.actor != TERMINAL)


def num_worlds(game: Game[Any], max_worlds: int) -> int:
    """M: worlds to check per public state; all of them if there are at most `max_worlds`."""
    everything = game.num_infostates**2 * game.num_actions
    branches = max(num_followed(game), SAMPLES_PER_WORLD)
    affordable = MOST_ENTRIES_PER_CALL // (branches * entries_per_outcome(game))
    return max(1, min(everything, max_worlds, affordable))


def joint_weight(game: Game[Any], state: Any, infostates: Array) -> Array:
    """w(s0, s1) at a public state."""
    reach = jax.nn.one_hot(infostates, game.num_infostates)
    return game.compatible_reach(state, reach)[0, infostates[0]]


def follow_world(
    game: Game[Any], state: Any, infostates: Array, action: Array
) -> Callable[[Array], Array]:
    """A function from an outcome to [2, S]: `advance` of the one-hot ranges of a world."""
    row, size = acting_row(game.actor(state)), game.num_infostates
    own, other = infostates[row], infostates[1 - row]
    action_reach = jnp.zeros((size, game.num_actions)).at[own, action].set(1)
    other_reach = jax.nn.one_hot(other, size)
    return lambda outcome: game.advance(state, outcome, action_reach, other_reach)


def is_within(game: Game[Any], outcomes: Array, infostates: Array) -> Array:
    """bool[N]: outcomes [N] are below K, infostates [N, 2] below S."""
    is_outcome = (outcomes >= 0) & (outcomes < game.num_outcomes)
    return is_outcome & ((infostates >= 0) & (infostates < game.num_infostates)).all(axis=1)


def _draw_world(
    game: Game[Any], state: Any, possible: Array, legal: Array, draws: Array
) -> tuple[Array, Array, Array]:
    """(own infostate, other infostate, action) of the acting player; draws [3, max(S, A)]."""
    row = acting_row(game.actor(state))

    def pick(where: Array, draws: Array) -> Array:
        return jnp.argmax(jnp.where(where, draws[: len(where)], 0)).astype(jnp.int32)

    other = pick(possible[1 - row], draws[0])
    one_hot = jax.nn.one_hot(other, game.num_infostates)
    weight = game.compatible_reach(state, jnp.stack([one_hot, one_hot]))[row]
    own = pick(possible[row] & (weight > 0), draws[1])
    return own, other, pick(legal[own], draws[2])


def probe_worlds(
    game: Game[Any], state: Any, possible: Array, key: Array, max_worlds: int
) -> WorldProbe:
    """Probes worlds of a public state: all of a small one, otherwise some at random."""
    key_world, key_sample = jax.random.split(key)
    count, size = num_worlds(game, max_worlds), game.num_infostates
    actor, outcomes = game.actor(state), game.legal_outcomes(state)
    row = acting_row(actor)
    first = jnp.arange(game.num_actions) == 0
    no_choice = possible[row][:, None] & first[None, :]
    given = game.legal_actions(state)
    legal = jnp.where(actor == TERMINAL, no_choice, given)
    shape = (size, size, game.num_actions)
    if count == math.prod(shape):
        own, other, action = jnp.unravel_index(jnp.arange(count, dtype=jnp.int32), shape)
    else:
        draws = jax.random.uniform(key_world, (count, 3, max(size, game.num_actions)), minval=0.1)
        own, other, action = jax.vmap(
            lambda draws: _draw_world(game, state, possible, legal, draws)
        )(draws)
    pair = jnp.stack([own, other], axis=1)
    infostates = jnp.where(row == 0, pair, pair[:, ::-1])
    weight = jax.vmap(lambda pair: joint_weight(game, state, pair))(infostates)
    exists = possible[row, own] & possible[1 - row, other] & legal[own, action] & (weight > 0)
    followed = followed_outcomes(game, state, jax.random.fold_in(key, 1))

    def follow(infostates: Array, action: Array, weight: Array, key: Array) -> dict[str, Array]:
        reach_of = follow_world(game, state, infostates, action)

        def mass(outcome: Array) -> Array:
            reach = reach_of(outcome)
            compatible = game.compatible_reach(game.apply(state, outcome), reach)
            return (reach[0] * compatible[0]).sum()

        masses = jnp.where(outcomes, of_all_outcomes(game, state, mass), 0)
        keys = jax.random.split(key, SAMPLES_PER_WORLD)
        outcome, moved = jax.vmap(game.transition, (0, None, None, None))(
            keys, state, infostates, action
        )
        sampled = jnp.clip(outcome, 0, game.num_outcomes - 1)
        child = jax.vmap(game.apply, (None, 0))(state, sampled)
        child_weight = jax.vmap(lambda child, pair: joint_weight(game, child, pair))(child, moved)
        reached = jax.vmap(lambda reach, pair: reach[0, pair[0]] * reach[1, pair[1]])(
            jax.vmap(reach_of)(sampled), moved
        )
        return {
            "child_reach": jax.vmap(reach_of)(followed),
            "probability": masses / weight,
            "sampled_outcome": outcome,
            "sampled_infostates": moved,
            "sampled_is_legal": is_within(game, outcome, moved) & outcomes[sampled],
            "sampled_probability": reached * child_weight / weight,
            "first_key": jax.random.key_data(keys[0]),
        }

    safe_weight = jnp.where(exists, weight, 1)
    keys = jax.random.split(key_sample, count)
    reach = jax.nn.one_hot(infostates, size)
    cfvs = jax.vmap(game.utilities, (None, 0))(state, reach)
    return WorldProbe(
        infostates=infostates,
        action=action,
        exists=exists,
        actor=actor,
        followed=followed,
        follows_legal=outcomes[followed],
        **jax.vmap(follow)(infostates, action, safe_weight, keys),
        payoffs=(cfvs * reach).sum(axis=2) / safe_weight[:, None],
        legal=given[infostates[:, row]],
        world_legal=jax.vmap(game.world_actions, (None, 0))(state, infostates),
        world_payoff=jax.vmap(game.world_utility, (None, 0))(state, infostates),
    )


def world_laws(game: Game[Any], worlds: WorldProbe) -> Iterator[Finding | None]:
    """The laws, checked on the probe of one state."""
    over, goes_on = worlds.is_over, worlds.is_not_over
    text, axes = "every coefficient of advance is 0 or 1", "world followed player infostate"
    followed = goes_on[:, None] & worlds.follows_legal[None, :]
    nearest = np.where(worlds.child_reach > 0.5, 1, 0)
    yield agree(text, axes, nearest, worlds.child_reach, where=followed)
    text = "the outcomes of an action in a world have total probability 1"
    yield agree(text, "world", 1, worlds.probability.sum(axis=1), where=goes_on)
    text = "transition returns a legal outcome and two infostates below num_infostates"
    yield agree(text, "world sample", True, worlds.sampled_is_legal, where=goes_on)
    text = (
        "transition leads only to worlds that advance and compatible_reach give a probability > 0"
    )
    yield agree(text, "world sample", True, worlds.sampled_probability > 0, where=goes_on)

    text, bound = "utilities are zero-sum in every world", game.max_utility
    first, second = worlds.payoffs.T
    yield agree(text, "world", -first, second, where=over, scale=bound)
    text = "the utility of every world lies in [-max_utility, max_utility]"
    within = np.clip(worlds.payoffs, -bound, bound)
    yield agree(text, "world player", within, worlds.payoffs, where=over)
    text = "world_actions is the acting player's row of legal_actions"
    exists = worlds.exists[:, None]
    yield agree(text, "world action", worlds.legal, worlds.world_legal, where=exists)
    text = "world_utility is player 0's utility of a world that is over"
    yield agree(text, "world", first, worlds.world_payoff, where=over, scale=bound)
