"""What a benchmark ran on, for the scripts beside this file."""

import contextlib
import importlib.metadata
import os
import platform
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

_PACKAGES: Final = (
    *("sog", "jax", "jaxlib", "jax-cuda12-plugin", "flax", "optax", "numpy", "scipy", "mctx"),
    *("open_spiel", "LiteEFG", "pgx", "orbax-checkpoint", "tensorstore"),
)


def processor() -> str:
    """The processor's name, and its family and model where the name alone may mean several."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        return platform.processor() or platform.machine()
    first, _, _ = cpuinfo.read_text().partition("\n\n")
    pairs = (line.partition(":") for line in first.splitlines())
    found = {key.strip(): value.strip() for key, _, value in pairs}
    name = found.get("model name", platform.machine())
    if "cpu family" in found:
        name += f" (family {found['cpu family']}, model {found['model']})"
    return name


def provenance() -> dict[str, Any]:
    """What an output says about where it comes from: the command, the processor and versions."""
    return {
        "command": shlex.join(["python", *sys.argv]),
        "processor": processor(),
        "cores": os.cpu_count(),
        "versions": versions(_PACKAGES),
    }


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found
