"""Preparations: some at once, in turn, beside the pages, until nobody waits for them."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sog.web import pages
from sog.web.catalog import Catalog
from sog.web.interfaces import Cancelled, Poll
from sog.web.pages import Form, page, prepared_page, waiting_routes
from sog.web.preparations import (
    LONG_PLACES,
    MOST,
    SHORT_PLACES,
    SHORT_SECONDS,
    Preparation,
    Preparations,
)
from sog.web.security import Guard
from sog.web.server import listen, serving
from sog.web.sessions import FullError
from tests.waiting import PATIENCE, wait_until

TOKEN = "the-token"


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """What preparations wait for."""
    event = threading.Event()
    yield event
    event.set()


def hold(held: threading.Event) -> Callable[[Poll], None]:
    """Work that lasts until it is let go or cancelled."""

    def work(poll: Poll) -> None:
        while not held.wait(0.01):
            poll()

    return work


def ended(begun: Preparation) -> object:
    return begun.made.result(PATIENCE)


def test_what_is_named_alike_is_prepared_in_turn_and_all_else_side_by_side(
    held: threading.Event,
) -> None:
    preparations = Preparations()
    first = preparations.begin("leduc", hold(held))
    second = preparations.begin("leduc", lambda poll: "second")
    assert ended(preparations.begin("rps", lambda poll: "rps")) == "rps"
    assert not first.made.done()
    assert not second.made.done()
    held.set()
    assert ended(second) == "second"


def test_learners_leave_all_short_places_to_others(held: threading.Event) -> None:
    preparations = Preparations()
    learners = [preparations.begin(str(n), hold(held), is_long=True) for n in range(9)]
    assert ended(preparations.begin("rps", lambda poll: "rps")) == "rps"
    wait_until(lambda: len(preparations.at_work) == LONG_PLACES)
    learners[-1].cancel()
    held.set()
    assert [ended(one) for one in learners[:-1]] == [None] * 8
    wait_until(learners[-1].made.cancelled)  # by its own thread, perhaps after the others ended


def test_work_that_turns_out_to_be_long_makes_room_for_short_work(held: threading.Event) -> None:
    now = [0.0]
    preparations = Preparations(clock=lambda: now[0])
    begun = [preparations.begin(str(n), hold(held)) for n in range(SHORT_PLACES + LONG_PLACES)]
    wait_until(lambda: len(preparations.at_work) == SHORT_PLACES)
    short = preparations.begin("rps", lambda poll: "rps")
    assert not short.made.done()
    now[0] += SHORT_SECONDS  # those that have begun are long now, and may not all go on
    wait_until(lambda: sum(one.is_long for one in begun) == SHORT_PLACES)
    assert ended(short) == "rps"
    assert not any(one.made.done() for one in begun)
    held.set()
    assert [ended(one) for one in begun] == [None] * len(begun)


def test_what_waits_is_bounded_and_makes_room_where_it_is_cancelled(held: threading.Event) -> None:
    preparations = Preparations()
    begun = [preparations.begin(str(n), hold(held)) for n in range(MOST)]
    with pytest.raises(FullError, match="cancel one"):
        preparations.begin("one more", hold(held))
    begun[-1].cancel()
    last = preparations.begin("one more", lambda poll: "made")
    held.set()
    assert ended(last) == "made"


def test_a_mistake_is_raised_where_the_result_is_read() -> None:
    def fail(poll: Poll) -> None:
        raise ValueError("no room.")

    preparations = Preparations()
    assert isinstance(preparations.begin("kuhn", fail).made.exception(PATIENCE), ValueError)
    assert ended(preparations.begin("kuhn", lambda poll: "next")) == "next"


# With a server.


class Served:
    """A server whose preparations last until they are let go, or nobody heeds them."""

    def __init__(self, port: int, held: threading.Event) -> None:
        self.port, self._held = port, held
        self.num_begun = self.num_left = 0
        self.preparations = Preparations()

    def prepare(self, request: Request, form: Form, poll: Poll) -> Response:
        self.num_begun += 1
        try:
            while not self._held.wait(0.05):
                poll()
        except Cancelled:
            self.num_left += 1
            raise
        return PlainTextResponse(form["game"])

    def be_busy(self, request: Request, form: Form) -> Response:
        assert self._held.wait(PATIENCE)
        return PlainTextResponse("busy")

    def ask(self, path: str, game: str = "") -> socket.socket:
        method, body = ("POST", f"game={game}") if game else ("GET", "")
        one = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
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
            *waiting_routes(served.preparations),
            Route("/busy", page(served.be_busy)),
            Route("/", page(lambda request, form: PlainTextResponse("here"))),
        ]
        app = Starlette(routes=routes)
        with serving(Guard(app, token=TOKEN, port=served.port, names=()), listener):
            yield served


def read(one: socket.socket) -> bytes:
    return b"".join(iter(lambda: one.recv(1 << 16), b""))


def test_preparations_at_once_block_no_page(
    served: Served, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SECONDS_AT_ONCE", 60.0)
    with contextlib.ExitStack() as stack:
        asked = [stack.enter_context(served.ask("/games", f"game{n}")) for n in range(46)]
        wait_until(lambda: served.num_begun == SHORT_PLACES)
        with served.ask("/") as one:
            assert read(one).endswith(b"here")
        held.set()
        answers = [read(one) for one in asked]
    assert sum(b" 200 OK" in answer for answer in answers) == MOST
    assert sum(b" 503 " in answer for answer in answers) == 46 - MOST


def test_a_long_preparation_is_answered_by_a_page_that_says_what_is_waited_for(
    served: Served, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SECONDS_AT_ONCE", 0.0)
    with served.ask("/games", "leduc") as one:
        assert b"location: /waiting/1" in read(one)
    with served.ask("/games", "kuhn") as one:
        assert b"location: /waiting/2" in read(one)
    wait_until(lambda: served.num_begun == 2)
    with served.ask("/waiting/1") as one:
        page = read(one)
    assert b"Preparing games: leduc" in page
    assert b"In progress" in page
    assert b"games: kuhn" in page  # which may be cancelled, too
    with served.ask("/waiting/2/cancel", "kuhn") as one:
        assert b" 303 " in read(one)
    wait_until(lambda: served.num_left == 1)
    held.set()
    wait_until(served.preparations.get(1).made.done)
    with served.ask("/waiting/1") as one:
        assert read(one).endswith(b"leduc")


def test_requests_for_one_page_leave_threads_for_all_others(
    served: Served, held: threading.Event
) -> None:
    with contextlib.ExitStack() as stack:
        asked = [stack.enter_context(served.ask("/busy")) for _ in range(80)]
        with served.ask("/") as one:
            assert read(one).endswith(b"here")
        held.set()
        assert all(read(one).endswith(b"busy") for one in asked)


def test_a_visitor_who_leaves_cancels_what_is_prepared_for_him(
    served: Served, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SECONDS_AT_ONCE", 60.0)
    with served.ask("/games", "leduc"):
        wait_until(lambda: served.num_begun == 1)
        with served.ask("/games", "leduc"):  # in turn
            wait_until(lambda: len(served.preparations.waiting) == 1)
        wait_until(lambda: not served.preparations.waiting)
    wait_until(lambda: served.num_left == 1)
    with served.ask("/games", "leduc") as third:
        wait_until(lambda: served.num_begun == 2)
        held.set()
        assert read(third).endswith(b"leduc")
    assert served.num_begun == 2  # who left while he waited had nothing begun


@pytest.mark.parametrize("player", ["tabular", "outcome_sampling", "exact"])
def test_a_player_that_nobody_waits_for_is_not_prepared_to_the_end(
    player: str, catalog: Catalog
) -> None:
    num_heeded = 0

    def poll() -> None:
        nonlocal num_heeded
        num_heeded += 1
        if num_heeded == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        catalog.opponent("kuhn", player, "", poll)
    assert num_heeded == 2
