"""How many devices JAX sees on a CPU: one per core, which share batches of searches."""

import os

import jax

_VARIABLE = "JAX_NUM_CPU_DEVICES"
_FLAG = "xla_force_host_platform_device_count"


def use_all_cores() -> None:
    """Makes every core of the CPU a device of its own, see `gtcfr.mesh`.

    To be called before JAX is used for anything. What the user has said of it stays as it is:
    JAX_NUM_CPU_DEVICES=1 has a batch searched on one.
    """
    is_said = _VARIABLE in os.environ or _FLAG in os.environ.get("XLA_FLAGS", "")
    if not is_said:
        jax.config.update("jax_num_cpu_devices", num_cores())


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
