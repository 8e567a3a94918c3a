"""Somebody who visits a server that has no socket."""

import re
from typing import Any

from starlette.testclient import TestClient

from sog.web.security import Guard
from tests.waiting import wait_until

PORT = 8642
TOKEN = "the-token"
HERE = f"http://127.0.0.1:{PORT}"


class Visitor:
    """One who has the token."""

    def __init__(self, app: Guard) -> None:
        self.client = TestClient(app, base_url=HERE)
        self.client.get(f"/?token={TOKEN}")

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def post(self, path: str, **form: object) -> Any:
        """The answer, once what it needs is prepared."""
        answer = self.client.post(path, data={name: str(value) for name, value in form.items()})
        path = answer.url.path
        if not (path.startswith("/waiting/") and "data-poll" in answer.text):
            return answer

        def find() -> Any:
            now = self.client.get(path)
            return None if "data-poll" in now.text else now

        return wait_until(find)

    def wait(self, path: str) -> str:
        """The page, once nothing is being found out any more."""

        def find() -> str:
            text: str = self.get(path).text
            return "" if "data-poll" in text else text

        return wait_until(find, lambda: f"{path} is busy for ever")

    def begin(self, **form: object) -> str:
        """The path of a new game, once it waits for the visitor."""
        path = self.follow("/games", **{"seat": 0, "seed": 3, "search": "", **form})
        self.wait(path)
        return path

    def follow(self, path: str, **form: object) -> str:
        """Sends a form; the path that it leads to."""
        answer = self.post(path, **form)
        assert answer.status_code == 200, answer.text
        return str(answer.url).removeprefix(HERE)

    def choose(self, path: str, action: int, turn: int) -> str:
        """Acts in a game; the page when it waits again."""
        self.follow(f"{path}/choose", action=action, turn=turn)
        return self.wait(path)

    def play_out(self, path: str) -> str:
        """The page of a game that was played to its end, by the first action that there is."""
        page = self.wait(path)
        for _ in range(60):
            offered = actions_in(page)
            if not offered:
                return page
            page = self.choose(path, min(offered), turn_in(page))
        raise AssertionError("the game does not end")


def actions_in(text: str) -> dict[int, str]:
    """The actions that a page offers."""
    found = re.findall(r'name="action" value="(\d+)"[^>]*>(?:<kbd.*?</kbd> )?([^<]*)<', text)
    return {int(action): name.strip() for action, name in found}


def turn_in(text: str) -> int:
    """What a page sends back, so that it is known which position it shows."""
    found = re.search(r'name="turn" value="(\d+)"', text)
    assert found is not None, text
    return int(found[1])


def row_in(text: str) -> str:
    """The public state that a page of a search shows, by its row in the tree."""
    found = re.search(r'name="row" value="(\d+)"', text)
    assert found is not None, text
    return found[1]


def alert_in(text: str) -> str:
    """The mistake that a page tells."""
    found = re.search(r'role="alert">(.*)</p>', text)
    assert found is not None, text
    return found[1]


def status_in(text: str) -> str:
    """What a page says of how it stands."""
    found = re.search(r'role="status"[^>]*>(.*?)</p>', text, re.DOTALL)
    assert found is not None, text
    return " ".join(re.sub("<[^>]*>", "", found[1]).split())
