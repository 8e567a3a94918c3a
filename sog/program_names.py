"""Describes what a traced program depends on, as text that is stable across processes.

A description covers plain values, settings (dataclasses), arrays by their contents, functions by
their names, games by their parameters and the files that these name, and source files by their
contents. Anything else raises UnnamedError.
"""

import contextlib
import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import inspect
import sys
import time
import types
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from sog.files import read_bytes

NOT_DESCRIBED: Final = types.MappingProxyType({"described": False})
"""Metadata of a field that no trace depends on, or that the other fields and the game determine."""
_PROJECT: Final = ("sog", "gtcfr", "networks", "selfplay")
_LIBRARIES: Final = ("builtins", "functools", "jax", "jaxlib", "numpy", "flax", "optax")
"""Packages identified by their versions."""
_LOADED_LATER: Final = ("mctx", "pgx")
"""Such packages that execute code loaded by the user."""
_SOURCES: Final = (".py", ".csv")
_MOST_BYTES: Final = 2**26  # of arrays and of sources: reading more is as slow as tracing

_STARTED, _STARTED_MONOTONIC = time.time(), time.monotonic()


class UnnamedError(ValueError):
    """Something has no description that is stable across processes."""


@functools.cache
def describe_process() -> list[Any]:
    """Describes devices, versions, configuration, and the sources of this project."""
    device = jax.devices()[0]
    versions: dict[str, Any] = {
        name: getattr(sys.modules[name], "__version__", None)
        for name in _LIBRARIES
        if name in sys.modules
    }
    for name in _LOADED_LATER:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return [
        [device.platform, device.device_kind, jax.device_count()],
        [sys.version, versions],
        # Programs do not depend on cache folders, nor on kept programs.
        {name: repr(value) for name, value in jax.config.values.items() if "cache" not in name},
        [_sources_of(name) for name in _PROJECT],
    ]


def describe(value: Any) -> Any:
    """A description as JSON."""
    if value is None or type(value) in (bool, int, float, complex):
        return repr(value)
    if type(value) is str:
        return [value, _contents(value)]
    if isinstance(value, (tuple, list)):
        return [_name_of(type(value)), [describe(part) for part in value]]
    if isinstance(value, dict):
        return [[describe(name), describe(part)] for name, part in value.items()]
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        return _of_array(np.asarray(value))
    if isinstance(value, functools.partial):
        return [describe(value.func), describe(value.args), describe(value.keywords)]
    if isinstance(value, jax.sharding.Mesh):
        return [repr(value), [device.id for device in value.devices.flat]]
    if isinstance(value, type) or inspect.isfunction(value):
        in_module = getattr(sys.modules[value.__module__], value.__name__, None)
        if getattr(value, "__closure__", None) and value is not in_module:
            raise UnnamedError("a function that remembers values")
        return _name_of(value)
    if dataclasses.is_dataclass(value):
        fields = {
            field.name: describe(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.metadata != NOT_DESCRIBED
        }
        return [_name_of(type(value)), fields]
    raise UnnamedError(f"{type(value)}")


def _name_of(thing: Any) -> list[Any]:
    """The name of a class or function, and its sources, unless a version identifies them."""
    if "<" in thing.__qualname__:
        raise UnnamedError("a function within a function")
    name = [thing.__module__, thing.__qualname__]
    modules = dict.fromkeys(
        one.__module__ for one in (thing.__mro__ if isinstance(thing, type) else (thing,))
    )
    return name + [_sources_beside(one) for one in modules if _is_foreign(one.partition(".")[0])]


def _is_foreign(top: str) -> bool:
    """Whether neither a version nor the sources of this project identify a package."""
    is_python = top in sys.stdlib_module_names and top != "__main__"
    return not is_python and top not in _PROJECT and top not in _LIBRARIES


@functools.cache
def _sources_beside(name: str) -> str:
    """The sources of a module's whole package, or of its folder."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None:
        raise UnnamedError(f"{name} has no source file")
    inside = name.count(".") + (Path(file).stem == "__init__")
    return _digest(Path(file).parents[max(inside - 1, 0)], is_package=inside > 0)


@functools.cache
def _sources_of(package: str) -> str:
    """The sources of a package of this project, loaded or not."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise UnnamedError(f"{package} has no source files")
    return _digest(Path(spec.origin).parent, is_package=True)


def _digest(folder: Path, *, is_package: bool) -> str:
    digest, size = hashlib.sha256(), 0
    # If the clock was set back, later edits look older than `_STARTED`.
    started = min(_STARTED, time.time() - (time.monotonic() - _STARTED_MONOTONIC))
    paths = folder.rglob("*") if is_package else folder.glob("*")
    for path in sorted(path for path in paths if path.suffix in _SOURCES):
        found = path.stat()
        size += found.st_size
        if size > _MOST_BYTES:
            raise UnnamedError(f"{folder} has too many source files")
        if found.st_mtime > started:
            raise UnnamedError(f"{path} may be newer than what was loaded of it")
        digest.update(f"{path.relative_to(folder)}\n".encode())
        digest.update(read_bytes(path, _MOST_BYTES))
    return digest.hexdigest()


def _contents(text: str) -> str | None:
    """A digest of the file that a parameter names, if any."""
    try:
        path = Path(text)
        if not path.is_file():
            return None
        if path.stat().st_size > _MOST_BYTES:
            raise UnnamedError(f"{text} is large")
        return hashlib.sha256(read_bytes(path, _MOST_BYTES)).hexdigest()
    except (OSError, ValueError):  # not a file name
        return None


def _of_array(array: np.ndarray) -> list[Any]:
    if array.nbytes > _MOST_BYTES or array.dtype.hasobject:
        raise UnnamedError("a large array")
    return [str(array.dtype), list(array.shape), hashlib.sha256(array.tobytes()).hexdigest()]
