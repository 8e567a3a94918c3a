"""What an optimizer makes of gradients that are given: rates, momentum, clipping, Muon."""

import jax.numpy as jnp
import numpy as np
import pytest

from selfplay.learner import make_optimizer
from selfplay.settings import LearnerSettings


def test_plain_descent_has_momentum_and_long_gradients_are_shortened() -> None:
    settings = LearnerSettings(
        optimizer="sgd", learning_rate=0.5, decay_rate=1.0, max_gradient_norm=2.0
    )
    optimizer = make_optimizer(settings)
    params = jnp.zeros(2)
    state = optimizer.init(params)
    # (30, 40) has length 50 and becomes (1.2, 1.6); then 0.9 times that is added to (1, 0).
    first, state = optimizer.update(jnp.array([30.0, 40.0]), state, params)
    second, state = optimizer.update(jnp.array([1.0, 0.0]), state, params)
    np.testing.assert_allclose(first, [-0.6, -0.8], rtol=1e-5)
    np.testing.assert_allclose(second, [-0.5 * (1.08 + 1), -0.5 * 1.44], rtol=1e-5)


def test_plain_descent_without_momentum_and_clipping_follows_the_gradient() -> None:
    settings = LearnerSettings(
        optimizer="sgd",
        learning_rate=0.5,
        decay_rate=1.0,
        momentum=0.0,
        max_gradient_norm=None,
    )
    optimizer = make_optimizer(settings)
    params = jnp.zeros(2)
    state = optimizer.init(params)
    for gradient in ([30.0, 40.0], [1.0, 0.0]):
        updates, state = optimizer.update(jnp.array(gradient), state, params)
        np.testing.assert_allclose(updates, -0.5 * np.array(gradient), rtol=1e-5)


@pytest.mark.thorough
def test_muon_makes_steps_of_kernels_orthogonal_and_sees_convolutions_as_matrices() -> None:
    """Singular values of a step are about the rate, whatever those of the gradient are."""
    settings = LearnerSettings(
        optimizer="muon", learning_rate=0.1, decay_rate=1.0, max_gradient_norm=0.05
    )
    optimizer = make_optimizer(settings)
    matrix = np.random.default_rng(0).normal(size=(36, 8)) @ np.diag([1, 1, 2, 3, 5, 8, 13, 21])
    gradient = {
        "matrix": jnp.asarray(matrix, jnp.float32),
        "convolution": jnp.asarray(matrix.reshape(3, 3, 4, 8), jnp.float32),
        "vector": jnp.array([1.0, -2.0, 30.0]),
    }
    updates, _ = optimizer.update(gradient, optimizer.init(gradient), gradient)
    of_gradient = np.linalg.svd(matrix, compute_uv=False)
    of_step = np.linalg.svd(updates["matrix"], compute_uv=False)
    assert of_gradient.max() > 10 * of_gradient.min()
    assert 0.05 < of_step.min() < of_step.max() < 0.15
    assert np.sum(updates["matrix"] * matrix) < 0
    np.testing.assert_allclose(updates["convolution"].reshape(36, 8), updates["matrix"], rtol=1e-5)
    sizes = np.abs(updates["vector"])  # Adam's
    np.testing.assert_allclose(sizes, sizes[0], rtol=1e-4)
