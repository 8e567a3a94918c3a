"""Extends a search beyond its planned simulations by moving its trees to larger tables.

Nodes keep their slots and chunks keep their size, so the search continues exactly as one that had
the larger tables from the start.
"""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.attaching import sources_of
from gtcfr.evaluator import Evaluator, evaluates_once
from gtcfr.initial_state import empty_tree
from gtcfr.leaves import no_answers
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from gtcfr.tree import SearchTree, TreeShape
from sog.games.core import Game
from sog.precision import in_32_bits


def with_more_simulations(
    settings: SearchSettings, shape: TreeShape, num_simulations: int
) -> SearchSettings:
    """Settings for more simulations in all, of a search whose trees have that shape.

    The chunk size stays as it is, and the tree grows through all further updates. Raises ValueError
    as `SearchSettings` does, for fewer simulations than before, and for a rule whose averages are
    planned.
    """
    if num_simulations < settings.num_simulations:
        raise ValueError(
            f"num_simulations must be >= {settings.num_simulations}, which the tree has room for, "
            f"got {num_simulations}."
        )
    if settings.cfr_rule.is_planned:
        raise ValueError(
            f"a search by rule {settings.rule} cannot be extended: its averages are planned."
        )
    return replace(
        settings, num_simulations=num_simulations, chunk_size=shape.chunk_size, growth_share=1.0
    )


@in_32_bits
def enlarge(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    state: SearchState,
    settings: SearchSettings,
    path_length: int,
) -> SearchState:
    """The same searches with room for the simulations of `settings`, see `with_more_simulations`.

    path_length: of their original root. Nodes that did not fit before stay missing
    (`SearchResult.is_full`).
    """
    old, new = state.tree.shape, tree_shape(game, settings, path_length)
    assert (old.layout, old.chunk_size) == (new.layout, new.chunk_size)
    return replace(
        state,
        tree=jax.vmap(functools.partial(_copied, game, evaluator, settings, new))(state.tree),
        # They may be reused for some more passes.
        answers=_put(no_answers(game, evaluator, len(state.slot), new.num_leaves), state.answers),
    )


def _copied(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    shape: TreeShape,
    tree: SearchTree,
) -> SearchTree:
    old = tree.shape
    empty = empty_tree(
        game,
        settings,
        shape,
        jax.tree.map(lambda leaf: leaf[0], tree.leaf.encoded),
        evaluated_once=evaluates_once(game, evaluator),
    )

    def moved_row(row: Array) -> Array:
        by = jnp.where(row < old.leaf_row, 0, shape.leaf_row - old.leaf_row)
        by = jnp.where(row < old.terminal_row, by, shape.terminal_row - old.terminal_row)
        return jnp.where(row < old.nothing, row + by, shape.nothing)

    def moved_nodes(nodes: Any) -> Any:
        is_root = nodes.edge == old.root_edge
        sources = sources_of(empty, jnp.int32(shape.root_edge))
        return replace(
            nodes,
            edge=jnp.where(is_root, shape.root_edge, nodes.edge),
            source=jnp.where(is_root[:, None], sources, nodes.source),
        )

    interior = moved_nodes(replace(tree.interior, child=moved_row(tree.interior.child)))
    return replace(
        tree,
        shape=shape,
        interior=_put(empty.interior, interior),
        interior_statistics=_put(empty.interior_statistics, tree.interior_statistics),
        leaf=_put(empty.leaf, moved_nodes(tree.leaf)),
        leaf_statistics=_put(empty.leaf_statistics, tree.leaf_statistics),
        terminal=_put(empty.terminal, moved_nodes(tree.terminal)),
        chunk_fill=_put(empty.chunk_fill, tree.chunk_fill),
        # Scratch space, which every update refills.
        reach_rows=empty.reach_rows,
        cfvs=empty.cfvs,
    )


def _put(large: Any, small: Any) -> Any:
    """The rows of small tables as the first of large ones."""
    return jax.tree.map(lambda to, rows: to.at[: len(rows)].set(rows), large, small)
