"""Public states to check: the whole public tree of a small game, or states on random walks."""

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.chunks import chunks, in_chunks
from sog.games.conformance.finding import broken
from sog.games.core import PLAYER_1, TERMINAL, Game
from sog.games.random_play import random_action

MOST_STATES_PER_CALL: Final = 64
MOST_ENTRIES_PER_CALL: Final = 2**23
"""Bounds the memory of one call: 64 MiB per array of float64."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sample:
    """Public states of a game, on the host."""

    states: Any  # [state, ...]
    possible: np.ndarray  # bool[state, player, infostate]: reachable by legal play
    deepest: int  # the most public events seen above a state
    exhaustive: bool  # every public state is here

    def __len__(self) -> int:
        """The number of states."""
        return len(self.possible)

    def state(self, index: int) -> Any:
        """One state, unbatched."""
        return jax.tree.map(lambda leaf: leaf[index], self.states)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`jax.jit` with fast compilation and slow code, for programs that run only a few times."""
    return jax.jit(function, compiler_options={"xla_backend_optimization_level": 0})


def states_per_call(entries_per_state: int) -> int:
    """The number of states per compiled call."""
    return max(1, min(MOST_STATES_PER_CALL, MOST_ENTRIES_PER_CALL // entries_per_state))


def each(call: Callable[[Any], Any], batch: Any, size: int) -> Iterator[Any]:
    """The results row by row."""
    for chunk in chunks(call, batch, size):
        leaves, structure = jax.tree.flatten(chunk)
        for row in zip(*leaves, strict=True):
            yield jax.tree.unflatten(structure, row)


def occurring(game: Game[Any], state: Any, reach: Array) -> Array:
    """bool[2, S]: infostates with positive reach that are compatible with one of the opponent's."""
    return (reach > 0) & (game.compatible_reach(state, reach) > 0)


def acting_row(actor: Array) -> Array:
    """The acting player's row of reach; player 0 stands in for chance."""
    return jnp.where(actor == PLAYER_1, 1, 0)


def possible_after(game: Game[Any], state: Any, possible: Array, outcome: Array) -> Array:
    """bool[2, S]: infostates that can occur in the child if all legal actions are played."""
    row = acting_row(game.actor(state))
    reach = possible.astype(float)
    action_reach = game.legal_actions(state) * reach[row][:, None]
    child_reach = game.advance(state, outcome, action_reach, reach[1 - row])
    return occurring(game, game.apply(state, outcome), (child_reach > 0).astype(float))


def _root(game: Game[Any]) -> tuple[Any, Array]:
    state = game.root()
    return state, occurring(game, state, game.root_reach())


def enumerate_states(game: Game[Any], max_states: int) -> Sample | None:
    """The whole public tree, or None when it has more than `max_states` states."""

    def legal(state: Any) -> Array:
        return game.legal_outcomes(state) & (game.actor(state) != TERMINAL)

    def follow(at: tuple[Any, Array, Array]) -> tuple[Any, Array]:
        state, possible, outcome = at
        return game.apply(state, outcome), possible_after(game, state, possible, outcome)

    legal_all, follow_all = compiled(jax.vmap(legal)), compiled(jax.vmap(follow))
    sizes = states_per_call(game.num_outcomes), states_per_call(entries_per_outcome(game))
    level = jax.tree.map(lambda leaf: np.asarray(leaf)[None], _root(game))
    levels = [level]
    while True:
        parents, outcomes = np.nonzero(in_chunks(legal_all, level[0], sizes[0]))
        if len(parents) == 0:
            break
        if sum(len(possible) for _, possible in levels) + len(parents) > max_states:
            return None
        if len(levels) > game.max_depth:
            state = jax.tree.map(lambda leaf, at=parents[0]: leaf[at], level[0])
            raise too_deep(game, state)
        above = jax.tree.map(lambda leaf, at=parents: leaf[at], level)
        level = in_chunks(follow_all, (*above, outcomes.astype(np.int32)), sizes[1])
        levels.append(level)
    states, possible = jax.tree.map(lambda *leaves: np.concatenate(leaves), *levels)
    return Sample(states=states, possible=possible, deepest=len(levels) - 1, exhaustive=True)


def entries_per_outcome(game: Game[Any]) -> int:
    """An estimate of the numbers that a game computes to follow one outcome of one state."""
    return game.num_infostates * max(game.num_infostates, game.num_actions)


def too_deep(game: Game[Any], state: Any) -> Exception:
    """The error for a game that continues after `max_depth` events."""
    text = "every play ends within max_depth public events"
    return broken(game, text, state, f"not over after max_depth = {game.max_depth}")


def walk_states(game: Game[Any], seed: int, num_walks: int, max_states: int) -> Sample:
    """States visited when both players act at random; at most `max_states`, half of them final."""

    def walk(key: Array) -> tuple[Any, Array]:
        key_deal, key_steps = jax.random.split(key)
        start = (*_root(game), game.deal(key_deal))
        keys = jax.random.split(key_steps, game.max_depth + 1)
        _, (states, possible) = jax.lax.scan(functools.partial(_step, game), start, keys)
        return states, possible

    size = states_per_call(entries_per_outcome(game))
    key = jax.random.key(seed)
    walk_all = compiled(jax.vmap(lambda index: walk(jax.random.fold_in(key, index))))
    states, possible = in_chunks(walk_all, np.arange(num_walks), size)
    # [walk, depth]; a finished walk repeats its last state.
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), states)
    actors = in_chunks(compiled(jax.vmap(game.actor)), flat, MOST_STATES_PER_CALL)
    over = actors.reshape(num_walks, -1) == TERMINAL
    if not over[:, -1].all():
        last = int(np.argmin(over[:, -1]))
        raise too_deep(game, jax.tree.map(lambda leaf: leaf[last, -1], states))
    visited = np.roll(~over, 1, axis=1)
    visited[:, 0] = True
    rng = np.random.default_rng(seed)
    final = rng.permutation(np.flatnonzero(visited & over))[: max_states // 2]
    others = rng.permutation(np.flatnonzero(visited & ~over)[1:])[: max_states - len(final) - 1]
    chosen = np.concatenate([[0], others, final])  # 0 is the root
    chosen = chosen[np.argsort(chosen % visited.shape[1], kind="stable")]  # by depth
    return Sample(
        states=jax.tree.map(lambda leaf: leaf[chosen], flat),
        possible=possible.reshape(-1, *possible.shape[2:])[chosen],
        deepest=int(visited.any(axis=0).nonzero()[0][-1]),
        exhaustive=False,
    )


def _step(
    game: Game[Any], world: tuple[Any, Array, Array], key: Array
) -> tuple[tuple[Any, Array, Array], tuple[Any, Array]]:
    """Takes a random action in a world (state, possible, infostates); terminal worlds stay."""
    state, possible, infostates = world
    actor = game.actor(state)
    key_action, key_transition = jax.random.split(key)
    action = random_action(game, state, infostates, key_action)
    outcome, moved = game.transition(key_transition, state, infostates, action)
    after = (game.apply(state, outcome), possible_after(game, state, possible, outcome), moved)
    stays = actor == TERMINAL
    following = jax.tree.map(lambda old, new: jnp.where(stays, old, new), world, after)
    return following, (state, possible)
