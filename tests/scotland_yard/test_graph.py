"""The map that Scotland Yard declares for networks, and what is told of its stations."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import PLAYER_0, PLAYER_1, make
from sog.games.encoding import MOVER, within
from tests.games.random_plays import play_randomly

GAMES = pytest.mark.parametrize("text", ["glasses", "quarter", "london"])


def walk(game: Any, num_plays: int = 2) -> list[Any]:
    """(state, actor, infostates of Mr X before and after, action) of random plays."""
    steps = []
    move = jax.jit(lambda key, state, pair, action: game.transition(key, state, pair, action))
    apply = jax.jit(game.apply)
    for play in play_randomly(game, num_plays, seed=3):
        state, pair = game.root(), jnp.asarray(play.dealt, jnp.int32)
        for step in play.steps:
            _, after = move(jax.random.key(0), state, pair, jnp.int32(step.action))
            later = apply(state, jnp.int32(step.outcome))
            steps.append((state, later, step, int(pair[0]), int(after[0])))
            state, pair = later, after
    return steps


@pytest.mark.thorough(but=["glasses"])
@GAMES
def test_an_action_ends_where_the_graph_says(text: str) -> None:
    game: Any = make(text)
    graph = game.encoding
    assert graph.action_end.shape == (game.num_infostates, game.num_actions)
    assert (graph.roads == graph.roads.T).all()
    assert not graph.roads.diagonal().any()
    moved = {PLAYER_0: 0, PLAYER_1: 0}
    for state, later, step, before, after in walk(game):
        if step.actor == PLAYER_0:
            assert graph.action_end[before, step.action] == after
            assert graph.action_kind[step.action] == step.outcome
            if before != after:
                assert graph.roads[before, after]
        elif step.actor == PLAYER_1:
            mover = int(state.turn)
            start, end = int(state.stations[mover]), int(later.stations[mover])
            assert graph.action_end[start, step.action] == end
            assert graph.roads[start, end]
        moved[step.actor] = moved.get(step.actor, 0) + 1
    assert min(moved[PLAYER_0], moved[PLAYER_1]) > 3


@pytest.mark.thorough(but=["quarter"])
@GAMES
def test_features_tell_who_moves_and_stay_within_bounds(text: str) -> None:
    game: Any = make(text)
    observe = jax.jit(game.encoding.observe)
    for state, _, step, _, _ in walk(game, num_plays=1):
        nodes, whole = observe(state)
        assert nodes.dtype == whole.dtype == np.float32
        assert 0 <= whole.min() <= whole.max() <= 1
        mover = np.flatnonzero(nodes[MOVER]).tolist()
        assert mover == ([int(state.stations[state.turn])] if step.actor == PLAYER_1 else [])
        assert nodes.min() >= 0
        assert nodes.max() <= 1


@pytest.mark.thorough
def test_on_glasses_distances_are_those_of_the_picture() -> None:
    """Detectives at 1 and 11, Mr X at 6; rows are stations 1 to 11."""
    game: Any = make("glasses")
    state = game.apply(game.root(), jnp.int32(0))  # Mr X takes a taxi; detective 1 is to move
    nodes = np.asarray(game.encoding.observe(state)[0])
    assert int(state.turn) == 0
    np.testing.assert_array_equal(nodes[MOVER], [1] + 10 * [0])
    at_both = [1] + 9 * [0] + [1]
    assert at_both in nodes.tolist()
    # Two moves from 1 are 2, 3 and 4, from 11 are 10, 9 and 8.
    assert [0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0.5, 0.5] in nodes.tolist()
    later = game.apply(state, jnp.int32(0))  # not caught: only detective 2 is still to come
    assert int(later.turn) == 1
    alone = [0, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5]
    assert alone in np.asarray(game.encoding.observe(later)[0]).tolist()
    assert alone not in nodes.tolist()


def test_within_counts_moves() -> None:
    line = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    one, two = within(line, 2)
    assert one.sum() == 4 + 6
    assert two.sum() == 4 + 6 + 4
    assert two[0, 2]
    assert not two[0, 3]
