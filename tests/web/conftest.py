"""A server without a socket, as `sog serve` makes it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfplay.runs.metrics import MetricsFile
from selfplay.runs.run_folder import RunFolder
from selfplay.settings import Config
from sog.web.app import make_app
from sog.web.offers import Offers
from sog.web.security import Guard
from tests.web.visitor import PORT, TOKEN, Visitor


@pytest.fixture(scope="module")
def serve() -> Callable[..., Guard]:
    """The application of `sog serve` with some runs and agents."""

    def make(*named: str) -> Guard:
        return make_app(Offers(named), token=TOKEN, port=PORT)

    return make


@pytest.fixture(scope="module")
def offers() -> Offers:
    return Offers()


@pytest.fixture(scope="module")
def app(serve: Callable[..., Guard]) -> Guard:
    """The one with no arguments, which tests share."""
    return serve()


@pytest.fixture
def visitor(app: Guard) -> Visitor:
    return Visitor(app)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A run of Kuhn poker that has reported, but has no checkpoint."""
    path = tmp_path / "run"
    lines: list[dict[str, Any]] = [
        {"step": step, "seconds": 60.0 * step, "exploitability": 0.5 / (step + 1)}
        for step in (0, 10)
    ]
    with RunFolder.open(path, Config(game="kuhn")) as folder:
        for line in lines:
            MetricsFile(folder.metrics).add(line)
    return path
