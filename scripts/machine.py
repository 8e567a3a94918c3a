"""What a benchmark ran on, for the scripts beside this file."""

import contextlib
import importlib.metadata
import platform
from collections.abc import Iterable
from pathlib import Path


def processor() -> str:
    """The processor's name."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found
