"""From a game to its analysis in a real browser, where there is one: reviews, hints, searches."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from tests.web.chromium import PHONE, Browser
from tests.web.test_reviews import TIC_TAC_TOE


@pytest.fixture
def online(browser: Browser) -> Iterator[Browser]:
    """A browser whose network comes back."""
    yield browser
    conditions = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)
    browser.problems()  # of what was asked for in vain


def open_game(browser: Browser, text: str, game: str, player: str = "zero") -> None:
    """Fills in the form for games from elsewhere, and waits for the table."""
    browser.driver.get(f"{browser.address}/")
    form = browser.find("#open-form")
    browser.run("arguments[0].value = arguments[1]", browser.find("#opened-text"), text)
    Select(form.find_element(By.NAME, "game")).select_by_visible_text(game)
    Select(form.find_element(By.NAME, "player")).select_by_visible_text(player)
    form.find_element(By.TAG_NAME, "button").click()
    browser.until(lambda: browser.all("#status") and "opened" in browser.find("h1").text)


def marks(browser: Browser) -> list[str]:
    """What is written on the board, as shares of actions."""
    drawn = browser.all(".picture svg text")
    return [one.text for one in drawn if one.text.endswith("%")]


def test_a_game_is_reviewed_from_its_page_and_each_choice_is_looked_at(browser: Browser) -> None:
    browser.begin("kuhn", player="tabular")
    while browser.ready() == "Your move.":
        browser.act(lambda: browser.find("#choices button").click())
    browser.find("#judge").click()
    browser.until(lambda: browser.all("#totals"))
    grades = browser.all("ol.events .grade")
    assert grades
    assert {one.text for one in grades} <= {"best", "good", "inaccuracy", "mistake"}
    totals = browser.all("#totals tbody tr") or browser.all("#totals tr")[1:]
    assert [one.text.split()[0] for one in totals] == ["You", "Agent"]
    browser.find("#earlier").click()
    browser.until(lambda: browser.status().startswith("After"))
    assert "taken" in browser.find("#options .taken").text
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    assert not browser.is_wider_than_the_screen()


def test_moves_are_opened_gone_through_searched_and_left(browser: Browser) -> None:
    open_game(browser, TIC_TAC_TOE, "tic_tac_toe")
    assert browser.events() == 5
    browser.all("ol.events a.event")[3].click()
    browser.until(lambda: browser.status() == "After 4 of 5 events.")
    assert len(browser.all("ol.events li.after")) == 1
    table = browser.driver.current_url
    browser.find("#search").click()
    browser.until(lambda: browser.status().startswith("Done."))
    assert browser.find("#board svg")
    assert "100%" in marks(browser) or any(int(one[:-1]) > 50 for one in marks(browser))
    browser.driver.get(table)
    browser.find("#leave").click()
    browser.until(lambda: browser.status() == "Your move.")
    browser.act(lambda: browser.find("g[data-actions='2'] circle:last-child").click())
    assert browser.status().startswith("You win: +1 point")


@pytest.mark.thorough
def test_hints_are_told_and_drawn_until_nobody_wants_them(browser: Browser) -> None:
    browser.begin("tic_tac_toe", player="rollout", history="XX./OO./...")
    browser.find("#hints").click()
    hint = browser.until(lambda: (s := browser.find("#hint").text).startswith("Hint: ") and s)
    assert hint.startswith("Hint: c3")
    assert hint.endswith("to you. Expected: c3.")
    assert marks(browser)
    browser.find("#hints").click()
    browser.until(lambda: not browser.all("#hint"))
    assert not marks(browser)


@pytest.mark.thorough
def test_a_policy_is_marked_on_the_stations_of_a_map(browser: Browser) -> None:
    browser.driver.get(f"{browser.address}/")
    browser.search("glasses")
    assert browser.find("#board").get_attribute("open")
    shares = [int(one[:-1]) for one in marks(browser) if one[:-1].isdigit()]
    assert sum(shares) == pytest.approx(100, abs=len(shares))  # Mr X picks a station to start at


def test_what_a_network_makes_needless_cannot_be_chosen(browser: Browser) -> None:
    browser.driver.get(f"{browser.address}/")
    form = browser.find("form[action='/searches']")
    game, leaves = (Select(form.find_element(By.NAME, name)) for name in ("game", "evaluator"))
    game.select_by_visible_text("agent:leduc")
    field = form.find_element(By.NAME, "evaluator")
    assert not field.is_enabled()
    assert leaves.first_selected_option.text == "the network itself"
    game.select_by_visible_text("kuhn")
    assert field.is_enabled()
    assert leaves.first_selected_option.text == "rollout"


def test_while_the_server_is_down_a_key_leaves_the_position_where_it_is(online: Browser) -> None:
    online.begin("tic_tac_toe")
    conditions = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    online.driver.execute_cdp_cmd("Network.enable", {})
    online.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)
    online.find("body").send_keys("1")
    online.until(lambda: "The server does not respond" in online.find("#no-answer").text)
    assert online.all(".picture svg")
    assert len(online.all("#choices button")) == 9


def letters(browser: Browser, selector: str) -> float:
    """How high the smallest letters of a picture are, in pixels."""
    size = "parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a"
    sizes = f"[...document.querySelectorAll('{selector} text')].map((one) => {size})"
    return float(browser.run(f"return Math.min(...{sizes})"))


@pytest.mark.thorough
def test_a_choice_that_is_judged_fits_a_phone(browser: Browser) -> None:
    text = "WWWWWWWW" * 3
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    open_game(browser, TIC_TAC_TOE, "tic_tac_toe")
    browser.find("#judge").click()
    browser.until(lambda: browser.all("#totals"))
    assert letters(browser, "#worth") >= 10
    browser.all("ol.events a.event")[2].click()
    browser.until(lambda: browser.status() == "After 3 of 5 events.")
    cell = browser.find("#options .taken th")
    assert cell.text == "b3"
    browser.run("arguments[0].textContent = arguments[1]", cell, text)  # as names of stations
    assert not browser.is_wider_than_the_screen()
    browser.driver.get(f"{browser.address}/")
    assert not browser.is_wider_than_the_screen()
    right = "getBoundingClientRect().right"
    fields = "[...document.querySelectorAll('section :is(input, select, textarea)')]"
    sticks_out = f"(one) => one.{right} > one.closest('section').{right}"
    assert browser.run(f"return {fields}.filter({sticks_out}).map((one) => one.id)") == []


def test_a_step_through_a_game_leaves_the_page_where_it_is(browser: Browser) -> None:
    open_game(browser, TIC_TAC_TOE, "tic_tac_toe")
    low = {**PHONE, "height": 400}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", low)
    at = browser.run("scrollTo(0, 300); return scrollY")
    assert at > 200

    def step(way: str, events: int) -> None:
        browser.run("document.getElementById(arguments[0]).click()", way)
        browser.until(lambda: browser.status() == f"After {events} of 5 events.")
        assert browser.run("return scrollY") == at

    step("earlier", 4)
    step("earlier", 3)
    step("later", 4)
    browser.driver.back()
    browser.until(lambda: browser.status() == "After 3 of 5 events.")


def test_where_a_page_is_stays_said_when_it_was_not_loaded_anew(browser: Browser) -> None:
    def where() -> str:
        return browser.find("header").text

    browser.begin("kuhn")
    assert where().split() == ["sog", "\u203a", "kuhn"]
    browser.driver.get(f"{browser.address}/")
    assert where() == "sog"
    browser.search("kuhn")
    assert "search" in where()


@pytest.mark.thorough
def test_all_columns_of_a_board_can_be_seen_on_a_desk(browser: Browser) -> None:
    browser.driver.get(f"{browser.address}/")
    browser.search("connect_four")
    (box,) = browser.all("#ranges .scroll")
    assert len(box.find_elements(By.CSS_SELECTOR, "th.barred")) == 7
    assert browser.run("return arguments[0].scrollWidth <= arguments[0].clientWidth", box)


@pytest.mark.slow
def test_londons_map_can_be_read_on_a_desk_and_on_a_phone(browser: Browser) -> None:
    browser.begin("london", seat=1)

    def smallest() -> float:
        height = "one.getBoundingClientRect().height"
        letters = f"[...document.querySelectorAll('.picture svg text')].map((one) => {height})"
        return float(browser.run(f"return Math.min(...{letters})"))

    assert smallest() > 8.5
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    assert smallest() > 8.5
    assert not browser.is_wider_than_the_screen()
