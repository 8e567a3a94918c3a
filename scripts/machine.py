"""The machine of a benchmark, for scripts."""

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
    """The processor's name, with family and model if known, since names can be ambiguous."""
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
    """The provenance of an output: the command, the processor and versions."""
    return {
        "command": shlex.join(["python", *sys.argv]),
        "processor": processor(),
        "cores": os.cpu_count(),
        "versions": versions(_PACKAGES),
    }


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of the installed packages among these."""
    found = {"python": platform.python_version()}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found
