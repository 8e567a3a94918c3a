"""The rules of a game, compiled for one public state at a time.

Outside a compiled program each operation of jnp on a state would be a program of its own.
"""

import functools
from typing import TYPE_CHECKING, Any

import jax

from sog.kept_programs import HostProgram, kept
from sog.precision import in_32_bits

if TYPE_CHECKING:
    from sog.games.core import Game


def call_rules(game: "Game[Any]", functions: str, *arguments: Any) -> list[Any]:
    """The results of functions of a game, named in one text, as NumPy arrays."""
    results: list[Any] = jax.device_get(_call(game, functions, *arguments))
    return results


@in_32_bits
@functools.partial(HostProgram, static_argnums=(0, 1))
def _call(game: "Game[Any]", functions: str, *arguments: Any) -> list[Any]:
    results: list[Any] = kept(functools.partial(_results_of, game, functions))(*arguments)
    return results


def _results_of(game: "Game[Any]", functions: str, *arguments: Any) -> list[Any]:
    return [getattr(game, name)(*arguments) for name in functions.split()]
