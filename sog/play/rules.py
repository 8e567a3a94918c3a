"""The rules of a game, compiled for one public state at a time."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.precision import in_32_bits


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Situation:
    """Actor, legal moves and possible infostates of a public state, on the host."""

    actor: int  # as `Game.actor`
    legal_outcomes: np.ndarray  # [K] bool
    legal_actions: np.ndarray  # [S, A] bool
    infostate_mask: np.ndarray  # [player, S] bool

    @property
    def has_choice(self) -> bool:
        """Whether the acting player has more than one legal action at some infostate."""
        return bool((self.legal_actions.sum(axis=1) > 1).any())


def first_state(game: Game[Any]) -> Any:
    """The initial public state."""
    return _root(game)


def after(game: Game[Any], state: Any, outcome: int) -> Any:
    """The public state after a legal outcome."""
    return _apply(game, state, np.int32(outcome))


def situation(game: Game[Any], state: Any) -> Situation:
    """The `Situation` of a public state."""
    actor, *masks = jax.device_get(_situation(game, state))
    legal_outcomes, legal_actions, infostate_mask = masks
    return Situation(
        actor=int(actor),
        legal_outcomes=legal_outcomes,
        legal_actions=legal_actions,
        infostate_mask=infostate_mask,
    )


def step(
    game: Game[Any], key: Array, state: Any, infostates: np.ndarray, action: int
) -> tuple[int, np.ndarray]:
    """Samples a step of a world: the outcome, and both infostates [2] after it."""
    outcome, infostates = jax.device_get(
        _transition(game, key, state, infostates, np.int32(action))
    )
    return int(outcome), infostates


def key_of_event(key: Array, actions: Sequence[int | None], *, is_chance: bool) -> Array:
    """The key of the event after these actions (None where chance moved).

    It depends on the number of chance events so far and of decisions since the last one, so games
    with one key share all their cards, whatever is bet between. Decisions need randomness, too:
    games of OpenSpiel may draw something hidden after one.
    """
    num_chance = sum(action is None for action in actions)
    since = next((i for i, action in enumerate(reversed(actions)) if action is None), len(actions))
    return jax.random.fold_in(jax.random.fold_in(key, num_chance), 0 if is_chance else 1 + since)


def deal(game: Game[Any], key: Array) -> np.ndarray:
    """[2] int32: samples a deal."""
    return np.asarray(_deal(game, key))


def utility(game: Game[Any], state: Any, infostates: np.ndarray) -> float:
    """Player 0's utility in a terminal world."""
    return float(_utility(game, state, infostates))


def sample(key: Array, policy: np.ndarray) -> int:
    """Samples an action from a policy [A]; never one of probability 0."""
    upto = np.cumsum(policy)
    point = float(_uniform(key)) * upto[-1]
    last = int(np.flatnonzero(policy)[-1])  # rounding must not lead beyond it
    return min(int(np.searchsorted(upto, point, side="right")), last)


@in_32_bits
@functools.partial(jax.jit, static_argnames="game")
def _root(game: Game[Any]) -> Any:
    return game.root()


@in_32_bits
@functools.partial(jax.jit, static_argnames="game")
def _apply(game: Game[Any], state: Any, outcome: Array) -> Any:
    return game.apply(state, outcome)


@in_32_bits
@functools.partial(jax.jit, static_argnames="game")
def _situation(game: Game[Any], state: Any) -> tuple[Array, Array, Array, Array]:
    return (
        game.actor(state),
        game.legal_outcomes(state),
        game.legal_actions(state),
        game.infostate_mask(state),
    )


@in_32_bits
@functools.partial(jax.jit, static_argnames="game")
def _transition(
    game: Game[Any], key: Array, state: Any, infostates: Array, action: Array
) -> tuple[Array, Array]:
    return game.transition(key, state, infostates, action)


@in_32_bits
@functools.partial(jax.jit, static_argnames="game")
def _deal(game: Game[Any], key: Array) -> Array:
    return game.deal(key)


@in_32_bits
@functools.partial(jax.jit, static_argnames="game")
def _utility(game: Game[Any], state: Any, infostates: Array) -> Array:
    return game.world_utility(state, infostates)


@in_32_bits
@jax.jit
def _uniform(key: Array) -> Array:
    return jax.random.uniform(key)
