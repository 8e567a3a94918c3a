"""What Scotland Yard says of a single world, against what it says of all."""

from typing import Any

import pytest

from sog.games.core import Game
from sog.scotland_yard.game import London
from tests.games.random_plays import play_randomly

# Shorter, so that Mr X is often caught or wins by the last round.
HUNT = {"rounds": 8, "reveals": "3/6", "detectives": 12, "doubles": 1, "black": 2, "mr_x_taxi": 2}


class AllWorlds(London):
    """Finds the actions of a world among those of all."""

    world_actions = Game.world_actions


@pytest.mark.thorough(but=["london"])
@pytest.mark.parametrize("settings", [{}, HUNT], ids=["london", "hunt"])
def test_worlds_of_random_games_have_the_actions_of_their_rows(settings: dict[str, Any]) -> None:
    """At every step of 32 games, double moves, forced ends and black tickets among them."""
    plays = play_randomly(London(**settings), 32, seed=0)
    assert plays == play_randomly(AllWorlds(**settings), 32, seed=0)
    assert {play.utility for play in plays} == {-1, 1}
