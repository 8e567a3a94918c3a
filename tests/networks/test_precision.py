"""Networks in 16 bits: on accelerators only, and learned in 32."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from networks import cvpn
from networks.cvpn import ApplyNetwork, NetworkSettings, make_network
from sog.games import make
from tests.networks.queries import given

HALF = NetworkSettings(
    torso="resnet", width=16, depth=2, policy_shape="moves", precision="bfloat16"
)
HALF_MLP = NetworkSettings(width=8, depth=2, precision="bfloat16")


@pytest.fixture
def accelerated(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were a GPU; a CPU knows bfloat16, too, it only gains nothing by it."""
    monkeypatch.setattr(cvpn, "is_accelerated", lambda: True)


@pytest.mark.thorough(but=["leduc"])
@pytest.mark.usefixtures("accelerated")
@pytest.mark.parametrize(
    ("text", "settings"),
    [("tic_tac_toe", HALF), ("leduc", HALF_MLP)],
)
def test_layers_compute_in_16_bits_and_answer_in_32(text: str, settings: NetworkSettings) -> None:
    inputs = given(text, 64)
    apply_fn, params = make_network(make(text), settings)
    exact = make_network(make(text), dataclasses.replace(settings, precision="float32"))[0]
    half, full = apply_fn(params, *inputs), exact(params, *inputs)
    for found, expected in zip(half, full, strict=True):
        assert found.dtype == jnp.float32
        scale = float(np.abs(expected).max())
        error = float(np.abs(found - expected).max()) / scale
        assert 1e-4 < error < 3e-2  # 8 bits of 24 were kept


@pytest.mark.thorough
@pytest.mark.usefixtures("accelerated")
def test_what_is_learned_of_16_bits_is_kept_in_32() -> None:
    inputs = given("tic_tac_toe", 64)
    apply_fn, params = make_network(make("tic_tac_toe"), HALF)
    exact = make_network(make("tic_tac_toe"), dataclasses.replace(HALF, precision="float32"))[0]

    def slope(apply: ApplyNetwork) -> Any:
        return jax.grad(lambda params: apply(params, *inputs)[1][:, 0, 0].mean())(params)

    half, full = jax.tree.leaves(slope(apply_fn)), jax.tree.leaves(slope(exact))
    assert {leaf.dtype for leaf in (*jax.tree.leaves(params), *half)} == {jnp.dtype(jnp.float32)}
    one, two = (np.concatenate([leaf.ravel() for leaf in leaves]) for leaves in (half, full))
    assert one @ two / np.linalg.norm(one) / np.linalg.norm(two) > 0.99


def test_a_cpu_computes_in_32_bits() -> None:
    inputs = given("tic_tac_toe", 4)
    half, full = (
        make_network(make("tic_tac_toe"), dataclasses.replace(HALF, precision=precision))
        for precision in ("bfloat16", "float32")
    )
    for found, expected in zip(half[0](half[1], *inputs), full[0](full[1], *inputs), strict=True):
        np.testing.assert_array_equal(found, expected)
