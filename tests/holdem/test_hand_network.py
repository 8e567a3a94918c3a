"""The network over hands: what it is told of them, and that a hand is all it knows of one."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from networks.cvpn import NetworkSettings, make_network, num_kept, num_parameters
from sog.games import make
from sog.games.core import PLAYER_1, TERMINAL
from sog.games.encoding import CardHands
from sog.holdem.game import Holdem
from sog.holdem.hand_ranks import strength, suit_masks
from tests.holdem.games import holdem, pair_signs
from tests.networks.queries import random_ranges

TINY = NetworkSettings(torso="hands", width=4, depth=2)
FULL = "holdem(stack=2000,bets=1/allin)"
SMALL = "holdem(ranks=5,suits=3,stack=500,bets=1/allin,caps=2)"
ONE_CARD = "holdem(ranks=4,suits=2,hole_cards=1,deals=1,blinds=1/2,stack=9,bets=allin)"
GAMES = pytest.mark.parametrize("text", [SMALL, ONE_CARD])

_apply = jax.jit(lambda apply_fn, params, *inputs: apply_fn(params, *inputs), static_argnums=0)


@functools.cache
def states_of(text: str, count: int = 5) -> list[Any]:
    """Some of a random play where the game goes on, on all streets."""
    game, random = holdem(text), np.random.default_rng(1)
    states: list[Any] = []
    apply, legal_outcomes = jax.jit(game.apply), jax.jit(game.legal_outcomes)
    while len(states) < count:
        state = game.root()
        while int(game.actor(state)) != TERMINAL:
            states.append(state)
            legal = np.flatnonzero(legal_outcomes(state))
            state = apply(state, jnp.int32(random.choice(legal[legal > 0])))
    return states[:count]


@functools.cache
def grown(text: str) -> tuple[Any, Any]:
    """A network whose heads are not that small and whose biases are not 0."""
    apply_fn, params = make_network(holdem(text), TINY)
    return apply_fn, jax.tree.map(lambda leaf: leaf + 0.05, params)


def encode(text: str, states: list[Any]) -> jax.Array:
    together = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    features: jax.Array = _encode(text, together)
    return features


@functools.partial(jax.jit, static_argnums=0)
def _encode(text: str, states: Any) -> jax.Array:
    features: jax.Array = jax.vmap(functools.partial(grown(text)[0].encode, holdem(text)))(states)
    return features


def ask(text: str, states: list[Any], ranges: jax.Array) -> tuple[np.ndarray, np.ndarray]:
    apply_fn, params = grown(text)
    values, logits = _apply(apply_fn, params, encode(text, states), ranges)
    return np.asarray(values), np.asarray(logits)


def test_its_size_does_not_follow_from_the_number_of_hands() -> None:
    """1326 hands and 105 have the same weights but for the ranks, suits and streets it is told."""
    settings = NetworkSettings(torso="hands", width=16, depth=2)
    full, small = (num_parameters(holdem(text), settings) for text in (FULL, SMALL))
    assert small < full < 1.1 * small
    assert 4 * full < 200_000  # bytes


@pytest.mark.thorough(only=["ranks=5"])
@GAMES
def test_it_answers_in_two_steps_what_it_does_in_one(text: str) -> None:
    game, states = holdem(text), states_of(text)
    ranges, (apply_fn, params) = random_ranges(game, states), grown(text)
    embed, answer = apply_fn.in_parts
    features = encode(text, states)
    kept = jax.jit(embed)(params, features)
    assert kept.shape == (5, num_kept(game, TINY))
    parts = jax.jit(answer)(params, kept, ranges)
    for one, two in zip(_apply(apply_fn, params, features, ranges), parts, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)


@GAMES
def test_values_are_zero_sum_over_the_hands_that_can_meet(text: str) -> None:
    game, states = holdem(text), states_of(text)
    ranges = random_ranges(game, states)
    values, _ = ask(text, states, ranges)
    joint = np.asarray(ranges)[:, 0, :, None] * game.hands.pairs * np.asarray(ranges)[:, 1, None]
    first = np.einsum("bst,bs->b", joint, values[:, 0])
    second = np.einsum("bst,bt->b", joint, values[:, 1])
    assert np.abs(first).max() > 1e-4
    np.testing.assert_allclose(first, -second, atol=1e-6)


@GAMES
def test_other_names_of_suits_are_other_names_of_the_same_answer(text: str) -> None:
    game, states = holdem(text), states_of(text)
    ranges = random_ranges(game, states)
    twin = jax.jit(game.random_symmetry)
    for seed in range(3):
        keys = jax.random.split(jax.random.key(seed), len(states))
        twins, hands, _ = zip(*map(twin, keys, states), strict=True)
        names = np.stack(hands)
        moved = jnp.take_along_axis(ranges, jnp.asarray(names), axis=2)
        values, logits = ask(text, states, ranges)
        of_twins = ask(text, list(twins), moved)
        live = np.stack([game.infostate_mask(state) for state in twins])
        expected = np.take_along_axis(values, names, axis=2)
        np.testing.assert_allclose(of_twins[0][live], expected[live], atol=1e-5)
        expected = np.take_along_axis(logits, names[:, 0, :, None], axis=1)
        np.testing.assert_allclose(of_twins[1][live[:, 0]], expected[live[:, 0]], atol=1e-5)


def test_the_logits_are_those_of_the_player_to_act() -> None:
    """With numbers that are never above 0, all hands of player 1 are one and the same."""
    game, states = holdem(SMALL), states_of(SMALL, 12)
    movers = np.array([int(game.actor(state)) for state in states])
    assert {0, 1} < set(movers.tolist())
    apply_fn, params = grown(SMALL)
    params = {**params, "seats": params["seats"].at[PLAYER_1].add(-100)}
    ranges = random_ranges(game, states)
    _, logits = _apply(apply_fn, params, encode(SMALL, states), ranges)
    spread = np.ptp(np.asarray(logits), axis=1).max(axis=1)
    assert spread[movers == PLAYER_1].max() < 1e-6 < 1e-4 < spread[movers == 0].min()


# What the game says of hands.


def shown(game: Holdem) -> CardHands:
    assert isinstance(game.encoding, CardHands)
    return game.encoding


@pytest.mark.thorough
def test_on_the_last_street_a_hand_beats_what_the_matrix_of_all_pairs_says() -> None:
    game = holdem(FULL)
    state = game.start("call check [AsKs2h] check check [9d] check check [3c]")
    ranges = random_ranges(game, [state])[0]
    wins, meets = jax.jit(
        lambda state, ranges: shown(game).compare(shown(game).observe(state)[2], ranges)
    )(state, ranges)
    live = np.asarray(game.infostate_mask(state)[0])
    masks = game.hands.masks | np.asarray(suit_masks(np.asarray(state.board), game.deck, np))
    signs = pair_signs(strength(masks, game.deck, np), game.hands)
    for player in (0, 1):
        other = np.asarray(ranges[1 - player], np.float64)
        np.testing.assert_allclose(wins[player][live], (signs @ other)[live], atol=1e-5)
        np.testing.assert_allclose(meets[player][live], (game.hands.pairs @ other)[live], atol=1e-5)


@pytest.mark.thorough
def test_hands_are_told_by_their_draws() -> None:
    """By hand: on 9s 8s 2h, JsTs has four of a flush and of a straight; either end completes it."""
    game = holdem(FULL)
    state = game.start("call check [9s8s2h]")
    channels = np.asarray(shown(game).observe(state)[0])
    hands = {name: number for number, name in enumerate(map(_name, game.hands.cards))}

    def of(name: str) -> np.ndarray:
        return np.asarray(channels[hands[frozenset(game.deck.parse_cards(name))]])

    assert channels.shape == (1326, shown(game).channels)
    jack, ten = 9 / 12, 8 / 12
    draws = [4 / 5, 4 / 5, 2 / 5, 2 / 5]
    expected = [jack, 0, 2 / 5, ten, 0, 2 / 5, 0, 1, *draws]
    np.testing.assert_allclose(of("JsTs")[:12], expected, atol=1e-3)
    assert of("JsTs")[13:].tolist() == [1, 1] + [0] * 8  # can be; a high card
    # A pair of nines: one of them shares the suit of two cards on the board.
    expected = [7 / 12, 1 / 3, 1 / 5, 7 / 12, 1 / 3, 0, 1, 0, 2 / 5, 2 / 5, 0, 0]
    np.testing.assert_allclose(of("9h9d")[:12], expected, atol=1e-3)
    assert of("9h9d")[12] > of("2s2d")[12] > of("8h7h")[12] > of("AdKd")[12] > of("JsTs")[12]
    assert of("9s2s")[13] == 0  # cannot be
    assert of("9h9d")[12] == pytest.approx(1 - 3 / 1176, abs=1e-3)  # as two others are


def _name(cards: np.ndarray) -> frozenset[int]:
    return frozenset(cards.tolist())


def test_it_is_for_games_that_show_hands() -> None:
    with pytest.raises(ValueError, match="torso must be mlp for kuhn, whose encoding is Flat"):
        make_network(make("kuhn"), TINY)
    with pytest.raises(ValueError, match="value_head must be plain with the torso hands"):
        NetworkSettings(torso="hands", value_head="pairwise")
