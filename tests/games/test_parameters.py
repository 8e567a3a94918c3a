"""Parameters of all games: nothing overflows, and nothing is made that no memory can hold."""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import GAMES, Game, make
from sog.games.cards.poker import FIRST_RAISE, BettingGame
from sog.games.core import MOST_EXACT

INTEGERS = [2**24, 2**31, 10**30, -(10**12)]
NUMBERS = [1e300, float("inf"), float("nan")]


def parameters(kind: type) -> list[Any]:
    return [
        pytest.param(name, field.name, id=f"{name}-{field.name}")
        for name in GAMES
        for field in dataclasses.fields(make(name))
        if field.metadata and type(field.default) is kind
    ]


@pytest.mark.parametrize(("name", "parameter"), parameters(int))
def test_an_integer_that_arithmetic_cannot_bear_is_refused_in_a_line(
    name: str, parameter: str
) -> None:
    for value in INTEGERS:
        with pytest.raises(ValueError, match=f"{parameter} must be .*, got {value}") as caught:
            make(f"{name}({parameter}={value})")
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(("name", "parameter"), parameters(float))
def test_a_number_that_arithmetic_cannot_bear_is_refused(name: str, parameter: str) -> None:
    for value in NUMBERS:
        with pytest.raises(ValueError, match=f"{name}: {parameter} must be "):
            dataclasses.replace(make(name), **{parameter: value})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("goofspiel(cards=1000000000)", "goofspiel: cards must be <= 100, got 1000000000."),
        ("connect_four(columns=1000000)", "connect_four: columns must be <= 32, got 1000000."),
        ("leduc(first_raise=2000000000)", "leduc: first_raise must be <= 100000, got 2000000000."),
        ("glasses(reveals=99999999999999999999)", "glasses: reveals must be numbers joined by"),
    ],
)
def test_sizes_are_bounded_where_a_game_is_made(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        make(text)
    assert str(caught.value).startswith(says)


def test_a_game_that_no_array_can_hold_is_refused_whoever_wrote_it() -> None:
    class Endless(type(make("kuhn"))):  # type: ignore[misc]
        num_outcomes = 10**9

    with pytest.raises(ValueError, match="outcomes of a state must be at most 65,536, got 1,000,"):
        Endless()

    class Wide(type(make("kuhn"))):  # type: ignore[misc]
        num_actions = 10**9

    with pytest.raises(ValueError, match="infostates times actions must be at most 1,048,576, got"):
        Wide()


@pytest.mark.parametrize(
    "text",
    [
        "leduc(first_raise=100000,second_raise=100000,max_raises=8)",
        "generic_poker(first_unit=100000,second_unit=100000,raises=8,bets=8)",
    ],
)
def test_the_largest_stakes_are_exact_numbers(text: str) -> None:
    game: Game[Any] = make(text)
    assert isinstance(game, BettingGame)
    assert game.max_utility <= MOST_EXACT
    state, largest = game.root(), FIRST_RAISE + len(game.raise_sizes[0]) - 1
    expected = 1
    for number in range(game.raise_limit):
        expected += game.raise_sizes[0][-1]
        state = game.apply(state, jnp.int32(largest))
        assert int(np.max(state.stakes)) == expected, number
