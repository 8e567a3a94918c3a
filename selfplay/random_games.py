"""Examples from games of random moves; beyond the paper.

A game of random moves costs a small part of one search. It gives TD(1) examples like those of
self-play (`selfplay.trajectories`): the belief states of its decisions, with the outcome at the
infostates that the players really had. A network that knows the values of random play gives
searches something to improve on; in long games self-play alone takes many generations to propagate
outcomes back to the start. A few decisions of many games teach more than all of a few, which share
one outcome.
"""

import functools
import time
from collections.abc import Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.flow import normalize
from gtcfr.packing import BeliefState, pack
from selfplay.examples import StoredExample, examples_of_values
from selfplay.workers import SELFPLAY, WorkerOutput
from sog.games.core import CHANCE, TERMINAL, Game
from sog.games.random_play import random_action
from sog.precision import in_32_bits
from sog.pytree import pytree

_GAMES_PER_CALL: Final = 64
_EXAMPLES_AT_ONCE: Final = 1024  # unstored, a large game's take tens of kilobytes each


@pytree
class RandomPlay:
    """One game; all but the utility have a leading axis of `game.max_depth` public events."""

    belief: BeliefState
    """Before the event; the beliefs of players who know that all moves are random."""
    infostates: Array  # [event, player] int32: before it
    is_decision: Array  # [event] bool: a player moved
    utility: Array  # of player 0


def random_game(game: Game[Any], key: Array) -> RandomPlay:
    """Plays a game to its end."""
    deal_key, moves_key = jax.random.split(key)

    def event(carry: tuple[Any, Array, Array], key: Array) -> tuple[Any, Any]:
        state, infostates, reach = carry
        action_key, event_key = jax.random.split(key)
        actor, mask = game.actor(state), game.infostate_mask(state)
        legal = game.legal_actions(state)
        uniform = legal / jnp.maximum(jnp.sum(legal, axis=1, keepdims=True), 1)
        mover = jnp.where(actor < CHANCE, actor, 0)  # at a chance node player 0 takes action 0
        action = random_action(game, state, infostates, action_key)
        outcome, after = game.transition(event_key, state, infostates, action)
        moved = (
            game.apply(state, outcome),
            after,
            game.advance(state, outcome, reach[mover][:, None] * uniform, reach[1 - mover]),
        )
        is_over = actor == TERMINAL
        kept = jax.tree.map(lambda new, old: jnp.where(is_over, old, new), moved, carry)
        # Only ranges matter; in a long game reach would underflow.
        state_after, after, reach = kept
        reach = normalize(reach, game.infostate_mask(state_after))
        belief = BeliefState(state=pack(state), ranges=normalize(carry[2], mask))
        return (state_after, after, reach), (belief, infostates, actor < CHANCE)

    start = (game.root(), game.deal(deal_key), game.root_reach().astype(jnp.float32))
    keys = jax.random.split(moves_key, game.max_depth)
    (end, infostates, _), (beliefs, on_the_way, is_decision) = jax.lax.scan(event, start, keys)
    return RandomPlay(
        belief=beliefs,
        infostates=on_the_way,
        is_decision=is_decision,
        utility=game.world_utility(end, infostates),
    )


def play_random_games(
    game: Game[Any], count: int, share: float, key: Array, random: np.random.Generator
) -> Iterator[WorkerOutput]:
    """Plays random games, some at a time. share: of their decisions that become examples."""
    play: Any = in_32_bits(jax.jit(jax.vmap(functools.partial(random_game, game))))
    keys = jax.random.split(key, -(-count // _GAMES_PER_CALL) * _GAMES_PER_CALL)
    for first in range(0, count, _GAMES_PER_CALL):
        began = time.perf_counter()
        played = jax.device_get(play(keys[first : first + _GAMES_PER_CALL]))
        num_games = min(_GAMES_PER_CALL, count - first)
        is_wanted = np.arange(_GAMES_PER_CALL)[:, None] < num_games
        is_wanted = (
            played.is_decision & is_wanted & (random.random(played.is_decision.shape) < share)
        )
        rows, events = np.nonzero(is_wanted)
        counts = {"games": num_games}
        for start in range(0, max(len(rows), 1), _EXAMPLES_AT_ONCE):
            some = slice(start, start + _EXAMPLES_AT_ONCE)
            yield WorkerOutput(
                part=SELFPLAY,
                examples=_examples(game, played, rows[some], events[some]),
                queries=BeliefState(
                    state=played.belief.state[:0, 0], ranges=played.belief.ranges[:0, 0]
                ),
                counts=counts,
                seconds=time.perf_counter() - began,
            )
            counts, began = {}, time.perf_counter()


def _examples(
    game: Game[Any], played: RandomPlay, rows: np.ndarray, events: np.ndarray
) -> StoredExample | None:
    """Examples of the decisions `events` in the games `rows`."""
    count, size = len(rows), game.num_infostates
    if not count:
        return None
    outcome = np.asarray(played.utility)[rows] / game.max_utility
    infostates = np.asarray(played.infostates)[rows, events]
    values = np.zeros((count, 2, size), np.float32)
    value_mask: Any = np.zeros((count, 2, size), bool)
    which, player = np.arange(count)[:, None], np.arange(2)[None]
    values[which, player, infostates] = np.stack([outcome, -outcome], axis=1)
    value_mask[which, player, infostates] = True
    belief = jax.tree.map(lambda leaf: leaf[rows, events], played.belief)
    return examples_of_values(game, belief, values, value_mask)
