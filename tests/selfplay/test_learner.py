"""Gradient steps, against optax used in the plainest way, on one device and on two."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from gtcfr.packing import pack
from networks.cvpn import ApplyNetwork, NetworkSettings, make_network
from networks.losses import batch_loss
from selfplay import schedule
from selfplay.examples import StoredExample, load_example, no_examples, take
from selfplay.learner import Learner, NotFiniteError, learner_devices
from selfplay.runs.config import load_config
from selfplay.settings import LearnerSettings
from sog.games import make
from tests.tabular.small_games import tree_of

KUHN = make("kuhn")
CLIP = 0.05
SETTINGS = LearnerSettings(
    batch_size=8,
    learning_rate=0.01,
    decay_rate=0.5,
    decay_steps=2,
    value_weight=1.5,
    policy_weight=0.3,
    huber_delta=0.2,
    max_gradient_norm=CLIP,
)


@functools.cache
def network(width: int = 16) -> tuple[ApplyNetwork, Any]:
    return make_network(KUHN, NetworkSettings(width=width, depth=1), seed=1)


def learner(
    settings: LearnerSettings = SETTINGS,
    width: int = 16,
    devices: Sequence[jax.Device] | None = None,
) -> Learner:
    """On all devices unless they are given."""
    apply_fn, params = network(width)
    return Learner(KUHN, apply_fn, settings, params, devices or jax.devices())


@functools.cache
def examples(count: int, seed: int = 0) -> StoredExample:
    """Random targets at random belief states of Kuhn poker."""
    random, tree = np.random.default_rng(seed), tree_of("kuhn")
    found = no_examples(KUHN, count)
    nodes = random.choice(np.flatnonzero(tree.node_actor < 2), count)
    ranges = random.exponential(size=found.ranges.shape)
    policy = random.exponential(size=found.policy.shape) * tree.node_legal[nodes]
    changes: dict[str, Any] = {
        "state": jnp.stack([pack(tree.state(node)) for node in nodes]),
        "ranges": jnp.asarray(ranges / ranges.sum(axis=2, keepdims=True), jnp.float32),
        "values": random.uniform(-1, 1, found.values.shape).astype(np.float32),
        "value_mask": random.random(found.value_mask.shape) < 0.8,
        "policy": (policy / policy.sum(axis=2, keepdims=True)).astype(np.float32),
        "policy_mask": random.random(found.policy_mask.shape) < 0.8,
    }
    return dataclasses.replace(found, **changes)


def batches(steps: int, seed: int = 0) -> StoredExample:
    rows = np.random.default_rng(seed).integers(32, size=(steps, SETTINGS.batch_size))
    return take(examples(32), rows)


@functools.partial(jax.jit, static_argnums=(0, 3))
def gradient_of(
    apply_fn: ApplyNetwork, params: Any, stored: StoredExample, settings: LearnerSettings
) -> tuple[Any, dict[str, Any]]:
    def loss(params: Any) -> Any:
        return batch_loss(
            apply_fn,
            params,
            jax.vmap(functools.partial(load_example, KUHN, apply_fn))(stored),
            value_weight=settings.value_weight,
            policy_weight=settings.policy_weight,
            huber_delta=settings.huber_delta,
        )

    found: tuple[Any, dict[str, Any]] = jax.grad(loss, has_aux=True)(params)
    return found


def plain_steps(
    found: StoredExample, settings: LearnerSettings
) -> tuple[Any, list[dict[str, float]]]:
    """Parameters after steps on these batches, one at a time, and what the losses were."""
    apply_fn, params = network()
    adam = optax.scale_by_adam()
    state, history = adam.init(params), []
    for step in range(len(found.version)):
        batch = take(found, np.asarray(step))
        gradient, terms = gradient_of(apply_fn, params, batch, settings)
        norm = float(np.sqrt(sum(np.sum(np.square(leaf)) for leaf in jax.tree.leaves(gradient))))
        history.append({name: float(term) for name, term in terms.items()})
        history[-1]["gradient_norm"] = norm
        scale = min(1.0, CLIP / norm)
        clipped = jax.tree.map(lambda leaf, scale=scale: scale * leaf, gradient)
        updates, state = adam.update(clipped, state, params)
        rate = settings.learning_rate * settings.decay_rate ** (step / settings.decay_steps)
        params = jax.tree.map(lambda leaf, up, rate=rate: leaf - rate * up, params, updates)
    return params, history


def assert_equal_params(first: Any, second: Any, tolerance: float) -> None:
    for one, two in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        np.testing.assert_allclose(one, two, atol=tolerance, rtol=0)


def test_steps_equal_those_of_plain_optax() -> None:
    found = batches(3)
    params, history = plain_steps(found, SETTINGS)
    one = learner()
    terms = one.train(found)
    assert one.step == 3
    assert_equal_params(one.state.params, params, 1e-6)
    assert_moved(one.state.params)
    assert terms.keys() == history[0].keys()
    for name, value in terms.items():
        assert value == pytest.approx(np.mean([step[name] for step in history]), rel=1e-4)
    assert terms["gradient_norm"] > CLIP  # so that clipping is tested


def assert_moved(params: Any) -> None:
    first = network()[1]
    moved = jax.tree.map(lambda before, after: np.abs(after - before).max(), first, params)
    assert min(jax.tree.leaves(moved)) > 1e-3


def test_two_devices_do_the_same_as_one() -> None:
    assert jax.device_count() == 2
    one, two = learner(devices=jax.devices()[:1]), learner()
    found = batches(5)
    for each in (one, two):
        each.train(found)
    used = [num_devices(each._states) for each in (one, two)]
    assert used == [1, 2]
    assert num_devices(two.state) == 1  # for searches, which say themselves what to copy where
    assert_equal_params(one.state.params, two.state.params, 1e-6)
    assert_moved(two.state.params)


def num_devices(state: Any) -> int:
    return len(jax.tree.leaves(state)[0].devices())


def test_on_a_cpu_one_device_learns() -> None:
    """With all of them an optimizer like Muon would do the same products on each."""
    assert learner_devices() == jax.devices()[:1]
    apply_fn, params = network()
    assert num_devices(Learner(KUHN, apply_fn, SETTINGS, params)._states) == 1


def test_a_batch_that_cannot_be_shared_by_the_devices_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = dataclasses.replace(SETTINGS, batch_size=7)
    with pytest.raises(
        ValueError, match=r"^learner: batch_size must be a multiple of the 2 devices, got 7\.$"
    ):
        learner(settings)
    # A run is refused before a folder is made for it.
    monkeypatch.setattr(schedule, "learner_devices", jax.devices)
    config = dataclasses.replace(load_config("kuhn"), learner=settings)
    with pytest.raises(ValueError, match=r"^learner: batch_size must be a multiple of the 2 dev"):
        schedule.check_config(KUHN, config)


def convolutions_in_loops(jaxpr: Any, in_loop: bool = False) -> int:
    """How many a program has inside of its loops; there XLA's gradients on CPUs are slow."""
    found = 0
    for equation in jaxpr.eqns:
        found += in_loop and equation.primitive.name == "conv_general_dilated"
        for value in jax.tree.leaves(equation.params, is_leaf=lambda leaf: hasattr(leaf, "jaxpr")):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                in_inner = in_loop or equation.primitive.name in ("scan", "while")
                found += convolutions_in_loops(inner, in_inner)
    return found


def test_no_convolution_of_a_step_is_in_a_loop() -> None:
    game = make("tic_tac_toe")
    shape = NetworkSettings(torso="resnet", width=4, depth=1)
    apply_fn, params = make_network(game, shape)
    small = Learner(game, apply_fn, SETTINGS, params)
    batch = no_examples(game, SETTINGS.batch_size)
    program = jax.make_jaxpr(small._run)(small.state, batch)
    assert convolutions_in_loops(program.jaxpr, in_loop=True) > 6  # forward and backward
    assert convolutions_in_loops(program.jaxpr) == 0


def test_the_network_that_searches_is_an_average_over_the_steps() -> None:
    """Share 0.3 of the old average stays, and less in the first steps: (1 + t) / (10 + t)."""
    apply_fn, params = network()
    settings = dataclasses.replace(SETTINGS, average_decay=0.3)
    one = Learner(KUHN, apply_fn, settings, params)
    average = jax.device_get(params)
    shares = []
    for step in range(6):
        one.train(batches(1, seed=step))
        shares.append(min(0.3, (1 + step) / (10 + step)))
        average = jax.tree.map(
            lambda old, new, kept=shares[-1]: kept * old + (1 - kept) * np.asarray(new),
            average,
            one.state.params,
        )
    assert shares[:3] == pytest.approx([0.1, 2 / 11, 0.25])
    assert shares[-1] == 0.3
    assert_equal_params(one.state.average, average, 1e-6)


def test_a_batch_that_is_not_finite_is_named_and_changes_nothing() -> None:
    one = learner()
    one.train(batches(2))
    before = [leaf.copy() for leaf in one.save()]
    found = batches(3, seed=1)
    changes: dict[str, Any] = {
        "values": np.array(found.values),
        "value_mask": np.array(found.value_mask),
    }
    changes["values"][1, 4] = np.nan
    changes["value_mask"][1, 4] = True
    broken = dataclasses.replace(found, **changes)
    with pytest.raises(NotFiniteError, match=r" is not finite in learner step 3\.$") as caught:
        one.train(broken)
    assert caught.value.step == 3  # 2 were done, 0 and 1; of these the first is number 2
    np.testing.assert_array_equal(caught.value.batch.values, changes["values"][1])
    np.testing.assert_array_equal(caught.value.batch.state, found.state[1])
    for leaf, old in zip(one.save(), before, strict=True):
        np.testing.assert_array_equal(leaf, old)
    one.train(found)
    assert one.step == 5


@pytest.mark.parametrize("changes", [{"width": 17}, {"optimizer": "muon"}])
def test_a_checkpoint_of_another_network_or_optimizer_is_refused(changes: dict[str, Any]) -> None:
    saved = learner().save()
    width = changes.pop("width", 16)
    other = learner(dataclasses.replace(SETTINGS, **changes), width=width)
    before = [leaf.copy() for leaf in other.save()]
    with pytest.raises(ValueError, match=r"^the checkpoint is from another network or optimizer"):
        other.load(saved)
    for leaf, old in zip(other.save(), before, strict=True):
        np.testing.assert_array_equal(leaf, old)


@pytest.mark.thorough(but=["False"])
@pytest.mark.parametrize("symmetries", [True, False])
def test_what_is_said_of_one_corner_is_learned_of_all_four(symmetries: bool) -> None:
    game = make("tic_tac_toe")
    boards = [game.apply(game.root(), jnp.int32(corner)) for corner in (0, 2, 6, 8)]
    targets: dict[str, Any] = {
        "state": pack(boards[0])[None],
        "ranges": jnp.ones((1, 2, 1)),
        "values": np.array([[[0.5], [-0.5]]], np.float32),
        "value_mask": np.ones((1, 2, 1), bool),
    }
    said = dataclasses.replace(no_examples(game, 1), **targets)
    settings = dataclasses.replace(
        SETTINGS, symmetries=symmetries, max_gradient_norm=1.0, decay_steps=1000
    )
    apply_fn, params = make_network(game, NetworkSettings(width=16, depth=1), seed=1)
    one = Learner(game, apply_fn, settings, params)
    one.train(take(said, np.zeros((100, SETTINGS.batch_size), int)))
    features = jnp.stack([apply_fn.encode(game, board) for board in boards])
    values, _ = apply_fn(one.state.params, features, jnp.ones((4, 2, 1)))
    assert values[0, 0, 0] == pytest.approx(0.5, abs=0.05)
    assert np.allclose(values[1:, 0, 0], 0.5, atol=0.05) == symmetries


@pytest.mark.thorough(but=["0"])
@pytest.mark.parametrize("player", [0, 1])
def test_an_example_and_its_twins_train_the_policy_head_of_the_player_to_act(player: int) -> None:
    game = make("tic_tac_toe")
    board = game.apply(game.root(), jnp.int32(0))
    if player == 0:
        board = game.apply(board, jnp.int32(1))
    targets: dict[str, Any] = {
        "state": pack(board)[None],
        "ranges": jnp.ones((1, 2, 1)),
        "policy": np.eye(9, dtype=np.float32)[None, [5]],
        "policy_mask": np.ones((1, 1), bool),
    }
    said = dataclasses.replace(no_examples(game, 1), **targets)
    network = NetworkSettings(width=16, depth=1, policy_heads=2)
    apply_fn, params = make_network(game, network, seed=1)
    one = Learner(game, apply_fn, SETTINGS, params)
    one.train(take(said, np.zeros((4, SETTINGS.batch_size), int)))
    before, after = params["policies"], one.state.params["policies"]
    assert (np.asarray(after[player]["kernel"]) != before[player]["kernel"]).any()
    assert_equal_params(after[1 - player], before[1 - player], 0)
