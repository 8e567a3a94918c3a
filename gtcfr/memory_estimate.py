"""The memory a search needs, in bytes, without compiling anything.

`gtcfr.shape.tree_shape` computes how many slots a tree has from what its simulations can add. Here
are the sizes of the resulting arrays; intermediate results of the program are not counted.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp

from gtcfr.evaluator import Evaluator
from gtcfr.initial_state import empty_tree, root_only_state
from gtcfr.resolving import summarize_tree
from gtcfr.root import start_of_game
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from gtcfr.tree import SearchTree
from sog.games.core import Game
from sog.memory import bytes_of
from sog.precision import in_32_bits

_MOST_SLOTS: Final = 2**31 - 1  # slots have 32-bit numbers


@in_32_bits
def tree_shapes(
    game: Game[Any], encoded: Any, settings: SearchSettings, path_length: int
) -> SearchTree:
    """The arrays of one tree as `jax.eval_shape` has them, for an evaluator that reads ranges.

    encoded: of a state, see `empty_tree`. Raises ValueError for impossible sizes.
    """
    shape = tree_shape(game, settings, path_length)
    if max(shape.nothing, shape.root_edge, *shape.root_source) > _MOST_SLOTS:
        ahead = f" and lookahead = {settings.lookahead}" if settings.lookahead > 1 else ""
        raise ValueError(
            f"num_simulations = {settings.num_simulations}{ahead} could add more public states "
            f"than {_MOST_SLOTS}, which is all that can be numbered."
        )
    evaluated_once = not game.hides_information
    make = functools.partial(empty_tree, game, settings, shape, evaluated_once=evaluated_once)
    shapes: SearchTree = jax.eval_shape(make, encoded)
    return shapes


@in_32_bits
def summary_shapes(game: Game[Any], settings: SearchSettings, path_length: int) -> Any:
    """The `Summary` of a search, as `jax.eval_shape` has it (tracing a search takes seconds).

    path_length: as in `search_memory`.
    """
    tree = tree_shapes(game, (), settings, path_length)
    make = functools.partial(summarize_tree, resolve_from=settings.resolve_from)
    return jax.eval_shape(make, tree, jax.ShapeDtypeStruct((), jnp.int32))


@in_32_bits
def search_memory(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    path_length: int,
    batch_size: int = 1,
) -> dict[str, int]:
    """Bytes of a batch of searches, by use.

    path_length: the most public events between a root and the searched state. Raises ValueError for
    impossible sizes.
    """
    tree_shapes(game, (), settings, path_length)  # raises errors first

    def start() -> Any:
        root = start_of_game(
            game, batch_size=batch_size, path=jnp.zeros((batch_size, path_length), jnp.int32)
        )
        keys = jax.random.split(jax.random.key(0), batch_size)
        return root_only_state(game, evaluator, settings, root, keys)

    state = jax.eval_shape(start)
    tree = state.tree
    parts = {
        "states that were expanded": (tree.interior, tree.interior_statistics),
        "leaves": (tree.leaf, tree.leaf_statistics),
        "answers about leaves": state.answers,
        "ends of the game": tree.terminal,
        "what flows between them": (tree.reach_rows, tree.cfvs),
        "the evaluator's memory": state.memory,
        "queries": state.queries,
    }
    return {name: bytes_of(arrays) for name, arrays in parts.items()}
