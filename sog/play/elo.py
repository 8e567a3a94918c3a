"""Elo ratings from the games of a tournament, by maximum likelihood.

    ratings = fit_elo(points)    # points[i, j]: of i against j, a draw being half a point
    ratings.elo, ratings.half_width, ratings.superiority

A player rated 400 points above another scores 10 points for each of the other's (Elo 1978). The
ratings maximize the likelihood of the results (Bradley and Terry 1952, Zermelo 1929); intervals
come from its curvature. Draws vary less than the model assumes, so intervals are conservative.
"""

import dataclasses
from typing import Final

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtr

_PER_LOGIT: Final = 400 / np.log(10)
"""Elo points per logit."""
_Z_95: Final = 1.959964
_ENOUGH: Final = 1e-10
_MOST_STEPS: Final = 100
_ADDED_DRAWS: Final = 1.0
_LONGEST_STEP: Final = 2.0  # logits; Newton's steps are too long far from the maximum


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Ratings:
    """Ratings of n players, with mean 0."""

    elo: np.ndarray
    """[n]."""
    covariance: np.ndarray
    """[n, n], in squared Elo points."""
    added_draws: float
    """Per pairing, to keep ratings finite if a player won or lost everything; else 0."""

    @property
    def half_width(self) -> np.ndarray:
        """[n]: half of each rating's 95% interval."""
        return np.asarray(_Z_95 * np.sqrt(np.maximum(np.diag(self.covariance), 0)))

    @property
    def superiority(self) -> np.ndarray:
        """[n, n]: probability that the row player is better than the column player."""
        difference = self.elo[:, None] - self.elo[None, :]
        own = np.diag(self.covariance)
        variance = own[:, None] + own[None, :] - 2 * self.covariance
        error = np.sqrt(np.where(variance > 0, variance, 1))
        return np.asarray(np.where(variance > 0, ndtr(difference / error), 0.5))


def fit_elo(points: np.ndarray) -> Ratings:
    """Maximum-likelihood ratings.

    points: [n, n], the row player's score against the column player in all their games; 1 for a
    win, 0.5 for a draw. If the ratings would be infinite, because some players won every game
    against the others, a draw is added to each pairing played. Raises ValueError for invalid points
    and for players that no chain of games connects.
    """
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[0] != points.shape[1] or len(points) < 2:
        raise ValueError(f"points must be [n, n] of two or more players, got {points.shape}.")
    if not (np.isfinite(points).all() and (points >= 0).all()) or np.diag(points).any():
        raise ValueError("points must be finite, >= 0, and 0 against oneself.")
    games = points + points.T
    if connected_components(games, directed=False, return_labels=False) > 1:
        raise ValueError("all players must be connected by games.")
    # Finite if the graph of games not all lost is strongly connected (Ford 1957).
    is_finite = connected_components(points, connection="strong", return_labels=False) == 1
    added = 0.0 if is_finite else _ADDED_DRAWS
    points = points + added / 2 * (games > 0)
    games = points + points.T
    logits = np.zeros(len(points))
    for _ in range(_MOST_STEPS):
        expected = games * expit(logits[:, None] - logits[None, :])
        # The information is singular: ratings are determined up to a constant.
        step = np.linalg.pinv(_information(games, logits)) @ (points - expected).sum(axis=1)
        step *= min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _ENOUGH))
        logits += step
        if np.abs(step).max() < _ENOUGH:
            break
    covariance = np.linalg.pinv(_information(games, logits))
    return Ratings(
        elo=_PER_LOGIT * (logits - logits.mean()),
        covariance=_PER_LOGIT**2 * covariance,
        added_draws=added,
    )


def _information(games: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """[n, n]: Fisher information of the logits, a Laplacian."""
    share = expit(logits[:, None] - logits[None, :])
    weights = games * share * (1 - share)
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)
