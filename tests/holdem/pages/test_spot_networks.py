"""A network beside the exact solution of a spot, in a browser without the browser."""

import html
import re
from pathlib import Path
from typing import Any

import pytest

from networks.cvpn import NetworkSettings
from sog.games import Game, make
from sog.players.trained import Trained
from sog.web.app import make_app
from sog.web.catalog import Catalog
from tests.holdem.pages.test_spots import RIVER, at
from tests.untrained import untrained
from tests.web.visitor import PORT, TOKEN, Visitor

NAME = "runs/small"
GAMES = {NAME: "holdem(stack=2000,bets=1/allin)", "runs/short": "holdem(deals=3)"}
NETWORK = NetworkSettings(torso="hands", width=4, depth=1)


class OffersOfHoldem(Catalog):
    """Those of a server that was started with a run that is not there."""

    def __init__(self) -> None:
        super().__init__()
        self.networks = (NAME, "runs/short", "agent:kuhn")

    def game(self, text: str) -> Game[Any]:
        return make(GAMES[text]) if text in GAMES else super().game(text)

    def network(self, text: str) -> Trained:
        if text == "agent:kuhn" or text not in self.networks:
            return super().network(text)
        return untrained(GAMES[text], Path(text).name, NETWORK)


@pytest.fixture(scope="module")
def solved() -> tuple[Visitor, str]:
    """A visitor, and the path of a river that is solved."""
    visitor = Visitor(make_app(OffersOfHoldem(), token=TOKEN, port=PORT))
    path = visitor.follow("/spots", **RIVER)
    visitor.wait(path)
    return visitor, path


def test_a_network_is_shown_beside_the_solution_wherever_one_goes(
    solved: tuple[Visitor, str],
) -> None:
    visitor, path = solved
    plain = visitor.get(path).text
    assert set(re.findall("<option[^>]*>([^<]*)</option>", plain)) == {
        "no network",
        NAME,
        "runs/short",
    }
    assert plain.count('class="hands"') == 2 * 169
    answer = visitor.post(f"{path}/compare", network=NAME, where="at=allin100")
    assert "at=allin100" in str(answer.url)
    page = html.unescape(answer.text)
    assert f"<option selected>{NAME}</option>" in page
    assert page.count('class="hands"') == 4 * 169
    told = page[page.index('id="network"') :]
    assert told.startswith('id="network">\n<h2>small at step 7')
    # Of one who facing an all-in can fold or call, and whom half of the bets are worth nothing.
    assert re.search("by its own bets: fold \\S+%, call \\S+%", told)
    # There are 200 chips in the pot.
    off = re.findall("off by (\\S+) chips, (\\S+)% of the pot", told)
    assert len(off) == 2, told[:600]
    halves, shares = ([float(chips) / 2 for chips, _ in off], [float(share) for _, share in off])
    assert halves == pytest.approx(shares, abs=0.06)  # both are rounded
    assert "off by" in visitor.get(at(path, "check", show="value")).text
    assert "off by" not in visitor.get(at(path, "check check")).text  # a showdown
    visitor.post(f"{path}/compare", network="")
    assert "off by" not in visitor.get(path).text


@pytest.mark.thorough(only=["runs/short"])
@pytest.mark.parametrize(
    ("network", "problem"),
    [
        ("runs/short", "the network must know boards of 5 cards"),
        ("agent:kuhn", "a network for holdem is needed"),
        ("/etc/passwd", "this server has no network"),
    ],
)
def test_a_network_that_cannot_be_compared_is_refused(
    solved: tuple[Visitor, str], network: str, problem: str
) -> None:
    visitor, path = solved
    answer = visitor.post(f"{path}/compare", network=network)
    assert answer.status_code == 400
    assert problem in html.unescape(answer.text)
