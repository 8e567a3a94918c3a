"""Pages that domains add to those of the core."""

import pytest
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from sog.domain import Domain
from sog.web.app import make_app
from sog.web.catalog import Catalog
from sog.web.preparations import Preparations
from tests.web.visitor import PORT, TOKEN, Visitor


class Dice:
    def __init__(self, catalog: Catalog, preparations: Preparations, submit: object) -> None:
        self._games = len(catalog.games)

    @property
    def routes(self) -> list[Route]:
        return [Route("/dice", self._roll)]

    def section(self) -> Markup:
        return Markup('<p id="dice">of {} games</p>').format(self._games)

    def _roll(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse("six")


def served(monkeypatch: pytest.MonkeyPatch, *domains: Domain) -> Visitor:
    monkeypatch.setattr("sog.web.app.domains", lambda: domains)
    return Visitor(make_app(Catalog(), token=TOKEN, port=PORT))


def test_pages_of_a_domain_are_served_and_have_a_part_of_the_first_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visitor = served(monkeypatch, Domain(package="dice", pages={"dice": f"{__name__}:Dice"}))
    assert visitor.get("/dice").text == "six"
    assert f'<p id="dice">of {len(Catalog().games)} games</p>' in visitor.get("/").text


def test_without_a_domain_its_pages_are_missing_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visitor = served(monkeypatch)
    assert visitor.get("/").status_code == 200
    assert "spots" not in visitor.get("/").text
    for path in ("/spots/new", "/static/spots.js"):
        assert visitor.get(path).status_code == 404
