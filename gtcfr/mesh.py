"""The devices that share a batch of searches.

Searches do not depend on each other, so a batch is split and nothing is sent between devices while
they search. That holds for several accelerators, and for the cores of a CPU where JAX was told to
see them as devices (`jax_num_cpu_devices`): most of a search is small operations, which one device
runs on one core.
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
    """A mesh of no more devices than that."""
    return Mesh(mesh.devices.flatten()[:number], (_AXIS,))


def leaves_per_call(*, accelerated: bool | None = None) -> int:
    """What suits a `NetworkEvaluator`; accelerated: None for what is here.

    The cores of one CPU device share a product of matrices from some thousand rows on only. A core
    that is a device of its own needs fewer, and then less of the last call is for nothing.
    """
    if is_accelerated() if accelerated is None else accelerated:
        return _LEAVES_PER_CALL_OF_AN_ACCELERATOR
    each_core = len(jax.local_devices()) > 1
    return _LEAVES_PER_CALL_OF_A_CORE if each_core else _LEAVES_PER_CALL


def split_batch(mesh: Mesh) -> NamedSharding:
    """Of arrays with the batch axis first: each device has a part of the batch."""
    return NamedSharding(mesh, PartitionSpec(mesh.axis_names))


def on_all(mesh: Mesh) -> NamedSharding:
    """Of what every device has a copy of."""
    return NamedSharding(mesh, PartitionSpec())
