"""Queries of the network, solved and made into examples."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.packing import BeliefState, pack
from gtcfr.query import QuerySample
from gtcfr.root import known_root
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.examples import StoredExample, load_example, store_example
from selfplay.query_solver import Solved, choose_queries, solve_queries
from selfplay.settings import SolverSettings
from sog.games import CHANCE, make
from tests.gtcfr.grown_trees import run_search, whole_game
from tests.selfplay.played_steps import take
from tests.tabular.small_games import node_after, tree_of

KUHN = make("kuhn")
MOST = 2.0  # that can be won or lost in Kuhn poker
FOLD, CALL, CHECK, BET = 0, 1, 1, 2
JACK, QUEEN, KING = 0, 1, 2
WHOLE = whole_game(400, 12)
TREE = tree_of("kuhn")
NODES = [0, 0, node_after(TREE, CHECK), node_after(TREE, BET), node_after(TREE, CHECK, BET)]


@functools.cache
def ranges() -> np.ndarray:
    """[query, player, S]: of the second query player 0 never has a king, nor player 1 a jack."""
    weight = np.random.default_rng(5).uniform(0.2, 1, (len(NODES), 2, 3))
    weight[1, 0, KING] = weight[1, 1, JACK] = 0
    return np.asarray(weight / weight.sum(axis=2, keepdims=True), np.float32)


@functools.cache
def packed(text: str, nodes: tuple[int, ...]) -> np.ndarray:
    tree = tree_of(text)
    return np.stack([np.asarray(pack(tree.state(node))) for node in nodes])


def beliefs(text: str, nodes: tuple[int, ...], ranges: np.ndarray) -> BeliefState:
    return BeliefState(state=jnp.asarray(packed(text, nodes)), ranges=jnp.asarray(ranges))


@functools.cache
def solver(tremble: float) -> Any:
    """With the whole rest of the game in every tree: nothing is random."""
    settings = SolverSettings(search=WHOLE, recursive_queries=0.0, tremble=tremble)
    return jax.jit(functools.partial(solve_queries, KUHN, settings, ZeroEvaluator()))


@functools.cache
def solved() -> Solved:
    """All of them at once."""
    found: Solved = jax.device_get(
        solver(0.0)(beliefs("kuhn", tuple(NODES), ranges()), np.int32(3), jax.random.key(0))
    )
    return found


@pytest.mark.thorough
def test_the_targets_are_what_a_search_from_the_belief_state_finds() -> None:
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[TREE.state(n) for n in NODES])
    result = run_search(KUHN, WHOLE, root=known_root(states, jnp.asarray(ranges())))
    examples = solved().examples
    known = examples.value_mask
    assert known.all()
    np.testing.assert_allclose(examples.values[known] * MOST, result.values[known], atol=1e-4)
    mask = examples.policy_mask
    np.testing.assert_allclose(examples.policy[mask], result.policy[mask], atol=1e-4)
    np.testing.assert_array_equal(examples.ranges, ranges())
    np.testing.assert_array_equal(examples.state, packed("kuhn", tuple(NODES)))
    assert examples.version.tolist() == [3] * len(NODES)
    assert not solved().fault.found.any()


# Masks.


def store(text: str, node: int, both: Any) -> StoredExample:
    """An example at a node, of a search that found 1 everywhere."""
    tree = tree_of(text)
    size, actions = tree.game.num_infostates, tree.game.num_actions
    found: StoredExample = _store(
        tree.game,
        BeliefState(state=pack(tree.state(node)), ranges=jnp.asarray(both, jnp.float32)),
        jnp.ones((2, size)),
        jnp.ones((size, actions)),
        jnp.int32(0),
    )
    return found


_store = jax.jit(store_example, static_argnums=0)


def test_policies_are_known_where_the_mover_comes_and_values_where_the_opponent_can() -> None:
    # Player 0 always has a jack, so that player 1 cannot; and player 1 never has a king.
    at_root = store("kuhn", 0, [[1, 0, 0], [0, 1, 0]])
    assert np.asarray(at_root.policy_mask).tolist() == [True, False, False]
    assert np.asarray(at_root.value_mask).tolist() == [[True, False, True], [False, True, True]]
    assert np.asarray(at_root.values).tolist() == [[0.5, 0, 0.5], [0, 0.5, 0.5]]
    answer = store("kuhn", node_after(TREE, BET), [[1, 0, 0], [0, 1, 0]])
    assert np.asarray(answer.policy_mask).tolist() == [False, True, False]


def test_at_chance_states_values_are_known_and_no_policy() -> None:
    tree = tree_of("leduc(suit_isomorphism=true)")
    node = int(np.flatnonzero(tree.node_actor == CHANCE)[0])
    both = np.full((2, 3), 1 / 3)
    example = store("leduc(suit_isomorphism=true)", node, both)
    assert not np.asarray(example.policy_mask).any()
    assert np.asarray(example.value_mask).all()


def test_infostates_that_cannot_be_are_not_known() -> None:
    """In imperfect-information Goofspiel with 3 cards, bids made so far are the infostate."""
    tree = tree_of("ii_goofspiel(cards=3,order=random)")
    for node in np.flatnonzero(tree.node_actor < CHANCE)[:12].tolist():
        mask = tree.node_mask[node]
        both = mask / mask.sum(axis=1, keepdims=True)
        example = store("ii_goofspiel(cards=3,order=random)", node, both)
        assert not np.asarray(example.value_mask)[~mask].any()
        known = np.asarray(example.policy_mask)
        assert known.any()
        assert not known[~tree.node_legal[node].any(axis=1)].any()


def test_what_was_stored_is_loaded_with_features_and_legal_actions() -> None:
    node = node_after(TREE, CHECK)
    stored = take(solved().examples, NODES.index(node))
    apply_fn, _ = make_network(KUHN, NetworkSettings(width=4, depth=1))
    loaded = load_example(KUHN, apply_fn, stored)
    state = TREE.state(node)
    np.testing.assert_array_equal(loaded.features, KUHN.observe(state))
    np.testing.assert_array_equal(loaded.legal, TREE.node_legal[node])
    for name in ("ranges", "values", "value_mask", "policy", "policy_mask"):
        np.testing.assert_array_equal(getattr(loaded, name), vars(stored)[name])


# How many queries are passed on.


def sample(batch_size: int, num_queries: int, num_seen: np.ndarray) -> QuerySample:
    """Queries that can be told apart by their first number."""
    numbers = np.arange(batch_size * num_queries).reshape(batch_size, num_queries, 1)
    beliefs = BeliefState(
        state=jnp.asarray(np.tile(numbers, (1, 1, 4)), jnp.int32),
        ranges=jnp.asarray(np.tile(numbers[..., None], (1, 1, 2, 3)), jnp.float32),
    )
    return QuerySample(
        beliefs=beliefs,
        num_seen=jnp.asarray(num_seen, jnp.int32),
    )


@pytest.mark.parametrize(("per_search", "places"), [(0.1, 1), (1.0, 1), (2.5, 3)])
def test_as_many_are_chosen_on_average_as_was_set(per_search: float, places: int) -> None:
    batch = 4000
    found = choose_queries(sample(batch, places, np.full(batch, 9)), per_search, jax.random.key(1))
    chosen = np.asarray(found.chosen)
    assert chosen.shape == (batch * places,)
    share = per_search / places
    bound = 5 * (places * share * (1 - share) / batch) ** 0.5
    assert chosen.sum() / batch == pytest.approx(per_search, abs=bound + 1e-9)
    assert np.asarray(found.beliefs.state)[:, 0].tolist() == list(range(batch * places))
    assert np.asarray(found.beliefs.ranges)[:, 1, 2].tolist() == list(range(batch * places))


def test_a_search_that_asked_nothing_has_nothing_to_choose_from() -> None:
    found = choose_queries(sample(4, 2, np.array([5, 0, 1, 0])), 2.0, jax.random.key(0))
    assert np.asarray(found.chosen).tolist() == [True, True, False, False] * 2


def test_without_recursion_a_solve_passes_nothing_on() -> None:
    assert solved().queries.chosen.shape == (0,)
    assert solved().queries.beliefs.ranges.shape == (0, 2, 3)


@pytest.mark.thorough
def test_trembling_tells_a_player_what_to_do_against_cards_that_never_come() -> None:
    """Player 0 bets with queens only; player 1 has a queen or a king. His queen meets nobody:
    without trembling it calls and folds evenly; against kings and jacks that come a little it must
    do something better, and the value of the king's bet changes by that."""
    bets = (node_after(TREE, BET),) * len(NODES)  # as many as above: the program is the same
    given = np.tile(np.array([[[0, 1, 0], [0, 0.5, 0.5]]], np.float32), (len(NODES), 1, 1))
    values = {}
    for tremble in (0.0, 1e-3):
        found: Solved = jax.device_get(
            solver(tremble)(beliefs("kuhn", bets, given), np.int32(0), jax.random.key(0))
        )
        values[tremble] = found.examples.values[0, 0, KING] * MOST
        even = given if tremble == 0 else 0.999 * given + 0.001 / 3
        np.testing.assert_allclose(found.examples.ranges, even, rtol=1e-5)
    assert values[0.0] == pytest.approx(1.5, abs=1e-3)  # half of the queens call for another chip
    # Jacks and kings come equally often: a call wins and loses 2, a fold always loses 1.
    assert values[1e-3] == pytest.approx(2.0, abs=0.05)


@pytest.mark.thorough
def test_with_recursion_a_solve_passes_on_belief_states_below_its_own() -> None:
    search = SearchSettings(num_simulations=2)
    settings = SolverSettings(search=search, recursive_queries=0.5, tremble=0.0)
    run = jax.jit(functools.partial(solve_queries, KUHN, settings, ZeroEvaluator()))
    start = node_after(TREE, CHECK)
    batch = 200
    given = beliefs("kuhn", (start,) * batch, np.tile(ranges()[:1], (batch, 1, 1)))
    found: Solved = jax.device_get(run(given, np.int32(0), jax.random.key(4)))
    chosen = found.queries.chosen
    assert chosen.shape == (batch,)
    assert chosen.mean() == pytest.approx(0.5, abs=5 * (0.25 / batch) ** 0.5)
    below = {start, node_after(TREE, CHECK, BET)}
    wanted = {packed("kuhn", (node,)).tobytes() for node in below}
    passed_on = {row.tobytes() for row in found.queries.beliefs.state[chosen]}
    assert passed_on <= wanted
    assert packed("kuhn", (node_after(TREE, CHECK, BET),)).tobytes() in passed_on
    np.testing.assert_allclose(found.queries.beliefs.ranges[chosen].sum(axis=2), 1, rtol=1e-5)


# Random ranges.


@pytest.mark.thorough
def test_so_many_queries_get_random_ranges_over_the_infostates_that_can_be() -> None:
    share, tree = 0.25, tree_of("ii_goofspiel(cards=3,order=random)")
    sizes = tree.node_mask.sum(axis=2)
    some = (sizes.min(axis=1) > 1) & (sizes.min(axis=1) < tree.node_mask.shape[2])
    node = int(np.flatnonzero((tree.node_actor < CHANCE) & some)[0])
    mask, batch = tree.node_mask[node], 2000
    given = np.where(mask, np.random.default_rng(0).uniform(size=mask.shape), 0)
    given = np.tile((given / given.sum(axis=1, keepdims=True)).astype(np.float32), (batch, 1, 1))
    settings = SolverSettings(
        search=SearchSettings(num_simulations=1), tremble=0.0, random_ranges=share
    )
    run = jax.jit(functools.partial(solve_queries, tree.game, settings, ZeroEvaluator()))
    found = run(beliefs(str(tree.game), (node,) * batch, given), np.int32(0), jax.random.key(2))
    found = found.examples.ranges
    is_new = ~np.isclose(found, given, atol=1e-6).all(axis=(1, 2))
    assert is_new.mean() == pytest.approx(share, abs=5 * (share * (1 - share) / batch) ** 0.5)
    np.testing.assert_allclose(found.sum(axis=2), 1, atol=1e-5)
    assert not np.asarray(found)[:, ~mask].any()
    drawn = np.asarray(found)[is_new]  # uniform over the distributions: means are equal, rows not
    for player in (0, 1):
        means = drawn[:, player, mask[player]].mean(axis=0)
        np.testing.assert_allclose(means, 1 / mask[player].sum(), atol=0.06)
    assert len(np.unique(drawn.round(6), axis=0)) == len(drawn)
