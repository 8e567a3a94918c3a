"""The devices that share a batch of searches.

Searches are independent, so a batch is split and devices do not communicate while they search. They
are several accelerators, or the cores of a CPU if JAX exposes them as devices
(`jax_num_cpu_devices`): most of a search is small operations, which one device runs on one core.
"""

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from sog.accelerators import is_accelerated

_AXIS = "batch"
_LEAVES_PER_CALL = 16
_LEAVES_PER_CALL_OF_A_CORE = 8
_LEAVES_PER_CALL_OF_AN_ACCELERATOR = 32


def batch_mesh(batch_size: int | None = None) -> Mesh:
    """The devices of this process, or as many of them as divide a batch of this size evenly."""
    devices = jax.local_devices()
    number = len(devices)
    if batch_size is not None:
        number = next(n for n in range(number, 0, -1) if batch_size % n == 0)
    return Mesh(np.array(devices[:number]), (_AXIS,))


def first_devices(mesh: Mesh, number: int) -> Mesh:
    """A mesh of the first `number` devices."""
    return Mesh(mesh.devices.flatten()[:number], (_AXIS,))


def leaves_per_call(*, accelerated: bool | None = None) -> int:
    """A good value for a `NetworkEvaluator`; accelerated: None to detect it.

    The cores of one CPU device share a matrix product only from some thousand rows on. A core that
    is a device of its own needs fewer, and then less of the last call is padding.
    """
    if is_accelerated() if accelerated is None else accelerated:
        return _LEAVES_PER_CALL_OF_AN_ACCELERATOR
    each_core = len(jax.local_devices()) > 1
    return _LEAVES_PER_CALL_OF_A_CORE if each_core else _LEAVES_PER_CALL


def split_batch(mesh: Mesh) -> NamedSharding:
    """The sharding of arrays with the batch axis first: each device has a part of the batch."""
    return NamedSharding(mesh, PartitionSpec(mesh.axis_names))


def on_all(mesh: Mesh) -> NamedSharding:
    """The sharding of replicated arrays."""
    return NamedSharding(mesh, PartitionSpec())
