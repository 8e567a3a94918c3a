"""Spots of hold'em in a real browser: cards and ranges by clicking and dragging, and the walk."""

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.web.chromium import PHONE, Browser

LINK = (
    "/spots/new?board=Ts3h2h5c9s&pot=100&stack=100&bets=allin&raises=same&caps=none"
    "&range0=AA,QQ&range1=KK&until=0.05"
)


PARTS = ":is(button:not(.hand, .card), input, textarea, a.action, svg[role])"


@pytest.fixture
def form(browser: Browser) -> Browser:
    browser.driver.get(browser.address + LINK)
    ready(browser)
    return browser


def ready(browser: Browser) -> None:
    """Once both squares show what the texts say."""
    browser.until(lambda: "%" in browser.find("#range1-share").text)
    browser.until(lambda: "%" in browser.find("#range0-share").text)


def hand(browser: Browser, name: str, player: int = 0) -> WebElement:
    return browser.find(f"[data-range='range{player}'] [data-hand='{name}']")


def weight(browser: Browser, name: str, player: int = 0) -> float:
    return float(hand(browser, name, player).get_attribute("data-weight") or "nan")


def text(browser: Browser, player: int = 0) -> str:
    return browser.find(f"#range{player}").get_attribute("value") or ""


def solve(browser: Browser) -> None:
    browser.find("#solve").click()
    browser.until(lambda: browser.status().startswith("Solved."))


def test_a_board_is_put_together_by_clicking_on_cards(form: Browser) -> None:
    board = form.find("#board")
    form.find("[data-card='9s']").click()
    assert board.get_attribute("value") == "Ts3h2h5c"
    for name in ("Ad", "Ac"):  # there is room for one
        form.find(f"[data-card='{name}']").click()
    assert board.get_attribute("value") == "Ts3h2h5cAd"
    assert "board=Ts3h2h5cAd" in form.driver.current_url
    board.clear()
    board.send_keys("KsQs2d")
    pressed = [one.get_attribute("data-card") for one in form.all("[aria-pressed='true']")]
    assert pressed == ["Ks", "Qs", "2d"]


def test_a_range_is_painted_by_clicking_and_by_dragging_with_a_weight(form: Browser) -> None:
    assert (weight(form, "AA"), weight(form, "QQ"), weight(form, "JJ")) == (1, 1, 0)
    hand(form, "JJ").click()
    form.until(lambda: text(form) == "AA,QQ-JJ")
    hand(form, "AA").click()  # it has the weight already: it is taken out
    form.until(lambda: text(form) == "QQ-JJ")
    form.find("#weight").send_keys(Keys.ARROW_LEFT * 10)
    assert form.find("#weight-told").text == "50%"
    chain = webdriver.ActionChains(form.driver)
    chain.click_and_hold(hand(form, "AKs")).move_to_element(hand(form, "AQs"))
    chain.move_to_element(hand(form, "AJs")).release().perform()
    form.until(lambda: text(form) == "QQ-JJ,AJs+:0.5")
    assert weight(form, "AQs") == 0.5
    assert weight(form, "QQ", player=1) == 0
    assert "range0=QQ-JJ" in form.driver.current_url


def test_a_range_is_painted_with_the_keyboard(form: Browser) -> None:
    form.run("arguments[0].focus()", hand(form, "AA"))
    webdriver.ActionChains(form.driver).send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, " ").perform()
    form.until(lambda: text(form) == "QQ+")


def test_a_range_is_typed_or_pasted_and_a_mistake_is_told_beside_it(form: Browser) -> None:
    field = form.find("#range0")
    field.clear()
    field.send_keys("22+,AQs+,KQo@0.5")
    form.until(lambda: weight(form, "KQo") == 0.5)
    assert (weight(form, "22"), weight(form, "AKs"), weight(form, "AJs")) == (1, 1, 0)
    field.send_keys(",KZ")
    form.until(lambda: "'KZ'" in form.find("#range0-problem").text)
    assert weight(form, "22") == 1
    field.send_keys(Keys.BACKSPACE * 3)
    form.until(lambda: not form.find("#range0-problem").text)
    form.find("[data-fill='range1'][data-text='100%']").click()
    form.until(lambda: text(form, player=1) == "100%")
    form.until(lambda: weight(form, "72o", player=1) == 1)


def test_a_mistake_in_the_form_loses_nothing_and_the_form_goes_on(form: Browser) -> None:
    form.find("[name='pot']").clear()
    form.find("#solve").click()
    form.until(lambda: "Pot: a whole number" in form.find("#problem").text)
    assert form.run("return document.getElementById('problem').getBoundingClientRect().top") > 0
    ready(form)
    assert text(form) == "AA,QQ"
    assert weight(form, "QQ") == 1
    form.find("[name='pot']").send_keys("100")
    solve(form)
    assert "400" in form.problems()[0]


def test_a_spot_is_solved_and_walked_by_clicking(form: Browser) -> None:
    solve(form)
    assert "?" not in form.driver.current_url
    assert form.run("return scrollY") == 0
    actions = form.all("a.action")
    assert [one.text.split()[0] for one in actions] == ["check", "all-in"]
    actions[1].click()
    form.until(lambda: form.all("a.action") and form.all("a.action")[0].text.startswith("fold"))
    assert "at=allin100" in form.driver.current_url
    kings = form.find(".player1 a[data-hands='KK']")
    form.run(
        "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))",
        kings,
    )
    rows = form.until(lambda: form.all("#combos .player1 tbody tr"))
    form.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    assert not form.hides_columns()
    form.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert len(rows) == 6
    assert "50%" in rows[0].text
    form.find(".view:nth-of-type(3)").click()
    form.until(lambda: "show=equity" in form.driver.current_url)
    form.driver.back()
    form.until(lambda: "show=equity" not in form.driver.current_url)
    form.find(".way a").click()
    form.until(lambda: form.all("a.action")[0].text.startswith("check"))
    form.find("#change").click()
    form.until(lambda: text(form) == "AA,QQ")


def test_a_spot_is_solved_and_walked_without_scripts(browser: Browser) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.driver.get(browser.address + LINK)
    browser.find("#range1").clear()
    browser.find("#range1").send_keys("KK,JJ:0")
    browser.find("#solve").click()
    browser.until(lambda: browser.status().startswith("Solved."))
    browser.all("a.action")[0].click()
    browser.until(lambda: "check" in browser.find(".way strong").text)
    assert browser.find(".player1 a[data-hands='KK']")


def test_a_phone_shows_a_spot_without_scrolling_sideways_and_is_painted_by_a_finger(
    form: Browser,
) -> None:
    form.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**PHONE, "width": 390})
    form.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    form.driver.get(form.address + LINK)
    ready(form)
    assert not form.is_wider_than_the_screen()
    form.run("arguments[0].scrollIntoView({block: 'center'})", hand(form, "TT"))
    places = [
        form.run(
            "const r = arguments[0].getBoundingClientRect();"
            "return {x: r.x + r.width / 2, y: r.y + r.height / 2}",
            hand(form, name),
        )
        for name in ("99", "98s", "97s")
    ]
    for kind, points in (
        ("touchStart", places[:1]),
        ("touchMove", places[1:2]),
        ("touchMove", places[2:]),
        ("touchEnd", []),
    ):
        form.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
        )
    form.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    form.until(lambda: text(form) == "AA,QQ,99,97s+")
    solve(form)
    assert not form.is_wider_than_the_screen()


def test_every_part_of_a_spot_has_a_name_for_those_who_do_not_see_it(form: Browser) -> None:
    assert form.nameless(f"main {PARTS}") == []
    assert hand(form, "AA").accessible_name == "AA 100%"
    assert form.find("[data-card='As']").accessible_name == "As"
    solve(form)
    assert form.nameless(f"main {PARTS}") == []


def test_a_hand_of_holdem_is_played_with_its_cards_stacks_and_sizes(browser: Browser) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**PHONE, "width": 390})
    browser.begin("holdem", seat=1)  # the dealer, who is first to act
    drawn = browser.find(".picture svg").text
    assert "19,950 behind" in drawn
    assert "pot 150" in drawn
    assert [one.text[2:] for one in browser.all("#choices button")] == [
        *("fold", "call", "raise 200", "raise 300", "allin 20000"),
    ]
    assert not browser.is_wider_than_the_screen()
    while browser.ready() == "Your move.":
        browser.act(lambda: browser.all("#choices button")[1].click())
    assert "1 game" in browser.find("#score").text
