"""Searches in a browser, without the browser."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.games.cards.kuhn import Kuhn
from sog.web import snapshots as found
from sog.web.catalog import Catalog
from sog.web.interfaces import RequestError, SearchSetup
from sog.web.preparations import Preparations
from sog.web.security import Guard
from sog.web.watched_search import PAUSED, WHOLE, WatchedSearch
from tests.web.visitor import Visitor, row_in, status_in

SEARCH = {"game": "kuhn", "evaluator": "zero", "search": "20,1", "history": "", "mode": "whole"}


def kuhn_search(
    *outcomes: int,
    ranges: list[list[float]] | None = None,
    simulations: int = 20,
    mode: str = WHOLE,
    submit: Callable[[Callable[[], None]], object] = lambda work: work(),
) -> WatchedSearch:
    """A search of Kuhn poker that has run to its end, in this thread, unless it is submitted."""
    game = make("kuhn")
    searcher = SearchSetup(
        game=game,
        shown=game,
        evaluator=ZeroEvaluator(),
        name="zero",
        settings=SearchSettings(num_simulations=simulations),
    )
    own = None if ranges is None else np.array(ranges)
    return WatchedSearch(searcher, outcomes, ranges=own, mode=mode, submit=submit)


def solve(search: WatchedSearch) -> None:
    """Waits for the exact solution beside it."""
    search.solve(Preparations(), "exact solution")
    assert search.solving.preparation is not None
    search.solving.preparation.made.result(60)


def updates_in(text: str) -> int:
    found = re.search(r"Update (\d+) of 20", text)
    assert found is not None, text
    return int(found[1])


def test_a_search_shows_its_tree_its_ranges_and_its_policy(visitor: Visitor) -> None:
    page = visitor.wait(visitor.follow("/searches", **SEARCH))
    assert status_in(page).startswith("Done. Update 20 of 20")
    assert '<g class="node"' in page
    for card in "JQK":
        assert f'aria-label="Weight of {card} of player 0"' in page
    assert page.count("33%") >= 6  # three cards of two players
    assert ">bet1</th>" in page


def test_what_the_tree_does_not_have_is_told(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visitor.wait(visitor.follow("/searches", **SEARCH))
    assert "before the first." in status_in(page)
    monkeypatch.setattr(found, "left_out", lambda _: ("something is missing",))
    page = visitor.wait(visitor.follow("/searches", **SEARCH))
    assert status_in(page).endswith("before the first; something is missing.")


@pytest.mark.thorough
def test_a_search_goes_on_step_by_step_and_can_be_begun_anew(visitor: Visitor) -> None:
    path = visitor.follow("/searches", **{**SEARCH, "mode": "paused"})
    page = visitor.wait(path)
    assert (updates_in(page), status_in(page)[:7]) == (1, "Paused.")
    visitor.post(f"{path}/go-on", count=1, mode="whole")
    assert updates_in(visitor.wait(path)) == 2
    visitor.post(f"{path}/go-on", count=1000, mode="watched")
    assert updates_in(visitor.wait(path)) == 20
    visitor.post(f"{path}/anew")
    assert updates_in(visitor.wait(path)) == 1


def test_the_steps_change_nothing_of_what_is_found() -> None:
    whole = kuhn_search()
    steps = kuhn_search()
    steps.start_anew()
    for _ in range(19):
        steps.resume(1, PAUSED)
    first, second = whole.snapshot(), steps.snapshot()
    assert first is not None
    assert second is not None
    assert second.num_updates == 20
    np.testing.assert_array_equal(first.found.policy, second.found.policy)
    np.testing.assert_array_equal(first.found.values, second.found.values)


@pytest.mark.thorough
def test_a_finished_search_goes_on_with_its_tree(visitor: Visitor) -> None:
    path = visitor.follow("/searches", **SEARCH)
    assert 'value="20"' in visitor.wait(path)  # more simulations that are proposed
    visitor.follow(f"{path}/more", simulations=12)
    page = visitor.wait(path)
    assert status_in(page).startswith("Done. Update 32 of 32")
    assert "searched by SoG(32, 1)" in page
    answer = visitor.post(f"{path}/more", simulations=30_000)
    assert answer.status_code == 400
    assert "A search may have 20,000 simulations" in answer.text


@pytest.mark.thorough
def test_a_search_that_goes_on_finds_what_a_longer_one_finds() -> None:
    short, long = kuhn_search(1), kuhn_search(1, simulations=50)
    short.extend(long.searcher)
    found, expected = short.snapshot(), long.snapshot()
    assert found is not None
    assert expected is not None
    assert found.num_updates == expected.num_updates == 50
    np.testing.assert_allclose(found.found.policy, expected.found.policy, rtol=1e-5)
    np.testing.assert_allclose(found.found.values, expected.found.values, rtol=1e-5)
    short.start_anew()
    with pytest.raises(RequestError, match="has not made all its simulations yet"):
        short.extend(long.searcher)


@pytest.mark.thorough
def test_a_network_needs_no_choice_of_what_values_its_leaves(visitor: Visitor) -> None:
    form = {"game": "agent:leduc", "search": "20,1", "history": "", "mode": "whole"}
    assert "Done." in visitor.wait(visitor.follow("/searches", **form))


def test_games_that_files_may_name_are_on_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOG_GAMES", "sog.games.cards.kuhn:Kuhn, maps/mine.csv")
    first = Catalog().games[0]
    assert isinstance(Catalog().game(first), Kuhn)
    monkeypatch.setenv("SOG_GAMES", "sog.games.cards.kuhn:Missing")
    with pytest.raises(ValueError, match="Missing"):
        Catalog()


def test_one_can_walk_through_the_tree(visitor: Visitor) -> None:
    path = visitor.follow("/searches", **SEARCH)
    page = visitor.wait(path)
    link = re.search(r'href="(\?node=\d+)" data-to="\d+">bet1</a>', page)
    assert link is not None
    below = visitor.get(path + link[1]).text
    assert '<h2 id="state">bet1' in below
    assert ">fold</a>" in below
    assert re.search(r'data-to="\d+">start</a>', below)  # the way back


def test_the_ranges_that_are_set_are_those_that_are_searched(visitor: Visitor) -> None:
    path = visitor.follow("/searches", **SEARCH)
    page = visitor.wait(path)
    weights = {f"range-0-{card}": weight for card, weight in enumerate((0, 0, 5))}
    weights |= {f"range-1-{card}": 1 for card in range(3)}
    edited = visitor.follow(f"{path}/ranges", row=row_in(page), **weights)
    page = visitor.wait(edited)
    shares = re.findall(r'<td class="barred"[^>]*><svg.*?</svg> (\S+)%', page, re.DOTALL)
    assert shares[:1] == ["0"]
    assert "100%" in page
    assert "Small: before the ranges were set." in page
    assert ">33%</span>" in page  # what the range was before


def test_a_player_who_surely_has_the_king_wins_the_ante_of_whoever_folds() -> None:
    # Player 0 has the king for sure: against a bet the jack and the queen fold, and lose 1.
    search = kuhn_search(2, ranges=[[0, 0, 1], [1, 1, 1]])
    snapshot = search.snapshot()
    assert snapshot is not None
    assert snapshot.found.policy[0, 0] > 0.9
    assert snapshot.found.policy[1, 0] > 0.9
    solve(search)
    assert search.solving.exact is not None
    assert search.solving.exact.policy[:2, 0] == pytest.approx([1, 1], abs=0.01)
    assert search.solving.exact.values[1, :2] == pytest.approx([-1, -1], abs=0.01)
    assert search.solving.exact.values[0, 2] == pytest.approx(1, abs=0.01)


def test_the_exact_solution_of_the_whole_game_has_its_known_value(visitor: Visitor) -> None:
    search = kuhn_search()
    solve(search)
    assert search.solving.exact is not None
    assert search.solving.exact.error < 1e-3
    # -1/18 (Kuhn 1950); each card has probability 1/3.
    assert search.solving.exact.values[0].mean() == pytest.approx(-1 / 18, abs=1e-3)
    path = visitor.follow("/searches", **SEARCH)
    visitor.wait(path)
    visitor.post(f"{path}/solve")
    assert "CFR+ over all 9 public states" in visitor.wait(path)


@pytest.mark.parametrize(
    ("ranges", "told"),
    [
        ([[0, 0, 0], [1, 1, 1]], "at least one > 0"),
        ([[1, -1, 1], [1, 1, 1]], "must have weights >= 0"),
        ([[1, 0, 0], [1, 0, 0]], "no pair of infostates that can occur together"),
    ],
)
def test_ranges_that_cannot_be_are_told(ranges: list[list[float]], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        kuhn_search(ranges=ranges)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"history": "check check"}, "the game is over"),
        ({"history": "raise9"}, "cannot happen at"),
        ({"search": "3,2"}, "must be a multiple"),
        ({"search": "30000,1"}, "20,000 simulations"),
        ({"search": "20000,20000"}, "An update may have 100 simulations here"),
        ({"evaluator": "magic"}, "this server has no evaluator"),
        ({"game": "checkers"}, "this server has no game"),
    ],
)
def test_a_search_that_cannot_be_is_told_in_a_sentence(
    visitor: Visitor, form: dict[str, str], told: str
) -> None:
    answer = visitor.post("/searches", **{**SEARCH, **form})
    assert answer.status_code == 400
    assert told in answer.text


@pytest.mark.parametrize("weight", ["-1", "nan", "x"])
def test_a_weight_that_is_none_is_told(visitor: Visitor, weight: str) -> None:
    path = visitor.follow("/searches", **SEARCH)
    page = visitor.wait(path)
    answer = visitor.post(f"{path}/ranges", row=row_in(page), **{"range-0-0": weight})
    assert answer.status_code == 400
    assert "A weight must be" in answer.text


# Runs.


def test_the_curves_of_a_run_are_drawn_and_shown_anew(
    serve: Callable[..., Guard], run_folder: Path
) -> None:
    visitor = Visitor(serve(str(run_folder)))
    page = visitor.get("/runs/0").text
    assert "exploitability: 45.45" in page  # 0.5 / 11 chips
    assert "not measured yet" in page  # losses
    assert "data-poll" in page
    with (run_folder / "metrics.jsonl").open("a") as file:
        file.write('{"step": 20, "seconds": 1200.0, "exploitability": 0.01}\n{"torn')
    assert "exploitability: 10<" in visitor.get("/runs/0").text


def test_a_run_without_a_checkpoint_says_so_where_it_is_to_play(
    serve: Callable[..., Guard], run_folder: Path
) -> None:
    visitor = Visitor(serve(str(run_folder)))
    answer = visitor.post("/games", player=str(run_folder), game="")
    assert answer.status_code == 400
    assert "has no checkpoint yet" in answer.text


@pytest.mark.thorough
def test_where_nothing_is_hidden_there_is_one_table_without_ranges(visitor: Visitor) -> None:
    page = visitor.wait(visitor.follow("/searches", **{**SEARCH, "game": "tic_tac_toe"}))
    assert "everything is public" not in page.partition('id="what-if"')[0]
    assert '<th scope="col">infostate' not in page.partition('id="what-if"')[0]
    assert page.count('id="scroll-') == 2  # the other one is for locks


def expected_in(page: str) -> str | None:
    """How a page of a search says that play goes on, as links."""
    found = re.search('<p id="line">(.*?)</p>', page)
    return found and found[1]


@pytest.mark.thorough
def test_how_play_is_expected_to_go_on_is_told_where_nothing_is_hidden(visitor: Visitor) -> None:
    """Each of these moves is the only one that does not lose."""
    game = {"game": "tic_tac_toe", "search": "300,10", "history": "X../.O./.OX"}
    path = visitor.follow("/searches", **{**SEARCH, **game})
    line = expected_in(visitor.wait(path))
    assert line is not None
    assert re.sub("<[^>]*>", "", line) == "Expected: b3 c3 a1 a2 c2"
    link = re.search(r'href="(\?node=\d+)" data-to="\d+">c3</a>', line)
    assert link is not None
    below = expected_in(visitor.get(path + link[1]).text)
    assert below is not None
    assert re.sub("<[^>]*>", "", below) == "Expected: a1 a2 c2"
    assert expected_in(visitor.wait(visitor.follow("/searches", **SEARCH))) is None
