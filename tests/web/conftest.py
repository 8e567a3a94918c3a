"""A server without a socket, as `sog serve` makes it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from starlette.testclient import TestClient

from selfplay.runs.metrics import MetricsFile
from selfplay.runs.run_folder import RunFolder
from selfplay.settings import Config
from sog.web.app import make_app
from sog.web.catalog import Catalog
from sog.web.security import Guard
from sog.web.server import listen, serving
from tests.web import chromium
from tests.web.chromium import CHROMIUM, DRIVER, OPTIONS, Browser
from tests.web.visitor import HERE, PORT, TOKEN, Visitor


@pytest.fixture(scope="module")
def serve() -> Callable[..., Guard]:
    """The application of `sog serve` with some runs and agents."""

    def make(*named: str) -> Guard:
        return make_app(Catalog(named), token=TOKEN, port=PORT)

    return make


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="module")
def app(serve: Callable[..., Guard]) -> Guard:
    """The one with no arguments, which tests share."""
    return serve()


@pytest.fixture
def visitor(app: Guard) -> Visitor:
    return Visitor(app)


@pytest.fixture
def stranger(app: Guard) -> TestClient:
    """A client without the token."""
    return TestClient(app, base_url=HERE, follow_redirects=False)


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


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a server listens, as `sog serve` has one."""
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with serving(make_app(Catalog(), token=chromium.TOKEN, port=port), listener):
            yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    """Chromium, or the test is skipped."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("no Chromium with its driver is installed here")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in OPTIONS:
        options.add_argument(option)
    with webdriver.Chrome(options=options, service=Service(DRIVER)) as found:
        yield found


@pytest.fixture
def browser(driver: webdriver.Chrome, address: str) -> Iterator[Browser]:
    visitor = Browser(driver, address)
    yield visitor
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert visitor.problems() == []
