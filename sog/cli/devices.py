"""What JAX is told of its devices before it starts: a CPU has one per core, which share batches of
searches; a GPU runs loops by itself."""

import importlib.util
import math
import os
import pkgutil
from pathlib import Path

from sog.cli.errors import CommandError

_CGROUP = Path("/sys/fs/cgroup/cpu.max")
_VARIABLE = "JAX_NUM_CPU_DEVICES"
_FLAGS = "XLA_FLAGS"
_FLAG = "xla_force_host_platform_device_count"
_COMMAND_BUFFER = "xla_gpu_enable_command_buffer"


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

    is_said = _VARIABLE in os.environ or _FLAG in os.environ.get(_FLAGS, "")
    if not is_said:
        jax.config.update("jax_num_cpu_devices", num_cores())


def use_command_buffers() -> None:
    """Has XLA put loops into command buffers (CUDA graphs), where JAX can use a GPU of NVIDIA's.

    A search is loops of small kernels; otherwise the host starts each kernel and waits for the
    condition of each turn. To be called before JAX starts. What the user has said of command
    buffers in XLA_FLAGS stays as it is.
    """
    said = os.environ.get(_FLAGS, "")
    if _COMMAND_BUFFER in said or os.environ.get("JAX_PLATFORMS") == "cpu" or not _has_cuda():
        return
    os.environ[_FLAGS] = f"{said} --{_COMMAND_BUFFER}=+WHILE,+CONDITIONAL".strip()


def _has_cuda() -> bool:
    """Whether JAX's plugin for CUDA is installed."""
    plugins = importlib.util.find_spec("jax_plugins")
    folders = plugins.submodule_search_locations if plugins is not None else None
    return any(found.name.startswith("xla_cuda") for found in pkgutil.iter_modules(folders or []))


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
