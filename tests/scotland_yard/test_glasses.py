"""Glasses against known numbers, from an enumeration and a linear program outside this project.

The numbers are found by pushing reach down the whole public tree and pulling values up.
"""

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.scotland_yard.game import Glasses


class Level(NamedTuple):
    """Public states at one depth; `parent` and `outcome` say how each was reached."""

    state: Any
    parent: np.ndarray
    outcome: np.ndarray
    actor: np.ndarray
    legal: np.ndarray  # [state, S, A]
    reach: np.ndarray  # [state, 2, S]


def look(game: Any, state: Any) -> Any:
    return game.actor(state), game.legal_actions(state), game.legal_outcomes(state)


def move(game: Any, state: Any, outcome: Any, action_reach: Any, other_reach: Any) -> Any:
    reach = game.advance(state, outcome, action_reach, other_reach)
    return game.apply(state, outcome), reach


def pull(game: Any, state: Any, outcome: Any, cfvs: Any) -> Any:
    """Cfvs [S, A] and [S] of the one to act and the other, from cfvs [2, S] after an outcome."""
    zeros = jnp.zeros((game.num_infostates, game.num_actions)), jnp.zeros(game.num_infostates)
    return jax.linear_transpose(lambda *x: game.advance(state, outcome, *x), *zeros)(cfvs)


def test_what_flows_back_is_gathered_and_not_scattered() -> None:
    """One entry after the other, on CPUs; it would be most of the time of a search."""
    game = Glasses()
    back = jax.jit(functools.partial(pull, game, game.root(), jnp.int32(0)))
    program = back.lower(jnp.zeros((2, game.num_infostates))).as_text()
    assert "gather" in program
    assert "scatter" not in program


def utilities(game: Any, state: Any, reach: Any) -> Any:
    return game.utilities(state, reach)


@functools.cache
def batched(function: Any, game: Any) -> Any:
    return jax.jit(jax.vmap(functools.partial(function, game)))


def in_chunks(function: Any, game: Any, *arguments: Any, size: int = 512) -> Any:
    """A function of the game, vmapped and compiled once, on any number of rows."""
    rows = len(jax.tree.leaves(arguments)[0])
    parts = []
    for start in range(0, rows, size):
        at = np.minimum(np.arange(start, start + size), rows - 1)
        chunk = jax.tree.map(lambda leaf, at=at: np.asarray(leaf)[at], arguments)
        part = batched(function, game)(*chunk)
        parts.append(jax.tree.map(lambda leaf, n=rows - start: np.asarray(leaf)[:n], part))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


@functools.cache
def levels_of(game: Any, policy: Callable[[np.ndarray], np.ndarray]) -> list[Level]:
    """The whole public tree, with the reach of a policy given legal actions [state, S, A]."""

    state = jax.tree.map(lambda leaf: np.asarray(leaf)[None], game.root())
    parent = outcome = np.zeros(1, np.int32)
    reach = np.asarray(game.root_reach(), np.float32)[None]
    levels = []
    while len(parent):
        actor, legal, outcomes = in_chunks(look, game, state)
        levels.append(Level(state, parent, outcome, actor, legal, reach))
        parent, outcome = (each.astype(np.int32) for each in np.nonzero(outcomes))
        if len(parent):
            rows = np.arange(len(actor))
            mover = np.where(actor == PLAYER_1, 1, 0)
            action_reach = reach[rows, mover][:, :, None] * policy(legal)
            other_reach = reach[rows, 1 - mover]
            above = jax.tree.map(lambda leaf, at=parent: leaf[at], state)
            state, reach = in_chunks(
                move, game, above, outcome, action_reach[parent], other_reach[parent]
            )
    return levels


def uniform(legal: np.ndarray) -> np.ndarray:
    count = np.maximum(legal.sum(axis=-1, keepdims=True), 1)
    return np.asarray(legal / count, np.float32)


def test_glasses_has_the_known_numbers_of_histories_and_infostates() -> None:
    game = Glasses()
    histories: Counter[int] = Counter()
    states: Counter[int] = Counter()
    for level in levels_of(game, lambda legal: legal.astype(np.float32)):
        # Actions of weight 1 make Mr X's reach at a station the number of his ways there.
        stuck = level.legal[:, :, -1] & (level.actor == PLAYER_0)[:, None]
        for actor in (PLAYER_0, PLAYER_1, TERMINAL):
            at = level.actor == actor
            states[actor] += int(at.sum())
            histories[actor] += int((level.reach[:, 0] * ~stuck)[at].sum())
    assert histories == {PLAYER_0: 2541, PLAYER_1: 14671 - 2541, TERMINAL: 12280}
    assert states[PLAYER_1] == 748


def value_to(player: int, game: Any, best: bool) -> float:
    """Value to a player when the other plays uniformly, and he does so or his best."""
    levels = levels_of(game, uniform)

    below = None
    for level, child in zip(levels[::-1], [None, *levels[:0:-1]], strict=True):
        # Opponent's reach comes in at the ends, so only the player's own choices are weighed here.
        cfvs = in_chunks(utilities, game, level.state, level.reach)[:, player]
        cfvs[level.actor != TERMINAL] = 0
        if child is not None:
            above = jax.tree.map(lambda leaf, at=child.parent: leaf[at], level.state)
            action_cfvs, other_cfvs = in_chunks(pull, game, above, child.outcome, below)
            q, v = np.zeros(level.legal.shape), np.zeros(cfvs.shape)
            np.add.at(q, child.parent, action_cfvs)
            np.add.at(v, child.parent, other_cfvs)
            highest = np.where(level.legal, q, -np.inf).max(axis=2)
            chosen = np.where(level.legal.any(axis=2), highest, 0)
            mixed = (uniform(level.legal) * q).sum(axis=2)
            own = (level.actor == player)[:, None]
            cfvs = np.where(own, chosen if best else mixed, v) + cfvs
        below = np.zeros((len(cfvs), 2, game.num_infostates), np.float32)
        below[:, player] = cfvs
    return float(cfvs[0].sum())


def test_uniform_play_on_glasses_has_the_known_value() -> None:
    assert value_to(PLAYER_0, Glasses(), best=False) == pytest.approx(-0.634431, abs=1e-6)
    assert value_to(PLAYER_1, Glasses(), best=False) == pytest.approx(0.634431, abs=1e-6)


def test_best_responses_to_uniform_play_on_glasses_have_the_known_values() -> None:
    assert value_to(PLAYER_0, Glasses(), best=True) == pytest.approx(-1 / 81, abs=1e-6)
    assert value_to(PLAYER_1, Glasses(), best=True) == pytest.approx(17 / 18, abs=1e-6)
