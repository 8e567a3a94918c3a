"""From a game to its analysis in a real browser, where there is one: reviews, hints, searches."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from tests.web.chromium import PHONE, Browser

TIC_TAC_TOE = "a3 a2 b3 b2 c1"  # X does not win with c3


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
    browser.until(lambda: "opened" in browser.find("h1").text)


def marks(browser: Browser) -> list[str]:
    """What is written on the board, as shares of actions."""
    drawn = browser.all(".picture svg text")
    return [one.text for one in drawn if one.text.endswith("%")]


def test_a_game_is_reviewed_from_its_page_and_each_choice_is_looked_at(browser: Browser) -> None:
    browser.begin("kuhn", player="tabular")
    while browser.ready() == "Your move.":
        browser.act(lambda: browser.find("#choices button").click())
    browser.find("#judge").click()
    browser.until(lambda: browser.all("#worth svg"))
    grades = browser.all("ol.events .grade")
    assert grades
    assert {one.text for one in grades} <= {"best", "good", "inaccuracy", "mistake"}
    totals = browser.all("#totals tbody tr") or browser.all("#totals tr")[1:]
    assert [one.text.split()[0] for one in totals] == ["You", "Agent"]
    browser.find("#earlier").click()
    browser.until(lambda: browser.all("#options tr"))
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


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("gardner_chess", "R1k2/5/2K2/5/5 b - - 0 1"),
        ("go5", "(;FF[4]GM[1]SZ[5];B[cc];W[bb])"),
    ],
)
def test_positions_and_records_as_people_write_them_are_opened(
    browser: Browser, game: str, text: str
) -> None:
    open_game(browser, text, game)
    assert browser.all(".picture svg")
    assert browser.events() == (2 if game == "go5" else 0)


def test_a_file_that_the_browser_saved_is_opened_by_it(browser: Browser) -> None:
    browser.begin("kuhn")
    while browser.ready() == "Your move.":
        browser.act(lambda: browser.find("#choices button").click())
    link = browser.driver.current_url + "/replay.json"
    text = browser.run("return fetch(arguments[0]).then((answer) => answer.text())", link)
    events = browser.events()
    browser.driver.get(f"{browser.address}/")
    browser.run("arguments[0].value = arguments[1]", browser.find("#opened-text"), text)
    browser.find("#open-form button").click()
    browser.until(lambda: "opened" in browser.find("h1").text)
    assert browser.events() == events


def test_hints_are_told_and_drawn_until_nobody_wants_them(browser: Browser) -> None:
    browser.begin("tic_tac_toe", player="rollout", history="XX./OO./...")
    browser.find("#hints").click()
    browser.until(lambda: browser.find("#hint").text.startswith("Hint: c3"))
    assert marks(browser)
    browser.find("#hints").click()
    browser.until(lambda: not browser.all("#hint"))
    assert not marks(browser)


def test_a_search_that_has_used_its_room_goes_on(browser: Browser) -> None:
    browser.driver.get(f"{browser.address}/")
    browser.search("kuhn")
    field = browser.find("#more-simulations")
    field.clear()
    field.send_keys("10")
    browser.find("#more").click()
    browser.until(lambda: "Update 30 of 30" in browser.status())
    browser.until(lambda: browser.status().startswith("Done."))


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
    online.until(lambda: "The server does not answer" in online.find("#no-answer").text)
    assert online.all(".picture svg")
    assert len(online.all("#choices button")) == 9


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
