"""What the choices of games at tables were worth: who says it, how far he is, and what is shown."""

import json
import re
import threading
from typing import Final

import numpy as np
import pytest

from sog.play.simple_agents import TabularAgent
from tests.web.visitor import Visitor, turn_in

TIC_TAC_TOE: Final = "a3 a2 b3 b2 c1"  # X does not win with c3


def judging_in(page: str) -> str:
    """What a page says of how far the judging is."""
    found = re.search('<p id="judging"[^>]*>(.*?)</p>', page)
    assert found is not None, page
    return found[1]


def grades_in(page: str) -> list[str]:
    return re.findall(r'<span class="grade (\w+)">', page)


@pytest.mark.thorough
def test_a_game_that_is_over_is_judged_choice_by_choice(visitor: Visitor) -> None:
    """What each got is what was expected, less what his choices lost, and given, and luck."""
    path = visitor.begin(player="tabular", game="kuhn", seed=5)
    assert visitor.post(f"{path}/judge", turn=turn_in(visitor.get(path).text)).status_code == 400
    page = visitor.play_out(path)
    assert 'id="judge"' in page
    visitor.follow(f"{path}/judge", turn=turn_in(page))
    page = visitor.wait(path)
    grades = re.findall(r'<span class="grade (\w+)">', page)
    assert grades
    assert set(grades) <= {"best", "good", "inaccuracy", "mistake"}
    assert "Expected utility of each player" in page
    rows = re.findall(r'<tr><th scope="row">(You|Agent)</th>(.*?)</tr>', page)
    assert rows[0][0] == "You"
    for _, cells in rows:
        numbers = map(float, re.findall(r"<td>([^<]*)</td>", cells))
        got, expected, lost, given, luck, chance = numbers
        assert abs(expected - lost + given + luck - got) < 0.03  # of the rounding
        assert chance == 0  # all of Kuhn's cards are dealt before the first choice
    again = visitor.post(f"{path}/undo", turn=turn_in(page))
    assert "Expected utility of each player" not in again.text


def test_a_game_against_one_who_knows_no_values_is_judged_by_the_exact_solution(
    visitor: Visitor,
) -> None:
    path = visitor.begin(player="random", game="kuhn")
    page = visitor.play_out(path)
    assert 'id="judge"' in page
    visitor.follow(f"{path}/judge", turn=turn_in(page))
    page = visitor.wait(path)
    assert judging_in(page) == "Judged by tabular."
    assert grades_in(page)


def test_where_nobody_can_judge_a_line_says_so_in_place_of_the_button(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError("it is too large.")

    path = visitor.begin(player="random", game="kuhn")
    page = visitor.play_out(path)
    monkeypatch.setattr("sog.web.catalog.seat", refuse)
    monkeypatch.setattr("sog.web.catalog.usual_judge", lambda *_, **__: "rollout")
    visitor.follow(f"{path}/judge", turn=turn_in(page))
    page = visitor.wait(path)
    assert judging_in(page) == "The choices cannot be judged: it is too large."
    assert 'id="judge"' not in page


def test_only_those_who_can_judge_are_offered_for_it(visitor: Visitor) -> None:
    page = visitor.get("/").text
    form = page[page.index('action="/games/opened"') :]
    choices = re.search('<select name="player">(.*?)</select>', form, re.DOTALL)
    assert choices is not None
    offered = re.findall("<option>(.*?)</option>", choices[1])
    assert {"tabular", "rollout", "exact"} <= set(offered)
    assert not {"random", "oos", "equity", "uct"} & set(offered)


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Semaphore, threading.Event]:
    """Judging by the exact solution waits before each choice until it may go on; the event says
    that it waits."""
    may, waits, values = threading.Semaphore(0), threading.Event(), TabularAgent.action_values

    def wait(self: TabularAgent, infostate: int) -> np.ndarray:
        waits.set()
        assert may.acquire(timeout=60)
        return values(self, infostate)

    monkeypatch.setattr(TabularAgent, "action_values", wait)
    return may, waits


@pytest.mark.thorough
def test_a_review_that_is_stopped_keeps_what_was_judged(
    visitor: Visitor, held_up: tuple[threading.Semaphore, threading.Event]
) -> None:
    may, waits = held_up
    path = visitor.begin(player="tabular", game="leduc", seed=1)
    page = visitor.play_out(path)
    visitor.follow(f"{path}/judge", turn=turn_in(page))
    page = visitor.get(path).text
    total = int(re.findall(r"0 of (\d+) choices", judging_in(page))[0])
    assert total > 2
    assert 'id="stop-judging"' in page
    assert waits.wait(60)
    waits.clear()
    may.release()
    assert waits.wait(60)
    assert judging_in(visitor.get(path).text) == f"tabular judges: 1 of {total} choices …"
    visitor.follow(f"{path}/stop-judging")
    assert "It stops after the current choice." in visitor.get(path).text
    may.release()
    page = visitor.wait(path)
    assert judging_in(page).startswith(f"Stopped: only the first 2 of {total} choices")
    assert len(grades_in(page)) == 2
    assert 'id="worth"' in page
    assert 'id="totals"' not in page
    assert 'id="judge"' in page  # to have the others judged, too
    assert visitor.get(f"{path}/review.json").status_code == 400


def test_a_review_is_saved_as_numbers_and_as_a_picture(visitor: Visitor) -> None:
    path = visitor.begin(player="tabular", game="kuhn", seed=5)
    page = visitor.play_out(path)
    assert visitor.get(f"{path}/review.json").status_code == 400
    visitor.follow(f"{path}/judge", turn=turn_in(page))
    page = visitor.wait(path)
    assert f'href="{path}/review.json" download' in page
    assert f'href="{path}/review.svg" download' in page
    answer = visitor.get(f"{path}/review.json")
    assert "attachment" in answer.headers["Content-Disposition"]
    content = json.loads(answer.text)
    assert [one["grade"] for one in content["choices"]] == grades_in(page)
    assert (content["human"], content["by"]["name"]) == (0, "tabular")
    first, second = (one["utility"] for one in content["players"])
    assert first == -second
    picture = visitor.get(f"{path}/review.svg")
    assert picture.headers["Content-Type"].startswith("image/svg+xml")
    assert "Expected utility of each player" in picture.text


@pytest.mark.thorough
def test_an_event_is_shown_with_the_options_of_the_choice_that_led_to_it(
    visitor: Visitor,
) -> None:
    form = {"text": TIC_TAC_TOE, "game": "tic_tac_toe", "player": "zero"}
    path = visitor.follow("/games/opened", **form)
    visitor.follow(f"{path}/judge", turn=turn_in(visitor.get(path).text))
    visitor.wait(path)
    for at, event in enumerate(TIC_TAC_TOE.split(), start=1):
        page = visitor.get(f"{path}?at={at}").text
        taken = re.search('<tr class=taken><th scope="row">(.*?)</th>', page)
        assert taken is not None
        assert taken[1] == event
        assert ", taken" not in page  # by a mark, which would be on the stone that is there now
        assert len(re.findall("<li class=after>", page)) == 5 - at
    assert 'id="expected"> <span class="line">Expected: c3.<' in page
    assert 'id="options"' not in visitor.get(f"{path}?at=0").text
    assert f"The actions of <strong>Player 0</strong> instead of {event}" in visitor.get(path).text
