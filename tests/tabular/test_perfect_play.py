"""Perfect play, against plain exhaustive search by other programs."""

import random
from typing import Any

import jax
import numpy as np
import pytest

from sog.games import make
from sog.games.core import PLAYER_1, TERMINAL
from sog.play.rules import after, first_state, situation
from sog.tabular.perfect_play import TooManyPositionsError, perfect_values
from tests.play.line_games import CONNECT_FOUR, TIC_TAC_TOE, LineGame
from tests.play.test_perfect_information import ENDGAMES


def values_after(text: str, lines: list[tuple[int, ...]], **options: Any) -> np.ndarray:
    game, states = make(text), []
    for line in lines:
        state = first_state(game)
        for event in line:
            state = after(game, state, event)
        states.append(state)
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(states))
    return perfect_values(game, stacked, **options)


def expected(plain: LineGame, line: tuple[int, ...], num_actions: int) -> np.ndarray:
    values = np.full(num_actions, np.nan)
    position = plain.after(line)
    if plain.end_value(position) is None:
        for action, child in plain.moves(position):
            values[action] = -plain.value(child)
    return values


def test_every_action_of_tic_tac_toe_is_worth_what_exhaustive_search_says() -> None:
    rng, lines = random.Random(0), list[tuple[int, ...]]([()])
    for _ in range(60):
        line: tuple[int, ...] = ()
        while TIC_TAC_TOE.end_value(position := TIC_TAC_TOE.after(line)) is None:
            if rng.random() < 0.2:
                break
            line = (*line, rng.choice([action for action, _ in TIC_TAC_TOE.moves(position)]))
        lines.append(line)
    found = values_after("tic_tac_toe", lines)
    wanted = np.array([expected(TIC_TAC_TOE, line, 9) for line in lines])
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.thorough
def test_endgames_of_connect_four_are_worth_what_exhaustive_search_says() -> None:
    lines = [tuple(int(column) for column in columns) for columns in ENDGAMES]
    found = values_after("connect_four", lines)
    np.testing.assert_array_equal(found, [expected(CONNECT_FOUR, line, 7) for line in lines])


def test_a_difference_in_disks_is_told_to_the_player_to_move() -> None:
    """Against a plain search, position by position, near the end of games of Othello."""
    game: Any = make("othello(size=4,payoff=diff)")

    def value(state: Any) -> float:
        """To player 0."""
        now = situation(game, state)
        if now.actor == TERMINAL:
            return float(game.result(state))
        best = min if now.actor == PLAYER_1 else max
        legal = np.flatnonzero(now.legal_outcomes).tolist()
        return float(best(value(after(game, state, action)) for action in legal))

    rng, states = random.Random(3), list[Any]()
    while len(states) < 6:
        state = first_state(game)
        for _ in range(8):
            legal = np.flatnonzero(situation(game, state).legal_outcomes).tolist()
            if legal:
                state = after(game, state, rng.choice(legal))
        if situation(game, state).actor != TERMINAL:
            states.append(jax.device_get(state))
    found = perfect_values(game, jax.tree.map(lambda *leaves: np.stack(leaves), *states))
    for row, state in zip(found, states, strict=True):
        now = situation(game, state)
        sign = -1 if now.actor == PLAYER_1 else 1
        wanted = np.full(game.num_actions, np.nan)
        for action in np.flatnonzero(now.legal_outcomes).tolist():
            wanted[action] = sign * value(after(game, state, action))
        np.testing.assert_array_equal(row, wanted)


def test_too_many_positions_are_refused() -> None:
    says = r"^more than 1,000 positions of tic_tac_toe are below; allow more, or begin later"
    with pytest.raises(TooManyPositionsError, match=says):
        values_after("tic_tac_toe", [()], max_positions=1000)


@pytest.mark.parametrize("game", ["kuhn", "goofspiel"])
def test_games_with_hidden_information_are_refused(game: str) -> None:
    with pytest.raises(ValueError, match=r"^perfect play needs perfect information and no chance"):
        values_after(game, [()])
