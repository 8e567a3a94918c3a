"""A search that is gone on with by the host: slices, a clock, stopping; and what it finds then."""

import copy
import dataclasses
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.enlarging import with_more_simulations
from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.shape import tree_shape
from sog.games import make
from sog.kept_programs import compile_quickly, compiles_quickly
from sog.play import thinking
from sog.play.thinking import Thinking, think
from tests.gtcfr.test_asking import OfTheState

KEY = jax.random.key(3)


SETTINGS = SearchSettings(num_simulations=6, num_queries=2)


def begun(
    text: str, settings: SearchSettings, evaluator: Evaluator | None = None, **more: Any
) -> Thinking:
    """A batch of two searches."""
    game = make(text)
    root = start_of_game(game, batch_size=2)
    ask: dict[str, Any] = {"evaluator": evaluator or ZeroEvaluator(), "root": root, "key": KEY}
    return Thinking(game, settings=settings, **(ask | more))


def kuhn_search(settings: SearchSettings = SETTINGS, **more: Any) -> Thinking:
    return begun("kuhn", settings, **more)


def assert_same(found: SearchResult, expected: SearchResult) -> None:
    """Equal in whole numbers, and in real ones up to the rounding of another program."""

    def compare(one: Any, other: Any) -> None:
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)

    jax.tree.map(compare, found, expected)


@pytest.mark.thorough
def test_by_a_clock_it_ends_in_time_and_has_found_something() -> None:
    game, settings = make("kuhn"), SearchSettings(num_simulations=1, simulations_per_update=1e-8)
    found = think(
        game,
        evaluator=ZeroEvaluator(),
        root=start_of_game(game),
        key=KEY,
        settings=settings,
        seconds=0.3,
    )
    assert found.policy[0].sum() == pytest.approx(3)


@pytest.mark.thorough
def test_without_a_clock_slices_make_all_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    game, settings = make("kuhn"), SearchSettings(num_simulations=6, num_queries=2)
    root, made = start_of_game(game, batch_size=2), list[int]()
    ask: dict[str, Any] = {"evaluator": ZeroEvaluator(), "root": root, "key": KEY}
    at_once = think(game, settings=settings, **ask)
    monkeypatch.setattr(thinking, "SLICE_SECONDS", 0.0)  # an update each
    found = think(game, settings=settings, progress=made.append, **ask)
    assert made == list(range(7))
    assert_same(found, at_once)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_time_must_be_positive(seconds: float) -> None:
    game = make("kuhn")
    with pytest.raises(ValueError, match=r"^seconds must be > 0, got"):
        think(game, evaluator=ZeroEvaluator(), root=start_of_game(game), key=KEY, seconds=seconds)


def test_it_goes_on_from_where_it_was_and_ends_where_a_whole_search_does() -> None:
    whole, parts = kuhn_search(), kuhn_search()
    whole.go()
    parts.go(2)
    assert parts.num_updates == 2
    assert parts.read().num_updates.tolist() == [2, 2]
    parts.go(100)
    parts.go()
    assert (parts.num_updates, parts.total) == (6, 6)
    assert_same(parts.read(), whole.read())


def test_what_is_left_of_a_clock_bounds_a_slice_however_fast_the_last_one_was() -> None:
    thinking = kuhn_search()
    for _ in range(3):
        thinking.run_slice(100, 60.0)
    assert thinking.num_updates > 3
    before = thinking.num_updates
    thinking.run_slice(100, 0.0)
    assert thinking.num_updates == before + 1


def test_who_is_told_to_stop_does_so_after_a_slice_and_can_go_on() -> None:
    search = kuhn_search()
    search.go(progress=lambda done: search.stop() if done == 1 else None)
    assert search.num_updates == 1  # the first slice is one update
    search.go()
    assert search.num_updates == 6


@pytest.mark.thorough
def test_a_copy_goes_on_by_itself_where_arrays_are_shared() -> None:
    search = kuhn_search(is_shared=True)
    search.go(2)
    before = np.asarray(search.read().policy)
    other = copy.copy(search)
    other.go()
    assert (search.num_updates, other.num_updates) == (2, 6)
    np.testing.assert_array_equal(search.read().policy, before)
    search.go()
    assert_same(search.read(), other.read())


def tic_tac_toe_search() -> Thinking:
    settings = SearchSettings(num_simulations=16, kept_simulations=16)
    return begun("tic_tac_toe", settings, root=start_of_game(make("tic_tac_toe")))


@pytest.mark.thorough
def test_the_tree_goes_on_below_what_was_played() -> None:
    search = tic_tac_toe_search()
    search.go()
    played = int(np.asarray(search.read().policy)[0, 0].argmax())
    known = int(search.read().tree.num_nodes[0])
    assert search.reuse_subtree(played, jax.random.key(4))
    kept = int(search.read().tree.num_nodes[0])
    assert 9 <= kept < known  # the root, all that can be played there, and what was below
    search.go()
    found = search.read()
    assert (search.num_updates, found.num_updates.tolist()) == (16, [16])
    assert found.policy[0, 0, played] == 0  # that field is taken
    assert found.policy[0, 0].sum() == pytest.approx(1)


@pytest.mark.thorough
def test_where_nothing_was_expanded_there_is_no_tree_to_go_on_with() -> None:
    search = tic_tac_toe_search()
    before = search.read()
    assert not any(search.reuse_subtree(event, KEY) for event in range(9))
    assert_same(search.read(), before)


@pytest.mark.slow
def test_what_is_compiled_quickly_finds_the_same() -> None:
    # Without simulations: rounding may have one go another way.
    whole_game = SearchSettings(num_simulations=5, lookahead=WHOLE_GAME, grow=False, capacity=60)
    usual = kuhn_search(whole_game)
    try:
        compile_quickly(True)
        assert compiles_quickly()
        quick = kuhn_search(whole_game)
        quick.go()
    finally:
        compile_quickly(False)
    usual.go()
    np.testing.assert_allclose(quick.read().policy, usual.read().policy, atol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "game", ["leduc(suit_isomorphism=true)", pytest.param("tic_tac_toe", marks=pytest.mark.slow)]
)
def test_with_more_room_it_finds_what_it_had_found_with_that_room_from_the_start(game: str) -> None:
    """Node for node, in the same slots; whether leaves are valued once or in every update."""
    settings = SearchSettings(num_simulations=8, num_queries=2, chunk_size=2)
    root = start_of_game(make(game), batch_size=2, path=np.array([[1], [2]], np.int32))
    small, large = (
        begun(game, dataclasses.replace(settings, num_simulations=room), root=root)
        for room in (8, 20)
    )
    small.go()
    assert small.num_updates == small.total == 8
    small.extend(20)
    assert (small.num_updates, small.total) == (8, 20)
    small.go()
    large.go()
    assert_same(small.read(), large.read())
    assert (small.read().tree.num_interior > 10).all()  # which there was room for before


@pytest.mark.thorough
def test_room_given_between_two_questions_leaves_the_answers_to_the_first() -> None:
    settings = SearchSettings(
        num_simulations=4,
        simulations_per_update=0.25,
        rule="dcfr",
        leaf_interval=8,
        num_queries=2,
        chunk_size=2,
    )
    found = []
    for room in (4, 8):
        asked = dataclasses.replace(settings, num_simulations=room)
        evaluator = OfTheState(looks_at_ranges=True)
        search = begun("leduc(suit_isomorphism=true)", asked, evaluator)
        search.go(13)  # of four updates before each simulation, so an answer has to stand for three
        if room < 8:
            search.extend(8)
        search.go()
        found.append(search.read())
    assert_same(*found)


def test_a_tree_that_grew_early_grows_on_when_it_is_extended() -> None:
    search = kuhn_search(SearchSettings(num_simulations=4, growth_share=0.25, capacity=20))
    search.go()
    visits = float(search.read().tree.interior.visits[0, 0].sum())
    search.extend(8)
    search.go()
    assert search.num_updates == 8
    assert float(search.read().tree.interior.visits[0, 0].sum()) > visits


def test_a_search_whose_averages_are_planned_is_not_extended() -> None:
    settings = SearchSettings(num_simulations=4, rule="hs-pcfr+")
    with pytest.raises(ValueError, match="its averages are planned"):
        with_more_simulations(settings, tree_shape(make("kuhn"), settings, 0), 8)


def test_room_is_not_taken_away() -> None:
    with pytest.raises(ValueError, match=r"^num_simulations must be >= 6, which the tree has roo"):
        kuhn_search().extend(5)
