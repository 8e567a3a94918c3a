"""Keeps traced programs on disk, beside JAX's compilation cache.

JAX caches compiled programs, but a new process must trace a program again to look it up, which
takes seconds for a search. `kept` saves traces (StableHLO, by `jax.export`) for later processes. A
name identifies all that a trace depends on: the function and its bound arguments, the shapes of its
other arguments, devices, versions, configuration, and the contents of source files
(`sog.program_names`). In case of doubt the program is traced as usual.

Nothing is kept unless a folder is set (`keep_in`), as the command line does.
"""

import contextlib
import dataclasses
import functools
import hashlib
import inspect
import json
import os
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.export  # type: ignore[import-untyped, unused-ignore]

from sog.accelerators import is_accelerated
from sog.files import read_bytes, replacing
from sog.program_names import UnnamedError, describe, describe_process
from sog.result_structure import UnknownStructureError, build, take_apart

_MAGIC: Final = b"sog traced 1\n"
_MOST_KEPT: Final = 1000
"""The most files; the least recently used are deleted."""
_CLOCK_ERROR: Final = 3600.0  # seconds that a file server's clock may be ahead
_MOST_BYTES: Final = 2**26  # of a file; programs with larger constants are not kept
_DIGEST: Final = hashlib.sha256().digest_size
_FIELDS: Final = frozenset(field.name for field in dataclasses.fields(jax.export.Exported))
"""Fields of JAX's `Exported`; they differ between versions."""
_PLAIN_FIELDS: Final = tuple(
    name
    for name in (
        "fun_name",
        "nr_devices",
        "platforms",
        "calling_convention_version",
        "module_kept_var_idx",
        "_has_named_shardings",  # up to JAX 0.11.0
    )
    if name in _FIELDS
)
"""Those that JSON can hold."""
_LEVEL: Final = "xla_backend_optimization_level"
_QUICK_OPTIONS: Final = {"xla_cpu_use_fusion_emitters": False}  # up to JAX 0.11
"""XLA options: see `compile_quickly`."""
_folder: Path | None = None
_is_quick = False


class _UnkeptError(ValueError):
    """A program cannot be kept, or is not in the folder."""


def keep_in(folder: Path | None) -> None:
    """Sets the folder of this process, created if missing; None: nothing is kept.

    Its contents become code, so only the user may have write access.
    """
    global _folder
    _folder = None
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_own(folder.stat()):
            _folder = folder


def compile_quickly(is_quick: bool) -> None:
    """Whether to compile searches on a CPU in little more than half the time, to programs that take
    up to a third longer: right for a user who waits for a few of them."""
    global _is_quick
    _is_quick = is_quick


def compiles_quickly() -> bool:
    """The last setting, if on a CPU."""
    return _is_quick and not is_accelerated()


def quick_options(level: int = 1) -> dict[str, Any]:
    """Options of `jax.jit` for quick compilation, without those unknown to this XLA.

    level: 0 compiles in half the time, to programs that take some three times as long.
    """
    return {_LEVEL: level, **_known_options()}


class HostProgram:
    """`jax.jit` of a function that the host calls now and then, such as the rules for one state.

    With `compile_quickly` it is compiled without optimizations, in a quarter of the time.
    """

    def __init__(self, function: Callable[..., Any], **how: Any) -> None:
        """how: as for `jax.jit`."""
        functools.update_wrapper(self, function)
        self._compiled = functools.cache(functools.partial(_for_host, function, **how))

    def __call__(self, *positional: Any, **named: Any) -> Any:
        """As the function."""
        return self._compiled(compiles_quickly())(*positional, **named)

    def compile(self, *positional: Any, **named: Any) -> None:
        """Compiles for arguments of these shapes, and does not run."""
        self._compiled(compiles_quickly()).trace(*positional, **named).lower().compile()


def _for_host(function: Callable[..., Any], is_quick: bool, **how: Any) -> Any:
    return jax.jit(function, compiler_options=quick_options(0) if is_quick else None, **how)


@functools.cache
def _known_options() -> dict[str, Any]:
    try:
        jax.jit(lambda: jax.numpy.zeros(()), compiler_options=_QUICK_OPTIONS).lower().compile()
    except jax.errors.JaxRuntimeError:
        return {}
    return _QUICK_OPTIONS


def kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, for `jax.jit`: traced only if no earlier process has kept it.

    function: pure, of arrays in pytrees; a `functools.partial` if it has settings. Its result
    consists of arrays in tuples, lists, dictionaries and classes of `sog.pytree`.
    """

    def traced(*positional: Any, **named: Any) -> Any:
        if _folder is None:
            return function(*positional, **named)
        arguments = positional, named
        try:
            name = _name(function, arguments)
            try:
                program, structure = _load(_folder, name, arguments)
            except _UnkeptError:
                program, structure = _save(_folder, name, function, arguments)
            return build(structure, iter(program.call(*jax.tree.leaves(arguments))))
        except (UnnamedError, UnknownStructureError, _UnkeptError):
            return function(*positional, **named)

    inner: Any = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    traced.__name__ = inner.__name__  # the program's name
    return traced


def kept_jit(
    function: Callable[..., Any],
    static: Sequence[str],
    donated: Sequence[str] = (),
) -> Any:
    """`jax.jit` of a function, traced only if no earlier process has kept it, see `kept`.

    static: the names of the arguments that are not arrays. donated: the names of those whose memory
    the result may take over.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def program(*positional: Any, **named: Any) -> Any:
        arguments = signature.bind(*positional, **named).arguments
        settings = {name: arguments.pop(name) for name in static}
        return kept(functools.partial(function, **settings))(**arguments)

    return jax.jit(program, static_argnames=static, donate_argnames=donated)


def is_marked(function: Callable[..., Any], **arguments: Any) -> bool:
    """Whether an earlier process called `mark` with the same program, see `kept`."""
    path = _mark(function, arguments)
    return path is not None and path.exists()


def mark(function: Callable[..., Any], **arguments: Any) -> None:
    """Lets `is_marked` tell later processes of a program."""
    path = _mark(function, arguments)
    if path is not None:
        with contextlib.suppress(OSError):
            write_whole(path, b"")


def _mark(function: Callable[..., Any], arguments: Any) -> Path | None:
    with contextlib.suppress(UnnamedError):
        if _folder is not None:
            return _folder / _file_name(f"mark {_name(function, arguments)}")
    return None


def _name(function: Callable[..., Any], arguments: Any) -> str:
    """All that the trace depends on, as text."""
    leaves, structure = jax.tree.flatten(arguments)
    shapes = [[str(one.dtype), one.shape, one.weak_type] for one in _types(leaves)]
    # Arguments without their arrays, for their static parts.
    bare = jax.tree.unflatten(structure, [None] * len(leaves))
    widest = str(jax.dtypes.canonicalize_dtype(float))  # here, which may differ from the process's
    return json.dumps([describe_process(), widest, describe(function), describe(bare), shapes])


def _save(
    folder: Path, name: str, function: Callable[..., Any], arguments: Any
) -> tuple[jax.export.Exported, Any]:
    """Traces and saves a program; raises _UnkeptError if JAX cannot export it."""
    leaves, tree = jax.tree.flatten(arguments)
    structures: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        found: list[Any] = []
        positional, named = jax.tree.unflatten(tree, leaves)
        structures.append(take_apart(function(*positional, **named), found))
        return found

    shapes = [jax.ShapeDtypeStruct(t.shape, t.dtype, weak_type=t.weak_type) for t in _types(leaves)]
    try:
        made = jax.export.export(jax.jit(flat))(*shapes)
    except (NotImplementedError, ValueError) as error:
        raise _UnkeptError from error
    head: dict[str, Any] = {
        "name": name,
        "structure": structures[-1],
        "results": [[str(t.dtype), t.shape, t.weak_type] for t in made.out_avals],
        **{field: getattr(made, field) for field in _PLAIN_FIELDS},
    }
    if made.uses_global_constants or made.ordered_effects or made.unordered_effects:
        raise _UnkeptError
    signed = json.dumps(head).encode()
    # Not `made`: the next process must compile the same program, to find it in JAX's cache.
    program = _exported(json.loads(signed), made.mlir_module_serialized, leaves)
    content = len(signed).to_bytes(8, "big") + signed + made.mlir_module_serialized
    if len(content) <= _MOST_BYTES:
        with contextlib.suppress(OSError):
            digest = hashlib.sha256(content).digest()
            write_whole(folder / _file_name(name), _MAGIC + digest + content)
            _remove_old(folder)
    return program, structures[-1]


def _load(folder: Path, name: str, arguments: Any) -> tuple[jax.export.Exported, Any]:
    """The program of this name; raises _UnkeptError if it is missing or damaged."""
    path = folder / _file_name(name)
    try:
        data = read_own(path, _MOST_BYTES)
        content = data[len(_MAGIC) + _DIGEST :]
        if data[: len(_MAGIC) + _DIGEST] != _MAGIC + hashlib.sha256(content).digest():
            raise _UnkeptError
        size = 8 + int.from_bytes(content[:8], "big")
        head = json.loads(content[8:size])
        if head["name"] != name:
            raise _UnkeptError
        os.utime(path)
    except (OSError, ValueError, KeyError) as error:
        raise _UnkeptError from error
    return _exported(head, content[size:], jax.tree.leaves(arguments)), head["structure"]


def _exported(head: dict[str, Any], module: bytes, leaves: list[Any]) -> jax.export.Exported:
    """As `jax.export.deserialize`, which needs a package that JAX does not install."""
    known = {str(one.dtype): one.dtype for one in _types(leaves)}  # includes random keys
    results = tuple(
        jax.core.ShapedArray(tuple(shape), known.get(name) or jax.numpy.dtype(name), weak_type=weak)
        for name, shape, weak in head["results"]
    )
    nowhere, nothing = (None,) * len(leaves), (None,) * len(results)
    fields: dict[str, Any] = {
        **{name: _tuples(head[name]) for name in _PLAIN_FIELDS},
        "in_avals": tuple(_types(leaves)),
        "out_avals": results,
        "in_tree": jax.tree.structure((tuple(0 for _ in leaves), {})),
        "out_tree": jax.tree.structure([0 for _ in results]),
        "_in_named_shardings": nowhere,
        "_out_named_shardings": nothing,
        "in_shardings_hlo": nowhere,
        "out_shardings_hlo": nothing,
        "ordered_effects": (),
        "unordered_effects": (),
        "disabled_safety_checks": (),
        "mlir_module_serialized": module,
        "uses_global_constants": False,
        "_get_vjp": None,
    }
    if set(fields) != _FIELDS:
        raise _UnkeptError  # an unknown version of JAX
    return jax.export.Exported(**fields)


def _types(leaves: list[Any]) -> list[jax.core.ShapedArray]:
    typed = (jax.typeof(leaf) for leaf in leaves)
    return [jax.core.ShapedArray(t.shape, t.dtype, weak_type=t.weak_type) for t in typed]


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def folder() -> Path | None:
    """The folder set by `keep_in`, if it is usable."""
    return _folder


def read_own(path: Path, most: int) -> bytes:
    """A file of at most `most` bytes that only the user could write; or ValueError, OSError."""
    if not is_own(path.lstat()):
        raise ValueError(f"{path} is not a file of one's own")
    return read_bytes(path, most, follow=False)


def is_own(found: os.stat_result) -> bool:
    """Whether only the user may write there."""
    if not hasattr(os, "getuid"):  # Windows
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _file_name(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:40] + ".traced"


def write_whole(path: Path, data: bytes) -> None:
    """Writes atomically, since other processes may read at any time."""
    with replacing(path, f".{os.getpid()}.new") as file:
        file.write(data)


def _remove_old(folder: Path) -> None:
    """Deletes old files; those from the future, by a wrong clock, go first."""
    most = time.time() + _CLOCK_ERROR

    def last_used(path: Path) -> float:
        found = path.stat().st_mtime
        return found if found <= most else 0.0

    for path in sorted(folder.glob("*.traced"), key=last_used, reverse=True)[_MOST_KEPT:]:
        path.unlink(missing_ok=True)
