"""`sog serve`: a server in a process of its own, and what is told when there can be none."""

import contextlib
import http.client
import importlib.util
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import Run, Start, refusal
from tests.waiting import PATIENCE, wait_until


class Server:
    """A running server."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        assert process.stdout is not None
        self.address = process.stdout.readline().strip()
        parts = urlsplit(self.address)
        self.port, self.token = parts.port or 0, parts.query.removeprefix("token=")

    def ask(self, method: str, path: str, *, cookie: str | None = None, body: str = "") -> int:
        """The status of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        own = f"sog_{self.port}={self.token}"
        connection.request(method, path, body, {"Cookie": own if cookie is None else cookie})
        with contextlib.closing(connection):
            return connection.getresponse().status


@pytest.fixture
def server(start: Start) -> Iterator[Server]:
    process = start("serve", "--port", "0")
    yield Server(process)
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.mark.thorough(but=["2-130"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_server_answers_at_the_address_it_printed_until_it_is_stopped(
    server: Server, number: int, code: int
) -> None:
    assert server.address.startswith("http://127.0.0.1:")
    assert len(server.token) >= 32
    assert server.ask("GET", "/") == 200
    assert server.ask("GET", "/", cookie="") == 403
    server.process.send_signal(number)
    _, err = server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == code
    assert err.splitlines() == [
        "sog: open this address in a browser; Ctrl-C stops the server.",
        "sog: stopped.",
    ]


def test_a_server_goes_on_after_a_body_of_100_mb_that_it_did_not_read(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        head = (
            f"POST /games HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Cookie: sog_{server.port}={server.token}\r\nContent-Length: 100000000\r\n\r\n"
        )
        connection.sendall(head.encode() + b"x" * 1000)
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")
    assert server.ask("GET", "/") == 200


@pytest.mark.thorough
def test_a_stop_does_not_wait_for_an_agent_that_thinks(server: Server) -> None:
    form = "player=zero&game=leduc&seat=1&search=10000,1"
    assert server.ask("POST", "/games", body=form) == 303
    server.process.send_signal(signal.SIGINT)
    server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == 130


def test_a_port_in_use_is_told_in_one_line(sog: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = refusal(sog, "serve", "--port", str(port))
    use = f"--port {port} is in use, perhaps by another `sog serve`"
    assert error == f"{use}; choose another, or 0 for any free one."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "nowhere"),
        (["--game", "checkers"], "unknown game 'checkers'"),
        (["--player", "uct:x"], "budget must be an integer, got 'x'"),
        (["--port", "70000"], "must be from 0 to 65535, got 70000"),
        (["--host", "a..b"], "--host a..b is not a valid host name."),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid: cannot listen there"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    sog: Run, arguments: list[str], told: str
) -> None:
    assert told in refusal(sog, "serve", *arguments)


def test_without_the_extra_one_line_says_what_to_install(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec

    def without_starlette(name: str, package: str | None = None) -> Any:
        return None if name == "starlette" else find_spec(name, package)

    monkeypatch.setattr("importlib.util.find_spec", without_starlette)
    assert refusal(sog, "serve") == "sog serve needs starlette: pip install 'sog[web]'."


def test_the_browser_that_is_opened_is_told_no_lasting_token(start: Start, tmp_path: Path) -> None:
    """Everybody on the machine may read what a program was started with."""
    browser, told = tmp_path / "browser", tmp_path / "told"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}.new && mv {told}.new {told}\n')
    browser.chmod(0o700)
    environment = {**os.environ, "BROWSER": f"{browser} %s"}
    process = start("serve", "--port", "0", "--open", env=environment)
    try:
        server = Server(process)
        wait_until(told.exists)
        address, _, once = told.read_text().partition("?token=")
        assert address == server.address.partition("?token=")[0]
        assert once != server.token
        asked = [server.ask("GET", f"/?token={once}", cookie="") for _ in range(2)]
        assert asked == [303, 403]
    finally:
        process.kill()
        process.communicate()


def test_where_no_browser_is_found_one_line_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sog.web import command

    monkeypatch.setattr("webbrowser.open", lambda _: False)
    command._open("http://127.0.0.1:1/")
    assert capsys.readouterr().err == (
        "sog: --open: no browser found; open the address yourself.\n"
    )


def test_other_machines_are_let_in_only_with_a_warning(start: Start, tmp_path: Path) -> None:
    process = start("serve", "--port", "0", "--host", "0.0.0.0")
    server = Server(process)
    assert server.ask("GET", "/") == 200
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert "other machines can reach this server, and traffic is not encrypted" in err
