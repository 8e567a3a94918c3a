"""What looks like a number, to `int` or to `str.isdigit`, in every place where one is read."""

import pytest

from sog.web.numbers import whole_number
from tests.web.test_search import SEARCH
from tests.web.visitor import Visitor, turn_in

TEXTS = ["\u00b2", "\u0663", "9" * 5000, "-1", "+1", "1_0", "x"]


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("007", 7), ("1000000000", 10**9)])
def test_ascii_digits_are_a_number(text: str, value: int) -> None:
    assert whole_number(text) == value


@pytest.mark.parametrize("text", [*TEXTS, "", " 1", "1\n", "1000000001"])
def test_nothing_else_is_one(text: str) -> None:
    assert whole_number(text) is None


@pytest.fixture(scope="module")
def game_and_search(app: object) -> tuple[str, str]:
    visitor = Visitor(app)  # type: ignore[arg-type]
    search = visitor.follow("/searches", **SEARCH)
    visitor.wait(search)
    return visitor.begin(player="random", game="tic_tac_toe"), search


@pytest.mark.parametrize("text", TEXTS)
def test_a_number_that_is_none_is_told_or_passed_over(
    visitor: Visitor, game_and_search: tuple[str, str], text: str
) -> None:
    game, search = game_and_search
    for path in ("games", "searches", "runs"):
        assert visitor.get(f"/{path}/{text}").status_code == 404
    for path in (f"{game}?at={text}", f"{search}?node={text}"):
        assert visitor.get(path).status_code == 200
    turn = turn_in(visitor.get(game).text)
    forms: dict[str, dict[str, object]] = {
        "/games": {"player": "random", "game": "kuhn", "seed": text},
        "/searches": {**SEARCH, "seed": text},
        f"{game}/choose": {"action": text, "turn": turn},
        f"{game}/undo": {"turn": text},
        f"{search}/go-on": {"count": text},
        f"{search}/ranges": {"row": text},
    }
    for path, form in forms.items():
        answer = visitor.post(path, **form)
        assert answer.status_code == 400
        assert "must be a whole number from 0 to" in answer.text
    answer = visitor.post(f"{search}/ranges", **{"row": 0, f"range-0-{text}": 1})
    assert "There is no infostate" in answer.text
    answer = visitor.post(f"{search}/go-on", count=1, node=text)
    assert str(answer.url).endswith(search)


@pytest.mark.parametrize("search", ["\u00b2,1", "9" * 5000 + ",1", "20," + "9" * 5000, "20,1e-320"])
def test_a_search_of_numbers_that_cannot_be_is_told(visitor: Visitor, search: str) -> None:
    game = {"player": "zero", "game": "kuhn"}
    assert visitor.post("/games", **game, search=search).status_code == 400
    assert visitor.post("/searches", **{**SEARCH, "search": search}).status_code == 400
