"""Locks of searches in a browser, without the browser."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from sog.games import make
from sog.tabular.locks import read_locks
from sog.web.search_locks import locks_context
from sog.web.watched_search import WatchedSearch
from tests.web.test_search import SEARCH, kuhn_search, solve
from tests.web.visitor import Visitor, row_in


def locked(visitor: Visitor, **fields: object) -> tuple[str, str]:
    """A search of Kuhn poker from its start, then with what player 1 does to a check locked: the
    paths of both."""
    path = visitor.follow("/searches", **SEARCH)
    page = visitor.wait(path)
    link = re.search(r'href="\?node=(\d+)" data-to="\d+">check</a>', page)
    assert link is not None
    return path, visitor.follow(f"{path}/lock", row=link[1], **fields)


@pytest.mark.parametrize(("player", "told"), [(0, "200 mbb less"), (1, "200 mbb more")])
def test_a_lock_costs_its_player_what_he_would_get_without_it(player: int, told: str) -> None:
    """Player 0 gets 50 mbb with it, and without it 250."""
    lock = SimpleNamespace(player=player, state=make("kuhn").root())
    searcher = SimpleNamespace(shown=make("kuhn"))
    search: Any = SimpleNamespace(searcher=searcher, locks=[lock], free_value=0.25, start="later")
    snapshot: Any = SimpleNamespace(nodes=[SimpleNamespace(mean_value=0.05)], row=0)
    assert locks_context(search, snapshot)["costs"] == [f"player {player} gets {told}"]


@pytest.mark.thorough
def test_what_a_player_does_is_locked_by_weights_and_searched_against(visitor: Visitor) -> None:
    # He bets every card: who has a king calls, and wins two, more than by a free answer.
    weights = {f"lock-{card}-{action}": 7 * (action == 2) for card in range(3) for action in (1, 2)}
    _, path = locked(visitor, **weights)
    page = visitor.wait(path)
    assert "Locked: <strong>check (stakes 1-1)</strong>" in page
    assert re.search(r"With that, player 1 gets [\d.e+]+ mbb less at the searched state", page)
    assert ">check: bet1=1</textarea>" in page
    assert "Small: without these locks." in page
    again = visitor.follow(f"{path}/locks", locks="")
    assert "Locked" not in visitor.wait(again)


@pytest.mark.thorough
def test_locks_as_text_are_those_of_the_command_line(visitor: Visitor) -> None:
    path = visitor.follow("/searches", **SEARCH)
    visitor.wait(path)
    text = "check: J check=1; K bet1=1\r\n\r\nbet1: fold=0.5 call=0.5\r\n"
    page = visitor.wait(visitor.follow(f"{path}/locks", locks=text))
    assert ">check: J check=1; K bet1=1\nbet1: fold=0.5 call=0.5</textarea>" in page


def test_infostates_without_weights_stay_free(visitor: Visitor) -> None:
    _, path = locked(visitor, **{"lock-2-1": "", "lock-2-2": 3, "lock-0-1": "0"})
    assert ">check: K bet1=1</textarea>" in visitor.wait(path)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"lock-0-1": "0", "lock-0-2": ""}, "A lock needs a weight that is not 0."),
        ({"lock-0-1": "-1"}, "A weight must be from 0 to 1,000,000, got '-1'."),
        ({"lock-0-0": "1"}, "There is no action '0' of infostate '0'."),
        ({"lock-9-1": "1"}, "There is no infostate or action '9'."),
    ],
)
def test_weights_that_cannot_be_are_told(
    visitor: Visitor, fields: dict[str, str], told: str
) -> None:
    path = visitor.follow("/searches", **SEARCH)
    answer = visitor.post(f"{path}/lock", row=row_in(visitor.wait(path)), **fields)
    assert answer.status_code == 400
    assert told.replace("'", "&#39;") in answer.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("check: bet1=0.5", "must sum to 1, got 0.5"),
        ("raise: bet1=1", "cannot happen at"),
        ("/etc/passwd.csv", "must look like"),
        ("\n".join(f"check: bet1={n}" for n in range(33)), "at most 32 locks, got 33."),
    ],
)
def test_a_text_that_is_no_lock_is_told_and_opens_no_file(
    visitor: Visitor, text: str, told: str
) -> None:
    path = visitor.follow("/searches", **SEARCH)
    visitor.wait(path)
    answer = visitor.post(f"{path}/locks", locks=text)
    assert answer.status_code == 400
    assert told in answer.text


@pytest.mark.thorough
def test_the_exact_solution_holds_what_is_locked() -> None:
    game = make("kuhn")
    locks = read_locks(game, ["bet1: fold=1"])
    search = WatchedSearch(
        kuhn_search().searcher, (), locks=locks, free_value=-1 / 18, submit=lambda work: work()
    )
    snapshot = search.snapshot()
    assert snapshot is not None
    solve(search)
    assert search.solving.exact is not None
    # Player 0 bets every card, or does no better: he wins the ante.
    assert search.solving.exact.values[0].mean() == pytest.approx(1, abs=1e-3)
    assert snapshot.found.values[0].mean() == pytest.approx(1, abs=0.15)
