"""The loss of an example against numbers worked out by hand."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from networks.losses import Example, batch_loss, example_losses

# Two infostates, two actions. Predictions first, so that the expected numbers are next to them.
VALUES = np.array([[0.5, 9.0], [-2.0, 0.0]], np.float32)
LOGITS = np.array([[0.0, 0.0], [np.log(3.0), 0.0]], np.float32)
POLICY_LOSS = (0.75 * np.log(1.5) + 0.25 * np.log(0.5)) + np.log(4 / 3)


def example(**changes: Any) -> Example:
    parts: dict[str, Any] = {
        "features": np.zeros(1, np.float32),
        "legal": np.ones((2, 2), bool),
        "ranges": np.full((2, 2), 0.5, np.float32),
        "values": np.zeros((2, 2), np.float32),
        "value_mask": np.array([[True, False], [True, False]]),
        "policy": np.array([[0.75, 0.25], [1.0, 0.0]], np.float32),
        "policy_mask": np.array([True, True]),
        "at_stake": np.float32(1),
    }
    return Example(**parts | changes)


def losses(one: Example, delta: float = 1.0, relative_values: bool = False) -> dict[str, float]:
    found = example_losses(
        jnp.asarray(VALUES),
        jnp.asarray(LOGITS),
        one,
        huber_delta=delta,
        relative_values=relative_values,
    )
    return {name: float(term) for name, term in found.items()}


def test_the_losses_of_a_small_example_are_those_worked_out_by_hand() -> None:
    # Errors 0.5 and -2: 0.5 ** 2 / 2 = 0.125, and (2 - 1 / 2) * 1 = 1.5; the mean of both.
    # The predicted policies are (1/2, 1/2) and (3/4, 1/4).
    found = losses(example())
    assert found["value_loss"] == pytest.approx((0.125 + 1.5) / 2)
    assert found["value_error"] == pytest.approx((0.5 + 2) / 2)
    assert found["policy_loss"] == pytest.approx(POLICY_LOSS, rel=1e-5)


def test_twice_the_infostates_double_the_policy_loss_and_leave_the_value_loss() -> None:
    """The sum of the paper's formula, and the mean that it leaves open."""
    one = example()
    axes = {"values": 1, "value_mask": 1, "legal": 0, "policy": 0, "policy_mask": 0}
    twice = example(
        **{name: np.concatenate(2 * [getattr(one, name)], axis) for name, axis in axes.items()}
    )
    values, logits = np.concatenate([VALUES, VALUES], axis=1), np.concatenate([LOGITS, LOGITS])
    found = example_losses(jnp.asarray(values), jnp.asarray(logits), twice, huber_delta=1.0)
    assert float(found["policy_loss"]) == pytest.approx(2 * POLICY_LOSS, rel=1e-5)
    assert float(found["value_loss"]) == pytest.approx((0.125 + 1.5) / 2)


def test_beyond_delta_errors_count_linearly() -> None:
    # delta (|error| - delta / 2): 0.25 (0.5 - 0.125) and 0.25 (2 - 0.125).
    found = losses(example(), delta=0.25)
    assert found["value_loss"] == pytest.approx(0.25 * (0.375 + 1.875) / 2)


def test_relative_values_and_their_delta_are_shares_of_what_is_at_stake() -> None:
    # Errors 0.5 and -2 are 1 and -4 times what is at stake: 1 / 2, and 4 - 1 / 2.
    small = example(at_stake=np.float32(0.5))
    found = losses(small, relative_values=True)
    assert found["value_loss"] == pytest.approx((0.5 + 3.5) / 2)
    assert found["value_error"] == losses(small)["value_error"] == pytest.approx((0.5 + 2) / 2)
    assert losses(small) == losses(example())


def test_illegal_actions_take_no_part_in_the_softmax() -> None:
    one = example(legal=np.array([[True, True], [True, False]]))
    # In the second row one action is left, and the target is certain of it.
    assert losses(one)["policy_loss"] == pytest.approx(
        0.75 * np.log(1.5) + 0.25 * np.log(0.5), rel=1e-5
    )


def test_what_is_masked_changes_nothing() -> None:
    masked = example(policy_mask=np.array([True, False]))
    junk = example(
        policy_mask=np.array([True, False]),
        values=np.array([[0, 7], [0, np.nan]], np.float32),
        policy=np.array([[0.75, 0.25], [5, np.nan]], np.float32),
    )
    assert losses(junk) == losses(masked)
    assert losses(masked)["policy_loss"] < losses(example())["policy_loss"] - 0.2


def test_an_example_of_which_nothing_is_known_costs_nothing() -> None:
    nothing = example(value_mask=np.zeros((2, 2), bool), policy_mask=np.zeros(2, bool))
    assert set(losses(nothing).values()) == {0.0}


def gradients(one: Example) -> tuple[Array, Array]:
    def total(values: Array, logits: Array) -> Array:
        found = example_losses(values, logits, one, huber_delta=1.0)
        return found["value_loss"] + found["policy_loss"]

    found: tuple[Array, Array] = jax.grad(total, argnums=(0, 1))(
        jnp.asarray(VALUES), jnp.asarray(LOGITS)
    )
    return found


def test_gradients_are_those_worked_out_by_hand() -> None:
    of_values, of_logits = gradients(example())
    # Of the values the error, at most 1, over two known ones; of the logits policy - target.
    np.testing.assert_allclose(of_values, [[0.25, 0], [-0.5, 0]], atol=1e-6)
    np.testing.assert_allclose(of_logits, [[-0.25, 0.25], [-0.25, 0.25]], atol=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        {"policy": np.zeros((2, 2), np.float32)},
        {"legal": np.array([[True, False], [False, False]])},
        {"legal": np.zeros((2, 2), bool), "policy_mask": np.zeros(2, bool)},
        {"values": np.full((2, 2), np.nan, np.float32), "value_mask": np.zeros((2, 2), bool)},
    ],
)
def test_gradients_are_finite_and_zero_where_nothing_is_known(changes: dict[str, Any]) -> None:
    one = example(**changes)
    of_values, of_logits = gradients(one)
    assert np.isfinite(of_values).all()
    assert np.isfinite(of_logits).all()
    assert (np.asarray(of_values)[~one.value_mask] == 0).all()
    assert (np.asarray(of_logits)[~one.legal] == 0).all()


def test_the_loss_of_a_batch_is_the_weighted_mean_over_its_examples() -> None:
    known = example()
    unknown = example(value_mask=np.zeros((2, 2), bool), policy_mask=np.zeros(2, bool))
    examples: Example = jax.tree.map(lambda *leaves: jnp.stack(leaves), known, unknown)
    seen: list[tuple[int, ...]] = []

    def answer(params: float, features: Array, ranges: Array) -> tuple[Array, Array]:
        seen.append(features.shape)
        two = jnp.asarray(np.stack([VALUES, VALUES])), jnp.asarray(np.stack([LOGITS, LOGITS]))
        return params * two[0], two[1]

    apply_fn: Any = answer
    loss, terms = batch_loss(
        apply_fn, 1.0, examples, value_weight=2.0, policy_weight=10.0, huber_delta=1.0
    )
    assert seen == [(2, 1)]
    assert float(terms["value_loss"]) == pytest.approx(0.8125 / 2)
    assert float(terms["policy_loss"]) == pytest.approx(POLICY_LOSS / 2, rel=1e-5)
    assert float(terms["value_error"]) == pytest.approx(1.25 / 2)
    assert float(loss) == pytest.approx(2 * 0.8125 / 2 + 10 * POLICY_LOSS / 2, rel=1e-5)
    assert float(terms["loss"]) == float(loss)
