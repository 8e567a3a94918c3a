"""How large a search tree is: the public states that it can hold, and the slots of its tables.

`gtcfr.memory_estimate` has the bytes that these sizes amount to.
"""

import math
from typing import Any, Final

from gtcfr.layout import Layout, layout_of
from gtcfr.settings import SearchSettings
from gtcfr.tree import TreeShape
from sog.accelerators import is_accelerated
from sog.games.core import Game

_CHUNK_SIZE: Final = 4
_CHUNK_SIZE_OF_AN_ACCELERATOR: Final = 16
_SMALL_NODE: Final = 1024  # entries [A, S]; larger nodes need no batching
_MOST_EMPTY: Final = 2**15  # entries [A, S] of slots that deep trees leave empty in their chunks
_LEAST_DEPTH: Final = 16
_ENDS_PER_STEP: Final = 16
_LARGE_ENDS_PER_STEP: Final = 4
_MANY_INFOSTATES: Final = 1024
_MOST_BESIDE: Final = 2**12
"""The most states beside the path that a tree growing from the root has room for. The worst case is
exponential in the length of the path, and far above what most games have so near to a re-solve."""


def tree_shape(game: Game[Any], settings: SearchSettings, path_length: int) -> TreeShape:
    """The sizes of a tree for this game; raises ValueError for impossible ones.

    path_length: the most public events between a root and the searched state.
    """
    layout = tree_layout(game, settings)
    simulations = settings.num_simulations + settings.kept_simulations
    capacity = settings.capacity
    if capacity is None:
        capacity = _num_states(game, settings, layout.num_children, path_length, simulations)
    least = 1 + (path_length + 1) * 2
    if settings.capacity is not None and capacity < least:
        raise ValueError(
            f"capacity must be at least {least} for the root's branch and children, got {capacity}."
        )
    interior = min(capacity, 1 + path_length + simulations)
    depth = 1 + path_length + _LEAST_DEPTH + 2 * math.isqrt(simulations)
    if _whole_levels(settings, path_length) > 1:
        interior = depth = capacity
    depth = min(depth, game.max_depth + 1, interior)
    chunk_size = settings.chunk_size or chunk_size_of(game, layout.num_actions)
    if settings.chunk_size is None:
        most = interior + _MOST_EMPTY // (layout.num_actions * game.num_infostates)
        while chunk_size > 1 and chunk_size * _num_chunks(interior, depth, chunk_size) > most:
            chunk_size //= 2
    return TreeShape(
        layout=layout,
        num_chunks=_num_chunks(interior, depth, chunk_size),
        chunk_size=chunk_size,
        depth=depth,
        num_leaves=capacity,
        num_terminals=capacity,
        ends_per_step=_ends_per_step(game, chunk_size),
    )


def tree_layout(game: Game[Any], settings: SearchSettings) -> Layout:
    """How the children of a node are stored; raises ValueError for settings that the game cannot
    have."""
    _check_game(game, settings)
    most_actions = settings.max_actions
    if most_actions is None and _names_children(game) and not game.has_chance:
        most_actions = game.num_searched_actions
    most_outcomes = settings.max_outcomes or game.num_searched_outcomes
    # On accelerators passes over all actions are faster, since they take fewer kernels.
    is_sparse = children_added(game, settings) is not None and not is_accelerated()
    return layout_of(game, most_actions, most_outcomes, is_sparse=is_sparse)


def children_added(game: Game[Any], settings: SearchSettings) -> int | None:
    """Children that an expansion adds, the best by the prior; None for all of them."""
    if settings.num_children is not None:
        return settings.num_children if settings.num_children < game.num_actions else None
    return 1 if settings.grow and _names_children(game) else None


def least_outcomes(game: Game[Any]) -> tuple[int, str]:
    """The least `max_outcomes` in a game, and the reason for it."""
    least = game.num_decision_outcomes
    if least == 1 < game.num_outcomes and game.has_chance:
        return 2, "the outcome on the path of a re-solve and one that stands for the rest"
    return least, "all outcomes of a decision"


def chunk_size_of(game: Game[Any], num_actions: int) -> int:
    """Nodes per array operation: 4 small ones, 16 on accelerators; or 1 large one.

    num_actions: of a node in the tree.
    """
    if num_actions * game.num_infostates > _SMALL_NODE:
        return 1
    return _CHUNK_SIZE_OF_AN_ACCELERATOR if is_accelerated() else _CHUNK_SIZE


def _num_states(
    game: Game[Any], settings: SearchSettings, all_children: int, path_length: int, expansions: int
) -> int:
    """The most public states of a tree: the initial ones, and those that expansions can add, if at
    most every second expansion is of a chance node."""
    added = children_added(game, settings)
    decision = min(added or game.num_decision_outcomes, all_children)
    chance = min(game.num_chance_outcomes, all_children)
    on_the_way = decision if added and not game.has_chance else all_children
    wider = max(chance - decision, 0) * (expansions - expansions // 2)

    def states_of(levels: int) -> int:
        """Beyond the first level, whose states are counted below."""
        return sum(all_children**level for level in range(2, min(levels, game.max_depth) + 1))

    ahead = states_of(settings.lookahead)
    if settings.grows_from_root:
        beside = states_of(_whole_levels(settings, path_length))
        ahead = max(ahead, min(beside, _MOST_BESIDE))
    if ahead:  # the expansions of the lookahead may all be of chance nodes
        wider = max(chance - decision, 0) * expansions
    start = 1 + all_children + path_length * on_the_way + ahead
    return start + expansions * decision + wider


def _whole_levels(settings: SearchSettings, path_length: int) -> int:
    """The levels that a tree holds from the start, in full, below where it grows from."""
    return settings.lookahead + (path_length if settings.grows_from_root else 0)


def _num_chunks(interior: int, depth: int, chunk_size: int) -> int:
    """The most chunks that a tree of that depth can use for so many interior nodes.

    After a chunk with room come only nodes whose parents are in it or after it: at most `depth`
    chunks are not full, and each of them holds a node.
    """
    return depth + (interior - depth) // chunk_size


def _ends_per_step(game: Game[Any], chunk_size: int) -> int:
    """Leaves, or terminal states, per array operation: few if they have many infostates, since the
    padding of the last step costs time."""
    if game.num_infostates >= _MANY_INFOSTATES and not is_accelerated():
        return _LARGE_ENDS_PER_STEP
    return max(_ENDS_PER_STEP, _ENDS_PER_STEP // 4 * chunk_size)


def _names_children(game: Game[Any]) -> bool:
    """Whether information is perfect and each action is an outcome, so that a node can have a
    subset of its children."""
    return not game.hides_information and game.num_outcomes >= game.num_actions


def _check_game(game: Game[Any], settings: SearchSettings) -> None:
    least, why = least_outcomes(game)
    if settings.max_outcomes is not None and settings.max_outcomes < least:
        raise ValueError(
            f"max_outcomes must be at least {least} in {game}, for {why}, got "
            f"{settings.max_outcomes}."
        )
    for name in ("num_children", "max_actions"):
        if getattr(settings, name) is None:
            continue
        if game.hides_information:
            raise ValueError(
                f"{name} must be left out in a game with hidden information such as {game}: "
                f"an infostate could be left without an action; got {getattr(settings, name)}."
            )
        if game.num_outcomes < game.num_actions:
            raise ValueError(
                f"{name} must be left out in {game}, whose outcomes are not its actions."
            )
    if settings.max_actions is not None and game.has_chance:
        raise ValueError(
            f"max_actions must be left out in {game}, where chance may act, "
            f"got {settings.max_actions}."
        )
