"""Pages of searches: the growing tree, ranges, values and policies, and the editor of ranges."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sog.drawing.nodes import NodeView
from sog.games.core import TERMINAL
from sog.play.history import Opening, read_history
from sog.tabular.locks import Lock
from sog.web.catalog import Offers
from sog.web.interfaces import Heed, Mistake, Submit, mistaken
from sog.web.numbers import weight, whole_number
from sog.web.pages import (
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
from sog.web.search_locks import lock_of, locks_in
from sog.web.search_view import outcomes_to, tell_node
from sog.web.sessions import Sessions
from sog.web.snapshots import Found, Picture
from sog.web.watched_search import PAUSED, WATCHED, WHOLE, WatchedSearch

MOST_SEARCHES: Final = 12
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
        buttons: dict[str, Callable[[int, WatchedSearch, Form], object]] = {
            "go-on": lambda number, search, form: _go_on(search, form),
            "anew": lambda number, search, form: search.start_anew(),
            "solve": lambda number, search, form: search.solve(
                self._preparations, f"searches/{number}: exact solution"
            ),
            "stop-solving": lambda number, search, form: search.solving.stop(),
        }
        slow = functools.partial(prepared_page, preparations=self._preparations)
        return [
            Route("/searches", slow(self.begin), methods=["POST"]),
            Route("/searches/{number}", page(self.look)),
            Route("/searches/{number}/more", slow(self.give_room), methods=["POST"]),
            Route("/searches/{number}/ranges", slow(self.set_ranges), methods=["POST"]),
            Route("/searches/{number}/lock", slow(self.lock), methods=["POST"]),
            Route("/searches/{number}/locks", slow(self.set_locks), methods=["POST"]),
            *button_routes("/searches", self.searches, buttons, _shown_node),
        ]

    def warm_up(self) -> None:
        """Compiles the usual searches of what was named, so that visitors do not wait for it."""
        for network in self._offers.named[:_MOST_WARMED_UP]:
            work = functools.partial(self._warm_up, network)
            self._preparations.begin(f"searches: {network}", work)

    def _warm_up(self, network: str, heed: Heed) -> None:
        with contextlib.suppress(Mistake):  # which a visitor is told
            searcher = self._offers.searcher(network, self._offers.evaluators[0], "", 0, heed)
            WatchedSearch(searcher, (), mode=PAUSED, submit=lambda work: work()).picture()

    def begin(self, request: Request, form: Form, heed: Heed) -> Response:
        """A new search."""
        text = form.get("game", "")
        game = self._offers.game(text)
        with mistaken("Position: "):
            history = read_history(game, form.get("history", ""), anywhere=True)
        return self.begin_at(text, history, form, heed)

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
            start=opening.start,
            ranges=ranges,
            seed=number_in(form, "seed", 2**32 - 1) if form.get("seed", "").strip() else 0,
            mode=mode if mode in _MODES else WHOLE,
            submit=self._submit,
        )
        return go_to(f"/searches/{self.searches.add(search, heed)}")

    def look(self, request: Request, form: Form) -> Response:
        """A search as it stands."""
        number, search = session_of(request, self.searches)
        is_busy = search.is_busy  # first: what is not found yet must not be the last that is shown
        picture = search.picture()
        told: dict[str, Any] = {}
        if picture is not None:
            row = whole_number(request.query_params.get("node", ""))
            node = picture.nodes[picture.row if row not in picture.nodes else row]
            told = tell_node(search, picture, node)
        game = search.searcher.shown
        return show("search", number=number, search=search, game=game, told=told, is_busy=is_busy)

    def give_room(self, request: Request, form: Form, heed: Heed) -> Response:
        """More simulations than it was to have, and its tree goes on growing."""
        number, search = session_of(request, self.searches)
        more = number_in(form, "simulations", 10**9)
        heed()
        search.give_room(
            self._offers.with_more(search.searcher, max(more, 1), len(search.outcomes))
        )
        return go_to(f"/searches/{number}{_shown_node(form)}")

    def set_ranges(self, request: Request, form: Form, heed: Heed) -> Response:
        """A new search from one of the tree's public states, with ranges set by hand."""
        _, search = session_of(request, self.searches)
        picture, node = _node_of(search, form)
        ranges = np.zeros((2, search.searcher.shown.num_infostates))
        for name, text in form.items():
            kind, _, rest = name.partition("-")
            player, _, infostate = rest.partition("-")
            if kind == "range" and player in ("0", "1"):
                place = whole_number(infostate, ranges.shape[1] - 1)
                if place is None:
                    raise Mistake(f"There is no infostate {infostate[:20]!r}.")
                ranges[int(player), place] = weight(text.strip())
        before = Found(policy=node.policy, values=node.values, ranges=node.ranges)
        edited = WatchedSearch(
            search.searcher,
            outcomes_to(search, picture, node),
            start=search.start,
            ranges=ranges,
            before=before,
            locks=search.locks,
            seed=search.seed,
            submit=self._submit,
        )
        return go_to(f"/searches/{self.searches.add(edited, heed)}")

    def lock(self, request: Request, form: Form, heed: Heed) -> Response:
        """The same search where the player to act at one of its public states does what is set."""
        _, search = session_of(request, self.searches)
        picture, node = _node_of(search, form)
        new = lock_of(node, outcomes_to(search, picture, node), form)
        others = (one for one in search.locks if one.outcomes != new.outcomes)
        return self._hold(search, picture, (*others, new), heed)

    def set_locks(self, request: Request, form: Form, heed: Heed) -> Response:
        """The same search with the locks of a text and no others."""
        _, search = session_of(request, self.searches)
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
        return go_to(f"/searches/{self.searches.add(held, heed)}")


def _go_on(search: WatchedSearch, form: Form) -> None:
    """Some more updates, or none."""
    count = number_in(form, "count", 10**9)
    if count == 0:
        search.pause()
    else:
        search.go_on(count, WATCHED if form.get("mode") == WATCHED else WHOLE)


def _shown_node(form: Form) -> str:
    """The node that a form is of, as the query of the page."""
    node = whole_number(form.get("node", ""))
    return "" if node is None else f"?node={node}"


def _node_of(search: WatchedSearch, form: Form) -> tuple[Picture, NodeView]:
    """The public state of the tree that a form is of."""
    picture = search.picture()
    node = None if picture is None else picture.nodes.get(number_in(form, "row", 10**9))
    if picture is None or node is None or node.actor == TERMINAL:
        raise Mistake("That public state is not in the tree (any more).")
    return picture, node
