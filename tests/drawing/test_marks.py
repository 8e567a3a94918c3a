"""Policies and values on boards and maps."""

import math
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from sog.drawing.marks import COLOR, TAKEN, Mark, Marks, read_marks
from sog.drawing.picture import Look, draw_picture
from sog.games import make
from sog.games.views import PASS
from tests.drawing.test_picture import SVG, titles, words


def marks_of(game: Any, state: Any, shares: dict[int, float], **more: Any) -> Marks:
    policy = np.zeros((1, game.num_actions))
    policy[0, list(shares)] = list(shares.values())
    return read_marks(game, state, policy, np.ones(1), **more)


def drawn(game: Any, state: Any, marks: Marks, **more: Any) -> ElementTree.Element:
    picture = draw_picture(game, state, look=Look(marks=marks), **more)
    assert picture is not None
    return ElementTree.fromstring(picture)


def test_a_column_is_marked_where_the_piece_lands() -> None:
    game = make("connect_four")
    state = game.start("44")
    marks = marks_of(game, state, {3: 0.75, 0: 0.25})
    # Row by row from the top: two pieces lie in the column in the middle, none at the left.
    assert {place: one.share for place, one in marks.items()} == {3 * 7 + 3: 0.75, 5 * 7: 0.25}
    svg = drawn(game, state, marks)
    assert [word for word in words(svg) if word.endswith("%")] == ["75%", "25%"]
    assert not [one for one in svg.iter() if "data-actions" in one.attrib]  # nothing to click
    dark = {
        circle.get("fill-opacity") for circle in svg.iter(f"{SVG}circle")
        if circle.get("fill") == COLOR
    }  # fmt: skip
    assert len(dark) == 2


def test_what_is_worth_something_tells_it() -> None:
    game = make("tic_tac_toe")
    values = np.full((1, 9), math.nan)
    values[0, [0, 4]] = 0.5, -0.25
    marks = marks_of(game, game.root(), {4: 1.0}, values=values, taken=0)
    assert marks == {
        4: Mark(share=1.0, value=-0.25),
        0: Mark(share=0.0, value=0.5, is_taken=True),
    }
    told = titles(drawn(game, game.root(), marks))
    assert [one.rpartition(": ")[2] for one in told if "%" in one] == [
        "0.0%, worth +0.50, taken",
        "100.0%, worth -0.25",
    ]


def test_moves_of_pieces_are_arrows_as_wide_as_they_are_likely() -> None:
    """Four promotions on one square are one arrow."""
    game: Any = make("gardner_chess")
    state = game.start("4k/P4/5/5/K4 w - - 0 1")
    legal = np.flatnonzero(game.legal_outcomes(state)).tolist()
    actions = {game.uci_of_action(state, action): action for action in legal}
    shares = {actions["a4a5q"]: 0.5, actions["a4a5n"]: 0.2, actions["a1b2"]: 0.3}
    marks = marks_of(game, state, shares, taken=actions["a1b1"])
    assert {place: round(one.share, 3) for place, one in marks.items()} == {
        (5, 0): 0.7,
        (20, 16): 0.3,
        (20, 21): 0.0,
    }
    svg = drawn(game, state, marks)
    arrows = [one for one in svg.iter(f"{SVG}g") if one.get("class") == "arrow"]
    lines = [one.find(f"{SVG}line") for one in arrows]
    # From 2 to 15 by the probability; the one that was made lies on top.
    widths = [float(one.get("stroke-width", 0)) for one in lines if one is not None]
    assert widths == [5.9, 11.1, 2.0]
    assert sum(one is not None and one.get("stroke") == TAKEN for one in lines) == 1


def test_an_arrow_follows_the_board_when_black_sits_below() -> None:
    game: Any = make("gardner_chess")
    state = game.start("2K2/5/2k2/5/r4 b - - 0 1")
    action = game.read_action(state, "a1a5")
    policy = np.eye(game.num_actions)[[action]]
    places = [
        list(read_marks(game, state, policy, np.ones(1), infostates=seen))
        for seen in ((None, None), (None, 0))
    ]
    assert places == [[(20, 0)], [(4, 24)]]


@pytest.mark.thorough
def test_a_pass_stands_below_the_board() -> None:
    game = make("go(size=3)")
    marks = marks_of(game, game.root(), {9: 0.6, 4: 0.4})
    assert {place: one.share for place, one in marks.items()} == {4: 0.4, PASS: 0.6}
    assert "pass 60%" in words(drawn(game, game.root(), marks))


def test_of_a_hidden_pawn_the_ways_from_all_its_stations_are_weighed() -> None:
    """Each infostate is asked for its own ends; a station's share is over all of them."""
    game: Any = make("glasses")
    state = game.root()
    possible = np.flatnonzero(game.infostate_mask(state)[0])
    policy = np.asarray(game.legal_actions(state), float)
    policy /= np.maximum(policy.sum(axis=1, keepdims=True), 1)
    range_ = np.zeros(game.num_infostates)
    range_[possible] = 1 / len(possible)
    marks = read_marks(game, state, policy, range_)
    assert sum(one.share for one in marks.values()) == pytest.approx(1)
    one = possible[0]
    alone = read_marks(game, state, policy, np.arange(game.num_infostates) == one)
    legal = np.flatnonzero(game.legal_actions(state)[one])
    view = game.view(state, infostates=(int(one), None), choices=legal.tolist())
    assert set(alone) == set(view.choices)
    svg = drawn(game, state, marks)
    assert any("%" in word for word in words(svg))


def test_nothing_is_marked_without_a_board_or_a_choice() -> None:
    kuhn, board = make("kuhn"), make("tic_tac_toe")
    policy = np.ones((kuhn.num_infostates, kuhn.num_actions))
    assert read_marks(kuhn, kuhn.root(), policy, np.ones(kuhn.num_infostates)) == {}
    over = board.start("a1 a2 b1 b2 c1")
    assert marks_of(board, over, {8: 1.0}) == {}
    assert marks_of(board, board.root(), {}) == {}
