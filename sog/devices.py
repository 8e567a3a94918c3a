"""Configures JAX's devices before it starts: each CPU core is a device, so that cores share batches
of searches, and a GPU runs whole loops by itself."""

import contextlib
import importlib.util
import math
import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup/cpu.max")
_VARIABLE = "JAX_NUM_CPU_DEVICES"
_FLAG = "xla_force_host_platform_device_count"
_XLA_FLAGS = "XLA_FLAGS"
_LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
_FATAL_ONLY = "3"
_CUDA_PLUGINS = ("jax_cuda12_plugin", "jax_cuda13_plugin")
_LEAST_BYTES = 2 * 2**30
"""Address space: libraries take half of it, and every thread takes some."""
_COMMAND_BUFFER = "xla_gpu_enable_command_buffer"


def check_devices() -> None:
    """Raises ValueError for a number of devices that JAX would reject when it is imported, and
    for a memory limit under which its threads would abort the process."""
    requested = os.environ.get(_VARIABLE, "1")
    if not requested.isdecimal() or int(requested) < 1:
        raise ValueError(f"{_VARIABLE} must be an integer >= 1, got '{requested}'.")
    with contextlib.suppress(ImportError):  # Windows
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if 0 <= most < _LEAST_BYTES:  # infinity is negative
            raise ValueError(
                f"JAX needs {_LEAST_BYTES // 1024:,} kB of memory, and this process may take "
                f"{most // 1024:,}: raise the limit, `ulimit -v`."
            )


def silence_xla() -> None:
    """Keeps XLA's log, such as warnings of slow compilation, out of our output.

    Call it before JAX is imported. Errors still arrive as exceptions, and a level that the user
    has set stays.
    """
    os.environ.setdefault(_LOG_LEVEL, _FATAL_ONLY)


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
