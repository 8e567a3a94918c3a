"""The application: all pages behind one guard."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sog.domain import domains, load_part
from sog.play.game_records import endings
from sog.players.methods import METHODS
from sog.web.catalog import Catalog, learns
from sog.web.pages import DomainPages, Form, message_page, page, show, static_routes, waiting_routes
from sog.web.play_pages import MOST_TABLES, PlayPages
from sog.web.preparations import Preparations
from sog.web.run_pages import RunPages
from sog.web.search_pages import SearchPages
from sog.web.security import Guard

_SEARCHING: Final = 2
"""Threads for searches, which take turns. Each table has a thread for its agent, whose decisions
cannot be split, so a slow agent does not hold up other games."""
_HELPING: Final = 4
"""Threads for hints and reviews, of all tables."""


def make_app(
    catalog: Catalog, *, token: str, port: int, names: tuple[str, ...] = (), once: str = ""
) -> Guard:
    """The application, for an ASGI server that listens on this port.

    token, once: the tokens that visitors must present, see `sog.web.security`. names: of this host,
    besides localhost.
    """
    preparations = Preparations()
    thinking = ThreadPoolExecutor(MOST_TABLES, thread_name_prefix="play")
    helping = ThreadPoolExecutor(_HELPING, thread_name_prefix="help")
    searching = ThreadPoolExecutor(_SEARCHING, thread_name_prefix="search")
    looking = SearchPages(catalog, preparations, searching.submit)
    play = PlayPages(catalog, preparations, thinking.submit, helping.submit, looking.begin_at)
    looking.warm_up()
    of_domains: list[DomainPages] = [
        load_part(path)(catalog, preparations, searching.submit)
        for domain in domains()
        for path in domain.pages.values()
    ]

    def home(request: Request, form: Form) -> Response:
        return show(
            "home",
            catalog=catalog,
            endings=endings(),
            groups={
                "players of any game": [one for one in catalog.players if not learns(one)],
                "players that learn first, for minutes": list(filter(learns, catalog.players)),
            },
            summaries={name: entry.summary for name, entry in METHODS.items()},
            preparations=preparations,
            tables=play.tables.list(),
            searches=looking.searches.list(),
            sections=[pages.section() for pages in of_domains],
        )

    def able(request: Request, form: Form) -> Response:
        return JSONResponse(catalog.able(request.query_params.get("game", "")))

    async def missing(request: Request, error: Exception) -> Response:
        return message_page(404, "Not there", "There is no such page.")

    async def wrong_method(request: Request, error: Exception) -> Response:
        return message_page(405, "Not allowed", "This page does not accept such requests.")

    app = Starlette(
        routes=[
            Route("/", page(home)),
            Route("/players", page(able)),
            *static_routes("sog.web", "style.css", "script.js", "paint.js"),
            *waiting_routes(preparations),
            *play.routes,
            *looking.routes,
            *(route for pages in of_domains for route in pages.routes),
            *RunPages(catalog).routes,
        ],
        exception_handlers={404: missing, 405: wrong_method},
    )
    return Guard(app, token=token, port=port, names=("localhost", *names), once=once)
