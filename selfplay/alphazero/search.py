"""AlphaZero's search by the package mctx (the extra `alphazero`), with the rules as the model.

AlphaZero: Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi
and Go through self-play". Gumbel AlphaZero: Danihelka et al. 2022, "Policy improvement by planning
with Gumbel". One infostate per player and no chance: `check_game`.
"""

import functools
import importlib
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import Evaluator, evaluate_beliefs
from gtcfr.packing import pack, packed_width, unpack
from selfplay.settings import GUMBEL, AlphaZeroSettings
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree

_NEVER: Final = -1e9
"""The logit of an illegal action."""
_NOISE: Final = 0.25
"""Share of Dirichlet noise in the root's prior, as in AlphaZero."""
_BYTES_PER_ACTION: Final = 24  # child, prior, visits, value, reward and discount
_BYTES_PER_NODE: Final = 20


@pytree
class AlphaZeroResult:
    """The results of a batch of searches."""

    policy: Array  # [batch, A]: the target for a network
    action: Array  # [batch] int32: the one to play
    value: Array  # [batch]: of that policy, to the player to move, in utility units
    action_values: Array  # [batch, A]: the same for each action; NaN where it was not tried


def check_game(game: Game[Any]) -> None:
    """Raises ValueError for a game that AlphaZero cannot play, or if mctx is not installed."""
    if game.hides_information or game.has_chance:
        missing = "of perfect information" if game.hides_information else "without chance"
        raise ValueError(f"alphazero needs a game {missing}, which {game} is not.")
    _mctx()


def search_bytes(game: Game[Any], num_simulations: int) -> int:
    """The size of one search's tree."""
    node = _BYTES_PER_ACTION * game.num_actions + 4 * packed_width(game) + _BYTES_PER_NODE
    return (num_simulations + 1) * node


def search(
    game: Game[Any],
    settings: AlphaZeroSettings,
    num_simulations: int,
    evaluator: Evaluator,
    states: Any,
    key: Array,
    *,
    explores: bool,
) -> AlphaZeroResult:
    """Searches public states [batch, ...], all of them decisions.

    explores: with noise at the root, as in self-play.
    """
    mctx = _mctx()
    logits, values = _ask(game, evaluator, states)
    mover = jax.vmap(game.actor)(states)
    legal = jax.vmap(game.legal_outcomes)(states)
    root = mctx.RootFnOutput(
        prior_logits=logits,
        value=_of(mover, values),
        embedding=jax.vmap(pack)(states),
    )

    def step(evaluator: Evaluator, key: Array, action: Array, packed: Array) -> tuple[Any, Array]:
        before = jax.vmap(lambda row: unpack(game, row))(packed)
        mover = jax.vmap(game.actor)(before)
        after = jax.vmap(game.apply)(before, action)
        is_passed = mover == TERMINAL  # below a terminal state, where mctx continues
        actor = jnp.where(is_passed, TERMINAL, jax.vmap(game.actor)(after))
        is_over = actor == TERMINAL
        logits, values = _ask(game, evaluator, after)
        utility = jax.vmap(game.utilities)(after, jnp.ones((len(packed), 2, 1)))[:, :, 0]
        ends = is_over & ~is_passed
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(ends, _of(mover, utility / game.max_utility), 0),
            discount=jnp.where(is_over, 0.0, jnp.where(actor == mover, 1.0, -1.0)),
            prior_logits=logits,
            value=jnp.where(is_over, 0, _of(actor, values)),
        )
        return output, jnp.where(is_passed[:, None], packed, jax.vmap(pack)(after))

    if settings.search == GUMBEL:
        policy_of = functools.partial(
            mctx.gumbel_muzero_policy,
            max_num_considered_actions=settings.max_considered_actions,
            gumbel_scale=1.0 if explores else 0.0,
        )
    else:
        policy_of = functools.partial(
            mctx.muzero_policy,
            dirichlet_fraction=_NOISE if explores else 0.0,
            dirichlet_alpha=settings.dirichlet_alpha,
        )
    with jax.numpy_rank_promotion("allow"):
        output = policy_of(
            evaluator,
            key,
            root,
            step,
            num_simulations=num_simulations,
            invalid_actions=~legal,
        )
        summary = output.search_tree.summary()
    policy = jnp.where(legal, output.action_weights, 0)
    known = jnp.where(summary.visit_counts > 0, policy, 0)
    value = jnp.sum(known * summary.qvalues, axis=1) / jnp.sum(known, axis=1)
    best = output.action if settings.search == GUMBEL else jnp.argmax(policy, axis=1)
    is_tried = legal & (summary.visit_counts > 0)
    return AlphaZeroResult(
        policy=policy,
        action=best.astype(jnp.int32),
        value=value * game.max_utility,
        action_values=jnp.where(is_tried, summary.qvalues * game.max_utility, jnp.nan),
    )


def _ask(game: Game[Any], evaluator: Evaluator, states: Any) -> tuple[Array, Array]:
    """Logits [batch, A], and values [batch, player] as shares of the largest utility."""
    legal = jax.vmap(game.legal_outcomes)(states)
    answer = evaluate_beliefs(game, evaluator, states, jnp.ones((len(legal), 2, 1)))
    logits, values = answer.policy_logits[:, 0], answer.values[:, :, 0]
    return jnp.where(legal, logits, _NEVER), values / game.max_utility


def _of(player: Array, values: Array) -> Array:
    """[batch]: a player's part of values [batch, player]; undefined where `player` is none."""
    number = jnp.minimum(player, 1)
    return jnp.take_along_axis(values, number[:, None], axis=1)[:, 0]


def _mctx() -> Any:
    try:
        return importlib.import_module("mctx")
    except ImportError:
        raise ValueError("alphazero needs mctx: pip install 'sog[alphazero]'.") from None
