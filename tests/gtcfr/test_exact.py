"""Evaluators that know the answer: solved subgames, uniform play, random playouts, noise."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.evaluators.exact import exact_evaluator, noisy_evaluator, uniform_play_evaluator
from gtcfr.evaluators.rollout import RolloutEvaluator
from sog.games.core import CHANCE
from sog.games.registry import make
from sog.tabular import compile_tree, solve_subgame, uniform_policy
from sog.tabular.enumerated_game import EnumeratedGame
from tests.games.random_plays import state_after
from tests.gtcfr.grown_trees import enumerated
from tests.tabular.small_games import (
    compiled_game,
    expected_utility,
    node_after,
    tree_of,
)

LEDUC = "leduc(suit_isomorphism=true)"
FOLD, CALL, CHECK, BET = 0, 1, 1, 2  # Kuhn's actions
JACK, QUEEN, KING = 0, 1, 2


def queries_at(nodes: Any, ranges: Any, is_valid: Any = None) -> LeafQueries:
    """nodes: [batch, leaf]; ranges: [batch, leaf, 2, S]."""
    nodes = jnp.asarray(nodes, jnp.int32)
    valid = jnp.ones(nodes.shape, bool) if is_valid is None else jnp.asarray(is_valid)
    return LeafQueries(encoded=nodes, ranges=jnp.asarray(ranges, jnp.float32), is_valid=valid)


def random_ranges_at(text: str, nodes: Any, seed: int) -> np.ndarray:
    """[batch, leaf, 2, S]: normalized ranges at nodes [batch, leaf]."""
    mask = tree_of(text).node_mask[np.asarray(nodes)]
    draw = np.random.default_rng(seed).exponential(size=mask.shape) * mask
    return np.asarray(draw / draw.sum(axis=-1, keepdims=True))


_evaluate = jax.jit(
    lambda evaluator, memory, queries, game: evaluator.evaluate(game, memory, queries),
    static_argnames="game",
)


def ask(
    evaluator: Evaluator, game: EnumeratedGame, queries: LeafQueries, calls: int = 1
) -> LeafEvaluation:
    """The answer of the last call."""
    memory = evaluator.start(game, len(queries.is_valid))
    for _ in range(calls):
        answer: LeafEvaluation = _evaluate(evaluator, memory, queries, game)
        memory = answer.memory
    return answer


def test_the_start_of_kuhn_poker_is_worth_one_eighteenth_to_the_second_player() -> None:
    """Kuhn (1950). All three cards are equally likely."""
    game = enumerated("kuhn")
    answer = ask(exact_evaluator(game), game, queries_at([[0]], np.full((1, 1, 2, 3), 1 / 3)), 10)
    np.testing.assert_allclose(answer.values[0, 0].mean(axis=-1), [-1 / 18, 1 / 18], atol=1e-4)


def test_second_rounds_of_leduc_are_valued_as_a_solver_of_each_values_them() -> None:
    """A call with one set of ranges and then many with others: memory must not get in the way."""
    tree, game = tree_of(LEDUC), enumerated(LEDUC)
    after_chance = tree.node_actor[tree.node_parent] == CHANCE
    nodes = np.flatnonzero(after_chance & (tree.node_depth > 0))[None]
    ranges = random_ranges_at(LEDUC, nodes, seed=0)
    evaluator = exact_evaluator(game)
    before = ask(evaluator, game, queries_at(nodes, random_ranges_at(LEDUC, nodes, seed=1)), 5)
    queries = queries_at(nodes, ranges)
    memory = before.memory
    for _ in range(20):
        answer = _evaluate(evaluator, memory, queries, game)
        memory = answer.memory
    for leaf in (0, 9):
        subgame = compile_tree(tree.game, root=tree.state(nodes[0, leaf]))
        wanted = solve_subgame(subgame, ranges[0, leaf][..., None])
        cfvs = wanted.cfvs[..., 0]
        reach = np.where(wanted.values[..., 0] != 0, cfvs / wanted.values[..., 0], 0)
        np.testing.assert_allclose(
            (ranges[0, leaf] * reach * answer.values[0, leaf]).sum(axis=-1),
            (ranges[0, leaf] * cfvs).sum(axis=-1),
            atol=1e-3,
        )


def test_an_infostate_that_is_never_reached_is_valued_by_its_best_response() -> None:
    """Facing a bet in Kuhn poker, a king wins 2 by calling, with or without being in the range."""
    game = enumerated("kuhn")
    node = node_after(game.tree, BET)
    ranges = [[[[0.5, 0.5, 0], [0.5, 0.5, 0]]]]
    answer = ask(exact_evaluator(game), game, queries_at([[node]], ranges), 10)
    assert answer.values[0, 0, 1, KING] == pytest.approx(2, abs=0.02)
    assert answer.values[0, 0, 1, JACK] == pytest.approx(-1, abs=0.02)  # a fold
    policy = np.exp(answer.policy_logits[0, 0])
    assert policy[KING, CALL] > 0.98
    assert policy[JACK, FOLD] > 0.98


def test_where_no_infostate_of_the_opponent_is_compatible_the_value_is_zero() -> None:
    game = enumerated("kuhn")
    ranges = [[[[0, 0, 1], [0.5, 0.5, 0]]]]  # player 0 holds the king
    answer = ask(exact_evaluator(game), game, queries_at([[0]], ranges))
    assert answer.values[0, 0, 1, KING] == 0
    assert (np.abs(answer.values[0, 0, 1, :KING]) > 0.5).all()


def test_leaves_that_are_not_valid_change_nothing() -> None:
    game = enumerated("kuhn")
    first, second = np.flatnonzero(game.tree.node_parent == 0)
    nodes = [[first, 0], [second, first]]
    ranges = random_ranges_at("kuhn", nodes, seed=2)
    ranges[0, 1] = np.nan
    evaluator = exact_evaluator(game, iterations=5)
    mixed = ask(evaluator, game, queries_at(nodes, ranges, [[True, False], [True, True]]), 2)
    alone = ask(evaluator, game, queries_at([[first]], ranges[:1, :1]), 2)
    np.testing.assert_allclose(mixed.values[0, 0], alone.values[0, 0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        mixed.policy_logits[0, 0], alone.policy_logits[0, 0], rtol=1e-3, atol=1e-3
    )


def test_noise_is_bounded_and_an_infostate_always_gets_the_same() -> None:
    game = enumerated("kuhn")
    evaluator = noisy_evaluator(ZeroEvaluator(), game, epsilon=0.25, seed=0)
    state = jax.tree.map(jnp.asarray, game.root())
    assert int(evaluator.encode(game, state)[1]) == 0
    nodes = jnp.array([[0, 1, 2], [1, 0, 2]], jnp.int32)
    ranges = jnp.asarray(random_ranges_at("kuhn", nodes, seed=4), jnp.float32)
    queries = LeafQueries(encoded=((), nodes), ranges=ranges, is_valid=nodes >= 0)
    values = np.asarray(ask(evaluator, game, queries).values)
    assert 0.1 < np.abs(values).max() <= 0.25
    assert len(np.unique(values[0])) == values[0].size
    np.testing.assert_array_equal(values[0, :2], values[1, 1::-1])
    other = noisy_evaluator(ZeroEvaluator(), game, epsilon=0.25, seed=1)
    assert (np.asarray(ask(other, game, queries).values) != values).all()


@pytest.mark.thorough(but=["leduc", "dice"])
@pytest.mark.parametrize("text", [LEDUC, "liars_dice(faces=2)", "glasses(rounds=2)"])
def test_uniform_play_is_worth_what_walking_the_tree_says(text: str) -> None:
    tree, game = tree_of(text), enumerated(text)
    ranges = random_ranges_at(text, [[0]], seed=5)
    answer = ask(uniform_play_evaluator(game), game, queries_at([[0]], ranges))
    compatible = np.asarray(game.compatible_reach(game.root(), jnp.asarray(ranges[0, 0])))
    wanted = expected_utility(tree, uniform_policy(compiled_game(text)), ranges[0, 0])
    found = (ranges[0, 0] * compatible * answer.values[0, 0]).sum(axis=-1)
    np.testing.assert_allclose(found, [wanted, -wanted], atol=1e-5)


def boards(*moves: int) -> Any:
    """The state of tic-tac-toe after these moves, as a batch of one leaf."""
    state = state_after(make("tic_tac_toe"), *moves)
    return jax.tree.map(lambda leaf: leaf[None, None], state)


def play_out(state: Any, num_rollouts: int, batch_size: int = 1) -> np.ndarray:
    game = make("tic_tac_toe")
    evaluator = RolloutEvaluator(num_rollouts=num_rollouts)
    queries = LeafQueries(
        encoded=jax.tree.map(lambda leaf: jnp.repeat(leaf, batch_size, axis=0), state),
        ranges=jnp.ones((batch_size, 1, 2, 1), jnp.float32),
        is_valid=jnp.ones((batch_size, 1), bool),
    )
    memory = evaluator.start(game, batch_size)
    answer = jax.jit(functools.partial(evaluator.evaluate, game))(memory, queries)
    return np.asarray(answer.values)


def test_random_tic_tac_toe_is_won_by_the_first_player_in_59_of_100_games() -> None:
    """He wins 58.5 % of random games and loses 28.8 %; four standard errors are allowed."""
    values = play_out(boards(), 4000)
    assert values[0, 0, 0, 0] == pytest.approx(0.585 - 0.288, abs=4 * 0.887 / 4000**0.5)
    assert values[0, 0, 1, 0] == -values[0, 0, 0, 0]


def test_with_one_cell_left_playouts_are_exact() -> None:
    """X O X / X O O / O X _ is a draw; X O X / O X O / O X _ is won on the diagonal."""
    draw = boards(0, 1, 2, 4, 3, 5, 7, 6)
    won = boards(0, 1, 2, 3, 4, 5, 7, 6)
    assert play_out(draw, 3).ravel().tolist() == [0, 0]
    assert play_out(won, 3).ravel().tolist() == [1, -1]


def test_playouts_differ_between_searches_but_not_between_batches() -> None:
    pair = play_out(boards(), 40, batch_size=2)[:, 0, 0, 0]
    assert pair[0] == play_out(boards(), 40)[0, 0, 0, 0]
    assert pair[0] != pair[1]


@pytest.mark.thorough
def test_playouts_do_not_depend_on_whether_the_neighbour_asks() -> None:
    game, evaluator = make("tic_tac_toe"), RolloutEvaluator(num_rollouts=40)
    states = jax.tree.map(lambda leaf: jnp.stack([leaf[None]] * 2), game.root())
    ranges = jnp.ones((2, 1, 2, 1))

    def after(first_asks: bool) -> np.ndarray:
        memory = evaluator.start(game, 2)
        for asks in (first_asks, True):
            queries = LeafQueries(
                encoded=states, ranges=ranges, is_valid=jnp.array([[asks], [True]])
            )
            answer = evaluator.evaluate(game, memory, queries)
            memory = answer.memory
        return np.asarray(answer.values)[:, 0, 0, 0]

    once, twice = after(first_asks=False), after(first_asks=True)
    assert once[1] == twice[1]
    assert once[0] == play_out(boards(), 40)[0, 0, 0, 0] != twice[0]


def test_playouts_of_perfect_information_refuse_a_game_with_hidden_cards() -> None:
    with pytest.raises(ValueError, match=r"perfect information, and kuhn.* has 3 infostates"):
        RolloutEvaluator(num_rollouts=1).start(make("kuhn"), 1)
