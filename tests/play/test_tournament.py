"""Round robins, and the share of games won."""

from typing import Any

import numpy as np
import pytest

from sog.games import make
from sog.play.arena import MatchResult, play_match
from sog.play.tournament import is_whole, play_tournament, ranking
from sog.players.methods import make_method
from sog.players.player import Host


def factory(text: str, game: Any) -> Any:
    return make_method(text).agents(game, Host())


def test_every_pairing_is_the_match_that_it_would_be_alone() -> None:
    game = make("rps")
    agents = [factory(text, game) for text in ("random", "tabular:50", "random")]
    seen: list[tuple[tuple[int, int], int]] = []
    results = play_tournament(
        game, agents, 6, seed=4, progress=lambda pairing, r: seen.append((pairing, r.num_games))
    )
    assert list(results) == [(0, 1), (0, 2), (1, 2)]
    assert seen == [(pairing, games) for pairing in results for games in (2, 4, 6)]
    alone = play_match(game, agents[0], agents[2], 6, seed=4)
    assert np.array_equal(results[0, 2].utilities, alone.utilities)


def result(utilities: list[tuple[float, float]], *, interrupted: bool = False) -> MatchResult:
    return MatchResult(
        game=make("rps"), utilities=np.array(utilities), seconds=1.0, interrupted=interrupted
    )


def test_who_wins_much_comes_before_who_wins_often_unless_wins_are_asked_for() -> None:
    """Agent 0 beats 1 once by 9 and loses by 1 three times; 2 has not played."""
    results = {(0, 1): result([(9, -1), (-1, -1)])}
    by_mean, by_wins = ranking(results), ranking(results, by_wins=True)
    assert [(rank.player, rank.mean, rank.win_rate) for rank in by_mean] == [
        (0, 1.5, 0.25),
        (1, -1.5, 0.75),
    ]
    assert [rank.player for rank in by_wins] == [1, 0]


def test_a_tournament_is_whole_if_every_pairing_was_played_to_its_end() -> None:
    one, left = result([(1, 1)]), result([(1, 1)], interrupted=True)
    assert is_whole({(0, 1): one}, 2)
    assert not is_whole({(0, 1): left}, 2)
    assert not is_whole({(0, 1): one, (0, 2): one}, 3)


def test_a_tournament_needs_two_agents() -> None:
    game = make("rps")
    with pytest.raises(ValueError, match=r"^agents must be two or more, got 1\.$"):
        play_tournament(game, [factory("random", game)], 2)


def test_ctrl_c_keeps_what_was_played() -> None:
    game = make("rps")
    agents = [factory("random", game)] * 3

    def stop(pairing: tuple[int, int], result: MatchResult) -> None:
        if pairing == (0, 2) and result.num_games == 4:
            raise KeyboardInterrupt

    results = play_tournament(game, agents, 6, progress=stop)
    assert [(pair, r.num_games, r.interrupted) for pair, r in results.items()] == [
        ((0, 1), 6, False),
        ((0, 2), 4, True),
    ]


def test_a_draw_is_half_a_win() -> None:
    result = MatchResult(
        game=make("kuhn"),
        utilities=np.array([[2.0, -1], [0, 0], [1, 1], [-2, 0]]),
        seconds=0.0,
        interrupted=False,
    )
    # Pairs: a win and a loss, two draws, two wins, a loss and a draw: 0.5, 0.5, 1, 0.25.
    assert result.win_rate == 4.5 / 8
    assert result.win_rate_half_width == pytest.approx(1.959964 * 0.3145764 / 2)
