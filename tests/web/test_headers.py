"""The whole list of headers of every kind of answer: none is missing, and none is too many."""

import http.client
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from sog.web.interfaces import RequestError
from sog.web.security import Guard
from sog.web.server import listen, serving
from sog.web.sessions import FullError
from sog.web.table import StaleError
from tests.waiting import PATIENCE
from tests.web.visitor import TOKEN, Visitor

ALWAYS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
HTML = {"content-type": "text/html; charset=utf-8"}
TEXT = {"content-type": "text/plain; charset=utf-8"}


def check(answer: Any, status: int, others: dict[str, str]) -> None:
    headers = answer.headers.multi_items()
    length = {"content-length": str(len(answer.content))}
    assert answer.status_code == status
    assert sorted(headers) == sorted({**ALWAYS, **length, **others}.items())


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/static/style.css", "text/css"), ("/static/script.js", "text/javascript")],
)
def test_headers_of_what_is_open_to_strangers(stranger: TestClient, path: str, kind: str) -> None:
    check(stranger.get(path), 200, {"content-type": f"{kind}; charset=utf-8"})
    check(stranger.get("/favicon.ico"), 404, HTML)


def test_headers_of_refusals(stranger: TestClient, visitor: Visitor) -> None:
    refused = {**TEXT, "connection": "close"}
    check(stranger.get("/"), 403, refused)
    check(stranger.post("/games"), 403, refused)
    check(stranger.get("/", headers={"Origin": "null"}), 403, refused)
    check(stranger.get("/", headers={"Host": "evil.example"}), 421, refused)
    long = {"Content-Length": "2000000"}
    check(visitor.client.post("/games", content=b"", headers=long), 413, refused)
    parts = (b"x" * 1_000_000 for _ in range(2))
    answer = visitor.client.post("/games", content=parts)
    check(answer, 413, TEXT)
    assert answer.text == "A request may have 1,000,000 bytes at most."


def test_headers_of_the_way_in(stranger: TestClient) -> None:
    cookie = f"sog_8642={TOKEN}; HttpOnly; Path=/; SameSite=strict"
    check(stranger.get(f"/?token={TOKEN}"), 303, {"location": "/", "set-cookie": cookie})


def test_headers_of_pages(visitor: Visitor) -> None:
    for path, status in (("/", 200), ("/nowhere", 404), ("/games/9", 404), ("/games", 405)):
        check(visitor.get(path), status, HTML)
    check(visitor.post("/games", player="nobody"), 400, HTML)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RequestError("no"), 400),
        (KeyError("no"), 404),
        (StaleError("no"), 409),
        (RuntimeError("no"), 500),
        (FullError("no"), 503),
    ],
)
def test_headers_of_pages_that_fail(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("sog.web.app.show", fail)
    check(visitor.get("/"), status, HTML)


def test_headers_of_a_game(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.web.pages.SECONDS_AT_ONCE", 60.0)  # the machine may be busy
    form = {"player": "random", "game": "kuhn", "seat": "0"}
    answer = visitor.client.post("/games", data=form, follow_redirects=False)
    path = answer.headers["location"]
    check(answer, 303, {"location": path})
    visitor.play_out(path)
    check(visitor.get(path), 200, HTML)
    name = f'attachment; filename="kuhn-{path.rpartition("/")[2]}.json"'
    saved = {"content-type": "application/json", "content-disposition": name}
    check(visitor.get(f"{path}/replay.json"), 200, saved)


# With a socket.


@pytest.fixture
def port() -> Iterator[int]:
    async def nothing(*_: object) -> None:
        raise AssertionError("only the guard is asked")

    with listen("127.0.0.1", 0) as listener:
        number: int = listener.getsockname()[1]
        with serving(Guard(nothing, token=TOKEN, port=number, names=()), listener):
            yield number


def test_the_server_itself_adds_nothing_but_the_date(port: int) -> None:
    visitor = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    visitor.request("GET", "/")
    answer = visitor.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    length = {"content-length": str(len(answer.read()))}
    visitor.close()
    assert len(found) == len(answer.getheaders())
    assert found.pop("date")
    assert found == {**ALWAYS, **TEXT, **length, "connection": "close"}


def test_headers_of_what_is_no_request(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as one:
        one.sendall(b"no request\r\n\r\n")
        answer = b"".join(iter(lambda: one.recv(1 << 16), b""))
    assert answer.lower() == (
        b"http/1.1 400 bad request\r\ncontent-type: text/plain; charset=utf-8\r\n"
        b"connection: close\r\n\r\ninvalid http request received."
    )
