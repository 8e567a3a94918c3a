"""The arrays of a checkpoint, written by Orbax, and workarounds for Orbax.

Orbax hides file system errors, prints tracebacks of late writes, and deadlocks when it is
interrupted. And a checkpoint may come from anybody: only numbers of the types and shapes that its
description lists are accepted.
"""

import contextlib
import logging
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.memory import available_bytes, in_bytes

_LONGEST: Final = 120
"""Characters of a library's message that ours repeats."""
_CLOSED: Final = "Event loop is closed"
_ERROR_CODE: Final = re.compile(r"os_error_code='(\d+)'")
_SECONDS_OF_LATE_WRITES: Final = 0.5
"""How long a failed save waits for its pending writes."""


class ArraysError(Exception):
    """The files do not hold the arrays of the description; the message is one line."""


def describe_arrays(arrays: dict[str, np.ndarray]) -> dict[str, list[Any]]:
    """Types and shapes by name, for JSON; raises ValueError for anything but arrays of numbers."""
    for name, array in arrays.items():
        if not _is_of_numbers(array.dtype):
            raise ValueError(f"array {name} must hold numbers, got {array.dtype}.")
    return {name: [array.dtype.name, list(array.shape)] for name, array in arrays.items()}


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes a folder of arrays. Raises OSError if the system refuses, as on a full disk."""
    # Orbax rejects empty arrays, and an empty dictionary.
    filled = {name: array for name, array in arrays.items() if array.size}
    if filled:
        from orbax.checkpoint import v1 as ocp  # takes a second to import

        with _system_errors(path.parent):
            _uninterrupted(ocp.save, path, filled)


def load_arrays(path: Path, described: dict[str, Any]) -> dict[str, np.ndarray]:
    """The arrays of a folder, in the order of the description.

    Raises ValueError for an invalid description, or one too large for memory (missing chunks count
    as 0, so that a small file may hold any number of them), and ArraysError if the arrays do not
    match it.
    """
    wanted = {name: _kind(name, kind) for name, kind in described.items()}
    total = sum(math.prod(shape) * kind.itemsize for kind, shape in wanted.values())
    free = available_bytes()
    if free is not None and total > free:
        raise ValueError(f"the arrays need {in_bytes(total)} of memory, of {in_bytes(free)}.")
    filled = {name: kind for name, kind in wanted.items() if 0 not in kind[1]}
    arrays = {name: np.zeros(0) for name in wanted}
    arrays |= {name: np.zeros(shape, kind) for name, (kind, shape) in wanted.items() if 0 in shape}
    return arrays | (_load_filled(path, filled) if filled else {})


_Kind = tuple[np.dtype[Any], tuple[int, ...]]
"""The type and the shape of an array."""


def _is_of_numbers(kind: np.dtype[Any]) -> bool:
    is_number = jnp.issubdtype(kind, np.integer) or jnp.issubdtype(kind, np.floating)
    return bool(is_number or kind == np.bool_)


def _kind(name: str, described: Any) -> _Kind:
    match described:
        case [str(text), list(shape)] if all(type(size) is int and size >= 0 for size in shape):
            with contextlib.suppress(TypeError, ValueError):
                kind = np.dtype(jnp.dtype(text))  # JAX's knows bfloat16
                if _is_of_numbers(kind):
                    np.broadcast_to(np.zeros((), kind), shape)  # ValueError: not even the shape
                    return kind, tuple(shape)
    raise ValueError(f"array {name!r} needs a type of numbers and a shape.")


def _load_filled(path: Path, wanted: dict[str, _Kind]) -> dict[str, np.ndarray]:
    from orbax.checkpoint import v1 as ocp

    try:
        stored = _uninterrupted(ocp.metadata, path).metadata
        found = {name: (one.dtype, tuple(one.shape)) for name, one in stored.items()}
        if found == wanted:
            _check_chunks(stored)
            return dict(_uninterrupted(ocp.load, path))
    except (MemoryError, ArraysError):
        raise
    except Exception as error:  # libraries raise all kinds
        about = " ".join(str(error).split()) or type(error).__name__
        about = about if len(about) <= _LONGEST else f"{about[:_LONGEST]}..."
        raise ArraysError(f"cannot be read: {about}.") from None
    wrong = min(name for name, _ in found.items() ^ wanted.items())
    raise ArraysError(f"are not as described: {wrong!r} differs.")


def _check_chunks(stored: dict[str, Any]) -> None:
    """Rejects chunks larger than their array: each is decompressed as a whole, and a few bytes can
    hold any number of zeros."""
    for name, one in stored.items():
        chunks = (one.storage_metadata.chunk_shape, one.storage_metadata.write_shape)
        if any(math.prod(chunk or ()) > math.prod(one.shape) for chunk in chunks):
            raise ArraysError(f"are not as described: {name!r} has chunks larger than itself.")


def _uninterrupted(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls Orbax in another thread, and lets it finish: a KeyboardInterrupt, which only the main
    thread gets, would deadlock its threads for minutes."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(function, *arguments).result()


@contextlib.contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    """Converts Orbax's ValueError about a full disk and the like to the underlying OSError."""
    log = logging.getLogger("absl")
    was_disabled, log.disabled = log.disabled, True  # it would print some hundred lines
    try:
        with _late_writes_ignored():
            yield
    except ValueError as error:
        code = _ERROR_CODE.search(str(error))
        if code is None:
            raise
        number = int(code[1])
        raise OSError(number, os.strerror(number), str(path)) from None
    finally:
        log.disabled = was_disabled


def _is_no_lost_write(record: logging.LogRecord) -> bool:
    """Whether asyncio may print a record: all but those of writes that failed with their save."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, ValueError) and _ERROR_CODE.search(str(error)))


@contextlib.contextmanager
def _late_writes_ignored() -> Iterator[None]:
    """Ignores errors in Orbax's writer threads once one write has failed: its event loop is closed
    then, and every other write would print a traceback."""
    # Stays in place: the garbage collector may find an unretrieved error at any time later.
    logging.getLogger("asyncio").addFilter(_is_no_lost_write)
    report = sys.unraisablehook

    def report_others(found: "sys.UnraisableHookArgs") -> None:
        if not isinstance(found.exc_value, RuntimeError) or str(found.exc_value) != _CLOSED:
            report(found)

    sys.unraisablehook = report_others
    try:
        yield
    except BaseException:
        time.sleep(_SECONDS_OF_LATE_WRITES)
        raise
    finally:
        sys.unraisablehook = report
