"""Load test of `sog serve`: `python scripts/load_web.py`, against its own server.

Clients without a token hold 100 connections open, without a byte, with half of their headers, or
with half of a body; visitors prepare 46 players at once, let a player learn while a game of rps
starts, and run two searches of 20,000 simulations beside a short one. Prints the time of pages, and
of the last request, meanwhile. Everything stays on this machine.
"""

import argparse
import contextlib
import http.client
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).parent))

from shared import processor, versions

_STRANGERS: Final = 100
_PREPARATIONS: Final = 46
_LONGEST: Final = 30.0  # seconds to watch strangers and preparations
_HEAD_START: Final = 10.0  # seconds of the learner
_PAUSE: Final = 0.5  # seconds between the pages that a visitor loads meanwhile
_HALVES: Final = {
    "without a byte": b"",
    "with half headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    "with half a body": b"POST /static/style.css HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
    b"Content-Length: 1000\r\n\r\nhalf",
}
_LEARNER: Final = {"player": "outcome_sampling", "game": "leduc", "seat": "0"}


class Visitor:
    """A client with the token."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.port = int(parts.port or 0)
        token = parts.query.partition("=")[2]
        self._headers = {"Cookie": f"sog_{self.port}={token}"}

    def ask(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Status, redirect target, and page; status 0 without an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            if form is None:
                connection.request("GET", path, headers=self._headers)
            else:
                headers = {**self._headers, "Content-Type": "application/x-www-form-urlencoded"}
                connection.request("POST", path, urlencode(form), headers)
            answer = connection.getresponse()
            text, to = answer.read().decode(), answer.getheader("location", "") or ""
        except OSError as error:
            return 0, "", str(error)
        finally:
            connection.close()
        if not to.startswith("/waiting/") and not (path.startswith("/waiting/") and not to):
            return answer.status, to, text
        time.sleep(_PAUSE)
        return self.ask(to or path)

    def wait(self, path: str, until: Callable[[str], bool]) -> None:
        """Waits until a page satisfies `until`."""
        end = time.monotonic() + 300
        while not until(self.ask(path)[2]) and time.monotonic() < end:
            time.sleep(0.1)


def main() -> None:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    print(f"{processor()}, {versions(['jax', 'starlette', 'uvicorn'])}")
    with _server() as visitor:
        for name, sent in _HALVES.items():
            _print_row(f"{_STRANGERS} connections {name}", _strangers(visitor, sent))
    with _server() as visitor:
        _print_row("a short search beside two of 20,000 simulations", _searches(visitor))
    with _server() as visitor:
        _print_row("a game of rps beside a learner", _learner(visitor))
    with _server() as visitor:
        _print_row(f"{_PREPARATIONS} preparations at once", _preparations(visitor))


def _print_row(name: str, text: str) -> None:
    print(f"| {name} | {text} |", flush=True)


def _pages(visitor: Visitor, is_waiting: Callable[[], bool]) -> str:
    """Loads the first page repeatedly."""
    times, statuses = [], []
    while is_waiting():
        began = time.perf_counter()
        statuses.append(visitor.ask("/")[0])
        times.append(time.perf_counter() - began)
        time.sleep(_PAUSE)
    answered = f"{statuses.count(200)} of {len(statuses)} pages answered"
    return f"{answered}, the slowest in {max(times):.2f} s"


def _strangers(visitor: Visitor, sent: bytes) -> str:
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(_STRANGERS):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", visitor.port)))
            one.sendall(sent.replace(b"%d", str(visitor.port).encode()))
            one.setblocking(False)
            held.append(one)
        began = time.perf_counter()
        text = _pages(
            visitor,
            lambda: time.perf_counter() - began < _LONGEST and not all(map(_is_closed, held)),
        )
        num_open = len(held) - sum(map(_is_closed, held))
        return f"{text}; {num_open} open after {time.perf_counter() - began:.0f} s"


def _is_closed(one: socket.socket) -> bool:
    """Whether the server closed it; reads what it sent."""
    try:
        while one.recv(65536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _begin(visitor: Visitor, path: str, forms: Sequence[dict[str, str]]) -> list[threading.Thread]:
    """Sends forms, each in its own thread."""
    threads = [threading.Thread(target=visitor.ask, args=(path, one), daemon=True) for one in forms]
    for one in threads:
        one.start()
    return threads


def _searches(visitor: Visitor) -> str:
    form = {"game": "kuhn", "evaluator": "zero", "search": "20,1", "history": "", "mode": "whole"}
    long = {**form, "game": "leduc", "search": "20000,1"}
    alone = _search(visitor, form)
    paths = [visitor.ask("/searches", {**long, "history": after})[1] for after in ("", "check")]
    for path in paths:
        visitor.wait(path, lambda text: _updates(text) > 100)
    beside = _search(visitor, form)
    for path in paths:
        visitor.ask(f"{path}/remove", {})
    return f"the short one {beside:.1f} s beside them, {alone:.1f} s alone before"


def _search(visitor: Visitor, form: dict[str, str]) -> float:
    began = time.perf_counter()
    path = visitor.ask("/searches", form)[1]
    visitor.wait(path, lambda text: "Update 20 of 20" in text)
    return time.perf_counter() - began


def _updates(text: str) -> int:
    found = re.search(r"Update (\d+) of", text)
    return int(found[1]) if found else 0


def _learner(visitor: Visitor) -> str:
    (learner,) = _begin(visitor, "/games", [_LEARNER])
    time.sleep(_HEAD_START)
    began = time.perf_counter()
    status = visitor.ask("/games", {"player": "random", "game": "rps", "seat": "0"})[0]
    took = time.perf_counter() - began
    how = "still" if learner.is_alive() else "no more"
    return f"begun after {took:.1f} s ({status}), the learner {how} learning"


def _preparations(visitor: Visitor) -> str:
    games = ("kuhn", "leduc", "liars_dice", "glasses", "tic_tac_toe", "connect_four", "goofspiel")
    forms = [
        {"player": "zero", "game": games[n % len(games)], "search": f"{10 + n},1", "seat": "0"}
        for n in range(_PREPARATIONS)
    ]
    threads = _begin(visitor, "/games", forms)
    began = time.perf_counter()
    text = _pages(
        visitor,
        lambda: time.perf_counter() - began < _LONGEST and any(one.is_alive() for one in threads),
    )
    num_left = sum(one.is_alive() for one in threads)
    return f"{text}; {num_left} unanswered after {time.perf_counter() - began:.0f} s"


@contextlib.contextmanager
def _server() -> Iterator[Visitor]:
    """Runs `sog serve`; yields a visitor with its address."""
    command = [sys.executable, "-m", "sog", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Visitor(process.stdout.readline().strip())
        finally:
            process.kill()


if __name__ == "__main__":
    main()
