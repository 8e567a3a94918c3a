"""Configures JAX's devices before it starts: each CPU core is a device, so that cores share batches
of searches, and a GPU runs whole loops by itself."""

import importlib.util
import math
import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup/cpu.max")
_VARIABLE = "JAX_NUM_CPU_DEVICES"
_FLAG = "xla_force_host_platform_device_count"
_XLA_FLAGS = "XLA_FLAGS"
_CUDA_PLUGINS = ("jax_cuda12_plugin", "jax_cuda13_plugin")
_COMMAND_BUFFER = "xla_gpu_enable_command_buffer"


def use_all_cores() -> None:
    """Makes every CPU core a device, see `gtcfr.mesh`.

    Call it before any other use of JAX. A number that the user has set stays:
    JAX_NUM_CPU_DEVICES=1 searches a batch on one core.
    """
    import jax

    is_set = _VARIABLE in os.environ or _FLAG in os.environ.get(_XLA_FLAGS, "")
    if not is_set:
        jax.config.update("jax_num_cpu_devices", num_cores())


def use_command_buffers() -> None:
    """Makes NVIDIA GPUs run loops and branches inside one command buffer (a CUDA graph).

    Otherwise the host reads every condition of a loop, and a search is made of many short loops:
    it takes up to 2.4 times as long. Call it before any other use of JAX. A flag that the user
    has set stays; without a CUDA plugin nothing is set.
    """
    flags = os.environ.get(_XLA_FLAGS, "")
    if _COMMAND_BUFFER not in flags and any(map(importlib.util.find_spec, _CUDA_PLUGINS)):
        os.environ[_XLA_FLAGS] = f"{flags} --{_COMMAND_BUFFER}=+WHILE,+CONDITIONAL".strip()


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return int(max(1, min(cores, _quota(_CGROUP))))


def _quota(path: Path) -> float:
    """The CPU quota of a container in cores, rounded up (Linux cgroups)."""
    try:
        limit, period = path.read_text().split()
        return math.ceil(int(limit) / int(period))
    except (OSError, ValueError):  # no such file, or the limit is "max"
        return math.inf
