"""Drawing an index from a distribution."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import draw


@pytest.mark.parametrize("length", [5, 40])
def test_indices_are_drawn_in_proportion_to_their_weights(length: int) -> None:
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, length).astype(np.float32)
    weights[[0, -1]] = 0, 0
    weights[1] = 3
    points = (np.arange(20_000) + 0.5) / 20_000
    found = jax.vmap(draw, in_axes=(0, None))(
        jnp.asarray(points, jnp.float32), jnp.asarray(weights)
    )
    shares = np.bincount(np.asarray(found), minlength=length) / len(points)
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=2e-4)


@pytest.mark.parametrize("length", [3, 40])
def test_an_index_of_weight_0_is_drawn_at_no_point(length: int) -> None:
    weights = np.zeros(length, np.float32)
    weights[1] = 1e-3
    for point in (0.0, np.nextafter(np.float32(1), np.float32(0))):
        assert int(draw(jnp.float32(point), jnp.asarray(weights))) == 1
