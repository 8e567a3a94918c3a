"""Spots of hold'em in a browser, without the browser."""

import html
import queue
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from sog.holdem.pages import solved_spot, spot_pages
from sog.holdem.pages.solved_spot import SolvedSpot
from sog.holdem.pages.spot_form import SpotForm
from sog.holdem.spots import SpotSolver, load_spot, walk
from sog.holdem.spots.solver import PROGRAMS
from sog.web.interfaces import RequestError
from sog.web.security import Guard
from tests.waiting import PATIENCE
from tests.web.visitor import Visitor, status_in

RIVER = {
    "board": "Ts 3h 2h 5c 9s",
    "pot": "100",
    "stack": "100",
    "bets": "allin",
    "raises": "same",
    "caps": "none",
    "range0": "AA,QQ",
    "range1": "KK",
    "until": "0.05",
}
TURN = {**RIVER, "board": "Ts3h2h5c", "caps": "1", "until": "1"}


@pytest.fixture(scope="module")
def river(app: Guard) -> tuple[Visitor, str]:
    """A visitor, and the path of a river that is solved."""
    visitor = Visitor(app)
    path = visitor.follow("/spots", **RIVER)
    visitor.wait(path)
    return visitor, path


def at(path: str, history: str, **more: str) -> str:
    return f"{path}?{urlencode({'at': history, **more})}"


def shares(page: str) -> dict[str, str]:
    """By action: how often it is chosen."""
    found = re.findall(r"</svg><strong>([^<]*)</strong> (\S+)", page)
    return dict(found)


def test_a_spot_is_solved_and_walked(river: tuple[Visitor, str]) -> None:
    visitor, path = river
    page = visitor.get(path).text
    assert status_in(page).startswith("Solved. Exploitable for 0.")
    # Aces always bet, and half of the queens.
    assert shares(page) == {"check": "25%", "all-in 100": "75%"}
    assert page.count('class="hands"') == 2 * 169
    assert re.search("AA: 50% of the range; check (0|&lt;0.1)%, EV ", page)
    facing = visitor.get(at(path, "allin100")).text
    assert shares(facing) == {"fold": "50%", "call": "50%"}
    assert "stacks 0 and 100" in facing
    assert "a showdown for the pot" in visitor.get(at(path, "check check")).text
    assert "Somebody has folded" in visitor.get(at(path, "allin100 fold")).text


def test_every_hand_of_a_class_has_its_actions_its_value_and_its_equity(
    river: tuple[Visitor, str],
) -> None:
    visitor, path = river
    page = visitor.get(at(path, "", hands="QQ")).text
    table = page[page.index('id="combos"') :]
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', table, re.DOTALL)
    assert len(rows) == 6
    assert "none here" in table  # player 1 has no queens
    for row in rows:
        assert row.count('class="card') == 2
        equity = re.findall(r"<td[^>]*>([^<]*)</td>", row)[-1]
        assert equity == "0%"
    assert visitor.get(at(path, "", hands="<x>")).text.count("<x>") == 0


@pytest.mark.parametrize("shown", ["range", "equity"])
def test_squares_show_ranges_values_and_equities(river: tuple[Visitor, str], shown: str) -> None:
    visitor, path = river
    page = visitor.get(at(path, "", show=shown)).text
    assert page.count('class="hands"') == 2 * 169
    squares = re.findall(r'data-hands="(AA|QQ|KK)">.*?</a>', page, re.DOTALL)
    assert sorted(squares) == ["AA", "AA", "KK", "KK", "QQ", "QQ"]
    if shown == "equity":  # that of aces, of queens, and of kings against both
        numbers = re.findall(r"<text[^>]*middle[^>]*>(\d+)</text>", page)
        assert sorted(numbers) == ["0", "100", "50"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"at": "check " * 100}, "at most 64 events"),
        ({"at": "<script>"}, "is not possible"),
        ({"show": "x"}, "show must be"),
    ],
)
def test_a_place_that_cannot_be_is_told(
    river: tuple[Visitor, str], query: dict[str, str], told: str
) -> None:
    visitor, path = river
    answer = visitor.get(f"{path}?{urlencode(query)}")
    assert answer.status_code == 400
    assert told in html.unescape(answer.text)
    assert "<script>" not in answer.text.split("<body>")[1]


def test_a_solved_spot_is_saved_as_the_command_saves_it(
    river: tuple[Visitor, str], tmp_path: Path
) -> None:
    visitor, path = river
    answer = visitor.get(f"{path}/solved.spot")
    assert ".spot" in answer.headers["content-disposition"]
    (tmp_path / "a.spot").write_bytes(answer.content)
    node = walk(load_spot(tmp_path / "a.spot").solver, ["allin100"])
    assert node.frequency == pytest.approx([0.5, 0.5], abs=0.01)


def test_a_spot_is_gone_on_with_to_a_smaller_percentage(visitor: Visitor) -> None:
    path = visitor.follow("/spots", **{**RIVER, "until": "5"})
    before = status_in(visitor.wait(path))
    assert visitor.post(f"{path}/go-on", until="0").status_code == 400
    visitor.post(f"{path}/go-on", until="0.05", where="at=allin100")
    after = status_in(visitor.wait(path))
    percents = [float(re.findall(r"for (\S+)% of the pot", one)[0]) for one in (before, after)]
    assert percents[1] <= 0.05 < percents[0]


@pytest.mark.thorough
def test_a_card_is_chosen_on_the_turn(visitor: Visitor) -> None:
    path = visitor.follow("/spots", **TURN)
    visitor.wait(path)
    page = visitor.get(at(path, "check check")).text
    assert "A card comes" in page
    assert len(re.findall('class="walk card', page)) == 48
    assert page.count('class="card gone') == 4
    river = visitor.get(at(path, "check check [Qd]")).text
    assert river.count('<span class="card') == 5
    assert "OOP acts" in river


# The form.


def test_a_link_fills_in_the_form(visitor: Visitor) -> None:
    asked = SpotForm(board="AsKsQs", range0='22+:0.5,"<x>', bets="0.3|1|allin")
    page = visitor.get(f"/spots/new?{asked.query}").text
    assert 'value="AsKsQs"' in page
    assert 'value="0.3|1|allin"' in page
    assert "22+:0.5,&#34;&lt;x&gt;" in page
    assert SpotForm.read(dict(re.findall("([a-z0-9]+)=([^&]*)", "board=2c2d2h"))).board == "2c2d2h"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"board": "KsTh2c),x=(1"}, "Board: choose three"),
        ({"stack": "100/200"}, "Effective stack: a whole number"),
        ({"bets": "0.5,ranks=2"}, "bets must be parts of the pot such as 0.5 or 50%"),
        ({"range0": "AA,KZ"}, "Range of OOP: 'KZ'"),
        ({"until": "0"}, "Target exploitability: a percentage"),
    ],
)
def test_a_mistake_is_told_above_the_form_as_it_was_filled_in(
    visitor: Visitor, change: dict[str, str], told: str
) -> None:
    answer = visitor.post("/spots", **{**RIVER, **change})
    assert answer.status_code == 400
    assert told in html.unescape(answer.text)
    ((name, text),) = list(change.items())[:1]
    assert html.escape(text) in html.unescape(answer.text).replace("&", "&amp;") or name
    assert 'action="/spots"' in answer.text


@pytest.mark.thorough(but=["memory"])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"board": "KsTh7s", "range0": "100%", "range1": "100%", "stack": "5000"}, "of memory"),
        ({"board": "KsTh7s", "stack": "90000", "bets": "min/0.1/0.2/0.3/0.5/1/2/3"}, "decisions"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_made(
    visitor: Visitor, change: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(*_: Any) -> None:
        raise AssertionError("it was made")

    monkeypatch.setattr(SpotSolver, "memory", property(made))
    answer = visitor.post("/spots", **{**RIVER, "raises": "0.5/1", "bets": "0.5/1", **change})
    assert answer.status_code == 400
    assert told in html.unescape(answer.text)


def test_a_text_is_read_for_the_square_beside_it(visitor: Visitor) -> None:
    found = visitor.get("/spots/range?" + urlencode({"text": "AKs, AQs@0.5,KQo:0,AKs"})).json()
    assert found["text"] == "AKs,AQs:0.5"
    weights = np.array(found["weights"])
    assert (weights[0, 1], weights[0, 2]) == (1, 0.5)
    assert np.count_nonzero(weights) == 2
    assert found["percent"] == pytest.approx(100 * 6 / 1326, abs=0.05)
    assert visitor.get("/spots/range?text=").json()["text"] == ""
    assert "'KZ'" in visitor.get("/spots/range?text=KZ").json()["problem"]


# Bounds.


@pytest.mark.thorough
def test_spots_are_few_and_the_oldest_that_is_not_being_solved_makes_room(
    serve: Callable[..., Guard], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spot_pages, "MOST_SPOTS", 1)
    visitor = Visitor(serve())
    first = visitor.follow("/spots", **RIVER)
    visitor.wait(first)
    second = visitor.follow("/spots", **RIVER)
    assert visitor.get(first).status_code == 404
    visitor.post(f"{second}/remove")
    assert visitor.get(second).status_code == 404


@pytest.mark.thorough
def test_programs_of_spots_do_not_pile_up(
    serve: Callable[..., Guard], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spot_pages, "_MOST_COMPILED", 2)
    visitor, counts = Visitor(serve()), []
    for bets in ("allin", "0.5/allin", "0.5", "0.3/0.6/allin"):
        path = visitor.follow("/spots", **(RIVER | {"bets": bets}))
        visitor.wait(path)
        counts.append(PROGRAMS[0]._cache_size())
    assert counts[2:] == [1, 2]
    assert visitor.get("/spots/1").status_code == 200  # whose programs are gone


def solved(submit: Callable[[Callable[[], None]], object], **change: str) -> SolvedSpot:
    return SolvedSpot(SpotForm(**{**RIVER, **change}), submit, lambda: None)


def test_solving_stops_when_it_is_told_to_or_takes_too_long_or_nobody_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Callable[[], None]] = []
    spot = solved(asked.append, until="0.01")
    assert spot.is_busy
    asked.pop()()
    assert spot.iteration > 0
    spot.stop()
    asked.pop()()
    assert not spot.is_busy
    assert not asked
    monkeypatch.setattr(solved_spot, "MOST_SECONDS", 0.0)
    spot.go_on()
    before = spot.iteration
    asked.pop()()
    assert spot.iteration > before
    assert not spot.is_busy
    spot.close()
    spot.go_on()
    assert not asked


def test_a_place_is_looked_at_anew_once_there_were_more_iterations() -> None:
    asked: list[Callable[[], None]] = []
    spot = solved(asked.append, until="0.01")
    before = spot.see(())
    assert spot.see(()) is before
    asked.pop()()
    assert spot.see(()) is not before


def test_a_page_waits_for_a_slice_and_comes_before_the_next_one() -> None:
    asked: list[Callable[[], None]] = []
    spot = solved(asked.append, until="0.01")
    with spot.turn():
        thread = threading.Thread(target=asked.pop())
        thread.start()
        thread.join(0.2)  # a slice that did not wait would end
        assert spot.iteration == 0
    thread.join(PATIENCE)
    assert spot.iteration > 0
    with pytest.raises(RequestError, match="is not possible"):
        spot.see(("raise9",))


def test_beyond_a_few_pages_of_a_busy_spot_show_what_is_known_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spot, seen = solved(lambda work: None), queue.SimpleQueue[object]()
    known, looks = spot.see(()), []

    def look(*arguments: object) -> object:
        looks.append(arguments)
        return known

    monkeypatch.setattr(solved_spot, "look", look)
    threads = [threading.Thread(target=lambda: seen.put(spot.see(()))) for _ in range(9)]
    with spot.turn():  # as a slice has it
        spot.solver.run(1)
        for thread in threads:
            thread.start()
        assert [seen.get(timeout=20) for _ in range(7)] == [known] * 7
        assert spot.see(("check",)) is None
    for thread in threads:
        thread.join(20)
    assert seen.qsize() == 2
    assert len(looks) == 1  # the second page has what the first one found
