"""The non-locality game: its rules and the equilibria that the OOS paper states."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.games.non_locality import GOES_ON, OVER, PICKED, NonLocality
from sog.games.registry import make

History = tuple[str, ...]
NUMBER = {"left": 0, "right": 1}


class Figure1:
    """A history is player 0's pick, chance's side and player 1's pick, as in the paper's figure."""

    def __init__(self, leftmost: float) -> None:
        self.payoffs = {
            ("left", "over"): leftmost,
            ("right", "over"): 0,
            ("left", "on", "left"): 3,
            ("left", "on", "right"): 0,
            ("right", "on", "left"): 0,
            ("right", "on", "right"): 3,
        }

    def deals(self) -> list[tuple[float, History]]:
        return [(1.0, ())]

    def actor(self, history: History) -> int:
        if history in self.payoffs:
            return TERMINAL
        return (PLAYER_0, CHANCE, PLAYER_1)[len(history)]

    def moves(self, history: History) -> list[tuple[int, float, int, History]]:
        if history in self.payoffs:
            return []
        if len(history) == 1:
            return [(0, 0.5, GOES_ON, (*history, "on")), (0, 0.5, OVER, (*history, "over"))]
        return [(NUMBER[side], 1.0, PICKED, (*history, side)) for side in ("left", "right")]

    def infostates(self, history: History) -> tuple[int, int]:
        padded = (*history, "left", "left", "left")[: max(3, len(history))]
        return NUMBER[padded[0]], NUMBER[history[2]] if len(history) == 3 else 0

    def utility(self, history: History) -> float:
        return self.payoffs[history]


@pytest.mark.parametrize("leftmost", [1.0, -7.5])
def test_all_worlds_agree_with_the_figure(
    check_rules: Callable[..., None], leftmost: float
) -> None:
    check_rules(NonLocality(leftmost=leftmost), Figure1(leftmost))


def test_the_game_goes_on_half_of_the_time() -> None:
    game = NonLocality()
    fork = game.apply(game.root(), jnp.int32(PICKED))
    keys = jax.random.split(jax.random.key(0), 4000)
    worlds, action = jnp.array([1, 0], jnp.int32), jnp.int32(0)
    outcomes, after = jax.vmap(lambda key: game.transition(key, fork, worlds, action))(keys)
    assert np.mean(np.asarray(outcomes) == OVER) == pytest.approx(0.5, abs=0.04)  # 5 sigma
    assert (np.asarray(after) == [1, 0]).all()


def test_utilities_stay_in_range_whatever_the_leaf() -> None:
    assert NonLocality(leftmost=1.0).max_utility == 3.0
    assert NonLocality(leftmost=-7.5).max_utility == 7.5


def test_it_is_made_from_text_and_told_in_words() -> None:
    game = make("non_locality(leftmost=2)")
    assert game == NonLocality(leftmost=2.0)
    fork = game.apply(game.root(), jnp.int32(PICKED))
    on = game.apply(fork, jnp.int32(GOES_ON))
    assert game.describe_action(game.root(), 0, 1) == "right"
    assert [game.describe_outcome(fork, outcome) for outcome in (GOES_ON, OVER)] == [
        "goes on",
        "over",
    ]
    assert game.describe_state(on) == "the game went on"
    assert game.describe_infostate(on, 0, 1) == "right"
    assert game.describe_infostate(on, 1, 0) == "yet to pick"
