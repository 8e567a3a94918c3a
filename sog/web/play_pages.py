"""Pages of games: tables, moves, and files of games to save and to open."""

import functools
import json
import secrets
from collections.abc import Callable
from pathlib import PurePath
from typing import Final

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sog.play.game_records import endings, format_at, has_format
from sog.play.history import Opening, check_begins_anywhere, read_history
from sog.play.review import Review
from sog.play.review_record import record_of
from sog.players.player import Player
from sog.web.catalog import Catalog
from sog.web.imported_games import import_game
from sog.web.interfaces import Poll, RequestError, Submit, request_errors
from sog.web.numbers import whole_number
from sog.web.pages import (
    Endpoint,
    Form,
    button_routes,
    go_to,
    number_in,
    page,
    prepared_page,
    session_of,
    show,
)
from sog.web.preparations import Preparations
from sog.web.sessions import Sessions
from sog.web.table import Table
from sog.web.table_view import draw_review, table_context

MOST_TABLES: Final = 32
_MOST_TURNS: Final = 10**9
SearchAt = Callable[[str, Opening, Form, Poll, np.ndarray | None], Response]
_SEATS: Final = {"0": 0, "1": 1}
_MEDIA_TYPES: Final = {
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
"""By file extension."""


class PlayPages:
    """The pages of all tables."""

    def __init__(
        self,
        catalog: Catalog,
        preparations: Preparations,
        submit: Submit,
        submit_help: Submit,
        search_at: SearchAt,
    ) -> None:
        """submit, submit_help: see `Table`. search_at: `SearchPages.begin_at`."""
        self.tables: Sessions[Table] = Sessions(MOST_TABLES, "games")
        self._catalog, self._preparations = catalog, preparations
        self._submit, self._submit_help = submit, submit_help
        self._search_at = search_at

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages."""
        buttons: dict[str, Callable[[int, Table, Form], object]] = {
            "choose": lambda number, table, form: table.choose(
                number_in(form, "action", _MOST_TURNS), _turn(form)
            ),
            "undo": lambda number, table, form: table.take_back(_turn(form)),
            "reveal": lambda number, table, form: table.switch_revealed(),
            "hints": lambda number, table, form: table.switch_hints(),
            "again": lambda number, table, form: table.play_again(_turn(form)),
            "judge": lambda number, table, form: table.judge(_turn(form)),
            "stop-judging": lambda number, table, form: table.stop_judging(),
        }
        downloads: list[tuple[str, str, Callable[[Table], str]]] = [
            ("replay.json", ".json", _saved_games),
            ("review.json", "-review.json", _saved_review),
            ("review.svg", "-review.svg", lambda one: draw_review(one, _whole_review(one)[0])),
            *((f"games{one}", one, functools.partial(_records, one)) for one in endings()),
        ]
        slow = functools.partial(
            prepared_page, preparations=self._preparations, is_long=self._catalog.must_learn
        )
        return [
            Route("/games", slow(self.begin), methods=["POST"]),
            Route("/games/opened", slow(self.open), methods=["POST"]),
            Route("/games/{number}", page(self.look)),
            *(
                Route(f"/games/{{number}}/{path}", self._download(name, text_of))
                for path, name, text_of in downloads
            ),
            Route("/games/{number}/search", slow(self.search), methods=["POST"]),
            Route("/games/{number}/leave", page(self.leave), methods=["POST"]),
            *button_routes("/games", self.tables, buttons),
        ]

    def begin(self, request: Request, form: Form, poll: Poll) -> Response:
        """Opens a new table."""
        seat = _SEATS.get(form.get("seat", ""), secrets.randbelow(2))
        seed = secrets.randbits(32)
        if form.get("seed", "").strip():
            seed = number_in(form, "seed", 2**32 - 1)
        opponent = self._catalog.opponent(
            form.get("game", ""), form.get("player", ""), form.get("search", "").strip(), poll
        )
        poll()
        text = form.get("history", "").strip()
        with request_errors("Position: "):
            if text:
                check_begins_anywhere(opponent.game)
            opening = read_history(opponent.game, text, anywhere=True)
        table = Table(
            opponent,
            seat=seat,
            seed=seed,
            submit=self._submit,
            submit_help=self._submit_help,
            judge=functools.partial(self._catalog.find_judge, opponent),
            opening=opening,
            searched=self._catalog.searched(form.get("game", ""), form.get("player", "")),
        )
        number = self.tables.add(table)
        return go_to(f"/games/{number}")

    def open(self, request: Request, form: Form, poll: Poll) -> Response:
        """Opens a table with an imported game."""
        table = import_game(form, self._catalog, self._submit, self._submit_help, poll)
        return go_to(f"/games/{self.tables.add(table)}")

    def look(self, request: Request, form: Form) -> Response:
        """Shows a table, now or after an earlier event."""
        number, table = session_of(request, self.tables)
        wanted = whole_number(request.query_params.get("at", ""))
        with table.lock:
            last = len(table.ongoing.steps)
            at = last if wanted is None else min(wanted, last)
            return show("table", **table_context(number, table, at, last))

    def search(self, request: Request, form: Form, poll: Poll) -> Response:
        """Searches the position before an event, with the ranges known there."""
        _, table = session_of(request, self.tables)
        with table.lock:
            at = number_in(form, "at", len(table.ongoing.steps))
            opening, ranges = table.ongoing.opening(at), table.ranges(at)
        return self._search_at(table.searched, opening, form, poll, ranges)

    def leave(self, request: Request, form: Form) -> Response:
        """Opens another table that continues from the position before an event."""
        _, table = session_of(request, self.tables)
        with table.lock:
            return go_to(
                f"/games/{self.tables.add(table.leave(number_in(form, 'at', _MOST_TURNS)))}"
            )

    def _download(self, name: str, text_of: Callable[[Table], str]) -> Endpoint:
        """An endpoint that sends a text of a table as a file. name: after the game's."""

        def answer(request: Request, form: Form) -> Response:
            number, table = session_of(request, self.tables)
            return _file(f"{table.game.name}-{number}{name}", text_of(table))

        return page(answer)


def _saved_games(table: Table) -> str:
    """The finished games as JSON."""
    if not table.finished:
        raise RequestError("No game is finished at this table.")
    return json.dumps(table.replay(), indent=1) + "\n"


def _records(ending: str, table: Table) -> str:
    """The finished games as a record file."""
    if not table.finished or not has_format(table.game, ending):
        raise RequestError(f"No game that {ending[1:].upper()} supports is finished at this table.")
    return table.records(ending)


def _saved_review(table: Table) -> str:
    found, judge = _whole_review(table)
    record = {**record_of(found), "human": table.persons_player, "by": judge.as_json()}
    return json.dumps(record, indent=1) + "\n"


def _turn(form: Form) -> int:
    return number_in(form, "turn", _MOST_TURNS)


def _whole_review(table: Table) -> tuple[Review, Player]:
    judging = table.judging
    found = None if judging is None or judging.is_busy else judging.review
    if judging is None or judging.judge is None or found is None or not found.is_whole:
        raise RequestError("The choices of this game are not all judged.")
    return found, judging.judge


def _file(name: str, text: str) -> Response:
    """A download with a file name."""
    ending = PurePath(name).suffix
    known = format_at(ending)
    media_type = _MEDIA_TYPES[ending] if known is None else known.media_type
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=media_type, headers=headers)
