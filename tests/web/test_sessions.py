"""What is kept, what makes room, and that nothing works on for what is gone."""

from collections.abc import Callable

import jax
import pytest

from sog.games import make
from sog.play.game_in_progress import GameInProgress
from sog.play.simple_agents import RandomAgent
from sog.players.player import Player
from sog.web import play_pages, search_pages, watched_search
from sog.web.hints import Hints
from sog.web.security import Guard
from sog.web.sessions import FullError, Sessions
from sog.web.table import Table
from sog.web.watched_search import PAUSED, WHOLE, WatchedSearch
from tests.web.test_search import kuhn_search
from tests.web.visitor import Visitor


class Kept:
    """A session that says when it was closed."""

    def __init__(self, *, is_finished: bool, is_busy: bool = False) -> None:
        self.is_finished, self.is_busy, self.num_closed = is_finished, is_busy, 0

    def close(self) -> None:
        self.num_closed += 1


def test_what_makes_room_is_closed_and_what_is_kept_is_not() -> None:
    sessions: Sessions[Kept] = Sessions(3, "things")
    busy, old, new = Kept(is_finished=False), Kept(is_finished=True), Kept(is_finished=True)
    for one in (busy, old, new):
        sessions.add(one)
    assert sessions.add(Kept(is_finished=False)) == 4
    assert [busy.num_closed, old.num_closed, new.num_closed] == [0, 1, 0]
    assert [number for number, _ in sessions.list()] == [4, 3, 1]


def test_what_is_removed_is_closed() -> None:
    sessions: Sessions[Kept] = Sessions(3, "things")
    one = Kept(is_finished=False)
    sessions.remove(sessions.add(one))
    assert one.num_closed == 1
    assert sessions.list() == []


def test_what_finds_no_room_is_closed() -> None:
    sessions: Sessions[Kept] = Sessions(1, "things")
    first, second = Kept(is_finished=True), Kept(is_finished=False, is_busy=True)
    sessions.add(Kept(is_finished=False))
    with pytest.raises(FullError, match="There are 1 things that are not finished"):
        sessions.add(second)
    sessions.remove(1)
    with pytest.raises(FullError, match="are still at work"):  # the one that was refused
        sessions.add(first)
    assert (first.num_closed, second.num_closed) == (1, 1)


def test_what_was_removed_takes_its_place_until_it_stops_working() -> None:
    sessions: Sessions[Kept] = Sessions(2, "things")
    one, other = (Kept(is_finished=False, is_busy=True) for _ in range(2))
    for session in (one, other):
        sessions.remove(sessions.add(session))
    with pytest.raises(FullError, match="2 things that were removed are still at work"):
        sessions.add(Kept(is_finished=False))
    one.is_busy = False
    sessions.add(Kept(is_finished=True))
    sessions.add(Kept(is_finished=False))  # in the place of the finished one
    assert len(sessions.list()) == 1
    with pytest.raises(FullError, match="1 things that were removed are still at work"):
        sessions.add(Kept(is_finished=False))


def test_hints_for_many_positions_are_one_piece_of_work() -> None:
    game, turns = make("kuhn"), list[Callable[[], None]]()

    def sit_down(player: int, seed: int) -> RandomAgent:
        return RandomAgent(game, player=player, seed=seed)

    hints = Hints(Player(name="random", game=game, make=sit_down), 0, 0, turns.append)
    ongoing = GameInProgress.dealt(game, jax.random.key(0))
    assert hints.at(ongoing) is None
    for _ in range(5):  # to and fro
        hints.forget()
        assert hints.at(ongoing) is None
    (work,) = turns
    work()
    hint = hints.at(ongoing)
    assert hint is not None
    assert hint.policy is not None
    assert len(turns) == 1


@pytest.mark.thorough
def test_a_search_that_is_closed_stops_working() -> None:
    turns: list[Callable[[], None]] = []
    search = kuhn_search(submit=turns.append)
    turns.pop()()
    assert 0 < search.updates < search.total
    (turn,) = turns
    turns.clear()
    search.close()
    updates = search.updates
    turn()
    search.resume(5, WHOLE)
    assert (search.updates, turns, search.is_busy) == (updates, [], False)


def test_a_game_that_is_closed_stops_working() -> None:
    game, turns = make("tic_tac_toe"), list[Callable[[], None]]()

    def agent(player: int, seed: int) -> RandomAgent:
        return RandomAgent(game, player=player, seed=seed)

    opponent = Player(game=game, name="random", make=agent)
    tables = [Table(opponent, seat=1, seed=0, submit=turns.append) for _ in range(2)]
    tables[0].close()
    for turn in turns:
        turn()
    assert [len(table.ongoing.steps) for table in tables] == [0, 1]


def test_a_game_that_is_closed_closes_its_agent_when_that_has_moved() -> None:
    game, turns, closed = make("tic_tac_toe"), list[Callable[[], None]](), list[int]()

    class Closing(RandomAgent):
        def close(self) -> None:
            closed.append(self.player)

    def agent(player: int, seed: int) -> Closing:
        return Closing(game, player=player, seed=seed)

    opponent = Player(game=game, name="random", make=agent)
    table = Table(opponent, seat=1, seed=0, submit=turns.append)
    turns.pop()()
    table.close()
    assert closed == []
    turns.pop()()
    assert closed == [0]


@pytest.mark.thorough
def test_pages_close_what_they_drop(
    serve: Callable[..., Guard], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[object] = []
    for kind in (Table, WatchedSearch):
        monkeypatch.setattr(kind, "close", lambda self: closed.append(self))
    monkeypatch.setattr(play_pages, "MOST_TABLES", 1)
    monkeypatch.setattr(search_pages, "MOST_SEARCHES", 1)
    visitor = Visitor(serve())
    visitor.play_out(visitor.begin(player="random", game="kuhn"))
    visitor.begin(player="random", game="kuhn")
    assert [type(one) for one in closed] == [Table]
    for _ in range(2):
        visitor.wait(visitor.follow("/searches", game="kuhn", evaluator="zero", search="20,1"))
    assert [type(one) for one in closed] == [Table, WatchedSearch]


@pytest.mark.thorough
def test_a_short_search_does_not_wait_for_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_search, "SLICE_SECONDS", 0.0)  # an update in each
    turns: list[Callable[[], None]] = []
    long = [kuhn_search(submit=turns.append) for _ in range(2)]
    short = kuhn_search(mode=PAUSED, submit=turns.append)
    short.resume(5, WHOLE)
    for _ in range(3 * 5):  # one thread, which takes what was submitted first
        turns.pop(0)()
    assert [search.updates for search in (*long, short)] == [5, 5, 5]
    assert [search.is_busy for search in (*long, short)] == [True, True, False]
