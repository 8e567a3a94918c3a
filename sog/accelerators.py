"""Whether this process computes on accelerators.

Accelerators need few large operations, since each launch costs some microseconds; CPUs need little
wasted work. So batch sizes differ.
"""

import jax


def is_accelerated() -> bool:
    """Whether JAX's default device is a GPU or TPU."""
    return jax.default_backend() != "cpu"
