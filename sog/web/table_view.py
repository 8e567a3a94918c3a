"""Template data of a table's page: the game at some event, its history and its review."""

import re
from typing import Any, Final

import numpy as np

from sog.drawing.curves import draw_worth
from sog.drawing.marks import Marks, read_marks
from sog.drawing.picture import Look, draw_picture
from sog.games.core import CHANCE
from sog.games.notation import describe_path
from sog.games.shown import Seen
from sog.games.views import PASS
from sog.play.choice import JudgedChoice
from sog.play.game_in_progress import Step
from sog.play.game_records import endings_of
from sog.play.review import Review
from sog.web.hints import Hint
from sog.web.numbers import in_units
from sog.web.pages import inline
from sog.web.table import Table

_MOST_OPTIONS: Final = 12


def table_context(number: int, table: Table, at: int, last: int) -> dict[str, Any]:
    """Template data. at: how many of the `last` events are shown."""
    is_busy = table.is_busy  # read once: it may change meanwhile
    game, seat = table.game, table.seat
    steps, is_now = table.ongoing.steps[:last], at == last
    state, infostates = table.ongoing.state, table.ongoing.infostates
    if not is_now:
        state, infostates = steps[at].state, steps[at].infostates
    shows_all = table.is_over or table.is_revealed
    visible = [
        int(infostates[player]) if shows_all or player == seat else None for player in (0, 1)
    ]
    legal = table.legal if is_now and not is_busy else []
    names = _names(table)
    judging = table.judging
    is_judging = judging is not None and judging.is_busy  # read first, for the same reason
    found = None if judging is None else judging.review
    hint = table.hint if is_now else None
    choice = _choice(found, at - 1)
    picture = draw_picture(
        game,
        state,
        infostates=(visible[0], visible[1]),
        choices=legal,
        look=Look(
            names=names,
            bottom=seat,
            marks=_marks(table, (visible[0], visible[1]), hint, choice) or {},
        ),
    )
    drawn = _drawn(picture)
    hidden = game.hides_information
    own = int(infostates[seat])
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
            {
                "action": action,
                "text": _spaced(game.describe_action(state, own, action)),
                "is_drawn": action in drawn,
            }
            for action in legal
        ],
        "hint": hint,
        "waits_for_hint": is_now and hint is None and table.has_hints and len(legal) > 1,
        "choice": choice,
        "options": _options(choice),
        "expected": [] if choice is None else describe_path(game, choice.state, choice.line)[0],
        "events": [_event(table, one, shows_all) for one in steps],
        "judged": {one.number: one for one in found.choices} if found else {},
        "can_search": at < last or not table.is_over,
        "judging": judging,
        "is_judging": is_judging,
        "whole_review": found if found and found.is_whole and not is_judging else None,
        "worth": inline(None if found is None or not found.choices else draw_review(table, found)),
        "at": at,
        "last": last,
        "is_now": is_now,
        "table": table,
        "endings": endings_of(game),
        "is_busy": is_busy,
        "can_take_back": not is_busy and table.can_take_back,
        "turn": table.turn,
        "shows_all": shows_all,
        "won": table.score[-1] if table.is_over and table.score else 0.0,
        "in_units": in_units,
        "score": _score(table),
    }


def _drawn(picture: str | None) -> set[int]:
    """Actions that can be clicked in the picture: "3 4", or by target, "12:3,4"."""
    listed = re.findall('data-(?:actions|moves)="([^"]*)"', picture or "")
    texts = [part.rpartition(":")[2] for text in listed for part in text.split()]
    return {int(action) for text in texts for action in text.split(",")}


def _choice(found: Review | None, number: int) -> JudgedChoice | None:
    """The judged choice at an event, if any."""
    return next((one for one in found.choices if one.number == number), None) if found else None


def _marks(
    table: Table, seen: Seen, hint: Hint | None, choice: JudgedChoice | None
) -> Marks | None:
    """Marks of the possible actions, from a hint or from the judged choice."""
    game = table.game
    policy, values = np.zeros((2, game.num_infostates, game.num_actions))
    if hint is not None and hint.policy is not None:
        state, held, taken = table.ongoing.state, int(table.ongoing.infostates[table.seat]), None
        policy[held], values[held] = hint.policy, np.nan
    elif choice is not None:
        state, held, taken = choice.state, choice.infostate, choice.action
        policy[held], values[held] = choice.policy, choice.values
    else:
        return None
    range_ = np.arange(game.num_infostates) == held
    marks = read_marks(game, state, policy, range_, values=values, taken=taken, infostates=seen)
    return {
        # A piece covers the mark of a placement; an arrow still shows a move.
        place: mark
        for place, mark in marks.items()
        if not (mark.is_taken and isinstance(place, int) and place != PASS)
    }


def _options(choice: JudgedChoice | None) -> list[int]:
    """The actions of a judged choice, the most likely first."""
    if choice is None:
        return []
    legal, policy = np.flatnonzero(choice.legal).tolist(), choice.policy
    return sorted(legal, key=lambda action: -policy[action])[:_MOST_OPTIONS]


def _names(table: Table) -> tuple[str, str]:
    """The players' names beside the board."""
    if table.is_opened:
        return table.whose
    other = table.opponent.name
    return ("You", other) if table.seat == 0 else (other, "You")


def _spaced(text: str) -> str:
    """Separates a word and its number, as "raise 300"."""
    return re.sub("^([a-z]{3,})([0-9]+)$", r"\1 \2", text)


def _in_words(table: Table, state: Any, own: int) -> str:
    """The public state, and below it the person's view if it has several lines."""
    text, seen = table.game.draw(state), table.game.draw_infostate(state, table.seat, own)
    return f"{text}\n\nYou see:\n{seen}" if "\n" in seen else text


def _event(table: Table, one: Step, shows_all: bool) -> dict[str, Any]:
    """A line of the list of events."""
    game, event = table.game, table.game.describe_outcome(one.state, one.outcome)
    who, did = "Chance" if one.actor == CHANCE else table.whose[one.actor], ""
    if one.action is not None and (one.actor == table.seat or shows_all):
        did = game.describe_action(one.state, one.infostate, one.action)
    text = event if not did or event.startswith(did) else f"{did} ({event})"
    return {
        "who": who,
        "text": text,
        "assessments": table.seated.assessments.get(one.number, []) if shows_all else [],
        "held": None if one.actor == CHANCE else one.infostate,
    }


def draw_review(table: Table, found: Review) -> str:
    """The value curve as SVG text."""
    first, second = table.whose
    names = (first.lower(), second.lower())
    return draw_worth(found, names, "Expected utility of each player")


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
