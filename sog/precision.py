"""Makes programs independent of JAX's 64-bit mode (JAX_ENABLE_X64=1)."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax

P = ParamSpec("P")
T = TypeVar("T")


def in_32_bits(function: Callable[P, T]) -> Callable[P, T]:
    """Runs, or traces, a function with 64-bit types disabled.

    Otherwise every number made without a dtype would have 64 bits, and random numbers would differ.
    64-bit arrays among the arguments are converted. Not for generators, whose body runs later.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if not jax.config.read("jax_enable_x64"):
            return function(*args, **kwargs)
        with jax.enable_x64(False):
            args, kwargs = jax.tree.map(_in_32_bits, (args, kwargs))
            return function(*args, **kwargs)

    return run


def _in_32_bits(leaf: Any) -> Any:
    if isinstance(leaf, jax.Array) and leaf.dtype in ("float64", "int64", "uint64"):
        return leaf.astype(str(leaf.dtype).replace("64", "32"))
    return leaf
