"""The exact solution beside a search: offered where there is hope, told, and stopped."""

import threading
from typing import Any

import pytest

from sog.tabular.subgame import solve_subgame
from tests.web.test_search import SEARCH
from tests.web.visitor import Visitor, status_in


@pytest.mark.thorough
def test_what_is_too_large_to_be_solved_is_told_once_and_not_offered_again(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.web.snapshots._MOST_NODES", 5)
    path = visitor.follow("/searches", **{**SEARCH, "mode": "paused"})
    assert 'id="solve"' in visitor.wait(path)
    visitor.follow(f"{path}/solve")
    page = visitor.wait(path)
    assert "There is no exact solution: the subgame is too large to be solved exactly." in page
    assert status_in(page).startswith("Paused.")  # and it can go on
    assert 'id="solve"' not in page
    visitor.post(f"{path}/go-on", count=1, mode="whole")
    assert "Update 2 of 20" in status_in(visitor.wait(path))


@pytest.mark.thorough
def test_no_exact_solution_is_offered_where_a_search_has_found_too_much_already(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = visitor.follow("/searches", **SEARCH)
    assert 'id="solve"' in visitor.wait(path)
    monkeypatch.setattr("sog.web.snapshots._MOST_NODES", 5)
    assert 'id="solve"' not in visitor.get(path).text


@pytest.mark.thorough
def test_solving_can_be_stopped(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped, solve = threading.Event(), solve_subgame

    def wait(*arguments: Any, **named: Any) -> Any:
        assert stopped.wait(60)
        return solve(*arguments, **named)

    monkeypatch.setattr("sog.web.snapshots.solve_subgame", wait)
    path = visitor.follow("/searches", **SEARCH)
    visitor.wait(path)
    visitor.follow(f"{path}/solve")
    page = visitor.get(path).text
    assert "Solving the subgame" in page
    assert 'id="stop-solving">stop' in page
    visitor.follow(f"{path}/stop-solving")
    stopped.set()
    page = visitor.wait(path)
    assert "Exact: CFR+" not in page
    assert 'id="solve"' in page
