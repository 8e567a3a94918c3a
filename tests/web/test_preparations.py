"""Preparations: some at once, in turn, beside the pages, until nobody waits for them."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sog.web.host import Heed, Left
from sog.web.offers import Offers
from sog.web.pages import Form, page, prepared_page
from sog.web.preparations import MOST_WAITING, PLACES, Preparations
from sog.web.security import Guard
from sog.web.server import listen, serving
from sog.web.sessions import Full

TOKEN = "the-token"


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """What preparations wait for."""
    event = threading.Event()
    yield event
    event.set()


def until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def test_games_are_prepared_side_by_side_and_one_game_in_turn(held: threading.Event) -> None:
    preparations = Preparations()
    learner = preparations.begin("leduc", held.wait)
    second = preparations.begin("leduc", lambda: "second")
    assert preparations.begin("rps", lambda: "rps").result(20) == "rps"
    assert not learner.done()
    assert not second.done()
    held.set()
    assert second.result(20) == "second"


def test_what_waits_is_bounded_and_makes_room_where_it_is_cancelled(held: threading.Event) -> None:
    preparations = Preparations()
    begun = [preparations.begin(str(n), held.wait) for n in range(PLACES + MOST_WAITING)]
    with pytest.raises(Full, match="are waiting"):
        preparations.begin("one more", held.wait)
    assert begun[-1].cancel()
    last = preparations.begin("one more", lambda: "made")
    held.set()
    assert last.result(20) == "made"


def test_a_mistake_is_told_where_the_result_is_asked_for() -> None:
    def fail() -> None:
        raise ValueError("no room.")

    preparations = Preparations()
    assert isinstance(preparations.begin("kuhn", fail).exception(20), ValueError)
    assert preparations.begin("kuhn", lambda: "next").result(20) == "next"


# With a server.


class Served:
    """A server whose preparations last until they are let go, or nobody heeds them."""

    def __init__(self, port: int, held: threading.Event) -> None:
        self.port, self._held = port, held
        self.num_begun = self.num_left = 0
        self.preparations = Preparations()

    def prepare(self, request: Request, form: Form, heed: Heed) -> Response:
        self.num_begun += 1
        try:
            while not self._held.wait(0.05):
                heed()
        except Left:
            self.num_left += 1
            raise
        return PlainTextResponse(form["game"])

    def ask(self, path: str, game: str = "") -> socket.socket:
        method, body = ("POST", f"game={game}") if game else ("GET", "")
        one = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        lines = (
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Cookie: sog_{self.port}={TOKEN}",
            "Connection: close",
            f"Content-Length: {len(body)}",
        )
        one.sendall("\r\n".join((*lines, "", body)).encode())
        return one


@pytest.fixture
def served(held: threading.Event) -> Iterator[Served]:
    with listen("127.0.0.1", 0) as listener:
        served = Served(listener.getsockname()[1], held)
        slow = prepared_page(served.prepare, served.preparations)
        routes = [
            Route("/games", slow, methods=["POST"]),
            Route("/", page(lambda request, form: PlainTextResponse("here"))),
        ]
        app = Starlette(routes=routes)
        with serving(Guard(app, token=TOKEN, port=served.port, names=()), listener):
            yield served


def read(one: socket.socket) -> bytes:
    return b"".join(iter(lambda: one.recv(1 << 16), b""))


def test_46_preparations_at_once_block_no_page(served: Served, held: threading.Event) -> None:
    with contextlib.ExitStack() as stack:
        asked = [stack.enter_context(served.ask("/games", f"game{n}")) for n in range(46)]
        until(lambda: served.num_begun == PLACES)
        with served.ask("/") as one:
            assert read(one).endswith(b"here")
        held.set()
        answers = [read(one) for one in asked]
    assert sum(b" 200 OK" in answer for answer in answers) == PLACES + MOST_WAITING
    assert sum(b" 503 " in answer for answer in answers) == 46 - PLACES - MOST_WAITING


def test_a_visitor_who_leaves_cancels_what_is_prepared_for_him(
    served: Served, held: threading.Event
) -> None:
    with served.ask("/games", "leduc"):
        until(lambda: served.num_begun == 1)
        with served.ask("/games", "leduc"):  # in turn
            until(lambda: served.preparations.num_waiting == 1)
        until(lambda: served.preparations.num_waiting == 0)
    until(lambda: served.num_left == 1)
    with served.ask("/games", "leduc") as third:
        until(lambda: served.num_begun == 2)
        held.set()
        assert read(third).endswith(b"leduc")
    assert served.num_begun == 2  # who left while he waited had nothing begun


@pytest.mark.parametrize("player", ["tabular", "outcome_sampling", "exact"])
def test_a_player_that_nobody_waits_for_is_not_prepared_to_the_end(
    player: str, offers: Offers
) -> None:
    num_heeded = 0

    def heed() -> None:
        nonlocal num_heeded
        num_heeded += 1
        if num_heeded == 2:
            raise Left

    with pytest.raises(Left):
        offers.opponent("kuhn", player, "", heed)
    assert num_heeded == 2
