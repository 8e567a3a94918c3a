"""Errors of values on hold'em spots, and that a network over hands learns them."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from gtcfr.evaluator import NetworkEvaluator, ZeroEvaluator
from gtcfr.root import known_root
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.no_limit import FIRST_SIZE
from sog.holdem.spots.solved_spots import solve_random_spots
from sog.holdem.spots.value_errors import SpotMeasure
from tests.holdem.games import holdem, pair_signs

CARDS = "ranks=5,suits=3,blinds=50/100,stack=600,caps=2"


def test_turns_before_several_cards_are_not_solved() -> None:
    """A spot deals one card at a time."""
    game = holdem("holdem(ranks=5,suits=2,hole_cards=1,deals=1/2,stack=400,bets=none)")
    assert {spots.name for spots in SpotMeasure(game, num_rivers=16).spots} == {"river"}
    with pytest.raises(ValueError, match=r"deals must be one card at a time there, got 1/2\."):
        solve_random_spots(game, 1, 1, np.random.default_rng(0))


@pytest.mark.thorough
def test_where_nobody_can_bet_a_river_is_worth_its_showdown() -> None:
    """By the matrix of all pairs of hands. Zeros are off by the values themselves."""
    game = holdem(f"holdem({CARDS},bets=1|1|1|none)")
    measure = SpotMeasure(game, num_rivers=9, seed=1)
    off, of_pot = list[float](), list[float]()
    for spots in measure.spots:
        for spot, board in enumerate(np.asarray(spots.states.board)):
            masks = game.hands.masks | suit_masks(board, game.deck, np)
            signs = pair_signs(strength(masks, game.deck, np), game.hands)
            expected = np.zeros(spots.values.shape[1:])
            for player in (0, 1):
                other = np.asarray(spots.ranges[spot, 1 - player], np.float64)
                meets = game.hands.pairs @ other
                share = signs @ other / np.where(meets > 0, meets, 1)
                expected[player] = share * spots.pot / 2
            mask = np.asarray(spots.mask[spot])
            assert mask.sum() > 30
            found = np.asarray(spots.values[spot])
            np.testing.assert_allclose(found[mask], expected[mask], atol=1e-4)
            off.append(np.abs(expected[mask]).mean())
            of_pot.append(off[-1] / spots.pot)
    assert [len(spots.values) for spots in measure.spots] == [8, 1]  # of two lines of bets
    assert len({spots.pot for spots in measure.spots}) == 2
    measured = measure.measure(ZeroEvaluator())
    np.testing.assert_allclose(measured["value_error_river"], np.mean(off), rtol=1e-4)
    np.testing.assert_allclose(measured["value_error_river_of_pot"], np.mean(of_pot), rtol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("chips", ["stack=600,caps=1", "stack=900/500,caps=2"])
def test_later_decisions_are_worth_what_a_search_of_all_that_follows_finds(chips: str) -> None:
    """It begins there, with the same ranges. What a hand is worth depends on which solution it is,
    unless the other decides nothing any more; what a whole range is worth does not."""
    game = holdem(f"holdem(ranks=4,suits=3,blinds=50/100,{chips},bets=1/allin)")
    settings = SearchSettings(num_simulations=60, simulations_per_update=0.1, rule="dcfr")
    run = jax.jit(functools.partial(search, game, evaluator=ZeroEvaluator(), settings=settings))
    random, count, stakes = np.random.default_rng(1), 2, set()
    for _ in range(4):
        spots = solve_random_spots(game, 0, count, random, 0.5, 300, later=True)
        for spot in range(count, len(spots.values)):
            state = jax.tree.map(lambda leaf, spot=spot: jnp.asarray(leaf[spot]), spots.states)
            ranges, values, mask = (
                np.asarray(array[spot]) for array in (spots.ranges, spots.values, spots.mask)
            )
            root = known_root(
                jax.tree.map(lambda leaf: leaf[None], state), jnp.asarray(ranges[None])
            )
            result = run(root=root, key=jax.random.key(0))
            found = np.asarray(result.values)[0]
            actor, stake = int(game.actor(state)), state.betting.stakes.tolist()
            if not game.betting.legal(state.betting)[FIRST_SIZE:].any() and stake[0] != stake[1]:
                off = np.abs(found - values)[actor][mask[actor]]  # to call or to fold
                assert off.mean() < 0.005 * spots.pot
            played = np.abs(np.asarray(result.policy)[0] - spots.policy[spot])[mask[actor]]
            assert played.sum(axis=1).mean() < 0.2
            assert np.abs(values[mask]).mean() > 0.1 * spots.pot
            weight = ranges * np.asarray(game.compatible_reach(state, jnp.asarray(ranges)))
            worth, known = (
                (weight * of_hands).sum(axis=1) / weight.sum(axis=1) for of_hands in (found, values)
            )
            np.testing.assert_allclose(worth, known, atol=0.005 * spots.pot)
            stakes.add(tuple(stake))
    assert len(stakes) > 1


@pytest.mark.thorough
def test_a_network_over_hands_learns_what_rivers_are_worth_in_seconds() -> None:
    """On boards and ranges that it has not seen: a third of the error of one that knows nothing."""
    game = holdem("holdem(ranks=5,suits=3,blinds=none,pot=2,stack=4,bets=none|none|none|1/allin)")
    spots = solve_random_spots(game, 0, 64, np.random.default_rng(1))
    others = SpotMeasure(game, num_rivers=15, seed=2)
    settings = NetworkSettings(torso="hands", width=8, depth=1)
    apply_fn, params = make_network(game, settings)
    features = jax.jit(jax.vmap(functools.partial(apply_fn.encode, game)))(spots.states)
    optimizer = optax.adam(1e-2)

    def loss(params: Any) -> jax.Array:
        values, _ = apply_fn(params, features, spots.ranges)
        error = jnp.where(spots.mask, values * game.max_utility - spots.values, 0)
        return jnp.sum(error**2) / jnp.sum(spots.mask)

    @jax.jit
    def step(_: int, carry: Any) -> Any:
        params, moments = carry
        updates, moments = optimizer.update(jax.grad(loss)(params), moments)
        return optax.apply_updates(params, updates), moments

    trained, _ = jax.lax.fori_loop(0, 150, step, (params, optimizer.init(params)))

    def off(params: Any) -> float:
        return others.measure(
            NetworkEvaluator(apply_fn=apply_fn, params=params, encode_fn=apply_fn.encode)
        )["value_error_river_of_pot"]

    assert off(trained) < off(params) / 3
