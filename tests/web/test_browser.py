"""The pages in a real browser, where there is one."""

import functools

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from tests.web.chromium import PHONE, Browser


@pytest.mark.parametrize("game", ["liars_dice", "tic_tac_toe", "glasses"])
def test_a_whole_game_is_played_by_clicking(browser: Browser, game: str) -> None:
    browser.begin(game)
    assert browser.all(".picture svg")
    for moves in browser.all("#all-choices summary"):
        moves.click()  # which are shown from then on
    while browser.ready() == "Your move.":
        browser.act(lambda: browser.find("#choices button").click())
    assert "in 1 game: " in browser.find("#score").text


def test_stones_are_put_by_clicking_on_the_board(browser: Browser) -> None:
    browser.begin("tic_tac_toe")
    middle = "g[data-actions='4'] circle:last-child"
    browser.act(lambda: browser.find(middle).click())
    assert not browser.all(middle)  # it is taken
    assert "b2" in browser.find("ol.events > li").text


def test_the_stone_that_would_come_is_shown_where_one_points_or_keys_have_come_to(
    browser: Browser,
) -> None:
    def coming() -> list[str]:
        drawn = [one for one in browser.all("g.choice") if one.find_elements(*stone)]
        return [told(one) for one in drawn if one.find_element(*stone).is_displayed()]

    stone = (By.CSS_SELECTOR, ".coming")
    browser.begin("go5", history="C3 A4 C2 B5")
    assert coming() == []
    point = browser.find("g[data-actions='8'] rect")
    ActionChains(browser.driver).move_to_element(point).perform()
    assert coming() == ["D4"]
    ActionChains(browser.driver).move_to_element(browser.find("h1")).perform()
    browser.find("#all-choices summary").click()
    browser.find("#action-6").send_keys(Keys.ARROW_RIGHT)
    assert coming() == ["C4"]
    assert browser.find("g.pointed").get_attribute("data-actions") == "7"
    browser.find("h1").click()
    assert coming() == []
    browser.act(lambda: browser.find("#action-7").send_keys(Keys.ENTER))
    assert coming() == []  # no key plays a move that nobody chose


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_a_pass_beside_a_large_board_is_large_enough_for_a_finger(
    browser: Browser, width: int
) -> None:
    screen = {**PHONE, "width": width, "mobile": width < 1000}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.begin("go19")
    targets = browser.all("[data-actions='361'] rect, #action-361")
    assert targets
    assert all(min(one.rect["height"], one.rect["width"]) >= 44 for one in targets)
    browser.act(targets[0].click)
    assert "pass" in browser.find("ol.events").text


def square(browser: Browser, name: str) -> WebElement:
    """A square of a board on which pieces are moved, by what pointing at it shows."""
    drawn = browser.all("g.square")
    told = [one.find_element(By.TAG_NAME, "title").get_attribute("textContent") for one in drawn]
    at = next(number for number, text in enumerate(told) if (text or "").startswith(name))
    return drawn[at].find_element(By.TAG_NAME, "rect")


def shown_ends(browser: Browser) -> int:
    """How many squares are marked as those where the piece that is held may go."""
    return len(browser.all("g.square.target"))


def test_pieces_are_moved_by_two_clicks_and_by_dragging(browser: Browser) -> None:
    browser.begin("gardner_chess")
    square(browser, "b1").click()
    assert shown_ends(browser) == 2
    square(browser, "b1").click()  # put back
    assert shown_ends(browser) == 0
    square(browser, "b1").click()
    browser.act(lambda: square(browser, "c3").click())
    assert "b1c3" in browser.find("ol.events > li").text

    def drag() -> None:
        chain = webdriver.ActionChains(browser.driver)
        start, end = square(browser, "e1"), square(browser, "d1")
        chain.drag_and_drop(start, end).perform()  # no move of the king: it goes back
        pawn = next(one for one in browser.all("g.square.start") if "pawn" in told(one))
        (goal,) = (pawn.get_attribute("data-moves") or "").split(" ")[:1]
        end = browser.find(f"g[data-cell='{goal.split(':')[0]}'] rect")
        chain.drag_and_drop(pawn.find_element(By.TAG_NAME, "rect"), end).perform()

    browser.act(drag)


def told(drawn: WebElement) -> str:
    return drawn.find_element(By.TAG_NAME, "title").get_attribute("textContent") or ""


def test_what_a_pawn_becomes_is_chosen_from_a_menu(browser: Browser) -> None:
    browser.begin("gardner_chess", history="b2b3 b5c3 b3c4 c3b1")
    square(browser, "c4").click()
    square(browser, "d5").click()
    choices = browser.all(".menu button")
    assert [one.text for one in choices] == ["c4d5q", "c4d5r", "c4d5b", "c4d5n"]
    browser.act(lambda: choices[1].click())
    assert "c4d5r" in browser.find("ol.events").text
    assert not browser.all(".menu")


def test_the_map_is_played_by_clicking_on_stations(browser: Browser) -> None:
    browser.begin("glasses", seat=0)
    station = browser.find("g.station.choice")
    name = (station.get_attribute("id") or "").removeprefix("station-")
    browser.act(lambda: station.find_element(By.CSS_SELECTOR, "text").click())
    assert f"to {name}" in browser.find("ol.events").text


@pytest.mark.parametrize("game", ["leduc", "liars_dice", "connect_four", "glasses"])
def test_a_phone_shows_everything_without_scrolling_sideways(browser: Browser, game: str) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    browser.driver.get(f"{browser.address}/")
    assert not browser.is_wider_than_the_screen()
    browser.begin(game)
    assert not browser.is_wider_than_the_screen()
    assert all(button.size["height"] >= 30 for button in browser.all("button"))


def test_a_game_is_begun_and_played_with_the_keyboard_only(browser: Browser) -> None:
    def press(*keys: str) -> None:
        webdriver.ActionChains(browser.driver).send_keys(*keys).perform()

    def focused() -> WebElement:
        return browser.driver.switch_to.active_element

    for _ in range(30):  # to the button of the first form, through all of its fields
        press(Keys.TAB)
        if focused().tag_name == "button" and focused().text == "Play":
            break
        if focused().get_attribute("name") == "game":
            press("kuhn")
            browser.until(lambda: not browser.find("option[title*='perfect']").is_enabled())
        if focused().get_attribute("name") == "player":
            press("random")
        if focused().get_attribute("name") == "seat":
            press("player 0")
    press(Keys.ENTER)
    browser.ready()
    assert "against random" in browser.find("h1").text
    assert focused().find_element(By.XPATH, "ancestor::form").get_attribute("id") == "choices"
    press(Keys.ARROW_RIGHT)
    assert focused() == browser.all("#choices button")[1]
    browser.act(lambda: press(Keys.ENTER))
    while browser.ready() == "Your move.":
        browser.act(lambda: press("1"))
    assert focused().get_attribute("id") == "again"
    press(Keys.ENTER)
    browser.until(lambda: "You are player 1." in browser.find("main").text)


def test_every_field_and_button_has_a_name_for_those_who_do_not_see_it(browser: Browser) -> None:
    parts = "main button, main input, main select, main a, svg[role]"
    assert browser.nameless(parts) == []
    browser.begin("leduc")
    assert browser.nameless(parts) == []


def test_a_game_is_played_without_scripts(browser: Browser) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.begin("kuhn")
    while browser.ready() == "Your move.":
        browser.act(lambda: browser.find("#choices button").click())
    assert "in 1 game: " in browser.find("#score").text


def test_a_preparation_is_cancelled_by_its_button(browser: Browser) -> None:
    browser.send("leduc", "outcome_sampling")  # which learns for minutes
    cancel = browser.until(lambda: browser.find("#cancel"))
    assert "games: leduc, outcome_sampling" in browser.find("h1").text
    cancel.click()
    browser.until(lambda: browser.all("form[action='/games']"))
    browser.begin("leduc")  # the same game: it waits for nothing any more


def test_two_tabs_of_one_game_never_lose_a_move(browser: Browser) -> None:
    browser.begin("tic_tac_toe")
    first, path = browser.driver.current_window_handle, browser.driver.current_url
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(path)
    browser.act(lambda: browser.find("#action-4").click())
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.find("#action-0").click()
    browser.until(lambda: "The game has moved on since" in browser.find("main").text)
    assert "409" in browser.problems()[0]
    browser.find("main a").click()
    assert browser.until(browser.events) == 2


def test_a_search_is_looked_into_and_its_ranges_set(browser: Browser) -> None:
    browser.search("kuhn")
    box = browser.all("#tree-picture g.node")[1]
    box.find_element(By.CSS_SELECTOR, "text").click()
    browser.until(lambda: "check" in browser.find("#state").text)
    browser.driver.back()
    browser.until(lambda: browser.find("#state").text.startswith("start"))
    for card, weight in enumerate(("0", "0", "1")):
        field = browser.find(f"#range-0-{card}")
        field.clear()
        field.send_keys(weight)
    browser.find("#set-ranges").click()
    browser.until(lambda: "before the ranges were set" in browser.find("main").text)
    set_media = functools.partial(browser.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia")
    ground = "return getComputedStyle(document.querySelector('#tree-picture rect')).fill"
    assert browser.run(ground) == "rgb(255, 255, 255)"
    set_media({"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    assert browser.run(ground) != "rgb(255, 255, 255)"
    set_media({"features": []})
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    assert not browser.hides_columns()
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.until(lambda: browser.status().startswith("Done."))
    row = browser.all(".player0 tbody tr")[2]
    assert row.text.startswith("K 100% 33%")
    browser.find("#solve").click()
    browser.until(lambda: "CFR+ over all 9 public states" in browser.find("main").text)


@pytest.mark.thorough
def test_a_strategy_is_painted_and_searched_against(browser: Browser) -> None:
    browser.search("kuhn")
    next(one for one in browser.all("a[data-to]") if one.text == "bet1").click()
    browser.until(lambda: browser.find("#state").text.startswith("bet1"))
    browser.find("#lock-editor summary").click()
    fold, call = 0, 1  # columns: he folds everything
    for column, weight in ((fold, "100"), (call, "0")):
        Select(browser.find("#brush-lock")).select_by_value(weight)
        drag(browser, "#lock-editor", column)
    fields = browser.all("#lock-editor input[type='number']")
    assert [one.get_attribute("value") for one in fields] == ["100", "0"] * 3
    browser.find("#set-lock").click()
    browser.until(lambda: "Locked: bet1" in browser.find("#price").text)
    browser.until(lambda: browser.status().startswith("Done."))
    assert "With that, player 1 gets" in browser.find("#price").text
    assert browser.find("#locks").get_attribute("value") == "bet1: fold=1"
    browser.find("#locks").clear()
    browser.find("#set-locks").click()
    browser.until(lambda: not browser.all("#price"))
    assert browser.problems() == []


def drag(browser: Browser, table: str, column: int) -> None:
    """From the first row of a column to the last, as a quick hand does."""
    rows = browser.all(f"{table} tbody tr")
    first, last = (
        row.find_elements(By.CSS_SELECTOR, "input[type='number']")[column]
        for row in (rows[0], rows[-1])
    )
    browser.run("arguments[0].scrollIntoView({block: 'center'})", first)
    actions = ActionChains(browser.driver)
    actions.move_to_element(first).click_and_hold().move_to_element(last).release().perform()


def test_ranges_are_painted_and_pasted_as_text(browser: Browser) -> None:
    browser.search("kuhn")

    def weights(player: int) -> list[str | None]:
        return [browser.find(f"#range-{player}-{n}").get_attribute("value") for n in range(3)]

    Select(browser.find("#brush-ranges")).select_by_value("50")
    drag(browser, "#ranges .player0", 0)
    assert weights(0) == ["50"] * 3
    browser.find("#as-text summary").click()
    text = browser.find("#text-of-0")
    assert text.get_attribute("value") == "J: 50\nQ: 50\nK: 50"
    other = browser.find("#text-of-1")
    other.clear()
    other.send_keys("J: 0\nQ: 1\nK: 0.5")
    assert weights(1) == ["0", "1", "0.5"]
    other.clear()
    other.send_keys("A: 1")
    assert browser.run("return arguments[0].validationMessage", other).endswith("A: 1")
    other.clear()
    other.send_keys("J: 0\nQ: 1\nK: 0")
    browser.find("#set-ranges").click()
    browser.until(lambda: "before the ranges were set" in browser.find("main").text)
    assert "100%" in browser.all("#ranges .player1 tbody tr")[1].text
