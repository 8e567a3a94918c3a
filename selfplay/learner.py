"""The learner: gradient steps on batches of examples, on one device or on many.

The batch is split over the devices and the parameters are replicated, so the same code serves one
and many. Each step is one program, and a call dispatches several of them: inside a loop on the
device, XLA's gradient of a convolution takes 30 times as long on a CPU.
"""

import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from networks.cvpn import ApplyNetwork
from networks.losses import batch_loss
from selfplay.examples import StoredExample, load_example, random_twin, take
from selfplay.settings import LearnerSettings
from sog.accelerators import is_accelerated
from sog.games.core import Game
from sog.precision import in_32_bits
from sog.pytree import pytree

STEPS_PER_CALL: Final = 8
"""Learner steps that a call dispatches; losses are read after the last."""


@pytree
class LearnerState:
    """The state that training changes."""

    params: Any
    average: Any
    """The parameters that searches use, see `LearnerSettings.average_decay`."""
    optimizer: Any
    step: Array  # int32: steps done; also the version of the network


class NotFiniteError(ValueError):
    """A loss or a gradient was NaN or infinite; `batch` [example, ...] caused it."""

    def __init__(self, step: int, term: str, batch: StoredExample) -> None:
        super().__init__(f"{term} is not finite in learner step {step}.")
        self.step, self.batch = step, batch


def make_optimizer(settings: LearnerSettings) -> optax.GradientTransformation:
    """The optimizer; its rate at step t is alpha_init * d ** (t / T_decay) (paper, Table S2)."""
    rate = optax.exponential_decay(
        settings.learning_rate, settings.decay_steps, settings.decay_rate
    )
    kinds = {
        "adam": optax.adam(rate),
        "sgd": optax.sgd(rate, momentum=settings.momentum or None),
        "muon": optax.contrib.muon(rate, muon_weight_dimension_numbers=_as_matrices),
    }
    optimizer = kinds[settings.optimizer]
    if settings.max_gradient_norm is None:
        return optimizer
    return optax.chain(optax.clip_by_global_norm(settings.max_gradient_norm), optimizer)


def _as_matrices(params: Any) -> Any:
    """Reshapes kernels for Muon, those of convolutions included: all inputs by all outputs. Adam
    updates vectors."""

    def of_kernel(kernel: Array) -> Any:
        *inputs, output = range(kernel.ndim)
        return optax.contrib.MuonDimensionNumbers(tuple(inputs), output) if inputs else None

    return jax.tree.map(of_kernel, params)


@in_32_bits
def first_state(settings: LearnerSettings, params: Any) -> LearnerState:
    """The state before the first step."""
    return LearnerState(
        params=params,
        average=params,
        optimizer=make_optimizer(settings).init(params),
        step=jnp.int32(0),
    )


def restored_state(state: LearnerState, arrays: list[np.ndarray]) -> LearnerState:
    """The state that `Learner.save` saved. state: any state of the same network and optimizer.

    Raises ValueError if the arrays are from another one.
    """
    leaves, structure = jax.tree.flatten(state)
    if [array.shape for array in arrays] != [leaf.shape for leaf in leaves]:
        raise ValueError(
            "the checkpoint is from another network or optimizer: its arrays have other shapes."
        )
    typed = [jnp.asarray(a, leaf.dtype) for a, leaf in zip(arrays, leaves, strict=True)]
    restored: LearnerState = jax.tree.unflatten(structure, typed)
    return restored


def learner_devices() -> list[jax.Device]:
    """All accelerators, or one CPU device: its matrix products use all cores, while every further
    device would repeat the optimizer's work on the parameters."""
    devices = jax.devices()
    return devices if is_accelerated() else devices[:1]


def check_batch(settings: LearnerSettings, num_devices: int) -> None:
    """Raises ValueError if a batch cannot be split over the devices."""
    if settings.batch_size % num_devices:
        raise ValueError(
            f"learner: batch_size must be a multiple of the {num_devices} devices, "
            f"got {settings.batch_size}."
        )


class Learner:
    """Takes learner steps on batches."""

    @in_32_bits
    def __init__(
        self,
        game: Game[Any],
        apply_fn: ApplyNetwork,
        settings: LearnerSettings,
        params: Any,
        devices: Sequence[jax.Device] | None = None,
    ) -> None:
        """devices: `learner_devices` unless given.

        Raises ValueError if a batch cannot be split over the devices.
        """
        devices = learner_devices() if devices is None else devices
        check_batch(settings, len(devices))
        self.settings = settings
        optimizer = make_optimizer(settings)
        mesh = Mesh(np.array(devices), ("data",))
        everywhere = NamedSharding(mesh, PartitionSpec())
        self._spread = NamedSharding(mesh, PartitionSpec("data"))
        self._everywhere = everywhere
        self._keep(jax.device_put(first_state(settings, params), everywhere))
        self._run: Any = jax.jit(
            functools.partial(_step, game, apply_fn, optimizer, settings),
            out_shardings=everywhere,
        )

    def _keep(self, state: LearnerState) -> None:
        """state: replicated on all devices."""
        self._states = state
        self.state: LearnerState = jax.tree.map(lambda leaf: leaf.addressable_data(0), state)
        """On one device, for programs that run on one."""

    @property
    def step(self) -> int:
        """Steps done."""
        return int(self.state.step)

    @in_32_bits
    def train(self, batches: StoredExample) -> dict[str, float]:
        """Steps on batches [step, example, ...]; returns means of the losses over the steps.

        Raises NotFiniteError, and keeps its state, if one of them is not finite.
        """
        state, losses = self._states, list[dict[str, Array]]()
        for number in range(len(batches.version)):
            batch = jax.device_put(take(batches, np.asarray(number)), self._spread)
            state, terms = self._run(state, batch)
            losses.append(terms)
        found = {name: np.array([terms[name] for terms in losses]) for name in losses[0]}
        for name, term in found.items():
            if not np.isfinite(term).all():
                bad = int(np.argmin(np.isfinite(term)))
                raise NotFiniteError(self.step + bad, name, take(batches, np.asarray(bad)))
        self._keep(state)
        return {name: float(term.mean()) for name, term in found.items()}

    def save(self) -> list[np.ndarray]:
        """The state as a list of arrays."""
        return [np.asarray(leaf) for leaf in jax.tree.leaves(self.state)]

    @in_32_bits
    def load(self, arrays: list[np.ndarray]) -> None:
        """Restores what `save` returned; ValueError if it is from another network or optimizer."""
        self._keep(jax.device_put(restored_state(self.state, arrays), self._everywhere))


def _step(
    game: Game[Any],
    apply_fn: ApplyNetwork,
    optimizer: optax.GradientTransformation,
    settings: LearnerSettings,
    state: LearnerState,
    batch: StoredExample,
) -> tuple[LearnerState, dict[str, Array]]:
    if settings.symmetries:
        keys = jax.random.split(jax.random.key(state.step), settings.batch_size)
        batch = jax.vmap(functools.partial(random_twin, game))(batch, keys)
    examples = jax.vmap(functools.partial(load_example, game, apply_fn))(batch)

    def loss(params: Any) -> tuple[Array, dict[str, Array]]:
        return batch_loss(
            apply_fn,
            params,
            examples,
            value_weight=settings.value_weight,
            policy_weight=settings.policy_weight,
            huber_delta=settings.huber_delta,
            relative_values=settings.relative_values,
        )

    gradient, terms = jax.grad(loss, has_aux=True)(state.params)
    terms["gradient_norm"] = optax.tree.norm(gradient)
    updates, moments = optimizer.update(gradient, state.optimizer, state.params)
    params = optax.apply_updates(state.params, updates)
    # The decay starts low, so that the average soon forgets the initial network.
    kept = jnp.minimum(settings.average_decay, (1 + state.step) / (10 + state.step))
    new = LearnerState(
        params=params,
        average=optax.incremental_update(params, state.average, 1 - kept),
        optimizer=moments,
        step=state.step + 1,
    )
    return new, terms
