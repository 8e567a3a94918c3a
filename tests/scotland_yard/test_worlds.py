"""What Scotland Yard says of a single world, against what it says of all."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import TERMINAL, Game
from sog.scotland_yard.game import London, ScotlandYard

# Shorter, so that Mr X is often caught or wins by the last round.
HUNT = London(rounds=8, reveals="3/6", detectives=12, doubles=1, black=2, mr_x_taxi=2)


@pytest.mark.thorough(but=["london"])
@pytest.mark.parametrize("game", [London(), HUNT], ids=["london", "hunt"])
def test_worlds_of_random_games_have_the_actions_of_their_rows(game: ScotlandYard) -> None:
    """At every step of 32 games, double moves, forced ends and black tickets among them."""
    actors, agree, num_legal, utilities = _play(game, jax.random.split(jax.random.key(0), 32))
    assert agree.all()
    assert ((num_legal > 0) == (actors != TERMINAL)).all()
    np.testing.assert_array_equal(utilities[:, 0], utilities[:, 1])
    assert set(utilities[:, 0].tolist()) == {-1, 1}


def _play(game: Game[Any], keys: Any) -> list[np.ndarray]:
    """[game, step] actors, agreement of rows, numbers of actions; [game, 2] utilities."""

    def step(carry: Any, key: Any) -> Any:
        state, infostates = carry
        actor = game.actor(state)
        actions = game.world_actions(state, infostates)
        row = Game.world_actions(game, state, infostates)
        odds = jnp.where(actions, 0.0, -1e9)
        action = jax.random.categorical(key, odds).astype(jnp.int32)
        outcome, infostates_after = game.transition(key, state, infostates, action)
        after = (game.apply(state, outcome), infostates_after)
        kept = jax.tree.map(lambda old, new: jnp.where(actor == TERMINAL, old, new), carry, after)
        return kept, (actor, (actions == row).all(), actions.sum())

    def play(key: Any) -> Any:
        start = (game.root(), game.deal(key))
        end, steps = jax.lax.scan(step, start, jax.random.split(key, game.max_depth))
        both = (game.world_utility(*end), Game.world_utility(game, *end))
        return *steps, jnp.stack(both)

    return [np.asarray(part) for part in jax.jit(jax.vmap(play))(keys)]
