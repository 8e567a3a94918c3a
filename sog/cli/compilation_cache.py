"""JAX's compilation cache in the user's cache folder, and how long compiling took last time."""

import contextlib
import errno
import json
import os
import warnings
from pathlib import Path
from typing import Final

import jax

from sog import kept_programs
from sog.cli.display import duration
from sog.cli.errors import reason
from sog.cli.lines import print_note
from sog.kept_programs import is_own, keep_in

_VARIABLE = "SOG_CACHE_DIR"


def use_compilation_cache() -> None:
    """Caches compiled programs for the next run, or notes that the folder is not writable.

    Call it before anything is compiled. A cache that the user has set up for JAX itself
    (JAX_COMPILATION_CACHE_DIR) stays as it is, unless SOG_CACHE_DIR is set as well.
    """
    if _VARIABLE not in os.environ and os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return
    try:
        folder = _writable_folder()
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        why = f"{error.filename}: {reason(error)}." if isinstance(error, OSError) else str(error)
        print_note(
            f"compiled programs are not cached, so the next run starts as slowly: {why} "
            f"{_VARIABLE} names another folder."
        )
        return
    if folder is None:
        return
    keep_in(folder.parent / "traced")
    # A full disk, or an entry that a killed run left half-written, only costs time.
    warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache entry")
    jax.config.update("jax_compilation_cache_dir", str(folder))
    # Many small programs add up: keep them all.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def _writable_folder() -> Path | None:
    """None if the user turned the cache off. Raises OSError or RuntimeError if it is unusable."""
    base = _base_folder()
    if base is None:
        return None
    folder = base / "xla"
    # Entries are code that JAX runs: nobody else may write there.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    if not is_own(folder.stat()):
        why = "Others may write there, or own it (remove it; the next run creates it again)"
        raise PermissionError(errno.EPERM, why, str(folder))
    return folder


def _base_folder() -> Path | None:
    if _VARIABLE in os.environ:
        chosen = os.environ[_VARIABLE]
        return Path(chosen).expanduser().absolute() if chosen else None
    of_user = os.environ.get("XDG_CACHE_HOME", "")
    # A relative path is invalid by the XDG standard.
    cache = Path(of_user) if of_user.startswith("/") else Path.home() / ".cache"
    return cache / "sog"


_FILE: Final = "seconds.json"
_MOST_BYTES: Final = 2**20
_MOST_NAMES: Final = 500


def last_time(of: object, what: str) -> str:
    """A suffix for "compiling ...", as " (24 s last time)"; "" if unknown."""
    seconds = _read().get(f"{of}: {what}")
    return "" if seconds is None else f" ({duration(seconds)} last time)"


def keep_time(of: object, what: str, seconds: float) -> None:
    """Records how long compiling something of a game took, if the cache folder is writable."""
    folder = kept_programs.folder()
    if folder is None:
        return
    times = _read()
    times.pop(f"{of}: {what}", None)
    times[f"{of}: {what}"] = round(seconds, 1)
    newest = dict([*times.items()][-_MOST_NAMES:])
    with contextlib.suppress(OSError):
        kept_programs.write_whole(folder / _FILE, json.dumps(newest).encode())


def _read() -> dict[str, float]:
    folder = kept_programs.folder()
    if folder is None:
        return {}
    try:
        found = json.loads(kept_programs.read_own(folder / _FILE, _MOST_BYTES))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, float)}
