"""Samples from many lists of events in constant time: Walker's alias method (1977).

A sample takes two numbers in [0, 1): the first selects an event uniformly; if the second is not
below the event's threshold, its alias replaces it.
"""

from typing import Final

import numpy as np

_SURE: Final = 2.0  # a threshold that no number in [0, 1) reaches
_ROUNDING: Final = 1e-6  # some games have float32 weights


def alias_tables(
    first: np.ndarray, count: np.ndarray, probability: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds and aliases of some lists of events, both [event].

    first, count: the start and length of each list. Events in no list are certain.
    """
    threshold, alias = np.full(len(probability), _SURE), np.arange(len(probability))
    for start, length in zip(first.tolist(), count.tolist(), strict=True):
        share = probability[start : start + length] * length
        if abs(share.mean() - 1) > _ROUNDING:
            raise ValueError(f"probabilities must sum to 1, got {share.mean()}.")
        if np.ptp(share) < _ROUNDING:
            continue  # uniform
        small = [place for place in range(length) if share[place] < 1]
        large = [place for place in range(length) if share[place] >= 1]
        while small and large:
            place, giver = small.pop(), large[-1]
            threshold[start + place] = share[place]
            alias[start + place] = start + giver
            share[giver] -= 1 - share[place]
            if share[giver] < 1:
                small.append(large.pop())
    return threshold, alias
