"""The player that makes no mistake."""

import pytest

from sog.play.arena import play_match
from sog.players.seating import seat


def test_perfect_play_never_loses_tic_tac_toe_and_draws_with_itself() -> None:
    seating = seat(["perfect", "random"], game="tic_tac_toe")
    perfect, other = seating.players
    result = play_match(seating.game, perfect.make, other.make, 20, seed=1)
    assert result.losses == 0
    assert result.wins > 0
    assert play_match(seating.game, perfect.make, perfect.make, 4).draws == 4


def test_perfect_play_of_hex_wins_whenever_it_begins() -> None:
    seating = seat(["perfect", "random"], game="hex(size=4)")
    perfect, other = seating.players
    result = play_match(seating.game, perfect.make, perfect.make, 6)
    assert result.mean_as == (1, -1)
    assert play_match(seating.game, perfect.make, other.make, 10).mean_as[0] == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "says"),
    [
        ("kuhn", "perfect play needs perfect information and no chance"),
        ("connect_four", "more than 200,000 positions of connect_four"),
    ],
)
def test_games_that_are_too_large_or_hide_something_are_refused(game: str, says: str) -> None:
    with pytest.raises(ValueError, match=f"^perfect: {says}"):
        seat(["perfect", "random"], game=game)
