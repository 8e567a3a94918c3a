"""Random playouts of games in which players hide things, against the exact worth of random play."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import Evaluator, LeafQueries, ZeroEvaluator
from gtcfr.evaluators.exact import uniform_play_evaluator
from gtcfr.evaluators.world_rollout import MOST_WORLDS, Playouts, WorldRolloutEvaluator
from gtcfr.memory_estimate import search_memory
from gtcfr.packing import unpack
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from gtcfr.tree import NO_PARENT
from sog.evaluation.value_error import evaluate_nodes
from sog.games.core import TERMINAL
from sog.games.registry import make
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState
from tests.games.broken_games import broken, kuhn
from tests.gtcfr.grown_trees import enumerated, run_search

GAMES = ("leduc", "liars_dice(faces=3)", "glasses(rounds=2)", "goofspiel(cards=3)")
SETTINGS = SearchSettings(num_simulations=10, simulations_per_update=2, lookahead=1)


def beliefs_in(game: EnumeratedGame, count: int, seed: int) -> tuple[Array, Array]:
    """Some nodes [n] that are not over, and random ranges [n, player, S] there."""
    random = np.random.default_rng(seed)
    nodes = random.choice(np.flatnonzero(game.tree.node_actor != TERMINAL), count)
    ranges = random.exponential(size=game.tree.node_mask[nodes].shape) * game.tree.node_mask[nodes]
    ranges /= ranges.sum(axis=-1, keepdims=True)
    return jnp.asarray(nodes, jnp.int32), jnp.asarray(ranges, jnp.float32)


def values_by_seed(
    game: EnumeratedGame, nodes: Array, ranges: Array, num_games: int, num_seeds: int
) -> np.ndarray:
    """[seed, node, player, S]."""
    is_valid = jnp.ones(len(nodes), bool)

    @jax.jit
    def values(evaluator: WorldRolloutEvaluator) -> Array:
        played = evaluator.encode_many(game, EnumeratedState(node=nodes), is_valid)
        queries = LeafQueries(encoded=played, ranges=ranges, is_valid=is_valid)
        return evaluator.evaluate(game, (), jax.tree.map(lambda leaf: leaf[None], queries)).values

    evaluators = (WorldRolloutEvaluator(num_games=num_games, seed=n) for n in range(num_seeds))
    return np.concatenate([values(evaluator) for evaluator in evaluators])


# Of Kuhn poker's six worlds four get two of ten games.
@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize(("text", "num_games"), [*((text, 1) for text in GAMES), ("kuhn", 10)])
def test_over_many_seeds_random_games_are_worth_what_uniform_play_is(
    text: str, num_games: int
) -> None:
    game = enumerated(text)
    nodes, ranges = beliefs_in(game, 6, seed=0)
    exact = np.asarray(evaluate_nodes(game, uniform_play_evaluator(game), nodes, ranges)[0])
    found = values_by_seed(game, nodes, ranges, num_games, num_seeds=300)
    error = np.abs(found.mean(axis=0) - exact)
    standard_error = found.std(axis=0) / 300**0.5
    assert (error <= 5 * standard_error + 1e-5 * game.max_utility).all()
    assert (standard_error > 0).any()


@pytest.mark.thorough(but=["1]"])
@pytest.mark.parametrize("games", [1, 16])
def test_games_are_independent_of_each_other_also_those_from_one_world(games: int) -> None:
    """Kuhn poker at its start, so many games from each of the six deals; expected by hand.

    Both play at random: check, check 1/4; check, bet, fold 1/8, call 1/8; bet, fold 1/4, call 1/4.
    Where s = 1 if player 0 has the higher card, else -1, he gets s, -1, 2 s, 1 and 2 s: s + 1/8 on
    average, 1/4 + 1/8 + 4/8 + 1/4 + 4/4 = 17/8 when squared. A card meets both others alike.
    """
    game, num_seeds = enumerated("kuhn"), 1000
    ranges = jnp.full((1, 2, 3), 1 / 3)
    found = values_by_seed(game, jnp.array([0], jnp.int32), ranges, 6 * games, num_seeds)[:, 0]
    won, lost = 17 / 8 - (1 + 1 / 8) ** 2, 17 / 8 - (-1 + 1 / 8) ** 2  # variances of player 0
    of_pairs = {0: [lost + lost, lost + won, won + won], 1: [won + won, won + lost, lost + lost]}
    for player, variances in of_pairs.items():
        covariance = np.cov(found[:, player], rowvar=False)
        expected = np.diag(variances) / 4 / games
        np.testing.assert_allclose(covariance, expected, atol=0.25 * expected.max())


@pytest.mark.thorough
def test_where_no_infostate_of_the_opponent_is_compatible_the_value_is_zero() -> None:
    game = enumerated("kuhn")
    ranges = jnp.array([[[0, 0, 1], [0.5, 0.5, 0]]])  # player 0 holds the king
    values = evaluate_nodes(
        game, WorldRolloutEvaluator(num_games=600), jnp.array([0], jnp.int32), ranges
    )[0]
    assert values[0, 1, 2] == 0
    assert (np.abs(values[0, 1, :2]) > 0.5).all()


@pytest.mark.thorough
def test_of_more_worlds_than_there_is_room_for_each_is_as_likely() -> None:
    """1560 pairs of 40 cards; standard errors are those of a share of 1000 seeds."""
    game, num_seeds = broken(make("board_poker"), actor=lambda *_: jnp.int32(TERMINAL)), 1000

    @jax.jit
    def worlds(evaluator: WorldRolloutEvaluator) -> Array:
        return evaluator.encode(game, game.root()).infostates  # of games that are over at once

    counts = np.zeros((40, 40))
    for seed in range(num_seeds):
        np.add.at(counts, tuple(worlds(WorldRolloutEvaluator(num_games=1, seed=seed)).T), 1)
    assert counts.sum() == MOST_WORLDS * num_seeds
    assert (counts.diagonal() == 0).all()
    share = MOST_WORLDS / 1560
    error = np.abs(counts / num_seeds - share)[~np.eye(40, dtype=bool)]
    assert error.max() < 5 * (share / num_seeds) ** 0.5


def test_worlds_are_spread_over_all_hands_also_where_there_are_a_million_pairs() -> None:
    game = broken(make("holdem"), actor=lambda *_: jnp.int32(TERMINAL))
    played = WorldRolloutEvaluator(num_games=4000).encode(game, game.root())
    assert (played.weight > 0).all()
    games = np.bincount(played.infostates[:, 0], minlength=1326)
    assert set(games) <= {2, 3, 4}  # 4000 in 1,624,350 are 3.02 in 1,225


# In a search.


LEDUC = make("leduc")


def searched(evaluator: Evaluator, paths: list[list[int]], seeds: list[int]) -> SearchResult:
    """Of Leduc, after some public events."""
    root = start_of_game(LEDUC, batch_size=len(paths), path=jnp.array(paths, jnp.int32))
    return run_search(LEDUC, SETTINGS, root=root, evaluator=evaluator, seeds=tuple(seeds))


@pytest.mark.thorough
def test_the_tree_keeps_the_games_of_each_leaf() -> None:
    """Those that the evaluator plays of that state alone."""
    evaluator = WorldRolloutEvaluator(num_games=8)
    leaf = searched(evaluator, [[1, 1], [1, 2]], [0, 1]).tree.leaf
    encode = jax.jit(jax.vmap(lambda row: evaluator.encode(LEDUC, unpack(LEDUC, row))))
    is_leaf = np.asarray(leaf.edge) != NO_PARENT
    kept: Playouts = jax.tree.map(lambda rows: rows[is_leaf], leaf.encoded)
    assert (np.asarray(kept.weight) > 0).any(axis=1).all()
    jax.tree.map(np.testing.assert_array_equal, kept, encode(leaf.state[is_leaf]))


def test_what_a_search_takes_counts_the_games() -> None:

    def leaves(evaluator: Evaluator) -> int:
        return search_memory(LEDUC, evaluator, SETTINGS, path_length=2)["leaves"]

    num_leaves = tree_shape(LEDUC, SETTINGS, 2).num_leaves
    more = leaves(WorldRolloutEvaluator(num_games=1000)) - leaves(ZeroEvaluator())
    assert more == num_leaves * 1000 * (2 * 4 + 4 + 4)


def test_a_game_of_too_many_infostates_is_refused() -> None:
    with pytest.raises(ValueError, match=r"at most 4,096 infostates .* kuhn.* has 5,000"):
        WorldRolloutEvaluator(num_games=1).start(kuhn(num_infostates=5000), 1)
