"""Single plays of a game: by given events, or drawn at random."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import TERMINAL, Game

Pair = tuple[int, int]


class Step(NamedTuple):
    """One step of a play."""

    actor: int
    legal: list[int]
    action: int
    outcome: int


class Play(NamedTuple):
    """One play of a game to its end, with player 0's utility."""

    dealt: Pair
    steps: list[Step]
    utility: float


_apply = jax.jit(lambda game, state, event: game.apply(state, event), static_argnums=0)


def state_after(game: Game[Any], *events: int) -> Any:
    """The public state that follows the start of a game by these public events."""
    state = game.root()
    for event in events:
        state = _apply(game, state, jnp.int32(event))
    return state


def play_randomly(game: Game[Any], num_plays: int, seed: int) -> list[Play]:
    """Plays with uniform legal moves."""
    keys = jax.random.split(jax.random.key(seed), num_plays)
    trace = jax.jit(jax.vmap(lambda key: _random_trace(game, key)))(keys)
    dealt, steps, ends = jax.tree.map(np.asarray, trace)
    plays = []
    for i, (pair, utility) in enumerate(zip(dealt, ends, strict=True)):
        actor, legal, action, outcome = (part[i] for part in steps)
        taken = range(int((actor != TERMINAL).sum()))
        play = [
            Step(int(actor[t]), np.flatnonzero(legal[t]).tolist(), int(action[t]), int(outcome[t]))
            for t in taken
        ]
        plays.append(Play((int(pair[0]), int(pair[1])), play, float(utility)))
    return plays


def _random_trace(game: Game[Any], key: jax.Array) -> Any:
    deal_key, key = jax.random.split(key)
    dealt = game.deal(deal_key)

    def step(carry: Any, key: jax.Array) -> tuple[Any, Any]:
        state, infostates = carry
        choice_key, key = jax.random.split(key)
        actor = game.actor(state)
        legal = game.world_actions(state, infostates)
        odds = jnp.where(legal, 0.0, -1e9)
        action = jax.random.categorical(choice_key, odds).astype(jnp.int32)
        outcome, later = game.transition(key, state, infostates, action)
        after = (game.apply(state, outcome), later)
        is_over = actor == TERMINAL
        carry = jax.tree.map(lambda old, new: jnp.where(is_over, old, new), carry, after)
        return carry, (actor, legal, action, outcome)

    keys = jax.random.split(key, game.max_depth)
    (state, infostates), steps = jax.lax.scan(step, (game.root(), dealt), keys)
    reach = (jnp.arange(game.num_infostates)[None, :] == infostates[:, None]).astype(jnp.float32)
    own = infostates[0]
    utility = game.utilities(state, reach)[0, own] / game.compatible_reach(state, reach)[0, own]
    return dealt, steps, utility
