"""The player that makes no mistake in Hex."""

import pytest

from sog.play.arena import play_match
from sog.players.seating import seat


def test_perfect_play_of_hex_wins_whenever_it_begins() -> None:
    seating = seat(["perfect", "random"], game="hex(size=4)")
    perfect, other = seating.players
    result = play_match(seating.game, perfect.make, perfect.make, 6)
    assert result.mean_as == (1, -1)
    assert play_match(seating.game, perfect.make, other.make, 10).mean_as[0] == 1


@pytest.mark.parametrize("game", ["kuhn", "tic_tac_toe", "hex", "hex(size=4,swap=true)"])
def test_other_games_and_larger_boards_are_refused(game: str) -> None:
    with pytest.raises(
        ValueError, match=r"^perfect: the game must be hex up to 5 x 5 without swap"
    ):
        seat(["perfect", "random"], game=game)
