"""What scripts share: the record of how a result was made, their parser and types of arguments."""

import argparse
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

PICTURES: Final = (".png", ".pdf", ".svg")
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


def write_results(file: str | Path, **facts: Any) -> None:
    """Writes what a script has found, with its provenance, as JSON."""
    Path(file).write_text(json.dumps({**provenance(), **facts}, indent=1) + "\n")


def use_one_core() -> None:
    """Takes one core of the CPU from now on; before JAX starts its threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of the installed packages among these."""
    found = {"python": platform.python_version()}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def script_parser(text: str | None) -> argparse.ArgumentParser:
    """A parser whose help starts with a script's docstring, lines unchanged."""
    return argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def game_text(text: str) -> str:
    """The text of a game."""
    from sog.games import make  # here, as some scripts choose a backend before JAX is imported

    try:
        make(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def picture(text: str) -> Path:
    """A picture to write, in an existing folder; needs matplotlib."""
    path = Path(prefix(text))
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(PICTURES)}, got {path.name}.")
    if importlib.util.find_spec("matplotlib") is None:
        raise argparse.ArgumentTypeError("needs matplotlib: pip install 'sog[plot]'.")
    return path


def prefix(text: str) -> str:
    """A path prefix of files to write, in an existing folder."""
    folder = Path(text).parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise argparse.ArgumentTypeError(f"{folder} must be a folder to write in.")
    return text
