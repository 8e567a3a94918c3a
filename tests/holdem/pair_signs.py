"""Who beats whom, pair by pair: the oracle of sums over sorted lists."""

from typing import Any

import numpy as np

from sog.holdem.showdown import Hands


def pair_signs(strengths: Any, hands: Hands) -> np.ndarray:
    """float64[S, S]: 1 where the hand of the row beats that of the column, -1 where it loses to it,
    0 where they tie or share a card. strengths: int32[S]."""
    signs = np.sign(np.asarray(strengths)[:, None] - np.asarray(strengths)[None, :])
    return np.where(np.asarray(hands.pairs), signs, 0).astype(np.float64)
