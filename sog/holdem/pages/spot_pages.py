"""Pages for spots of hold'em: a form with board and ranges, and the solution to browse."""

import functools
import io
from collections.abc import Callable
from typing import Final

import numpy as np
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sog.holdem.deck import Deck
from sog.holdem.game import Holdem
from sog.holdem.hand_squares import SHOWN
from sog.holdem.pages.solved_spot import SolvedSpot
from sog.holdem.pages.spot_form import SpotForm
from sog.holdem.pages.spot_views import spot_context
from sog.holdem.ranges import class_weights, format_range, parse_range
from sog.holdem.spots.spot_file import write_spot
from sog.holdem.spots.walk import forget_programs, split_history
from sog.memory import bytes_of
from sog.web.catalog import Catalog
from sog.web.interfaces import Poll, RequestError, Submit
from sog.web.pages import (
    Form,
    button_routes,
    go_to,
    page,
    prepared_page,
    render,
    session_of,
    show,
    static_routes,
)
from sog.web.preparations import Preparations
from sog.web.sessions import Sessions

MOST_SPOTS: Final = 6
_MOST_SAVED: Final = 200_000_000  # bytes
_MOST_COMPILED: Final = 8  # spots, some of which may share programs
_MOST_EVENTS: Final = 64
_MOST_LETTERS: Final = 2000
_PACKAGE: Final = "sog.holdem.pages"
_show: Final = functools.partial(show, package=_PACKAGE)


class SpotPages:
    """The spots of a server, and their pages."""

    def __init__(self, catalog: Catalog, preparations: Preparations, submit: Submit) -> None:
        self.spots: Sessions[SolvedSpot] = Sessions(MOST_SPOTS, "spots")
        self._catalog = catalog
        self._preparations, self._submit = preparations, submit
        self._num_compiled = 0

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages."""
        slow = functools.partial(
            prepared_page,
            preparations=self._preparations,
            naming=("board",),
            long_fields=("range0", "range1"),
        )
        buttons: dict[str, Callable[[int, SolvedSpot, Form], object]] = {
            "stop": lambda number, spot, form: spot.stop(),
            "go-on": lambda number, spot, form: spot.go_on(
                SpotForm(until=form.get("until", spot.form.until)).percent()
            ),
        }
        return [
            *static_routes(_PACKAGE, "spots.css", "spots.js"),
            Route("/spots", slow(self.begin), methods=["POST"]),
            Route("/spots/new", page(self.ask)),
            Route("/spots/range", page(self.read_range)),
            Route("/spots/{number}", page(self.look)),
            Route("/spots/{number}/solved.spot", page(self.save)),
            Route("/spots/{number}/compare", slow(self.compare), methods=["POST"]),
            *button_routes("/spots", self.spots, buttons, _place),
        ]

    def section(self) -> Markup:
        """The list of spots for the first page."""
        return render("spots", package=_PACKAGE, spots=self.spots.list())

    def ask(self, request: Request, form: Form) -> Response:
        """The form, filled in from the link."""
        return _show("spot_form", spot_form=SpotForm.read(request.query_params), problem="")

    def read_range(self, request: Request, form: Form) -> Response:
        """A range's text as weights of classes for its square, and in its shortest form."""
        try:
            weights = parse_range(request.query_params.get("text", "") or "AA:0", may_be_empty=True)
        except ValueError as error:
            return JSONResponse({"problem": str(error)[:_MOST_LETTERS]})
        hands = Deck().num_hands()
        return JSONResponse(
            {
                "text": format_range(weights),
                "weights": np.round(class_weights(weights), 4).tolist(),
                "percent": round(100 * float(weights.sum()) / hands, 1),
            }
        )

    def begin(self, request: Request, form: Form, poll: Poll) -> Response:
        """Starts a spot; shows the form again with any error."""
        spot_form = SpotForm.read(form)
        try:
            if self._num_compiled >= _MOST_COMPILED:
                forget_programs()
                self._num_compiled = 0
            self._num_compiled += 1
            spot = SolvedSpot(spot_form, self._submit, poll)
            return go_to(f"/spots/{self.spots.add(spot, poll)}")
        except RequestError as mistake:
            return _show(
                "spot_form", 400, spot_form=spot_form, problem=str(mistake)[:_MOST_LETTERS]
            )

    def look(self, request: Request, form: Form) -> Response:
        """The present solution of a spot at a node of its tree."""
        number, spot = session_of(request, self.spots)
        given = request.query_params
        history = split_history(given.get("at", "")[:_MOST_LETTERS])
        if len(history) > _MOST_EVENTS:
            raise RequestError(f"A history has at most {_MOST_EVENTS} events.")
        shown = given.get("show", SHOWN[0])
        if shown not in SHOWN:
            raise RequestError(f"show must be one of {', '.join(SHOWN)}.")
        is_busy = spot.is_busy  # read first, so that the last page shown is final
        view = spot_context(spot, history, shown, given.get("hands", ""))
        networks = self._catalog.networks_of(Holdem)
        return _show(
            "spot", number=number, spot=spot, is_busy=is_busy, view=view, networks=networks
        )

    def compare(self, request: Request, form: Form, poll: Poll) -> Response:
        """Shows a network beside the solution, or stops showing one."""
        number, spot = session_of(request, self.spots)
        name = form.get("network", "")
        if name:
            network = self._catalog.network(name)
            poll()
            spot.compare(name, network)
        else:
            spot.compared = None
        return go_to(f"/spots/{number}{_place(form)}")

    def save(self, request: Request, form: Form) -> Response:
        """The file that `sog solve --save` would write."""
        number, spot = session_of(request, self.spots)
        if bytes_of(spot.solver.memory) > _MOST_SAVED:
            raise RequestError(
                "This spot is too large to be sent: solve it with `sog solve --save`."
            )
        file = io.BytesIO()
        with spot.turn():
            write_spot(file, spot.solver, spot.game, spot.ranges)
        headers = {"Content-Disposition": f'attachment; filename="spot-{number}.spot"'}
        return Response(file.getvalue(), media_type="application/octet-stream", headers=headers)


def _place(form: Form) -> str:
    """The page's query for the node that a form was sent from."""
    where = form.get("where", "")
    return f"?{where}" if where.isascii() and where else ""
