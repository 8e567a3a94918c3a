"""Measures the speed of pages of `sog serve`: `python scripts/bench_web.py`.

Starts a server at a free port, and the system's Chromium, headless (the packages chromium and
chromium-driver, and Selenium from the extra `test`). For each page: milliseconds from the request
to the end of loading, by the browser's clock. For a search: seconds from the click on Search to the
first picture of the tree, the first time, when its programs are compiled or read from the
compilation cache, and again. --pictures also writes the screenshots of docs/images.
"""

import argparse
import contextlib
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from shared import processor, versions

_DESK: Final = (1100, 760)
_PHONE: Final = (390, 844)
_SEARCHES: Final = (
    ("agent:leduc", "check bet2", "100,1"),
    ("agent:glasses", "", "100,1"),
    ("tic_tac_toe", "", "400,1"),
)
_RANGE: Final = "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,A8o+,KTo+,QTo+,JTo"
_SPOT: Final = (
    "spots/new?board=KsTh7s4d2c&pot=100&stack=200&bets=0.5/1/allin&raises=allin"
    f"&range0={quote(_RANGE)}&range1={quote(_RANGE)}&until=0.3"
)
_LOAD: Final = "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd;"


class Visitor:
    """A browser with access to the server."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.home = address.partition("?")[0]
        driver.get(address)

    def find(self, selector: str) -> Any:
        """The first matching element; raises if there is none."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def wait(self, holds: Callable[[], Any], seconds: float = 180) -> None:
        """Waits until a condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(Exception):  # an element of a previous page
                if holds():
                    return
            time.sleep(0.01)
        raise SystemExit(f"timed out: {self.find('main').text}")

    def status(self) -> str:
        """The status line of the page."""
        return str(self.find("#status").text)

    def choose(self, form: str, **fields: str) -> Any:
        """Fills in a form of the first page; returns it."""
        self.driver.get(self.home)
        found = self.find(f"form[action='{form}']")
        for name, text in fields.items():
            field = found.find_element(By.NAME, name)
            if field.tag_name == "select":
                Select(field).select_by_visible_text(text)
            else:
                if not field.is_displayed():
                    found.find_element(By.TAG_NAME, "summary").click()
                field.send_keys(text)
        return found

    def search(self, game: str, history: str, search: str) -> float:
        """Runs a search; returns seconds until the first picture of its tree."""
        form = self.choose("/searches", game=game, history=history, search=search)
        button = form.find_element(By.TAG_NAME, "button")
        began = time.perf_counter()
        button.click()
        self.wait(lambda: self.find("#tree-picture svg"))
        seconds = time.perf_counter() - began
        self.wait(lambda: self.status().startswith("Done."))
        return seconds

    def solve_spot(self, address: str, action: str, hands: str) -> None:
        """Solves a spot of hold'em, takes one action and opens hands of the player who acts."""
        self.driver.get(f"{self.home}{address}")
        self.wait(lambda: "%" in self.find("#range1-share").text)
        self.find("#solve").click()
        self.wait(lambda: self.status().startswith("Solved."))
        actions = self.driver.find_elements(By.CSS_SELECTOR, "a.action")
        next(one for one in actions if one.text.startswith(action)).click()
        self.wait(lambda: self.find("a.action").text.startswith("fold"))
        click = (
            "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
        )
        self.driver.execute_script(click, self.find(f"a[data-hands='{hands}']"))
        self.wait(lambda: self.find("#combos tbody tr"))

    def play(self, game: str, player: str, seat: str, seed: int) -> None:
        """Starts a game, and waits for the first turn."""
        form = self.choose("/games", player=player, game=game, seat=seat, seed=str(seed))
        form.find_element(By.TAG_NAME, "button").click()
        self.wait(lambda: self.status().startswith(("Your move", "You ", "A draw")))

    def act(self, name: str) -> None:
        """Clicks on the first action that starts with `name`, and waits for the next turn."""
        before = len(self.driver.find_elements(By.CSS_SELECTOR, "ol.events > li"))
        buttons = self.driver.find_elements(By.CSS_SELECTOR, "#choices button")
        texts = [button.text.lstrip("123456789 ") for button in buttons]
        buttons[next((n for n, text in enumerate(texts) if text.startswith(name)), 0)].click()
        self.wait(
            lambda: (
                len(self.driver.find_elements(By.CSS_SELECTOR, "ol.events > li")) > before
                and self.status().startswith(("Your move", "You ", "A draw"))
            )
        )


def main() -> None:
    """Measures, and prints the table of docs/serve.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="RUN", help="training runs to watch")
    parser.add_argument("--repeat", type=int, default=10, help="loads of each page (default: 10)")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="write screenshots there")
    arguments = parser.parse_args()
    with _server(arguments.runs) as address, _browser() as driver:
        visitor = Visitor(driver, address)
        rows = _searches(visitor)
        rows += _pages(visitor, arguments.runs, arguments.repeat)
        if arguments.pictures is not None:
            _pictures(visitor, arguments.pictures)
    print(f"{processor()}, {versions(['jax', 'starlette', 'uvicorn'])}")
    for name, text in rows:
        print(f"| {name} | {text} |")


def _searches(visitor: Visitor) -> list[tuple[str, str]]:
    rows = []
    for game, history, search in _SEARCHES:
        first, again = (visitor.search(game, history, search) for _ in range(2))
        after = f" after {history}" if history else ""
        name = f"first picture of a search: {game}{after}, SoG({search.replace(',', ', ')})"
        rows.append((name, f"{first:.2f} s; {again:.2f} s the second time"))
    return rows


def _pages(visitor: Visitor, runs: list[str], repeat: int) -> list[tuple[str, str]]:
    """Loading times of pages after a game has started and a search is done."""
    home = visitor.home
    pages = {"first page": home}
    for game in ("leduc", "glasses", "london"):
        visitor.play(game, "random", "player 1" if game == "leduc" else "player 0", 4)
        pages[f"a game of {game}"] = visitor.driver.current_url
    visitor.search("agent:leduc", "check bet2", "100,1")
    pages["a search of leduc"] = visitor.driver.current_url
    if runs:
        pages["a run"] = f"{home}runs/0"
    rows = []
    for name, address in pages.items():
        times = []
        for _ in range(repeat):
            visitor.driver.get(address)
            times.append(float(visitor.driver.execute_script(_LOAD)))
        text = f"{statistics.median(times):.0f} ms (slowest of {repeat}: {max(times):.0f})"
        rows.append((f"load: {name}", text))
    return rows


def _pictures(visitor: Visitor, folder: Path) -> None:
    """Writes the screenshots of docs/images, at desktop and phone widths."""

    def shoot(name: str, width: int, height: int, top: str = "h1") -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        visitor.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        visitor.driver.execute_script("document.activeElement.blur();")
        script = "document.querySelector(arguments[0]).scrollIntoView();"
        visitor.driver.execute_script(script, top)
        time.sleep(0.3)
        visitor.driver.save_screenshot(str(folder / f"serve_{name}.png"))

    folder.mkdir(parents=True, exist_ok=True)
    visitor.play("that of the network", "agent:leduc", "player 0", 4)
    while visitor.status() == "Your move.":
        visitor.act("call")
    shoot("play", *_DESK)
    visitor.play("london", "random", "player 1", 2)
    for _ in range(20):
        visitor.act("")
    shoot("map", 1100, 900)
    visitor.play("that of the network", "agent:glasses", "player 0", 1)
    visitor.act("")
    shoot("phone", *_PHONE)
    visitor.search("agent:leduc", "check bet2", "100,1")
    shoot("tree", 1100, 640, "#tree")
    for card, weight in enumerate(("0", "0", "1", "1", "0", "0")):
        field = visitor.find(f"#range-1-{card}")
        field.clear()
        field.send_keys(weight)
    visitor.find("#set-ranges").click()
    visitor.wait(lambda: "before the ranges were set" in visitor.find("main").text)
    visitor.wait(lambda: visitor.status().startswith("Done."))
    visitor.find("#solve").click()
    visitor.wait(lambda: "CFR+ over all" in visitor.find("main").text)
    shoot("search", 1100, 820)
    visitor.solve_spot(_SPOT, "bet 50", "QJs")
    shoot("spot", 1000, 1050)


@contextlib.contextmanager
def _server(runs: list[str]) -> Iterator[str]:
    """Runs `sog serve`; yields the address that it printed."""
    command = [sys.executable, "-m", "sog", "serve", "--port", "0", *runs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@contextlib.contextmanager
def _browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(option)
    with webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"))) as found:
        found.set_window_size(*_DESK)
        yield found


if __name__ == "__main__":
    main()
