"""The network: what goes in, what comes out, and what must not matter."""

import dataclasses
import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.settings import SearchSettings
from networks import cvpn
from networks.cvpn import (
    CVPN,
    ApplyNetwork,
    NetworkSettings,
    make_network,
)
from networks.heads import joint_weights, opponents_given_own
from sog.games import Game, make
from tests.gtcfr.grown_trees import run_search
from tests.networks.queries import BoardKuhn, apply, given, queries

TINY = NetworkSettings(width=8, depth=2)
PAIRWISE = NetworkSettings(width=8, depth=2, value_head="pairwise")
TINY_RESNET = NetworkSettings(torso="resnet", width=4, depth=1)
TINY_MOVES = dataclasses.replace(TINY_RESNET, policy_shape="moves")
CASES = pytest.mark.parametrize(
    ("text", "settings"), [("kuhn", TINY), ("tic_tac_toe", TINY), ("tic_tac_toe", TINY_RESNET)]
)


@functools.cache
def network_of(text: str, settings: NetworkSettings, seed: int = 0) -> tuple[ApplyNetwork, Any]:
    return make_network(make(text), settings, seed)


def ask(
    text: str, settings: NetworkSettings, features: np.ndarray, ranges: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    apply_fn, params = network_of(text, settings)
    values, logits = apply(apply_fn, params, features, ranges)
    return np.asarray(values), np.asarray(logits)


@CASES
def test_the_answer_to_a_query_does_not_depend_on_the_others(
    text: str, settings: NetworkSettings
) -> None:
    features, ranges = queries(text, 5)
    game, together = make(text), ask(text, settings, features, ranges)
    assert together[0].shape == (5, 2, game.num_infostates)
    assert together[1].shape == (5, game.num_infostates, game.num_actions)
    assert together[0].dtype == together[1].dtype == np.float32
    for row in range(5):
        alone = ask(text, settings, features[[row]], ranges[[row]])
        for answer, part in zip(alone, together, strict=True):
            np.testing.assert_allclose(answer[0], part[row], atol=1e-6)
    assert np.ptp(together[0], axis=0).min() > 1e-4  # and the queries do differ


@CASES
def test_an_untrained_network_values_everything_near_zero(
    text: str, settings: NetworkSettings
) -> None:
    values, logits = ask(text, settings, *queries(text, 50))
    assert 1e-4 < np.abs(values).max() < 0.5
    assert np.sqrt(np.mean(values**2)) < 0.15
    policy = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    assert np.abs(policy * make(text).num_actions - 1).max() < 0.5  # almost uniform


def test_with_hidden_information_ranges_matter() -> None:
    features, ranges = queries("kuhn", 3)
    values, logits = ask("kuhn", TINY, features, ranges)
    for player in (0, 1):
        others = ranges.copy()
        others[:, player] = others[:, player, ::-1]
        new_values, new_logits = ask("kuhn", TINY, features, others)
        assert np.abs(new_values - values).max() > 1e-4
        assert np.abs(new_logits - logits).max() > 1e-4


@pytest.mark.parametrize("value_head", ["plain", "pairwise"])
def test_a_resnet_looks_at_the_ranges_of_a_game_with_hidden_information(value_head: str) -> None:
    game, (_, ranges) = BoardKuhn(), queries("kuhn", 3)
    settings = dataclasses.replace(TINY_RESNET, value_head=value_head)
    apply_fn, params = make_network(game, settings)
    features = jnp.stack([apply_fn.encode(game, game.root())] * 3)
    first, *others = (apply(apply_fn, params, features, one) for one in (ranges, ranges[::-1]))
    for answer, other in zip(first, *others, strict=True):
        assert np.abs(answer[0] - other[0]).max() > 1e-4


@pytest.mark.parametrize("settings", [TINY, TINY_RESNET])
def test_with_perfect_information_ranges_are_not_looked_at(settings: NetworkSettings) -> None:
    features, ranges = queries("tic_tac_toe", 3)
    answers = [ask("tic_tac_toe", settings, features, scale * ranges) for scale in (1, 0)]
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    np.testing.assert_array_equal(answers[0][1], answers[1][1])


@pytest.mark.thorough
def test_the_resnet_sees_as_neighbors_what_are_neighbors_on_the_board() -> None:
    """One block is three 3 x 3 convolutions: a stone is felt three places away and no further."""
    game = make("connect_four")
    torso = CVPN(game, TINY_RESNET, rngs=nnx.Rngs(0)).torso
    boards = [game.apply(game.root(), jnp.int32(column)) for column in (0, 1)]
    first, second = (torso(game.observe(board)[None], jnp.zeros((1, 0)))[0] for board in boards)
    difference = np.asarray(first - second).reshape(6, 7, -1)  # [row, column, channel]
    felt = np.abs(difference).max(axis=2) > 1e-6
    # Two boards with one stone each, at the bottom of the first or the second column.
    assert np.flatnonzero(felt.any(axis=0)).tolist() == [0, 1, 2, 3, 4]
    assert felt.any(axis=1).sum() == 4


@pytest.mark.parametrize(
    ("text", "torso", "message"),
    [
        ("kuhn", "resnet", "torso must be mlp for kuhn, whose encoding is Flat, got resnet."),
        (
            "glasses",
            "resnet",
            "torso must be mlp or graph for glasses, whose encoding is Graph, got resnet.",
        ),
    ],
)
def test_a_torso_that_is_not_made_for_what_a_game_shows_is_refused(
    text: str, torso: str, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_network(make(text), NetworkSettings(torso=torso, width=4, depth=1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"torso": "cnn"}, r"^torso must be one of mlp, resnet, graph, hands, got 'cnn'\.$"),
        ({"width": 0}, r"^width must be an integer from 1 to 1000000, got 0\.$"),
        ({"depth": 1001}, r"^depth must be an integer from 1 to 1000, got 1001\.$"),
        ({"policy_heads": 3}, r"^policy_heads must be 1 or 2, got 3\.$"),
        *(
            (
                {"torso": torso, name: value},
                rf"^{name} must be {rule} with the torso {torso}, which has {why}, got {value}\.$",
            )
            for torso, name, value, rule, why in (
                ("graph", "value_head", "pairwise", "plain", "heads of its own"),
                ("graph", "policy_heads", 2, "1", "heads of its own"),
                ("graph", "precision", "bfloat16", "float32", "heads of its own"),
                ("hands", "precision", "bfloat16", "float32", "heads of its own"),
                ("graph", "policy_shape", "moves", "flat", "no board"),
                ("mlp", "policy_shape", "moves", "flat", "no board"),
            )
        ),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetworkSettings(**changes)


def test_the_same_seed_gives_the_same_parameters_and_another_one_others() -> None:
    first, again, other = (
        jax.tree.leaves(make_network(make("kuhn"), TINY, seed)[1]) for seed in (3, 3, 4)
    )
    assert all((one == two).all() for one, two in zip(first, again, strict=True))
    kernels = [(one, two) for one, two in zip(first, other, strict=True) if one.ndim == 2]
    assert len(kernels) == 4  # two layers, two heads
    assert all((one != two).any() for one, two in kernels)


def test_functions_of_equal_networks_are_equal_so_that_programs_are_shared() -> None:
    first, _ = make_network(make("kuhn"), TINY, 0)
    second, _ = make_network(make("kuhn"), TINY, 1)
    functions, others = ((one, one.encode, one.in_parts) for one in (first, second))
    assert (functions, hash(functions)) == (others, hash(others))
    assert first != make_network(make("kuhn"), NetworkSettings(width=9, depth=2))[0]


# The pairwise head, and a policy head for each player.


@functools.cache
def belief_states() -> tuple[Game[Any], list[Any], np.ndarray]:
    """Public states of Leduc, before and after the board card, and possible ranges there."""
    game, random = make("leduc"), np.random.default_rng(1)
    states = [game.root()]
    for outcome in (1, 1, 4, 2):  # check, check, the fifth card, a bet
        states.append(game.apply(states[-1], jnp.int32(outcome)))
    states = [state for state in states if int(game.actor(state)) < 2]
    weight = [
        random.exponential(size=(2, 6)) * np.asarray(game.infostate_mask(state)) for state in states
    ]
    ranges = np.stack([both / both.sum(axis=1, keepdims=True) for both in weight])
    return game, states, ranges.astype(np.float32)


def test_joint_weights_are_those_of_the_game_up_to_a_factor() -> None:
    game, states, ranges = belief_states()
    for state, reach in zip(states, ranges, strict=True):
        weight = np.asarray(joint_weights(game, state))
        both = np.stack([weight @ reach[1], reach[0] @ weight])
        wanted = np.asarray(game.compatible_reach(state, jnp.asarray(reach)))
        factor = both[0].sum() / wanted[0].sum()
        np.testing.assert_allclose(both, factor * wanted, rtol=1e-5, atol=1e-7)


def test_beliefs_about_the_opponent_are_distributions_without_own_cards() -> None:
    game, states, ranges = belief_states()
    weight = jnp.stack([joint_weights(game, state) for state in states])
    beliefs = np.asarray(opponents_given_own(weight, jnp.asarray(ranges)))
    total = beliefs.sum(axis=3)
    assert np.logical_or(np.isclose(total, 1), total == 0).all()
    assert (beliefs[:, :, np.arange(6), np.arange(6)] == 0).all()
    by_hand = ranges[0, 1] * (np.arange(6) != 2)
    np.testing.assert_allclose(beliefs[0, 0, 2], by_hand / by_hand.sum(), rtol=1e-5)
    # By hand, where the weights of who is who are not the same.
    found = opponents_given_own(
        jnp.array([[[1.0, 2.0], [0.0, 3.0]]]), jnp.array([[[0.5, 0.5], [0.25, 0.75]]])
    )
    wanted = np.array([[[1 / 7, 6 / 7], [0, 1]], [[1, 0], [0.4, 0.6]]])
    np.testing.assert_allclose(found[0], wanted, rtol=1e-6)


def test_pairwise_values_add_up_to_zero_over_both_players() -> None:
    game, states, ranges = belief_states()
    apply_fn, params = make_network(game, PAIRWISE, 0)
    params = jax.tree.map(lambda leaf: 3 * leaf + 0.01, params)  # not small
    features = jnp.stack([apply_fn.encode(game, state) for state in states])
    values, _ = apply(apply_fn, params, features, ranges)
    reach = np.stack(
        [game.compatible_reach(s, jnp.asarray(r)) for s, r in zip(states, ranges, strict=True)]
    )
    worth = (ranges * reach * np.asarray(values)).sum(axis=2)
    assert np.abs(worth[:, 0]).min() > 1e-4
    np.testing.assert_allclose(worth[:, 0], -worth[:, 1], rtol=1e-4)


TWO_HEADS = pytest.mark.parametrize(
    "settings", [dataclasses.replace(one, policy_heads=2) for one in (TINY, PAIRWISE)]
)


def answer_of(apply_fn: ApplyNetwork, params: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and logits at `belief_states`, and who acts there."""
    game, states, ranges = belief_states()
    features = jnp.stack([apply_fn.encode(game, state) for state in states])
    values, logits = apply(apply_fn, params, features, ranges)
    actors = np.array([int(game.actor(state)) for state in states])
    assert set(actors) == {0, 1}
    return np.asarray(values), np.asarray(logits), actors


@TWO_HEADS
@pytest.mark.parametrize("player", [0, 1])
def test_the_policy_head_of_the_player_to_act_answers(
    settings: NetworkSettings, player: int
) -> None:
    apply_fn, params = make_network(make("leduc"), settings)
    values, logits, actors = answer_of(apply_fn, params)
    head = params["policies"][player]
    head["bias"] = head["bias"] + 1
    new_values, new_logits, _ = answer_of(apply_fn, params)
    np.testing.assert_array_equal(new_values, values)
    wanted = logits + (actors == player)[:, None, None]
    np.testing.assert_allclose(new_logits, wanted, atol=1e-6)


@TWO_HEADS
def test_two_equal_policy_heads_answer_as_one(settings: NetworkSettings) -> None:
    apply_fn, params = make_network(make("leduc"), settings)
    params["policies"][1] = params["policies"][0]
    one, _ = make_network(make("leduc"), dataclasses.replace(settings, policy_heads=1))
    alone = {**params, "policies": {0: params["policies"][0]}}
    for both, single in zip(answer_of(apply_fn, params), answer_of(one, alone), strict=True):
        np.testing.assert_array_equal(both, single)


@pytest.mark.thorough
@pytest.mark.parametrize(("text", "settings"), [("leduc", PAIRWISE), ("tic_tac_toe", TINY_MOVES)])
def test_a_search_asks_a_network_with_two_policy_heads(
    text: str, settings: NetworkSettings
) -> None:
    game = make(text)
    apply_fn, params = make_network(game, dataclasses.replace(settings, policy_heads=2))
    evaluator = NetworkEvaluator(apply_fn=apply_fn, params=params, encode_fn=apply_fn.encode)
    result = run_search(game, SearchSettings(num_simulations=3), evaluator=evaluator)
    np.testing.assert_allclose(result.policy.sum(axis=2), 1, rtol=1e-5)


# Bounded values.


def test_a_bounded_value_head_says_nothing_beyond_the_largest_utility() -> None:
    inputs = given("tic_tac_toe", 64)
    plain, bounded = TINY_RESNET, dataclasses.replace(TINY_RESNET, value_head="bounded")
    apply_fn, params = make_network(make("tic_tac_toe"), plain)
    params = jax.tree.map(lambda leaf: 5 * leaf, params)
    values, logits = apply_fn(params, *inputs)
    assert np.abs(values).max() > 1
    within = make_network(make("tic_tac_toe"), bounded)[0](params, *inputs)
    np.testing.assert_allclose(within[0], np.tanh(values), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(within[1], logits)


# In two steps.


@pytest.mark.parametrize(
    ("width", "num_kept", "value_head"), [(8, 8, "pairwise"), (40, 22, "plain")]
)
def test_a_network_answers_in_two_steps_what_it_does_in_one(
    width: int, num_kept: int, value_head: str
) -> None:
    """Of a state of Leduc, with 22 features, the shorter of these and the first layer is kept."""
    game, states, ranges = belief_states()
    settings = NetworkSettings(width=width, depth=2, value_head=value_head, policy_heads=2)
    apply_fn, params = make_network(game, settings)
    params = jax.tree.map(lambda leaf: leaf + 0.1, params)  # biases, too
    embed, answer = apply_fn.in_parts
    features = jnp.stack([apply_fn.encode(game, state) for state in states])
    kept = embed(params, features)
    extra = 36 * (value_head == "pairwise") + 1  # joint weights, and who acts
    assert kept.shape == (len(states), num_kept + extra)
    assert cvpn.num_kept(game, settings) == num_kept + extra
    given = jnp.asarray(ranges)
    whole, parts = apply_fn(params, features, given), answer(params, kept, given)
    for one, two in zip(whole, parts, strict=True):
        assert np.ptp(one) > 0.01
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
