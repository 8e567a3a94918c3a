"""Chromium of the system, without a window, driven by Selenium."""

import contextlib
import shutil
from collections.abc import Callable
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from tests.waiting import wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
TOKEN = "the-token"
OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # which root needs
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--window-size=1200,900",
)
PHONE = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}


class Browser:
    """A browser that has been let in."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver, self.address = driver, address
        self.driver.get(f"{address}/?token={TOKEN}")

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, holds: Callable[[], Any]) -> Any:
        """What is found, once there is something; the page may change while it is looked for."""

        def find() -> Any:
            with contextlib.suppress(Exception):  # an element of a page that is gone
                return holds()

        return wait_until(find, lambda: self.find("main").text)

    def status(self) -> str:
        return str(self.find("#status").text)

    def begin(
        self, game: str, player: str = "random", seat: int = 0, seed: int = 3, history: str = ""
    ) -> None:
        """Has a game begun, and waits for the first turn."""
        self.send(game, player, seat, seed, history)
        self.ready()

    def send(self, game: str, player: str, seat: int = 0, seed: int = 3, history: str = "") -> None:
        """Fills in the form of the first page, as a visitor does."""
        self.driver.get(f"{self.address}/")
        form = self.find("form[action='/games']")
        Select(form.find_element(By.NAME, "game")).select_by_visible_text(game)
        Select(form.find_element(By.NAME, "player")).select_by_visible_text(player)
        Select(form.find_element(By.NAME, "seat")).select_by_value(str(seat))
        form.find_element(By.TAG_NAME, "summary").click()
        form.find_element(By.NAME, "seed").send_keys(str(seed))
        form.find_element(By.NAME, "history").send_keys(history)
        form.find_element(By.CSS_SELECTOR, "button").click()

    def search(self, game: str) -> None:
        """Has a game searched from its rules alone, and waits until that is done."""
        form = self.find("form[action='/searches']")
        Select(form.find_element(By.NAME, "game")).select_by_visible_text(game)
        Select(form.find_element(By.NAME, "evaluator")).select_by_visible_text("zero")
        form.find_element(By.NAME, "search").send_keys("20,1")
        form.find_element(By.TAG_NAME, "button").click()
        self.until(lambda: self.status().startswith("Done."))

    def ready(self) -> str:
        """How the game stands, once it is the visitor's turn or over."""
        ends = ("Your move.", "You win", "You lose", "A draw")
        return str(self.until(lambda: (s := self.status()).startswith(ends) and s))

    def events(self) -> int:
        return len(self.all("ol.events > li"))

    def act(self, do: Callable[[], None]) -> str:
        """Does something that moves the game on; how it stands then."""
        before = self.events()
        do()
        self.until(lambda: self.events() > before)
        return self.ready()

    def is_wider_than_the_screen(self) -> bool:
        # Not `innerWidth`: a phone zooms out until all that sticks out is within it.
        wide = "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
        return bool(self.run(wide))

    def hides_columns(self) -> bool:
        """Whether a table has to be scrolled sideways."""
        tables = self.all(".scroll")
        return any(
            self.run("return arguments[0].scrollWidth > arguments[0].clientWidth", *[one])
            for one in tables
        )

    def nameless(self, selector: str) -> list[str]:
        """What is shown and has no name for those who do not see it."""
        return [
            one.get_attribute("outerHTML") or ""
            for one in self.all(selector)
            if one.is_displayed() and not one.accessible_name
        ]

    def problems(self) -> list[str]:
        """What the browser complained of, such as something that the policy forbids."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]
