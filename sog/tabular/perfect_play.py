"""Action values under perfect play with perfect information, by backward induction.

All positions below the given ones are visited level by level, transpositions once. For endgames and
small games: it visits and stores all of them.
"""

import dataclasses
import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.chunks import chunks
from sog.games.core import PLAYER_1, TERMINAL, Game

_CHUNK: Final = 512
_MOST_POSITIONS: Final = 2_000_000


class TooManyPositionsError(ValueError):
    """There are more positions than allowed."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Level:
    """Positions after equally many events. NumPy arrays."""

    mover: np.ndarray  # [position]: TERMINAL if the game is over
    result: np.ndarray  # [position]: of player 0, if the game is over
    parent: np.ndarray  # [move]: the position of each legal action, in order
    action: np.ndarray  # [move]
    child: np.ndarray  # [move]: the position of the next level


def perfect_values(
    game: Game[Any], states: Any, *, max_positions: int = _MOST_POSITIONS
) -> np.ndarray:
    """[position, A]: the value of each action to the player to move if both then play perfectly;
    NaN for illegal actions.

    states: public states with a leading axis. Raises ValueError for a game with hidden information
    or chance, and TooManyPositionsError for more than max_positions.
    """
    if game.hides_information or game.has_chance:
        raise ValueError(f"perfect play needs perfect information and no chance, not {game}.")
    levels, num_positions = list[_Level](), 0
    states = jax.device_get(states)
    while _count(states) > 0:
        num_positions += _count(states)
        if num_positions > max_positions:
            raise TooManyPositionsError(
                f"more than {max_positions:,} positions of {game} are below; allow more, or begin "
                f"later in the game."
            )
        level, states = _visit(game, states)
        levels.append(level)
    values = np.zeros(0)
    for level in reversed(levels):
        below, values = values, _back_up(level, values)
    first = levels[0]
    found = np.full((len(first.mover), game.num_actions), np.nan)
    to_mover = np.where(first.mover[first.parent] == PLAYER_1, -1, 1)
    found[first.parent, first.action] = to_mover * below[first.child]
    return found


def _back_up(level: _Level, below: np.ndarray) -> np.ndarray:
    """[position]: values to player 0, from those of the next level."""
    values = level.result.astype(float)
    if len(level.parent) > 0:
        after = below[level.child]
        parents, starts = np.unique(level.parent, return_index=True)
        largest = np.maximum.reduceat(after, starts)
        least = np.minimum.reduceat(after, starts)
        values[parents] = np.where(level.mover[parents] == PLAYER_1, least, largest)
    return values


def _visit(game: Game[Any], states: Any) -> tuple[_Level, Any]:
    """A level, and the distinct positions of the next."""
    parts, start = list[tuple[Any, ...]](), 0
    for mover, result, legal, children in chunks(functools.partial(_look, game), states, _CHUNK):
        parent, action = np.nonzero(legal)
        taken = jax.tree.map(lambda leaf, at=(parent, action): leaf[at], children)
        parts.append((mover, result, parent + start, action, taken))
        start += len(mover)
    mover, result, parent, action, following = jax.tree.map(
        lambda *leaves: np.concatenate(leaves), *parts
    )
    kept, child = _distinct(following)
    level = _Level(mover=mover, result=result, parent=parent, action=action, child=child)
    return level, jax.tree.map(lambda leaf: leaf[kept], following)


def _distinct(states: Any) -> tuple[np.ndarray, np.ndarray]:
    """The indices of distinct states, and for each state its index among those."""
    count = _count(states)
    if count == 0:
        return np.zeros(0, int), np.zeros(0, int)
    leaves = [np.asarray(leaf).reshape(count, -1) for leaf in jax.tree.leaves(states)]
    row = np.concatenate([np.ascontiguousarray(leaf).view(np.uint8) for leaf in leaves], axis=1)
    whole = np.ascontiguousarray(row).view(np.dtype((np.void, row.shape[1]))).reshape(-1)
    _, kept, place = np.unique(whole, return_index=True, return_inverse=True)
    return kept, place.reshape(-1)


def _count(states: Any) -> int:
    return len(jax.tree.leaves(states)[0])


@functools.partial(jax.jit, static_argnums=0)
def _look(game: Game[Any], states: Any) -> tuple[Array, Array, Array, Any]:
    """The actor, the result, legal actions [position, A], and the positions after all actions."""

    def look(state: Any) -> tuple[Array, Array, Array, Any]:
        actor = game.actor(state)
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)
        children = jax.vmap(game.apply, (None, 0))(state, actions)
        utility = game.utilities(state, jnp.ones((2, 1)))[0, 0]
        result = jnp.where(actor == TERMINAL, utility, 0)
        return actor, result, game.legal_outcomes(state), children

    return jax.vmap(look)(states)
