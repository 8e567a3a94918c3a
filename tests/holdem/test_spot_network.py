"""What a network says at decisions of spots: as if the spot had come in a game of its own."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import LeafQueries, NetworkEvaluator, ZeroEvaluator
from networks.cvpn import NetworkSettings, make_network
from sog.games import make
from sog.games.core import CHANCE
from sog.holdem.deck import number_of
from sog.holdem.spots import SpotSolver, spot_of, walk
from sog.holdem.spots.network import SpotReader
from tests.holdem.games import holdem

DECK = "ranks=5,suits=3"
BOARD = "KhQsJhTsTd"
GAME = f"holdem({DECK},blinds=50/100,stack=600,bets=0.5/1/allin,caps=2)"
LINES = {
    "": [],
    "check": [1],
    "bet100": [2],
    "check bet200": [1, 3],
    "bet100 raise300": [2, 2],
    "check allin500": [1, 4],
}
"""Of the river, as a spot has them and as the game does."""


@functools.cache
def network() -> NetworkEvaluator:
    """Of the game; with weights that are not small, as heads are at first."""
    apply_fn, params = make_network(holdem(GAME), NetworkSettings(torso="hands", width=4, depth=1))
    params = jax.tree.map(
        lambda leaf: leaf + 0.3 * jnp.sin(jnp.arange(leaf.size)).reshape(leaf.shape), params
    )
    return NetworkEvaluator(apply_fn=apply_fn, params=params, encode_fn=apply_fn.encode)


@functools.cache
def solved(times: int) -> SpotSolver:
    """The river after two calls and checks, 200 in the pot and 500 behind, so many times."""
    sizes = f"pot={200 * times},stack={500 * times},bets=0.5/1/allin,caps=2"
    game = holdem(f"holdem({DECK},board={BOARD},{sizes})")
    random = np.random.default_rng(0)
    solver = SpotSolver(spot_of(game), random.random((2, game.num_infostates)))
    solver.run(20)
    return solver


def played(line: Sequence[int]) -> Any:
    """The public state of the network's own game."""
    game = holdem(GAME)
    cards = list(game.deck.parse_cards(BOARD))
    state, events = game.root(), [1] * 6 + list(line)
    while events or int(game.actor(state)) == CHANCE:
        if int(game.actor(state)) == CHANCE:
            street = int(state.betting.street)
            count = game.num_public[street + 1] - game.num_public[street]
            dealt, cards = sorted(cards[:count]), cards[count:]
            outcome = number_of(jnp.asarray(dealt), game.deck.num_cards)
        else:
            outcome = jnp.int32(events.pop(0))
        state = game.apply(state, outcome)
    return state


@pytest.mark.thorough
@pytest.mark.parametrize("history", LINES)
def test_a_decision_is_told_as_the_network_has_it_in_its_own_game(history: str) -> None:
    game, evaluator = holdem(GAME), network()
    node = walk(solved(1), history.split())
    told = SpotReader(game, evaluator, solved(1).spot).read(node)
    state = played(LINES[history])
    ranges = np.stack([seen.weight for seen in node.ranges])
    ranges = ranges / ranges.sum(axis=1, keepdims=True)
    encoded = evaluator.encode(game, state)[None, None]
    queries = LeafQueries(
        encoded=encoded,
        ranges=jnp.asarray(ranges, jnp.float32)[None, None],
        is_valid=jnp.ones((1, 1), bool),
    )
    answer = evaluator.evaluate(game, (), queries)
    values = np.asarray(answer.values[0, 0]) * game.chips_per_unit
    legal = np.asarray(game.legal_outcomes(state))[: game.num_actions]
    policy = jax.nn.softmax(jnp.where(legal, answer.policy_logits[0, 0], -jnp.inf), axis=1)
    for player in (0, 1):
        known = np.isfinite(node.ranges[player].value)
        assert known.sum() > 30
        np.testing.assert_allclose(
            told.ranges[player].value[known], values[player][known], rtol=2e-4, atol=2e-3
        )
        np.testing.assert_array_equal(np.isfinite(told.ranges[player].value), known)
    there = node.ranges[node.actor].weight > 0
    np.testing.assert_allclose(told.policy[:, there].T, policy[there][:, legal], atol=1e-5)
    # The menu is that of the spot here, so its actions are called the same.
    assert told.actions == node.actions


@pytest.mark.thorough
def test_values_are_in_the_chips_of_the_spot() -> None:
    game, evaluator = holdem(GAME), network()
    small, large = (
        SpotReader(game, evaluator, solved(times).spot).read(walk(solved(times), ["check"]))
        for times in (1, 3)
    )
    assert large.actions == ("check", "bet300", "bet600", "allin1500")
    for one, three in zip(small.ranges, large.ranges, strict=True):
        np.testing.assert_allclose(three.value, 3 * one.value, rtol=1e-3, atol=0.3)


def test_a_network_that_knows_no_such_spot_is_refused() -> None:
    spot = solved(1).spot
    for text, message in {
        "kuhn": "a network for holdem is needed for a spot, got one for kuhn",
        "holdem(ranks=6,suits=3,stack=600)": "deck must be the spot's",
        f"holdem({DECK},deals=3,stack=600)": "must know boards of 5 cards",
    }.items():
        with pytest.raises(ValueError, match=message):
            SpotReader(make(text), ZeroEvaluator(), spot)
