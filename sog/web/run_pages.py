"""Pages of training runs: learning curves and metrics, updated while they train."""

import time
from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from selfplay.runs.metrics import Metrics
from sog.drawing.curves import draw_curves
from sog.drawing.learning import Curves, learning_curves
from sog.web.catalog import Catalog
from sog.web.pages import Form, inline, number_of, page, show

_FACTS: Final = (
    ("learner steps", "step", "{:,.0f}"),
    ("minutes", "seconds", "{:,.1f}"),
    ("games per second", "games_per_second", "{:,.1f}"),
    ("searches per second", "searches_per_second", "{:,.1f}"),
)


class RunPages:
    """Pages of the runs named on the command line."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages."""
        return [Route("/runs/{number}", page(self.look))]

    def look(self, request: Request, form: Form) -> Response:
        """Shows a run's progress."""
        run = dict(enumerate(self._catalog.runs))[number_of(request)]
        lines, game = self._catalog.metrics_of(run), self._catalog.game(run)
        return show(
            "run",
            run=run,
            game=game,
            num_lines=len(lines),
            facts=_facts(lines[-1]) if lines else [],
            rest=_rest(lines[-1]) if lines else [],
            pictures=[inline(_draw(lines, one)) for one in learning_curves(game, lines)],
            now=time.strftime("%H:%M:%S"),
        )


def _draw(lines: Sequence[Metrics], curves: Curves) -> str:
    named = [
        (label, [(line["step"], curves.scale * line[name]) for line in lines if name in line])
        for name, label in curves.named
    ]
    return draw_curves(curves.title, named, x_label="learner steps")


def _facts(line: Metrics) -> list[tuple[str, str]]:
    values = {**line, "seconds": line["seconds"] / 60}
    return [(label, form.format(values[name])) for label, name, form in _FACTS if name in line]


def _rest(line: Metrics) -> list[tuple[str, Any]]:
    """All other metrics of the last line."""
    shown = {name for _, name, _ in _FACTS}
    return [(name, f"{value:,.6g}") for name, value in line.items() if name not in shown]
