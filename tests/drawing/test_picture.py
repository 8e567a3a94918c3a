"""Pictures of games: what is on them, and what is not to be seen."""

import dataclasses
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from sog.drawing.board import draw_board
from sog.drawing.curves import draw_curves
from sog.drawing.picture import Look, draw_picture
from sog.games import make
from sog.games.core import TERMINAL
from sog.games.views import BoardView
from sog.play.rules import after, first_state, situation

SVG = "{http://www.w3.org/2000/svg}"


def state_after(game: Any, *outcomes: int) -> Any:
    state = first_state(game)
    for outcome in outcomes:
        state = after(game, state, outcome)
    return state


def drawn(text: str, *outcomes: int, **options: Any) -> ElementTree.Element:
    game = make(text)
    look = Look(**{name: options.pop(name) for name in ("names", "bottom") if name in options})
    picture = draw_picture(game, state_after(game, *outcomes), look=look, **options)
    assert picture is not None
    return ElementTree.fromstring(picture)


def titles(root: ElementTree.Element) -> list[str]:
    return [title.text or "" for title in root.iter(f"{SVG}title")]


def words(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def choices(root: ElementTree.Element) -> set[int]:
    """The actions that can be clicked."""
    found = (group.get("data-actions", "") for group in root.iter(f"{SVG}g"))
    return {int(action) for text in found for action in text.split()}


def test_a_hand_of_leduc_shows_its_cards_chips_and_names() -> None:
    # check, bet 2, call, the queen of hearts, bet 4; cards 0 to 5 are Js Jh Qs Qh Ks Kh.
    root = drawn("leduc", 1, 2, 1, 3, 2, infostates=(4, None), names=("You", "zero"))
    shown = titles(root)
    assert shown.count("Ks") == shown.count("Qh") == shown.count("a hidden card") == 1
    assert not {"Js", "Jh", "Qs", "Kh"} & set(shown)
    assert {"You: 7 chips put in", "zero: 3 chips put in"} <= set(shown)
    assert {"pot 10", "You", "zero", "to act"} <= set(words(root))


def test_a_hand_of_holdem_shows_both_cards_the_board_and_the_pot() -> None:
    """Hand 0 is a pair of twos; action 2 a bet of half the pot."""
    spot = "holdem(board=KsTh7s4d2c,pot=100,stack=200)"
    root = drawn(spot, 2, infostates=(0, None), names=("You", "zero"))
    shown = titles(root)
    assert {"Ks", "Th", "7s", "4d", "2c", "2s", "2h", "You: 50 chips put in"} <= set(shown)
    assert shown.count("a hidden card") == 2
    assert {"pot 150", "You", "zero", "to act"} <= set(words(root))


def test_stacks_and_the_button_of_holdem_are_shown_and_chips_are_in_proportion() -> None:
    root = drawn(
        "holdem(deals=none,stack=20000)", 1, 4, infostates=(0, None), names=("You", "zero")
    )
    assert "the dealer" in titles(root)
    assert {"0 behind", "19,900 behind", "pot 20,100", "100 chips"} <= set(words(root))
    rows = {
        (group.findtext(f"{SVG}title") or ""): len(list(group.iter(f"{SVG}circle"))) // 2
        for group in root.iter(f"{SVG}g")
    }
    assert rows["You: 20,000 chips put in"] == 12
    assert rows["zero: 100 chips put in"] == 1


def test_one_who_has_folded_is_told() -> None:
    assert "player 0, folded" in words(drawn("kuhn", 1, 2, 0))


def test_dice_under_the_cup_are_not_in_the_picture() -> None:
    game = make("liars_dice(dice=2,faces=6)")
    hands = [game.describe_infostate(first_state(game), 0, hand) for hand in range(21)]
    mine = hands.index("3 5")
    root = drawn("liars_dice(dice=2,faces=6)", 2, 7, infostates=(mine, None), choices=[8, 9])
    assert "dice of player 0: 3 5" in titles(root)
    assert "dice of player 1: hidden" in titles(root)
    assert words(root).count("?") == 2
    assert choices(root) == {8, 9}
    assert "last bid: 2 \u00d7 2" in words(root)


def test_every_legal_move_can_be_clicked_on_the_board_and_no_other() -> None:
    assert choices(drawn("tic_tac_toe", 4, 0, choices=[1, 2, 3, 5, 6, 7, 8])) == {
        1, 2, 3, 5, 6, 7, 8,
    }  # fmt: skip
    assert choices(drawn("tic_tac_toe", 4, 0)) == set()
    # Six stones fill column 4 of Connect Four: its number cannot be clicked any more.
    full = drawn("connect_four", *[3] * 6, choices=[0, 1, 2, 4, 5, 6])
    assert choices(full) == {0, 1, 2, 4, 5, 6}


def test_the_stones_of_the_line_that_has_won_are_marked() -> None:
    # X on the top row: a3 b3 c3 are cells 0, 1, 2.
    root = drawn("tic_tac_toe", 0, 3, 1, 4, 2)
    marked = [circle for circle in root.iter(f"{SVG}circle") if circle.get("stroke-width") == "6"]
    assert len(marked) == 3
    assert len({circle.get("cy") for circle in marked}) == 1


def test_a_bid_card_can_be_clicked_and_point_cards_name_their_winner() -> None:
    # Player 0 bids 4 (hidden), player 1 bids 1: the first point card goes to player 0.
    game = make("goofspiel")
    state = state_after(game, 0)
    outcome = int(np.flatnonzero(situation(game, state).legal_outcomes).tolist()[12])
    state = after(game, state, outcome)
    picture = draw_picture(game, state, choices=[0, 1, 2], look=Look(names=("You", "zero")))
    assert picture is not None
    root = ElementTree.fromstring(picture)
    assert choices(root) == {0, 1, 2}
    assert words(root).count("You") == 1


def test_a_station_that_several_tickets_lead_to_has_all_of_their_actions() -> None:
    game = make("glasses")
    state = first_state(game)
    mask = situation(game, state).infostate_mask[0]
    here = int(np.flatnonzero(mask)[0])
    legal = np.flatnonzero(situation(game, state).legal_actions[here]).tolist()
    picture = draw_picture(game, state, infostates=(here, None), choices=legal)
    assert picture is not None
    assert choices(ElementTree.fromstring(picture)) == set(legal)
    assert choices(drawn("glasses", choices=legal)) == set()  # nobody may know where he is


@pytest.mark.parametrize(
    "text", ["kuhn", "leduc", "generic_poker", "liars_dice", "goofspiel", "ii_goofspiel",
             "tic_tac_toe", "connect_four", "hex(size=3)", "othello(size=4)", "glasses",
             "holdem(board=KsTh7s4d2c,pot=100,stack=200)"]
)  # fmt: skip
def test_pictures_hold_no_style_sheet_and_no_script_to_the_end_of_a_game(text: str) -> None:
    game = make(text)
    state = first_state(game)
    while True:
        now = situation(game, state)
        picture = draw_picture(game, state)
        assert picture is not None
        assert not re.search(r"<style|<script|style=|\bon\w+=|href", picture)
        ElementTree.fromstring(picture)
        if now.actor == TERMINAL:
            return
        state = after(game, state, int(np.flatnonzero(now.legal_outcomes)[-1]))


def test_a_piece_that_is_no_stone_shows_its_letter() -> None:
    game = make("tic_tac_toe")
    shown = game.view(state_after(game, 4))
    assert isinstance(shown, BoardView)
    view = dataclasses.replace(shown, pieces={4: (0, "K")})
    assert "K" in words(ElementTree.fromstring(draw_board(view, Look())))


def test_a_game_without_a_picture_has_none() -> None:
    game = make("rps")
    assert draw_picture(game, first_state(game)) is None


# Curves.


def curve_points(picture: str) -> list[list[tuple[float, float]]]:
    root = ElementTree.fromstring(picture)
    return [
        [
            (float(x), float(y))
            for x, y in (pair.split(",") for pair in line.get("points", "").split())
        ]
        for line in root.iter(f"{SVG}polyline")
    ]


def test_a_tenfold_fall_is_the_same_height_everywhere_on_a_logarithmic_axis() -> None:
    (points,) = curve_points(draw_curves("t", [("a", [(0, 1), (5, 0.1), (10, 0.01)])], x_label="x"))
    (x0, y0), (x1, y1), (x2, y2) = points
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y1 - y0 == pytest.approx(y2 - y1, abs=0.2)
    assert y0 < y1  # SVG counts down


def test_what_is_not_a_number_is_left_out_and_nothing_is_told() -> None:
    picture = draw_curves("t", [("a", [(0, float("nan")), (1, 2.0), (2, 4.0)])], x_label="x")
    assert len(curve_points(picture)[0]) == 2
    assert "not measured yet" in draw_curves("t", [("a", [])], x_label="x")


@pytest.mark.parametrize("values", [[0.0, 0.0], [-1.0, 2.0], [3.0], [1e-9, 1e9], [5.0, 5.0]])
def test_curves_of_any_values_stay_inside_the_picture(values: list[float]) -> None:
    points = list(enumerate(values))
    for x, y in curve_points(draw_curves("t", [("a", points)], x_label="x"))[0]:
        assert 0 <= x <= 560
        assert 0 <= y <= 300


def test_a_long_curve_is_thinned_and_keeps_its_last_point() -> None:
    points = [(float(step), 1.0 + step) for step in range(10_000)]
    picture = draw_curves("t", [("a", points)], x_label="x")
    assert len(curve_points(picture)[0]) <= 601
    assert "a: 1e+04" in picture


def labels(picture: str, anchors: tuple[str, ...]) -> list[str]:
    """The labels below a curve (y > 270), or beside it."""
    texts = ElementTree.fromstring(picture).iter(f"{SVG}text")
    is_below = anchors != ("end",)
    return [
        text.text or ""
        for text in texts
        if text.get("text-anchor") in anchors
        and (float(text.get("x", 0)) < 74) != is_below
        and (float(text.get("y", 0)) == 278) == is_below
    ]


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize(
    "high", [1.003, 1.04, 1.2, 1.7, 2, 3, 4, 5, 5.9, 6.5, 7, 8, 9, 9.5, 10, 14]
)
def test_an_axis_of_values_of_any_span_has_labels(high: float, is_log: bool) -> None:
    for scale in (1e-3, 1.0, 70.0):
        curve = [(0.0, scale if is_log else -0.6 * scale), (1.0, scale * high)]
        picture = draw_curves("t", [("a", curve)], x_label="x", may_be_log=is_log)
        assert 2 <= len(set(labels(picture, ("end",)))) <= 12


@pytest.mark.parametrize(
    ("last", "expected"), [(2, ["1", "2"]), (3, ["1", "2", "3"]), (6, ["1", "3", "6"])]
)
def test_every_label_of_a_step_is_below_that_step(last: int, expected: list[str]) -> None:
    picture = draw_curves("t", [("a", [(n, float(n)) for n in range(1, last + 1)])], x_label="x")
    assert labels(picture, ("start", "middle", "end")) == expected
    texts = list(ElementTree.fromstring(picture).iter(f"{SVG}text"))
    places = {text.text: float(text.get("x", 0)) for text in texts if text.get("y") == "278.0"}
    points = curve_points(picture)[0]
    assert [places[label] for label in expected] == [
        pytest.approx(points[int(label) - 1][0], abs=0.1) for label in expected
    ]
