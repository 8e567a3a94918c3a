"""Elo ratings: values worked by hand, and strengths that are known."""

import numpy as np
import pytest

from sog.play.elo import fit_elo


def test_two_players_are_as_far_apart_as_the_logistic_curve_says() -> None:
    """30 of 40 points: 400 log10(3). The interval by hand: 1.96 * 400 / ln 10 / sqrt(40 * 3/16)."""
    ratings = fit_elo(np.array([[0, 30], [10, 0]]))
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * np.log10(3))
    assert ratings.elo.sum() == pytest.approx(0)
    error = 400 / np.log(10) / np.sqrt(40 * 3 / 16)
    assert np.sqrt(ratings.covariance[0, 0] * 4) == pytest.approx(error)
    assert ratings.half_width == pytest.approx(1.959964 * error / 2)
    # Normal table: 190.85 / 63.43 = 3.009, below which 99.87% lie.
    assert ratings.superiority[0, 1] == pytest.approx(0.99869, abs=1e-5)
    assert ratings.superiority[1, 0] == pytest.approx(0.00131, abs=1e-5)
    assert ratings.added_draws == 0


def test_equal_results_are_equal_ratings() -> None:
    ratings = fit_elo(np.full((3, 3), 5.0) - 5 * np.eye(3))
    assert ratings.elo == pytest.approx([0, 0, 0], abs=1e-9)
    assert ratings.superiority == pytest.approx(np.full((3, 3), 0.5))


def test_a_chain_of_results_adds_up() -> None:
    """Nobody else ties the first to the last: both differences are those of two players."""
    points = np.array([[0, 3, 0], [1, 0, 9], [0, 1, 0]], float)
    elo = fit_elo(points).elo
    assert elo[0] - elo[1] == pytest.approx(400 * np.log10(3))
    assert elo[1] - elo[2] == pytest.approx(400 * np.log10(9))


def test_who_wins_everything_is_rated_as_if_one_draw_were_added() -> None:
    ratings = fit_elo(np.array([[0.0, 10], [0, 0]]))
    assert ratings.added_draws == 1
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * np.log10(10.5 / 0.5))


def test_known_strengths_are_found_and_intervals_hold_them() -> None:
    """200 tournaments of five players: 95% of the intervals hold the strength, 3.3 errors apart."""
    strengths = np.array([-300.0, -100, 0, 150, 250])
    win = 1 / (1 + 10 ** ((strengths[None] - strengths[:, None]) / 400))
    random = np.random.default_rng(0)
    held, found = 0, []
    for _ in range(200):
        upper = np.triu(random.binomial(60, win), 1)
        points = upper + np.tril(60 - upper.T, -1)
        ratings = fit_elo(points)
        held += int((np.abs(ratings.elo - strengths) < ratings.half_width).sum())
        found.append(ratings.elo)
    assert abs(held / 1000 - 0.95) < 3.3 * np.sqrt(0.95 * 0.05 / 1000)
    assert np.mean(found, axis=0) == pytest.approx(strengths, abs=8)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.0]], "points must be [n, n] of two or more players, got (1, 1)."),
        ([[0, -1], [1, 0]], "points must be finite, >= 0, and 0 against oneself."),
        ([[1, 1], [1, 0]], "points must be finite, >= 0, and 0 against oneself."),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "all players must be connected by games"),
    ],
)
def test_what_are_no_points_is_refused(points: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        fit_elo(np.array(points, float))
    assert str(caught.value).startswith(message)
