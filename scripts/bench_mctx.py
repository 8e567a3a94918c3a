"""mctx, to compare our search in perfect information games with; for `bench_search.py`."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from bench_mlp import Params, median_seconds, mlp, mlp_params
from jax import Array

from sog.games import make


def measure_mctx(
    text: str, simulations: int, batch: int, hidden: Sequence[int]
) -> dict[str, float]:
    """Measures mctx's `muzero_policy` on a game with alternating moves.

    The model is the game itself, the network an MLP.
    """
    import mctx

    game = make(text)
    params = mlp_params(game, hidden, seed=0)
    ranges = jnp.ones((batch, 2, 1))

    def evaluate(params: Params, state: Any) -> tuple[Array, Array]:
        """Prior logits and the value for the player to move."""
        values, logits = mlp(params, jax.vmap(game.observe)(state), ranges)
        actor = jnp.minimum(jax.vmap(game.actor)(state), 1)
        value = jnp.take_along_axis(values[:, :, 0], actor[:, None], axis=1)[:, 0]
        legal = jax.vmap(game.legal_actions)(state)[:, 0]
        return jnp.where(legal, logits[:, 0], -1e9), value

    def recurrent_fn(params: Params, key: Array, action: Array, state: Any) -> tuple[Any, Any]:
        mover = jax.vmap(game.actor)(state)
        is_over = ~jnp.any(jax.vmap(game.legal_outcomes)(state), axis=1)
        after = jax.vmap(game.apply)(state, action)
        utilities = jax.vmap(game.utilities)(after, ranges)[:, :, 0]
        ends = ~is_over & ~jnp.any(jax.vmap(game.legal_outcomes)(after), axis=1)
        own = jnp.take_along_axis(utilities, jnp.minimum(mover, 1)[:, None], axis=1)[:, 0]
        logits, value = evaluate(params, after)
        goes_on = ~(is_over | ends)
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(ends, own, 0),
            discount=jnp.where(goes_on, -1.0, 0.0),
            prior_logits=logits,
            value=jnp.where(goes_on, value, 0),
        )
        return output, after

    @jax.jit
    def run(params: Params, key: Array) -> Array:
        root_state = jax.tree.map(
            lambda leaf: jnp.broadcast_to(leaf, (batch, *leaf.shape)), game.root()
        )
        logits, value = evaluate(params, root_state)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=root_state)
        legal = jax.vmap(game.legal_actions)(root_state)[:, 0]
        output = mctx.muzero_policy(
            params,
            key,
            root,
            recurrent_fn,
            num_simulations=simulations,
            invalid_actions=~legal,
            dirichlet_fraction=0.0,
        )
        weights: Array = output.action_weights
        return weights

    seconds = median_seconds(lambda seed: run(params, jax.random.key(seed)))
    return {"seconds": seconds, "searches_per_second": batch / seconds}
