"""Connections of a real server at 127.0.0.1: nobody keeps one for ever, nor keeps others out."""

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sog.web import connection
from sog.web.pages import page
from sog.web.security import Guard
from sog.web.server import listen, serving
from tests.waiting import PATIENCE, wait_until

TOKEN = "the-token"
LARGE = 20_000_000
HALVES = {
    "silent": b"",
    "half of the headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    "half of the body": b"POST /static/style.css HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    b"Content-Length: 1000\r\n\r\nhalf",
    "half of the body, with the token": b"POST /form HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    b"Cookie: sog_{port}=the-token\r\nContent-Length: 1000\r\n\r\nhalf",
}


@pytest.fixture
def port() -> Iterator[int]:
    """Where a server listens, whose pages are simple."""

    async def slow(request: Request) -> Response:
        await anyio.sleep(1)
        return PlainTextResponse("slow")

    app = Starlette(
        routes=[
            Route("/", page(lambda request, form: PlainTextResponse("here"))),
            Route("/form", page(lambda request, form: PlainTextResponse("")), methods=["POST"]),
            Route("/slow", slow),
            Route("/large", page(lambda request, form: Response(b"x" * LARGE))),
        ]
    )
    with listen("127.0.0.1", 0) as listener:
        number: int = listener.getsockname()[1]
        with serving(Guard(app, token=TOKEN, port=number, names=()), listener):
            yield number


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks has half a second."""
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 0.5)


def connect(port: int, sent: bytes = b"") -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    one.sendall(sent.replace(b"{port}", str(port).encode()))
    return one


def request(port: int, path: str) -> bytes:
    lines = (f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Cookie: sog_{port}={TOKEN}")
    return "\r\n".join((*lines, "", "")).encode()


def read_to_the_end(one: socket.socket) -> bytes:
    """All that the server sends before it closes; fails where it does not close."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while part := one.recv(1 << 20):
            received += part
    return received


def status(port: int) -> int:
    """What a new visitor with the token is answered, however slowly he asks."""
    visitor = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with pytest.MonkeyPatch.context() as patient, contextlib.closing(visitor):
        patient.setattr(connection, "SECONDS_TO_ASK", PATIENCE)
        visitor.request("GET", "/", headers={"Cookie": f"sog_{port}={TOKEN}"})
        return visitor.getresponse().status


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
def test_a_request_that_does_not_come_is_not_waited_for(
    port: int, sent: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with connect(port, sent) as one:
        read_to_the_end(one)
    assert status(port) == 200
    assert (capfd.readouterr().err, caplog.text) == ("", "")


@pytest.mark.usefixtures("impatient")
def test_a_request_that_comes_byte_by_byte_is_not_waited_for_either(port: int) -> None:
    with connect(port) as one, pytest.raises(ConnectionError):
        wait_until(lambda: one.sendall(b"G"))


@pytest.mark.usefixtures("impatient")
def test_an_answer_that_is_not_taken_is_dropped(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lose, lost = connection.Connection.connection_lost, threading.Event()

    def note(self: connection.Connection, error: Exception | None) -> None:
        lose(self, error)
        lost.set()

    monkeypatch.setattr(connection.Connection, "connection_lost", note)
    with connect(port, request(port, "/large")) as one:
        assert lost.wait(PATIENCE)
        assert len(read_to_the_end(one)) < LARGE
    assert status(port) == 200


@pytest.mark.usefixtures("impatient")
def test_an_answer_may_take_longer_than_a_request(port: int) -> None:
    with connect(port, request(port, "/slow")) as one:
        assert read_to_the_end(one).endswith(b"slow")


@pytest.mark.parametrize("sent", [b"", HALVES["half of the body, with the token"]])
def test_many_who_are_waited_for_keep_nobody_out(
    port: int, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 300.0)
    most = connection.MOST_WAITED_FOR
    with contextlib.ExitStack() as stack:
        friend = stack.enter_context(connect(port, request(port, "/")))
        assert friend.recv(1 << 16).endswith(b"here")
        waited_for = [stack.enter_context(connect(port, sent)) for _ in range(5 * most)]
        for one in waited_for[: 3 * most]:
            assert read_to_the_end(one) == b""  # each was ended for a newer one
        assert status(port) == 200
        if not sent:  # they are strangers, and a friend's connection is not theirs to end
            friend.sendall(request(port, "/"))
            assert friend.recv(1 << 16).endswith(b"here")
