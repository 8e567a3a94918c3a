"""Pages of games: a table, its moves, and the games that were played there as a file."""

import json
import re
import secrets
import shlex
from typing import Any, Final

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sog.drawing.picture import draw_picture
from sog.drawing.worth import draw_worth
from sog.games.core import CHANCE
from sog.play.history import check_begins_anywhere, read_history
from sog.web.host import Heed, Mistake, Submit
from sog.web.judging import Judging
from sog.web.numbers import in_units, whole_number
from sog.web.offers import Offers
from sog.web.pages import Form, go_to, inline, number_in, number_of, page, prepared_page, show
from sog.web.preparations import Preparations
from sog.web.sessions import Sessions
from sog.web.table import Table

MOST_TABLES: Final = 32
_MOST_TURNS: Final = 10**9
_SEATS: Final = {"0": 0, "1": 1}


class PlayPages:
    """All tables of a server."""

    def __init__(self, offers: Offers, preparations: Preparations, submit: Submit) -> None:
        self.tables: Sessions[Table] = Sessions(MOST_TABLES, "games")
        self._offers, self._preparations, self._submit = offers, preparations, submit

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        pages = {
            "choose": self.choose,
            "undo": self.undo,
            "reveal": self.reveal,
            "again": self.again,
            "judge": self.judge,
            "remove": self.remove,
        }
        return [
            Route("/games", prepared_page(self.begin, self._preparations), methods=["POST"]),
            Route("/games/{number}", page(self.look)),
            Route("/games/{number}/replay.json", page(self.save)),
            *(
                Route(f"/games/{{number}}/{name}", page(answer), methods=["POST"])
                for name, answer in pages.items()
            ),
        ]

    def begin(self, request: Request, form: Form, heed: Heed) -> Response:
        """A new table."""
        opponent = self._offers.opponent(
            form.get("game", ""), form.get("player", ""), form.get("search", "").strip(), heed
        )
        heed()
        text = form.get("history", "")
        try:
            if text:
                check_begins_anywhere(opponent.game)
            opening = read_history(opponent.game, text).outcomes
        except ValueError as error:
            raise Mistake(f"History: {error}") from None
        seat = _SEATS.get(form.get("seat", ""), secrets.randbelow(2))
        seed = secrets.randbits(32)
        if form.get("seed", "").strip():
            seed = number_in(form, "seed", 2**32 - 1)
        table = Table(
            opponent,
            seat=seat,
            seed=seed,
            submit=self._submit,
            opening=opening,
            searched=self._offers.searched(form.get("game", ""), form.get("player", "")),
        )
        number = self.tables.add(table)
        return go_to(f"/games/{number}")

    def look(self, request: Request, form: Form) -> Response:
        """A table as it stands, or as it stood."""
        number, table = self._table(request)
        wanted = whole_number(request.query_params.get("at", ""))
        with table.lock:
            last = len(table.course.steps)
            at = last if wanted is None else min(wanted, last)
            return show("table", **_told(number, table, at, last))

    def choose(self, request: Request, form: Form) -> Response:
        """The person acts."""
        number, table = self._table(request)
        action = number_in(form, "action", _MOST_TURNS)
        table.choose(action, number_in(form, "turn", _MOST_TURNS))
        return go_to(f"/games/{number}")

    def undo(self, request: Request, form: Form) -> Response:
        """The person takes his last choice back."""
        number, table = self._table(request)
        table.take_back(number_in(form, "turn", _MOST_TURNS))
        return go_to(f"/games/{number}")

    def reveal(self, request: Request, form: Form) -> Response:
        """Shows, or hides again, what the agent has and thinks."""
        number, table = self._table(request)
        table.is_revealed = not table.is_revealed
        return go_to(f"/games/{number}")

    def again(self, request: Request, form: Form) -> Response:
        """The next game at this table."""
        number, table = self._table(request)
        table.play_again(number_in(form, "turn", _MOST_TURNS))
        return go_to(f"/games/{number}")

    def judge(self, request: Request, form: Form) -> Response:
        """Says what every choice of the last game was worth, as soon as that is found."""
        number, table = self._table(request)
        table.judge(number_in(form, "turn", _MOST_TURNS))
        return go_to(f"/games/{number}")

    def remove(self, request: Request, form: Form) -> Response:
        """Nobody comes back to this table."""
        self.tables.remove(number_of(request))
        return go_to("/")

    def save(self, request: Request, form: Form) -> Response:
        """The finished games as a file."""
        number, table = self._table(request)
        if not table.finished:
            raise Mistake("No game was finished here.")
        name = f"{table.game.name}-{number}.json"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        text = json.dumps(table.replay(), indent=1) + "\n"
        return Response(text, media_type="application/json", headers=headers)

    def _table(self, request: Request) -> tuple[int, Table]:
        number = number_of(request)
        return number, self.tables.get(number)


def _told(number: int, table: Table, at: int, last: int) -> dict[str, Any]:
    """What the page of a table says. at: how many events it shows, of `last` ones."""
    is_busy = table.is_busy  # once: it may end while this is put together
    game, seat = table.game, table.seat
    steps, is_now = table.course.steps[:last], at == last
    state, infostates = table.course.state, table.course.infostates
    if not is_now:
        state, infostates = steps[at].state, steps[at].infostates
    shows_all = table.is_over or table.is_revealed
    visible = [
        int(infostates[player]) if shows_all or player == seat else None for player in (0, 1)
    ]
    legal = table.legal if is_now and not is_busy else []
    names = ("You", table.opponent.name) if seat == 0 else (table.opponent.name, "You")
    picture = draw_picture(
        game,
        state,
        infostates=(visible[0], visible[1]),
        names=names,
        bottom=seat,
        choices=legal,
    )
    hidden = game.num_infostates > 1
    own = int(infostates[seat])
    judging = table.judging
    judged = _judged(table, judging)
    return {
        "number": number,
        "game": game,
        "opponent": table.opponent.name,
        "seat": seat,
        "side": game.describe_seat(seat),
        "picture": inline(picture),
        "text": _in_words(table, state, own),
        "own": game.describe_infostate(state, seat, own) if hidden else "",
        "others": game.describe_infostate(state, 1 - seat, int(infostates[1 - seat]))
        if hidden and shows_all
        else "",
        "hidden": hidden,
        "choices": [
            {"action": action, "text": _spaced(game.describe_action(state, own, action))}
            for action in legal
        ],
        "events": [
            {**_event(table, one, shows_all), "judged": judged.get(place)}
            for place, one in enumerate(steps)
        ],
        "way": _way(table, at),
        "judging": judging,
        "totals": _totals(table, judging),
        "worth": inline(_worth(table, judging)),
        "at": at,
        "last": last,
        "is_now": is_now,
        "table": table,
        "is_busy": is_busy,
        "can_take_back": not is_busy and table.can_take_back,
        "turn": table.turn,
        "shows_all": shows_all,
        "won": table.score[-1] if table.is_over and table.score else 0.0,
        "in_units": in_units,
        "score": _score(table),
    }


def _spaced(text: str) -> str:
    """A word and its number apart, as "raise 300", as nobody has to type it here."""
    return re.sub("^([a-z]{3,})([0-9]+)$", r"\1 \2", text)


def _in_words(table: Table, state: Any, own: int) -> str:
    """What everybody sees, and below it what the person sees, where that has several lines."""
    text, seen = table.game.draw(state), table.game.draw_infostate(state, table.seat, own)
    return f"{text}\n\nYou see:\n{seen}" if "\n" in seen else text


def _event(table: Table, one: Any, shows_all: bool) -> dict[str, Any]:
    """A line of the list of what has happened."""
    game, event = table.game, table.game.describe_outcome(one.state, one.outcome)
    who, did = {CHANCE: "Chance", table.seat: "You"}.get(one.actor, "Agent"), ""
    if one.action is not None and (one.actor == table.seat or shows_all):
        did = game.describe_action(one.state, int(one.infostates[one.actor]), one.action)
    text = event if not did or event.startswith(did) else f"{did} ({event})"
    return {
        "who": who,
        "text": text,
        "thoughts": one.thoughts if shows_all else [],
        "held": None if one.actor == CHANCE else int(one.infostates[one.actor]),
    }


def _way(table: Table, at: int) -> str:
    """The first events of the game, for those who want that position searched; empty at its end."""
    steps = table.course.steps
    if at == len(steps) and table.is_over:
        return ""
    told = [table.game.describe_outcome(one.state, one.outcome) for one in steps[:at]]
    return " ".join(map(shlex.quote, told))


def _judged(table: Table, judging: Judging | None) -> dict[int, dict[str, Any]]:
    """By the number of an event: what the choice that led to it was worth."""
    if judging is None or judging.review is None:
        return {}
    game = table.game
    return {
        choice.number: {
            "grade": choice.grade(game.max_utility),
            "loss": choice.loss,
            "value": float(choice.values[choice.action]),
            "best": game.describe_action(choice.state, choice.infostate, choice.best_action),
            "best_value": choice.value,
        }
        for choice in judging.review.choices
    }


def _totals(table: Table, judging: Judging | None) -> list[dict[str, Any]]:
    """Of each player what he got, and what of it was luck."""
    if judging is None or judging.review is None:
        return []
    found = judging.review
    return [
        {
            "who": "You" if player == table.seat else "The agent",
            "utility": found.utility(player),
            "expected": found.of(player)[0].value,
            "luck": found.luck(player),
            "lost": found.lost(player),
        }
        for player in (table.seat, 1 - table.seat)
        if found.of(player)
    ]


def _worth(table: Table, judging: Judging | None) -> str | None:
    if judging is None or judging.review is None:
        return None
    names = ("you", "the agent") if table.seat == 0 else ("the agent", "you")
    return draw_worth(judging.review, names, "What each could expect")


def _score(table: Table) -> str:
    """As "+3 chips in 2 games: 1 won, 1 drawn, 0 lost"."""
    results = np.array(table.score)
    if not len(results):
        return ""
    won, lost = int((results > 0).sum()), int((results < 0).sum())
    games = f"{len(results)} game{'s' if len(results) > 1 else ''}"
    counts = f"{won} won, {len(results) - won - lost} drawn, {lost} lost"
    back = f"; {table.num_taken_back} taken back" if table.num_taken_back else ""
    return f"{in_units(results.sum(), table.game.unit)} in {games}: {counts}{back}"
