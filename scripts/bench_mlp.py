"""The common part of search benchmarks: a network with random weights, and timing."""

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games import Game

Params = list[tuple[Array, Array]]

MIN_RUNS: Final = 5


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
