"""Drawing from many lists of events in constant time: Walker's alias method (1977).

A list is read by two numbers in [0, 1): the first takes an event, all as likely; the second, if it
is not below the event's threshold, exchanges it for its alias.
"""

from typing import Final

import numpy as np

_SURE: Final = 2.0  # a threshold that no number in [0, 1) reaches
_ROUNDING: Final = 1e-6  # some games keep their weights in 32 bits


def alias_tables(
    first: np.ndarray, count: np.ndarray, probability: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Walker's tables (1977) of some lists of events: thresholds and aliases, both [event].

    first, count: where each list begins, and its length. Events of no list are sure.
    """
    threshold, alias = np.full(len(probability), _SURE), np.arange(len(probability))
    for start, length in zip(first.tolist(), count.tolist(), strict=True):
        share = probability[start : start + length] * length
        if abs(share.mean() - 1) > _ROUNDING:
            raise ValueError(f"probabilities must sum to 1, got {share.mean()}.")
        if np.ptp(share) < _ROUNDING:
            continue  # all alike
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
