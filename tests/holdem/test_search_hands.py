"""A search of hold'em as squares of hands."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from sog.drawing.nodes import Choices, NodeView
from sog.games import make
from sog.games.parts import game_part
from sog.holdem.commands.spot_node import node_tables
from sog.holdem.ranges import parse_range
from tests.holdem.games import holdem

FOLD, CALL, POT, ALL_IN = range(4)


@pytest.fixture(scope="module")
def node() -> NodeView:
    """Before the flop: the button calls with pairs and folds the rest, but jams the two black aces,
    which it has three times as often as other hands."""
    game = holdem("holdem(stack=2000,bets=1/allin)")
    size = game.num_infostates
    ranges, policy = np.ones((2, size)), np.zeros((size, game.num_actions))
    ranges[1, parse_range("AsAc") > 0] = 3
    policy[:, FOLD] = 1
    policy[parse_range("22+") > 0] = np.eye(game.num_actions)[CALL]
    policy[parse_range("AsAc") > 0] = np.eye(game.num_actions)[ALL_IN]
    values = np.full((2, size), np.nan)
    values[1] = np.where(parse_range("AA") > 0, 3.456, -0.001)
    nothing = np.zeros((size, game.num_actions))
    return NodeView(
        game=game,
        kind="interior",
        row=0,
        parent=None,
        children=(),
        outcome=None,
        event="",
        depth=0,
        state=game.root(),
        actor=1,
        is_possible=np.ones((2, size), bool),
        ranges=ranges,
        values=values,
        mean_value=0.0,
        probability=1.0,
        legal=np.ones((size, game.num_actions), bool),
        read_choices=lambda: Choices(
            policy=policy, action_values=nothing, visits=nothing.astype(int)
        ),
    )


def rows(table: Any) -> list[list[str]]:
    """By column: its name, and what is in it."""
    return [[str(column.header), *map(str, column.cells)] for column in table.columns]


def test_every_action_has_a_square_and_values_another(node: NodeView) -> None:
    squares = dict(node_tables(node))
    assert list(squares) == [
        "fold: how often, in percent",
        "call: how often, in percent",
        "raise300: how often, in percent",
        "allin2000: how often, in percent",
        "value in big blinds",
    ]
    names, aces, kings, *_ = rows(squares["call: how often, in percent"])
    assert names == ["", *"AKQJT98765432"]
    # Three of eight parts are of the black aces, which jam.
    assert aces == ["A", "62", *["0"] * 12]
    assert kings == ["K", "0", "100", *["0"] * 11]
    _, aces, *_ = rows(squares["allin2000: how often, in percent"])
    assert aces[:3] == ["A", "38", "0"]
    _, aces, *_ = rows(squares["value in big blinds"])
    assert aces[:3] == ["A", "3.46", "0.00"]


def test_hands_that_are_not_there_are_left_out(node: NodeView) -> None:
    is_possible = np.array(node.is_possible)
    is_possible[:, parse_range("AA") > 0] = False
    (_, fold), *_ = node_tables(dataclasses.replace(node, is_possible=is_possible))
    _, aces, *_ = rows(fold)
    assert aces[:3] == ["A", ".", "100"]


def test_there_is_none_in_other_games_nor_where_chance_moves(node: NodeView) -> None:
    assert game_part(node.game, "node_tables") is node_tables
    assert game_part(make("leduc"), "node_tables") is None
    assert not list(node_tables(dataclasses.replace(node, actor=2)))
