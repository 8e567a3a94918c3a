"""What JAX is told of devices before it starts: cores of a CPU are devices of their own and share
batches of searches, and a GPU runs whole loops by itself."""

import contextlib
import importlib.util
import math
import os
from pathlib import Path

from sog.cli.errors import CommandError

_CGROUP = Path("/sys/fs/cgroup/cpu.max")
_VARIABLE = "JAX_NUM_CPU_DEVICES"
_FLAG = "xla_force_host_platform_device_count"
_XLA_FLAGS = "XLA_FLAGS"
_LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
_FATAL_ONLY = "3"
_CUDA_PLUGINS = ("jax_cuda12_plugin", "jax_cuda13_plugin")
_LEAST_BYTES = 2 * 2**30
"""Of address space: half of it is libraries, and every thread takes some."""
_COMMAND_BUFFER = "xla_gpu_enable_command_buffer"


def check_devices() -> None:
    """Raises CommandError for a number of devices that JAX would refuse when it is imported, and
    for a limit of memory in which its threads end the process."""
    said = os.environ.get(_VARIABLE, "1")
    if not said.isdecimal() or int(said) < 1:
        raise CommandError(f"{_VARIABLE} must be an integer >= 1, got '{said}'.")
    with contextlib.suppress(ImportError):  # Windows
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if 0 <= most < _LEAST_BYTES:  # infinity is negative
            raise CommandError(
                f"JAX needs {_LEAST_BYTES // 1024:,} kB of memory, and this process may take "
                f"{most // 1024:,}: raise the limit, `ulimit -v`."
            )


def silence_xla() -> None:
    """Keeps what XLA logs, such as that something compiles slowly, from among our lines.

    To be called before JAX is imported. Its errors are exceptions, and a level that the user has
    set stays.
    """
    os.environ.setdefault(_LOG_LEVEL, _FATAL_ONLY)


def use_all_cores() -> None:
    """Makes every core of the CPU a device of its own, see `gtcfr.mesh`.

    To be called before JAX is used for anything. What the user has said of it stays as it is:
    JAX_NUM_CPU_DEVICES=1 has a batch searched on one.
    """
    import jax

    is_said = _VARIABLE in os.environ or _FLAG in os.environ.get(_XLA_FLAGS, "")
    if not is_said:
        jax.config.update("jax_num_cpu_devices", num_cores())


def use_command_buffers() -> None:
    """Has NVIDIA GPUs run loops and branches as parts of one command buffer (a CUDA graph).

    Otherwise the host reads every condition of a loop, and a search is made of many short loops:
    it takes up to 2.4 times as long. To be called before JAX is used for anything. What the user
    has said of command buffers stays as it is; where JAX has no CUDA plugin, XLA is told nothing.
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
    """Cores' worth of time that a container may use, as Linux says, rounded up."""
    try:
        limit, period = path.read_text().split()
        return math.ceil(int(limit) / int(period))
    except (OSError, ValueError):  # there is no such file, or the limit is "max"
        return math.inf
