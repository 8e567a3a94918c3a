"""What passes from one search to the next belongs together: a range, and values against it."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.resolving import next_root, summarize
from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import RESOLVE_FROM, SearchSettings
from sog.games import make
from sog.memory import bytes_of
from sog.pytree import pytree
from tests.gtcfr.grown_trees import rows_by_path, run_search, tree_number

KUHN = make("kuhn")
CHECK, BET = 1, 2


@pytree
class OneSidedEvaluator(ZeroEvaluator):
    """Every infostate of the opponent is worth 1; what the player's are worth makes him learn."""

    player: Any = 0  # not static: one program for both

    def encode(self, game: Any, state: Any) -> Any:
        """A number that is another in every public state."""
        features = game.observe(state).reshape(-1)
        return jnp.sin(100 * jnp.sum(features * jnp.arange(len(features))))

    def evaluate(self, game: Any, memory: Any, queries: LeafQueries) -> LeafEvaluation:
        answer = super().evaluate(game, memory, queries)
        is_player = (jnp.arange(2) == self.player)[None, None, :, None]
        values = jnp.where(is_player, queries.encoded[:, :, None, None], 1.0)
        return dataclasses.replace(answer, values=jnp.broadcast_to(values, answer.values.shape))


@functools.cache
def searched(rule: str, player: int) -> SearchResult:
    """Trees of two public events, so that whatever follows them is a leaf."""
    settings = SearchSettings(num_simulations=3, lookahead=2, grow=False, capacity=8, rule=rule)
    evaluator = OneSidedEvaluator(player=np.int32(player))
    return run_search(KUHN, settings, evaluator=evaluator)


@pytest.mark.thorough
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("rule", ["sog", "dcfr", "pcfr+"])
def test_terminating_is_worth_what_the_range_is_that_is_handed_on(rule: str, player: int) -> None:
    """At a leaf where all is worth 1 a cfv is the reach of the compatible cards of the other."""
    result = searched(rule, player)
    path = jnp.array([[CHECK, BET]])
    root = next_root(KUHN, summarize(result, "deepest"), path, jnp.array([player]))
    assert root.opponent.tolist() == [1 - player]
    assert np.asarray(root.path).tolist() == [[NO_EVENT, NO_EVENT]]
    state = jax.tree.map(lambda leaf: leaf[0], root.state)
    compatible = KUHN.compatible_reach(state, root.ranges[0])
    np.testing.assert_allclose(root.terminate_cfvs[0], compatible[1 - player], atol=1e-6)


# Where the next search starts.

LEDUC = make("leduc(suit_isomorphism=true,max_raises=1)")
CALL, RAISE = 1, 2
KING = 2


@functools.cache
def looked_ahead(before: tuple[int, ...], levels: int) -> SearchResult:
    """A search of the state after some events, whose tree holds so many levels below it."""
    settings = SearchSettings(num_simulations=2, lookahead=levels, grow=False, capacity=120)
    path = before or (NO_EVENT,)  # paths of one length share a program
    return run_search(LEDUC, settings, root=start_of_game(LEDUC, path=np.array([path], np.int32)))


FIRST = ((), (CALL, CALL, KING), 0)
"""Player 0 checked, player 1 checked, a king was dealt; player 0 is to move again."""
SECOND = ((CALL,), (CALL, KING, RAISE), 1)
"""Player 1 checked, a king was dealt, player 0 raised; player 1 is to move again."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("situation", "levels", "resolve_from", "num_events", "where"),
    [
        (FIRST, 3, "deepest", 3, "check check [K]"),
        (FIRST, 3, "reply", 3, "check check [K]"),  # chance came after the reply
        (FIRST, 3, "first_child", 1, "check"),
        (FIRST, 2, "deepest", 2, "check check"),  # the tree does not hold what chance chose
        (FIRST, 2, "reply", 1, "check"),
        (FIRST, 2, "first_child", 1, "check"),
        (SECOND, 3, "deepest", 3, "check check [K] bet4"),
        (SECOND, 3, "reply", 2, "check check [K]"),
        (SECOND, 3, "first_child", 1, "check check"),
    ],
)
def test_a_search_starts_where_it_was_set_to(
    situation: tuple[tuple[int, ...], tuple[int, ...], int],
    levels: int,
    resolve_from: str,
    num_events: int,
    where: str,
) -> None:
    before, path, player = situation
    result = looked_ahead(before, levels)
    summary = summarize(result, resolve_from)
    root = next_root(LEDUC, summary, jnp.array([path]), jnp.array([player]))
    rest = [*path[num_events:], *[NO_EVENT] * num_events]
    assert np.asarray(root.path).tolist() == [rest]
    state = jax.tree.map(lambda leaf: leaf[0], root.state)
    assert LEDUC.describe_state(state).split(" (stakes")[0] == where
    assert root.opponent.tolist() == [1 - player]
    # What is promised there is a sum over the same updates as the range.
    assert np.isfinite(np.asarray(root.terminate_cfvs)).all()
    np.testing.assert_allclose(root.ranges.sum(axis=2), 1, rtol=1e-5)


@pytest.mark.thorough(but=["situation1", "situation2"])
@pytest.mark.parametrize(
    ("situation", "resolve_from", "num_events", "where"),
    [
        (FIRST, "deepest", 3, "check check [K]"),
        (FIRST, "reply", 3, "check check [K]"),
        (FIRST, "first_child", 1, "check"),
        (SECOND, "first_child", 2, "check check [K]"),
    ],
)
def test_a_search_starts_after_chance_that_was_left_to_the_evaluator(
    situation: tuple[tuple[int, ...], tuple[int, ...], int],
    resolve_from: str,
    num_events: int,
    where: str,
) -> None:
    """Three ranks can come, two at most are expanded: the trees end before the card."""
    before, path, player = situation
    evaluator = OneSidedEvaluator(player=np.int32(1 - player))
    summary = summarize(looked_ahead(before, 2 - len(before)), resolve_from)
    paths, players = jnp.array([path]), jnp.array([player])
    root = next_root(LEDUC, summary, paths, players, evaluator=evaluator, widest_chance=2)
    assert np.asarray(root.path).tolist() == [[*path[num_events:], *[NO_EVENT] * num_events]]
    state = jax.tree.map(lambda leaf: leaf[0], root.state)
    assert LEDUC.describe_state(state).split(" (stakes")[0] == where
    usual = next_root(LEDUC, summary, paths, players)
    if where == "check":  # the opponent moved before chance, and is promised what that was worth
        jax.tree.map(np.testing.assert_array_equal, root, usual)
        return
    kept = np.asarray(usual.ranges[0] * LEDUC.infostate_mask(state))
    np.testing.assert_allclose(root.ranges[0], kept / kept.sum(axis=1, keepdims=True), rtol=1e-5)
    compatible = LEDUC.compatible_reach(state, root.ranges[0])[1 - player]
    worth = evaluator.encode(LEDUC, state)
    np.testing.assert_allclose(root.terminate_cfvs[0], worth * compatible, rtol=1e-5)
    narrow = next_root(LEDUC, summary, paths, players, evaluator=evaluator, widest_chance=3)
    jax.tree.map(np.testing.assert_array_equal, narrow, usual)


@pytest.mark.thorough
def test_without_a_move_on_the_way_a_search_starts_where_the_last_one_was() -> None:
    result = looked_ahead((CALL,), 3)
    for resolve_from in RESOLVE_FROM:
        summary = summarize(result, resolve_from)
        root = next_root(LEDUC, summary, jnp.array([[NO_EVENT]]), jnp.array([1]))
        state = jax.tree.map(lambda leaf: leaf[0], root.state)
        assert LEDUC.describe_state(state).startswith("check (")


@pytest.mark.parametrize("resolve_from", RESOLVE_FROM)
def test_a_search_does_not_start_where_no_update_has_been(resolve_from: str) -> None:
    """What was added after the last update knows nothing: no range, nothing to promise."""
    summary = summarize(looked_ahead((CALL,), 3), resolve_from)
    only_start = jnp.zeros_like(summary.is_known).at[0, summary.start].set(True)
    path, player = jnp.array([[CALL, KING, RAISE]]), jnp.array([1])
    known, unknown = (
        next_root(LEDUC, one, path, player)
        for one in (summary, dataclasses.replace(summary, is_known=only_start))
    )
    assert np.asarray(known.path).tolist() != np.asarray(unknown.path).tolist()
    state = jax.tree.map(lambda leaf: leaf[0], unknown.state)
    assert LEDUC.describe_state(state).startswith("check (")
    assert np.asarray(unknown.path).tolist() == [[CALL, KING, RAISE]]


@pytest.mark.thorough
def test_the_nodes_that_the_last_expansion_added_are_not_started_from() -> None:
    """One update, then a check of player 0 gets its children or a bet does, which end the game."""
    result = run_search(KUHN, SearchSettings(num_simulations=1), seeds=tuple(range(8)))
    trees = [tree_number(result, number) for number in range(8)]
    is_added = [(CHECK, BET) in rows_by_path(tree) for tree in trees]
    assert {*is_added} == {True, False}
    path, player = jnp.full((8, 2), jnp.array([CHECK, BET])), jnp.zeros(8, jnp.int32)
    root = next_root(KUHN, summarize(result, "deepest"), path, player)
    assert np.asarray(root.path).tolist() == [[BET, NO_EVENT]] * 8
    assert root.opponent.tolist() == [1] * 8


# What is handed on.


def test_the_children_alone_hand_on_what_the_whole_tree_does() -> None:
    """The first child on the way is a child of the state that was searched."""
    result = looked_ahead((CALL,), 3)
    few = summarize(result, "first_child")
    whole = dataclasses.replace(summarize(result, "reply"), resolve_from="first_child")
    for path in ((NO_EVENT,), (CALL,), (RAISE,), (CALL, KING, RAISE)):
        roots = [
            next_root(LEDUC, summary, jnp.array([path]), jnp.array([1])) for summary in (few, whole)
        ]
        jax.tree.map(np.testing.assert_array_equal, *roots)


def test_the_children_alone_are_a_small_part_of_a_tree() -> None:
    result = looked_ahead((CALL,), 3)
    assert 10 * bytes_of(summarize(result, "first_child")) < bytes_of(result.tree)
