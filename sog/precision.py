"""Programs that are the same whether or not JAX's 64-bit types are enabled (JAX_ENABLE_X64=1)."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax

P = ParamSpec("P")
T = TypeVar("T")


def in_32_bits(function: Callable[P, T]) -> Callable[P, T]:
    """A function that is run, or traced, as if 64-bit types were not enabled.

    Where they are, every number made without a dtype would be of 64 bits, and random numbers would
    be others. Arrays of 64 bits among the arguments are converted. Not for generators, whose body
    runs later.
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
