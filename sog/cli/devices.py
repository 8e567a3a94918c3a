"""How many devices JAX sees on a CPU: one per core, which share batches of searches."""

import math
import os
from pathlib import Path

from sog.cli.errors import CommandError

_CGROUP = Path("/sys/fs/cgroup/cpu.max")
_VARIABLE = "JAX_NUM_CPU_DEVICES"
_FLAG = "xla_force_host_platform_device_count"


def check_devices() -> None:
    """Raises CommandError for a number of devices that JAX would refuse when it is imported."""
    said = os.environ.get(_VARIABLE, "1")
    if not said.isdecimal() or int(said) < 1:
        raise CommandError(f"{_VARIABLE} must be an integer >= 1, got '{said}'.")


def use_all_cores() -> None:
    """Makes every core of the CPU a device of its own, see `gtcfr.mesh`.

    To be called before JAX is used for anything. What the user has said of it stays as it is:
    JAX_NUM_CPU_DEVICES=1 has a batch searched on one.
    """
    import jax

    is_said = _VARIABLE in os.environ or _FLAG in os.environ.get("XLA_FLAGS", "")
    if not is_said:
        jax.config.update("jax_num_cpu_devices", num_cores())


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return int(max(1, min(cores, _quota(_CGROUP))))


def _quota(path: Path) -> float:
    """Cores' worth of time that a container may use, as Linux says, rounded up."""
    try:
        limit, period = path.read_text().split()
        return math.ceil(int(limit) / int(period))
    except (OSError, ValueError):  # there is no such file, or the limit is "max"
        return math.inf
