"""Pages of searches: the growing tree, ranges, values and policies, and the editor of ranges."""

import contextlib
import functools
import math
from typing import Any, Final

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sog.drawing.marks import read_marks
from sog.drawing.nodes import NodeView
from sog.drawing.outline import (
    action_names,
    actor_name,
    common_names,
    infostates,
    outline,
    percent,
    signed,
)
from sog.drawing.picture import draw_picture
from sog.drawing.search_tree import draw_search
from sog.games.core import CHANCE, TERMINAL
from sog.play.history import Opening, read_history
from sog.tabular.locks import Lock
from sog.web.found import Found
from sog.web.host import Heed, Left, Mistake, Submit
from sog.web.numbers import whole_number
from sog.web.offers import Offers
from sog.web.pages import Form, go_to, inline, number_in, number_of, page, prepared_page, show
from sog.web.preparations import Preparations
from sog.web.search_locks import can_lock, lock_at, lock_of, locks_in, tell_locks
from sog.web.sessions import Sessions
from sog.web.watched_search import PAUSED, WATCHED, WHOLE, Picture, WatchedSearch

MOST_SEARCHES: Final = 12
_LEVELS, _MOST_CHILDREN = 2, 8  # of the tree that are drawn
_MOST_LISTED: Final = 60  # infostates of a player
_MOST_EDITED: Final = 250
_HIGHEST_WEIGHT: Final = 1e6
_MOST_WARMED_UP: Final = 4
_MODES: Final = (WHOLE, WATCHED, PAUSED)


class SearchPages:
    """All searches of a server."""

    def __init__(self, offers: Offers, preparations: Preparations, submit: Submit) -> None:
        self.searches: Sessions[WatchedSearch] = Sessions(MOST_SEARCHES, "searches")
        self._offers, self._preparations, self._submit = offers, preparations, submit

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        pages = {
            "go-on": self.go_on,
            "anew": self.anew,
            "solve": self.solve,
            "remove": self.remove,
        }
        slow = functools.partial(prepared_page, preparations=self._preparations)
        return [
            Route("/searches", slow(self.begin), methods=["POST"]),
            Route("/searches/{number}", page(self.look)),
            Route("/searches/{number}/ranges", slow(self.set_ranges), methods=["POST"]),
            Route("/searches/{number}/lock", slow(self.lock), methods=["POST"]),
            Route("/searches/{number}/locks", slow(self.set_locks), methods=["POST"]),
            *(
                Route(f"/searches/{{number}}/{name}", page(answer), methods=["POST"])
                for name, answer in pages.items()
            ),
        ]

    def warm_up(self) -> None:
        """Compiles the usual searches of what was named, so that visitors do not wait for it."""
        for network in self._offers.named[:_MOST_WARMED_UP]:
            self._preparations.begin(network, functools.partial(self._warm_up, network))

    def _warm_up(self, network: str) -> None:
        with contextlib.suppress(Mistake):  # which a visitor is told
            searcher = self._offers.searcher(
                network, self._offers.evaluators[0], "", 0, lambda: None
            )
            WatchedSearch(searcher, (), mode=PAUSED, submit=lambda work: work()).picture()

    def begin(self, request: Request, form: Form, heed: Heed) -> Response:
        """A new search."""
        text = form.get("game", "")
        game = self._offers.game(text)
        try:
            history = read_history(game, form.get("history", ""), anywhere=True)
        except ValueError as error:
            raise Mistake(f"Position: {error}") from None
        return self.begin_at(text, history.opening, form, heed)

    def begin_at(
        self,
        game: str,
        opening: Opening,
        form: Form,
        heed: Heed,
        ranges: np.ndarray | None = None,
    ) -> Response:
        """A new search of the position that an opening leads to.

        game: or a network. form: how to search. ranges: [player, S] there, None to have them found.
        """
        searcher = self._offers.searcher(
            game,
            form.get("evaluator", ""),
            form.get("search", "").strip(),
            len(opening.outcomes),
            heed,
        )
        heed()
        mode = form.get("mode", WHOLE)
        search = WatchedSearch(
            searcher,
            opening.outcomes,
            start=None if opening.beginning is None else opening.beginning.state,
            ranges=ranges,
            seed=number_in(form, "seed", 2**32 - 1) if form.get("seed", "").strip() else 0,
            mode=mode if mode in _MODES else WHOLE,
            submit=self._submit,
        )
        return self._keep(search, heed)

    def look(self, request: Request, form: Form) -> Response:
        """A search as it stands."""
        number, search = self._search(request)
        is_busy = search.is_busy  # first: what is not found yet must not be the last that is shown
        picture = search.picture()
        told: dict[str, Any] = {}
        if picture is not None:
            row = whole_number(request.query_params.get("node", ""))
            node = picture.nodes[picture.row if row not in picture.nodes else row]
            told = _told(search, picture, node)
        game = search.searcher.shown
        return show("search", number=number, search=search, game=game, told=told, is_busy=is_busy)

    def go_on(self, request: Request, form: Form) -> Response:
        """Some more updates, or none."""
        number, search = self._search(request)
        count = number_in(form, "count", 10**9)
        if count == 0:
            search.pause()
        else:
            search.go_on(count, WATCHED if form.get("mode") == WATCHED else WHOLE)
        return self._back(number, form)

    def anew(self, request: Request, form: Form) -> Response:
        """The same from its start."""
        number, search = self._search(request)
        search.start_anew()
        return self._back(number, form)

    def solve(self, request: Request, form: Form) -> Response:
        """The exact answer beside."""
        number, search = self._search(request)
        search.solve(functools.partial(self._preparations.begin, "an exact solution"))
        return self._back(number, form)

    def set_ranges(self, request: Request, form: Form, heed: Heed) -> Response:
        """A new search from one of the tree's public states, with ranges set by hand."""
        _, search = self._search(request)
        picture, node = _node_of(search, form)
        ranges = np.zeros((2, search.searcher.shown.num_infostates))
        for name, text in form.items():
            kind, _, rest = name.partition("-")
            player, _, infostate = rest.partition("-")
            if kind == "range" and player in ("0", "1"):
                place = whole_number(infostate, ranges.shape[1] - 1)
                if place is None:
                    raise Mistake(f"There is no infostate {infostate[:20]!r}.")
                ranges[int(player), place] = _weight(text)
        before = Found(policy=node.policy, values=node.values, ranges=node.ranges)
        edited = WatchedSearch(
            search.searcher,
            _outcomes(search, picture, node),
            start=search.start,
            ranges=ranges,
            before=before,
            locks=search.locks,
            seed=search.seed,
            submit=self._submit,
        )
        return self._keep(edited, heed)

    def lock(self, request: Request, form: Form, heed: Heed) -> Response:
        """The same search where the player to act at one of its public states does what is set."""
        _, search = self._search(request)
        picture, node = _node_of(search, form)
        new = lock_of(node, _outcomes(search, picture, node), form)
        others = (one for one in search.locks if one.outcomes != new.outcomes)
        return self._hold(search, picture, (*others, new), heed)

    def set_locks(self, request: Request, form: Form, heed: Heed) -> Response:
        """The same search with the locks of a text and no others."""
        _, search = self._search(request)
        picture = search.picture()
        if picture is None:
            raise Mistake("The search has found nothing yet.")
        return self._hold(search, picture, locks_in(search, form.get("locks", "")), heed)

    def _hold(
        self, search: WatchedSearch, picture: Picture, locks: tuple[Lock, ...], heed: Heed
    ) -> Response:
        heed()
        free_value = search.free_value if search.locks else picture.nodes[picture.row].mean_value
        held = WatchedSearch(
            search.searcher,
            search.outcomes,
            start=search.start,
            ranges=search.ranges,
            before=picture.found,
            locks=locks,
            free_value=free_value,
            seed=search.seed,
            submit=self._submit,
        )
        return self._keep(held, heed)

    def remove(self, request: Request, form: Form) -> Response:
        """Nobody looks at it any more."""
        self.searches.remove(number_of(request))
        return go_to("/")

    def _keep(self, search: WatchedSearch, heed: Heed) -> Response:
        """It was begun while the visitor may have left."""
        try:
            heed()
        except Left:
            search.close()
            raise
        return go_to(f"/searches/{self.searches.add(search)}")

    def _search(self, request: Request) -> tuple[int, WatchedSearch]:
        number = number_of(request)
        return number, self.searches.get(number)

    @staticmethod
    def _back(number: int, form: Form) -> Response:
        node = whole_number(form.get("node", ""))
        return go_to(f"/searches/{number}" + ("" if node is None else f"?node={node}"))


def _node_of(search: WatchedSearch, form: Form) -> tuple[Picture, NodeView]:
    """The public state of the tree that a form is of."""
    picture = search.picture()
    node = None if picture is None else picture.nodes.get(number_in(form, "row", 10**9))
    if picture is None or node is None or node.actor == TERMINAL:
        raise Mistake("That public state is not in the tree (any more).")
    return picture, node


def _weight(text: str) -> float:
    try:
        value = float(text or 0)
    except ValueError:
        raise Mistake(f"A weight must be a number, got {text[:20]!r}.") from None
    if not (math.isfinite(value) and 0 <= value <= _HIGHEST_WEIGHT):
        raise Mistake(f"A weight must be from 0 to {_HIGHEST_WEIGHT:,.0f}, got {text[:20]}.")
    return value


def _path(picture: Picture, node: NodeView) -> list[NodeView]:
    """From the root of the tree to a node."""
    path = [node]
    while path[-1].parent is not None:
        path.append(picture.nodes[path[-1].parent])
    return path[::-1]


def _outcomes(search: WatchedSearch, picture: Picture, node: NodeView) -> tuple[int, ...]:
    """The public events that lead to a node from the start of the game."""
    start = search.outcomes if search.has_own_ranges else ()
    events = [one.outcome for one in _path(picture, node) if one.outcome is not None]
    return (*start, *events)


def _told(search: WatchedSearch, picture: Picture, node: NodeView) -> dict[str, Any]:
    """What the page says about a node."""
    game, is_searched = node.game, node.row == picture.row
    shown = outline(
        list(picture.nodes.values()), node.row, depth=_LEVELS, most_children=_MOST_CHILDREN
    )
    title = f"{game.name}: {node.description}"
    marks = read_marks(
        game, node.state, node.policy, node.ranges[node.actor % 2], values=_worths(picture, node)
    )
    board = draw_picture(game, node.state, ranges=np.nan_to_num(node.ranges), marks=marks)
    exact = search.exact if is_searched else None
    before = search.before if is_searched else None
    return {
        "picture": picture,
        "node": node,
        "is_searched": is_searched,
        "actor": actor_name(node),
        "value": signed(node.mean_value),
        "path": _path(picture, node),
        "tree": inline(draw_search(shown, title=title, unit=game.unit)),
        "board": inline(board),
        "is_marked": bool(marks),
        "children": [
            {
                "row": child,
                "event": picture.nodes[child].event,
                "share": percent(share),
                "value": signed(picture.nodes[child].mean_value),
                "kind": picture.nodes[child].kind,
            }
            for child, (_, share) in zip(node.children, shown.events, strict=True)
        ],
        "rows": {kept.node.row for kept in _all(shown)} - {node.row, *node.children},
        "players": [_player(node, player, before, exact) for player in (0, 1)],
        "exact": exact,
        "before": before,
        "is_hidden": search.searcher.shown.num_infostates > 1,
        "can_edit": node.actor != TERMINAL and 2 < int(node.is_possible.sum()) <= _MOST_EDITED,
        "most_edited": _MOST_EDITED,
        "is_decision": node.actor < CHANCE,
        "locks": tell_locks(search, picture),
        "is_locked": lock_at(search, _outcomes(search, picture, node)) is not None,
        "can_lock": can_lock(node),
    }


def _worths(picture: Picture, node: NodeView) -> np.ndarray | None:
    """[1, A]: what actions are worth to the one who acts, where information is perfect and hence an
    action is the event that follows; else None."""
    game = node.game
    if game.num_infostates > 1 or not game.has_public_actions or node.actor >= CHANCE:
        return None
    values = np.full((1, game.num_actions), np.nan)
    for row in node.children:
        child = picture.nodes[row]
        values[0, child.outcome] = child.mean_value if node.actor == 0 else -child.mean_value
    return values


def _all(shown: Any) -> list[Any]:
    return [shown, *(one for child in shown.children for one in _all(child))]


def _player(
    node: NodeView, player: int, before: Found | None, exact: Found | None
) -> dict[str, Any]:
    """The table of a player: a row per infostate, a column per action if it is his turn."""
    listed, num_hidden = infostates(node, player, _MOST_LISTED)
    acts = node.actor == player
    names = common_names(action_names(node, listed)) if acts else {}
    return {
        "player": player,
        "acts": acts,
        "actions": names,
        "hidden": num_hidden,
        "rows": [_row(node, player, infostate, acts, before, exact) for infostate in listed],
    }


def _row(
    node: NodeView,
    player: int,
    infostate: int,
    acts: bool,
    before: Found | None,
    exact: Found | None,
) -> dict[str, Any]:
    legal = np.flatnonzero(node.legal[infostate]).tolist() if acts else []
    range_ = float(np.nan_to_num(node.ranges[player, infostate]))
    return {
        "infostate": infostate,
        "name": node.game.describe_infostate(node.state, player, infostate),
        "range": range_,
        "weight": f"{100 * range_:.4g}",
        "value": signed(float(node.values[player, infostate])),
        "value_before": "" if before is None else signed(float(before.values[player, infostate])),
        "value_exact": "" if exact is None else signed(_value(exact, player, infostate)),
        "range_before": None if before is None else float(before.ranges[player, infostate]),
        "cells": {
            action: {
                "name": node.game.describe_action(node.state, infostate, action),
                "share": float(np.nan_to_num(node.policy[infostate, action])),
                "visits": int(node.visits[infostate, action]),
                "before": None if before is None else _share(before.policy[infostate, action]),
                "exact": None
                if exact is None or not exact.ranges[player, infostate] > 0
                else _share(exact.policy[infostate, action]),
            }
            for action in legal
        },
    }


def _value(exact: Found, player: int, infostate: int) -> float:
    """NaN for an infostate that is ruled out: average play says nothing of what it would do."""
    is_there = exact.ranges[player, infostate] > 0
    return float(exact.values[player, infostate]) if is_there else math.nan


def _share(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
