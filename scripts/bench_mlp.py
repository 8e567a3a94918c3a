"""The common part of search benchmarks: a network with random weights, timing, and mctx with it."""

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_layout
from sog.games import Game, make

Params = list[tuple[Array, Array]]

MIN_RUNS: Final = 5
_ILLEGAL: Final = -1e9  # the logit of an action


def mlp_params(game: Game[Any], hidden: Sequence[int], seed: int) -> Params:
    """Random weights; He's initialization."""
    size = game.num_infostates
    num_features = jax.eval_shape(lambda: game.observe(game.root())).shape[0]
    sizes = [num_features + 2 * size, *hidden, 2 * size + size * game.num_actions]
    rng = np.random.default_rng(seed)
    return [
        (
            jnp.asarray(rng.normal(size=(above, below)) * (2 / above) ** 0.5, jnp.float32),
            jnp.zeros((1, below)),
        )
        for above, below in itertools.pairwise(sizes)
    ]


def mlp(params: Params, features: Array, ranges: Array) -> tuple[Array, Array]:
    """Values in [-1, 1], [query, player, S], and logits, [query, S, A]."""
    size = ranges.shape[-1]
    layer = jnp.concatenate([features, ranges.reshape(len(ranges), -1)], axis=1)
    for weight, bias in params[:-1]:
        layer = jax.nn.relu(layer @ weight + bias)
    out = layer @ params[-1][0] + params[-1][1]
    values = jnp.tanh(0.1 * out[:, : 2 * size]).reshape(-1, 2, size)
    return values, out[:, 2 * size :].reshape(len(out), size, -1)


def median_seconds(run: Callable[[int], Any]) -> float:
    """Median seconds of at least `MIN_RUNS` runs after a warm-up; run(seed) returns arrays."""
    jax.block_until_ready(run(0))
    seconds = []
    for seed in range(MIN_RUNS):
        start = time.perf_counter()
        jax.block_until_ready(run(seed + 1))
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def measure_mctx(
    text: str, simulations: int, batch: int, hidden: Sequence[int]
) -> dict[str, float]:
    """Measures mctx's `muzero_policy` on a game with alternating moves.

    The model is the game itself, the network an MLP. Where our search considers only the best
    actions by the prior, so does mctx: a state's embedding lists them.
    """
    import mctx

    game = make(text)
    params = mlp_params(game, hidden, seed=0)
    ranges = jnp.ones((batch, 2, 1))
    considered = tree_layout(game, SearchSettings()).num_actions

    def evaluate(params: Params, state: Any) -> tuple[Array, Array | None, Array]:
        """Prior logits, the actions considered (None for all), and the value for the player to
        move."""
        values, logits = mlp(params, jax.vmap(game.observe)(state), ranges)
        actor = jnp.minimum(jax.vmap(game.actor)(state), 1)
        value = jnp.take_along_axis(values[:, :, 0], actor[:, None], axis=1)[:, 0]
        legal = jax.vmap(game.legal_actions)(state)[:, 0]
        logits = jnp.where(legal, logits[:, 0], _ILLEGAL)
        if considered == game.num_actions:
            return logits, None, value
        return *jax.lax.top_k(logits, considered), value

    def recurrent_fn(params: Params, key: Array, action: Array, embedding: Any) -> tuple[Any, Any]:
        state, listed = embedding
        if listed is not None:
            action = jnp.take_along_axis(listed, action[:, None], axis=1)[:, 0]
        mover = jax.vmap(game.actor)(state)
        is_over = ~jnp.any(jax.vmap(game.legal_outcomes)(state), axis=1)
        after = jax.vmap(game.apply)(state, action)
        utilities = jax.vmap(game.utilities)(after, ranges)[:, :, 0]
        ends = ~is_over & ~jnp.any(jax.vmap(game.legal_outcomes)(after), axis=1)
        own = jnp.take_along_axis(utilities, jnp.minimum(mover, 1)[:, None], axis=1)[:, 0]
        logits, listed, value = evaluate(params, after)
        goes_on = ~(is_over | ends)
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(ends, own, 0),
            discount=jnp.where(goes_on, -1.0, 0.0),
            prior_logits=logits,
            value=jnp.where(goes_on, value, 0),
        )
        return output, (after, listed)

    @jax.jit
    def run(params: Params, key: Array) -> Array:
        root_state = jax.tree.map(
            lambda leaf: jnp.broadcast_to(leaf, (batch, *leaf.shape)), game.root()
        )
        logits, listed, value = evaluate(params, root_state)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=(root_state, listed))
        output = mctx.muzero_policy(
            params,
            key,
            root,
            recurrent_fn,
            num_simulations=simulations,
            invalid_actions=logits == _ILLEGAL,
            dirichlet_fraction=0.0,
        )
        weights: Array = output.action_weights
        return weights

    seconds = median_seconds(lambda seed: run(params, jax.random.key(seed)))
    return {"seconds": seconds, "searches_per_second": batch / seconds}
