"""Whether this process computes on accelerators.

These want few large operations: each costs its start, some microseconds, before it costs what it
does. A core of a CPU wants no more work than there is. So what is done at once differs.
"""

import jax


def is_accelerated() -> bool:
    """Whether JAX computes on GPUs or TPUs here, unless told otherwise."""
    return jax.default_backend() != "cpu"
