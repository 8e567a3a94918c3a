"""Wide chance nodes, of which a tree keeps a sample: right on average, and said so (trap 8)."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.children import spread
from gtcfr.evaluator import LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.extent import WHOLE_GAME
from gtcfr.room import tree_shapes
from gtcfr.root import NO_EVENT, known_root, start_of_game
from gtcfr.search import SearchResult, advance, begin, read
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT, ROOT
from sog.games.cards.poker import CALL
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, Game
from sog.games.registry import make
from sog.memory import bytes_of
from sog.pytree import pytree
from sog.tabular.enumerated_game import EnumeratedState
from sog.tabular.public_tree import PublicTree
from tests.gtcfr.growing_cases import CASES, searched
from tests.gtcfr.grown_trees import (
    children_of,
    enumerated,
    public_tree,
    rows_of_nodes,
    run_search,
    tree_number,
)
from tests.gtcfr.plain_search import PlainSearch
from tests.tabular.small_games import child_of


@pytree
class ValueOfNode:
    """Values from a table, whatever the ranges."""

    node_values: Any  # [node, player, S]

    looks_at_ranges = False

    @property
    def leaves_per_call(self) -> int | None:
        return None

    def encode(self, game: Game[Any], state: EnumeratedState) -> jax.Array:
        return state.node

    def start(self, game: Game[Any], batch_size: int) -> Any:
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        values = jnp.asarray(self.node_values)[queries.encoded]
        logits = jnp.zeros((*values.shape[:2], game.num_infostates, game.num_actions))
        return LeafEvaluation(values=values, policy_logits=logits, memory=())


_SAMPLES = 200
_BRANCH = 2


@functools.cache
def chance_node() -> tuple[int, np.ndarray, np.ndarray]:
    """A chance node of Leduc, random values of all nodes [node, player, S], random ranges."""
    public, rng = public_tree("leduc"), np.random.default_rng(1)
    node = int(np.flatnonzero(public.node_actor == CHANCE)[0])
    return node, rng.uniform(-1, 1, (public.num_nodes, 2, 6)), rng.dirichlet(np.ones(6), 2)


def searched_from_chance(paths: Any, settings: SearchSettings) -> SearchResult:
    """From that node, a search per path [search, event]."""
    node, table, ranges = chance_node()
    root = known_root(
        EnumeratedState(node=jnp.full(len(paths), node, jnp.int32)),
        jnp.broadcast_to(jnp.asarray(ranges, jnp.float32), (len(paths), 2, 6)),
        path=jnp.asarray(paths, jnp.int32),
    )
    values = ValueOfNode(node_values=table.astype(np.float32))
    return run_search(enumerated("leduc"), settings, root=root, evaluator=values)


@functools.cache
def sampled_chance(spread_outcomes: bool = False) -> tuple[PlainSearch, SearchResult]:
    """One update of a search that keeps three of the six cards that Leduc's chance can turn up.

    200 searches without and 200 with a branch. With them the oracle, which has all six.
    """
    public, (node, table, ranges) = public_tree("leduc"), chance_node()
    paths = np.repeat([[NO_EVENT], [_BRANCH]], _SAMPLES, axis=0)
    settings = SearchSettings(
        grow=False, num_simulations=1, max_outcomes=3, spread_outcomes=spread_outcomes
    )
    result = searched_from_chance(paths, settings)
    oracle = PlainSearch(public, root=node, ranges=ranges)
    oracle.update(np.arange(public.num_nodes) == node, lambda leaf, _: table[leaf])
    return oracle, result


@pytest.mark.thorough
def test_samples_of_a_wide_chance_node_have_the_right_expectation() -> None:
    """All twenty samples of three cards of six are equally likely; their mean is exact."""
    oracle, result = sampled_chance()
    cfvs = by_sample(result, range(_SAMPLES))
    assert len(cfvs) == 20
    assert max(len(same) for same in cfvs.values()) < 25  # 10 on average
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, oracle.cfv_sum[:, oracle.root], atol=1e-6)
    assert np.std([same[0] for same in cfvs.values()], axis=0).max() > 5e-3


@pytest.mark.thorough
def test_the_branch_is_kept_for_certain_and_the_rest_of_chance_is_weighted_up() -> None:
    """Two of the other five cards, ten samples; below the card of the branch the tree goes on."""
    oracle, result = sampled_chance()
    cfvs = by_sample(result, range(_SAMPLES, 2 * _SAMPLES))
    assert all(_BRANCH in sample for sample in cfvs)
    assert len(cfvs) == 10
    tree, root = tree_number(result, _SAMPLES), oracle.root
    row = children_of(tree, int(ROOT))[_BRANCH]
    assert row == result.slot[_SAMPLES]
    now = child_of(oracle.tree, root, _BRANCH)
    mask = oracle.tree.node_mask[now]
    # Each card has its own part of the cfvs; that of the branch is no longer the evaluator's.
    exact = oracle.cfv_sum[:, root] + mask * (tree.cfvs[row] - oracle.cfv_sum[:, now])
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, exact, atol=1e-6)


def test_spread_samples_have_the_right_expectation_and_the_branch_for_certain() -> None:
    """Every other card of six; of the five beside the branch two, each in two of five samples."""
    oracle, result = sampled_chance(spread_outcomes=True)
    cfvs = by_sample(result, range(_SAMPLES))
    assert sorted(cfvs) == [(0, 2, 4), (1, 3, 5)]
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, oracle.cfv_sum[:, oracle.root], atol=1e-6)
    with_branch = by_sample(result, range(_SAMPLES, 2 * _SAMPLES))
    assert sorted(with_branch) == [(0, 2, 3), (0, 2, 4), (1, 2, 4), (1, 2, 5), (2, 3, 5)]
    counts = [len(same) for same in (*cfvs.values(), *with_branch.values())]
    np.testing.assert_allclose(counts, [100] * 2 + [40] * 5, atol=30)


@pytest.mark.parametrize(("count", "total"), [(0, 5), (1, 5), (3, 7), (5, 7), (7, 7), (9, 4)])
def test_each_outcome_is_in_as_many_spread_samples_as_any_other(count: int, total: int) -> None:
    free = jnp.array([True, False, *[True] * (total - 1), False])
    samples = np.asarray(jax.vmap(lambda start: spread(free, count, start))(jnp.arange(total)))
    assert not samples[:, ~np.asarray(free)].any()
    assert (samples.sum(axis=1) == min(count, total)).all()
    assert (samples[:, np.asarray(free)].sum(axis=0) == min(count, total)).all()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "first_outcomes", [1, *(pytest.param(number, marks=pytest.mark.slow) for number in (2, 3, 4))]
)
def test_a_few_outcomes_on_the_way_of_a_re_solve_stand_for_all_of_them(first_outcomes: int) -> None:
    """Below the branch the tree goes on: its card is no longer worth what the table says."""
    settings = SearchSettings(
        grow=False, num_simulations=1, first_outcomes=first_outcomes, max_outcomes=4
    )
    result, oracle = searched_from_chance([[_BRANCH]] * _SAMPLES, settings), sampled_chance()[0]
    cfvs = np.asarray(result.tree.cfvs)[:, ROOT]
    tree, now = tree_number(result), child_of(oracle.tree, oracle.root, _BRANCH)
    kept = children_of(tree, int(ROOT))
    assert len(kept) == 4  # a node that is not visited could not get them later
    found = tree.cfvs[kept[_BRANCH]]
    exact = oracle.cfv_sum[:, oracle.root] + found - oracle.cfv_sum[:, now]
    error = np.abs(cfvs.mean(axis=0) - exact)
    assert (error <= 4 * cfvs.std(axis=0) / _SAMPLES**0.5 + 1e-6).all()


def by_sample(result: SearchResult, searches: range) -> dict[tuple[int, ...], list[np.ndarray]]:
    """The root's cfvs [2, S], by which outcomes were kept."""
    found: dict[tuple[int, ...], list[np.ndarray]] = {}
    for search in searches:
        tree = tree_number(result, search)
        kept = tuple(sorted(children_of(tree, int(ROOT))))
        found.setdefault(kept, []).append(np.asarray(tree.cfvs[ROOT]))
    return found


def test_a_sample_of_chance_is_reported() -> None:
    assert sampled_chance()[1].tree.is_sampled.all()
    assert not searched("poker, SoG(s, 1)").tree.is_sampled.any()


@pytest.mark.slow
def test_where_all_of_chance_is_in_the_tree_no_sample_is_reported() -> None:
    assert not any(searched(name).tree.is_sampled.any() for name in CASES)


# Samples that grow.


@functools.cache
def growing_chance(num_simulations: int) -> SearchResult:
    """200 searches of a chance node of Leduc that begin with two of the six cards, stopped after
    so many simulations."""
    start, go_on, look = chance_programs()
    result = look(go_on(state=start(), count=num_simulations))
    on_host: SearchResult = jax.tree.map(np.asarray, result)
    return on_host


@functools.cache
def chance_programs() -> tuple[Any, Any, Any]:
    """The searches in parts, so that one program makes any number of simulations up to 20."""
    game, public = enumerated("leduc"), public_tree("leduc")
    node = int(np.flatnonzero(public.node_actor == CHANCE)[0])
    root = known_root(
        EnumeratedState(node=jnp.full(_SAMPLES, node, jnp.int32)), jnp.full((_SAMPLES, 2, 6), 1 / 6)
    )
    given: dict[str, Any] = {
        "evaluator": ZeroEvaluator(),
        "settings": SearchSettings(num_simulations=20, first_outcomes=2, max_outcomes=5),
    }
    start = functools.partial(begin, game, root=root, key=jax.random.key(0), **given)
    go_on = functools.partial(advance, game, **given)
    return jax.jit(start), jax.jit(go_on), jax.jit(functools.partial(read, game))


@pytest.mark.thorough
@pytest.mark.parametrize(("num_simulations", "count"), [(1, 2), (2, 3), (3, 4), (5, 4), (6, 5)])
def test_a_chance_node_has_its_first_outcomes_and_the_root_of_its_visits(
    num_simulations: int, count: int
) -> None:
    """A third when it was visited once (2 < 2 + 1), a fourth at two, a fifth at five."""
    result = growing_chance(num_simulations)
    for search in range(0, _SAMPLES, 20):
        assert len(children_of(tree_number(result, search), int(ROOT))) == count


@pytest.mark.thorough
def test_a_sample_that_grows_has_no_more_outcomes_than_it_has_room_for() -> None:
    result = growing_chance(20)
    assert len(children_of(tree_number(result, 0), int(ROOT))) == 5
    assert not result.is_full.any()


def test_what_a_growing_sample_is_worth_stands_for_all_outcomes() -> None:
    """After the last update nothing was added: five cards were there, each counted 6 / 5 times."""
    result = growing_chance(20)
    for search in range(0, _SAMPLES, 20):
        tree = tree_number(result, search)
        rows = list(children_of(tree, int(ROOT)).values())
        np.testing.assert_allclose(tree.interior.chance_weight[ROOT], 6 / 5, rtol=1e-6)
        expected = 6 / 5 * tree.cfvs[rows].sum(axis=0)
        np.testing.assert_allclose(tree.cfvs[ROOT], expected, rtol=1e-4, atol=1e-6)


def test_every_outcome_is_as_likely_to_be_in_a_sample_that_has_grown() -> None:
    result = growing_chance(3)
    kept = [set(children_of(tree_number(result, search), int(ROOT))) for search in range(_SAMPLES)]
    counts = np.array([sum(card in sample for sample in kept) for card in range(6)])
    share = 4 / 6
    bound = 4 * (share * (1 - share) / _SAMPLES) ** 0.5
    np.testing.assert_allclose(counts / _SAMPLES, share, atol=bound)


@pytest.mark.slow
def test_a_poker_with_wide_chance_is_searched_to_its_values() -> None:
    """Two public cards from a deck of four, dealt one by one: a low card loses what a high one
    wins, as in a search with the whole game in its tree, though chance began with one card."""
    game = enumerated("board_poker(ranks=2,suits=2,public_cards=2)")
    whole = SearchSettings(num_simulations=300, lookahead=WHOLE_GAME, grow=False, capacity=1100)
    growing = SearchSettings(num_simulations=2000, simulations_per_update=5.0, first_outcomes=1)
    exact = run_search(game, whole).values[0]
    assert np.abs(exact).min() > 0.6
    found = run_search(game, growing, seeds=(0, 1))
    np.testing.assert_allclose(found.values.mean(axis=0), exact, atol=0.12)


FORTY = SearchSettings(num_simulations=24, first_outcomes=2, max_outcomes=8)
"""Of the cards that a public card is one of."""


def test_a_few_of_forty_cards_need_two_fifths_of_the_room_at_most() -> None:
    game = make("board_poker")
    some, whole = (
        bytes_of(tree_shapes(game, (), settings, 1))
        for settings in (FORTY, SearchSettings(num_simulations=24))
    )
    assert 5 * some < 2 * whole


@pytest.mark.slow
def test_forty_cards_are_searched_with_a_few_of_them_in_the_tree() -> None:
    game = make("board_poker")
    path = [CALL]  # player 0 checks
    result = run_search(game, FORTY, root=start_of_game(game, path=np.array([path])))
    tree = tree_number(result)
    widths = [
        len(children_of(tree, slot))
        for slot in np.flatnonzero(tree.interior.edge != NO_PARENT).tolist()
        if tree.interior.actor[slot] == CHANCE
    ]
    assert 2 < max(widths) <= 8
    assert result.tree.is_sampled.all()
    possible = np.asarray(result.policy[0]).sum(axis=1)
    np.testing.assert_allclose(possible[possible > 0], 1, rtol=1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("widest", [5, 6])
def test_wider_chance_than_asked_for_stays_a_leaf_but_where_the_search_begins(widest: int) -> None:
    """Leduc turns up one of six cards: with five at most simulations find the first round alone;
    a search from before the card has all six, and goes on below them."""
    public, (node, _, ranges) = public_tree("leduc"), chance_node()
    settings = SearchSettings(num_simulations=60, widest_chance=widest)
    state = EnumeratedState(node=jnp.array([0, node], jnp.int32))
    start = start_of_game(enumerated("leduc"), batch_size=1).ranges
    both = jnp.concatenate([start, jnp.asarray(ranges, jnp.float32)[None]])
    result = run_search(enumerated("leduc"), settings, root=known_root(state, both))
    whole, after_the_round = (expanded_nodes(public, result, n) for n in (0, 1))
    assert CHANCE in public.node_actor[after_the_round]
    assert (public.node_actor[after_the_round] != CHANCE).sum() > 6
    first_round = reached_without_chance(public)
    assert first_round <= set(whole)
    assert (set(whole) == first_round) == (widest == 5)


def expanded_nodes(public: PublicTree, result: SearchResult, number: int) -> list[int]:
    """The nodes of the game that are interior to a search's tree."""
    tree = tree_number(result, number)
    rows = rows_of_nodes(public, tree, root=[0, chance_node()[0]][number])
    return np.flatnonzero((rows >= 0) & (rows < tree.shape.num_interior)).tolist()


def reached_without_chance(public: PublicTree) -> set[int]:
    """The decisions of the first round."""
    found, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        if public.node_actor[node] in (PLAYER_0, PLAYER_1):
            found.add(node)
            waiting += np.flatnonzero(public.node_parent == node).tolist()
    return found
