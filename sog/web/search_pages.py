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
from sog.web.catalog import Catalog
from sog.web.interfaces import Poll, RequestError, Submit, request_errors
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
from sog.web.search_view import node_context, outcomes_to
from sog.web.sessions import Sessions
from sog.web.snapshots import Estimates, Snapshot
from sog.web.watched_search import PAUSED, WATCHED, WHOLE, WatchedSearch

MOST_SEARCHES: Final = 12
_MOST_WARMED_UP: Final = 4
_MODES: Final = (WHOLE, WATCHED, PAUSED)


class SearchPages:
    """The pages of all searches."""

    def __init__(self, catalog: Catalog, preparations: Preparations, submit: Submit) -> None:
        self.searches: Sessions[WatchedSearch] = Sessions(MOST_SEARCHES, "searches")
        self._catalog, self._preparations, self._submit = catalog, preparations, submit

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages."""
        buttons: dict[str, Callable[[int, WatchedSearch, Form], object]] = {
            "go-on": lambda number, search, form: _resume(search, form),
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
            Route("/searches/{number}/more", slow(self.extend), methods=["POST"]),
            Route("/searches/{number}/ranges", slow(self.set_ranges), methods=["POST"]),
            Route("/searches/{number}/lock", slow(self.lock), methods=["POST"]),
            Route("/searches/{number}/locks", slow(self.set_locks), methods=["POST"]),
            *button_routes("/searches", self.searches, buttons, _shown_node),
        ]

    def warm_up(self) -> None:
        """Compiles default searches of the named networks, so that visitors need not wait."""
        for network in self._catalog.named[:_MOST_WARMED_UP]:
            work = functools.partial(self._warm_up, network)
            self._preparations.begin(f"searches: {network}", work)

    def _warm_up(self, network: str, poll: Poll) -> None:
        with contextlib.suppress(RequestError):  # shown when a visitor tries
            searcher = self._catalog.searcher(network, self._catalog.evaluators[0], "", 0, poll)
            WatchedSearch(searcher, (), mode=PAUSED, submit=lambda work: work()).snapshot()

    def begin(self, request: Request, form: Form, poll: Poll) -> Response:
        """Starts a new search."""
        text = form.get("game", "")
        game = self._catalog.game(text)
        with request_errors("Position: "):
            history = read_history(game, form.get("history", ""), anywhere=True)
        return self.begin_at(text, history, form, poll)

    def begin_at(
        self,
        game: str,
        opening: Opening,
        form: Form,
        poll: Poll,
        ranges: np.ndarray | None = None,
    ) -> Response:
        """Starts a search of the position that an opening leads to.

        game: or a network. form: settings. ranges: [player, S] there, None to search for them.
        """
        searcher = self._catalog.searcher(
            game,
            form.get("evaluator", ""),
            form.get("search", "").strip(),
            len(opening.outcomes),
            poll,
        )
        poll()
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
        return go_to(f"/searches/{self.searches.add(search, poll)}")

    def look(self, request: Request, form: Form) -> Response:
        """Shows a search."""
        number, search = session_of(request, self.searches)
        is_busy = search.is_busy  # read first, so that the last page shown is complete
        snapshot = search.snapshot()
        view: dict[str, Any] = {}
        if snapshot is not None:
            row = whole_number(request.query_params.get("node", ""))
            node = snapshot.nodes[snapshot.row if row not in snapshot.nodes else row]
            view = node_context(search, snapshot, node)
        game = search.searcher.shown
        return show("search", number=number, search=search, game=game, view=view, is_busy=is_busy)

    def extend(self, request: Request, form: Form, poll: Poll) -> Response:
        """Continues with more simulations in the same tree."""
        number, search = session_of(request, self.searches)
        more = number_in(form, "simulations", 10**9)
        poll()
        search.extend(self._catalog.with_more(search.searcher, max(more, 1), len(search.outcomes)))
        return go_to(f"/searches/{number}{_shown_node(form)}")

    def set_ranges(self, request: Request, form: Form, poll: Poll) -> Response:
        """Starts a new search from a public state of the tree with edited ranges."""
        _, search = session_of(request, self.searches)
        snapshot, node = _node_of(search, form)
        ranges = np.zeros((2, search.searcher.shown.num_infostates))
        for name, text in form.items():
            kind, _, rest = name.partition("-")
            player, _, infostate = rest.partition("-")
            if kind == "range" and player in ("0", "1"):
                place = whole_number(infostate, ranges.shape[1] - 1)
                if place is None:
                    raise RequestError(f"There is no infostate {infostate[:20]!r}.")
                ranges[int(player), place] = weight(text.strip())
        before = Estimates(policy=node.policy, values=node.values, ranges=node.ranges)
        outcomes = outcomes_to(search, snapshot, node)
        edited = search.again(outcomes=outcomes, ranges=ranges, before=before)
        return go_to(f"/searches/{self.searches.add(edited, poll)}")

    def lock(self, request: Request, form: Form, poll: Poll) -> Response:
        """Repeats the search with the policy of one public state locked."""
        _, search = session_of(request, self.searches)
        snapshot, node = _node_of(search, form)
        new = lock_of(node, outcomes_to(search, snapshot, node), form)
        others = (one for one in search.locks if one.outcomes != new.outcomes)
        return self._hold(search, snapshot, (*others, new), poll)

    def set_locks(self, request: Request, form: Form, poll: Poll) -> Response:
        """Repeats the search with the locks of a text and no others."""
        _, search = session_of(request, self.searches)
        snapshot = search.snapshot()
        if snapshot is None:
            raise RequestError("The search has found nothing yet.")
        return self._hold(search, snapshot, locks_in(search, form.get("locks", "")), poll)

    def _hold(
        self, search: WatchedSearch, snapshot: Snapshot, locks: tuple[Lock, ...], poll: Poll
    ) -> Response:
        poll()
        free_value = search.free_value if search.locks else snapshot.nodes[snapshot.row].mean_value
        held = search.again(before=snapshot.found, locks=locks, free_value=free_value)
        return go_to(f"/searches/{self.searches.add(held, poll)}")


def _resume(search: WatchedSearch, form: Form) -> None:
    """Resumes with some more updates, or pauses."""
    count = number_in(form, "count", 10**9)
    if count == 0:
        search.pause()
    else:
        search.resume(count, WATCHED if form.get("mode") == WATCHED else WHOLE)


def _shown_node(form: Form) -> str:
    """The query that shows the node of a form."""
    node = whole_number(form.get("node", ""))
    return "" if node is None else f"?node={node}"


def _node_of(search: WatchedSearch, form: Form) -> tuple[Snapshot, NodeView]:
    """The node of the tree that a form refers to."""
    snapshot = search.snapshot()
    node = None if snapshot is None else snapshot.nodes.get(number_in(form, "row", 10**9))
    if snapshot is None or node is None or node.actor == TERMINAL:
        raise RequestError("This public state is not in the tree (any more).")
    return snapshot, node
