"""Lists of weights in plain Python, one per action: policies from them, and sampling."""

import random
from collections.abc import Sequence


def matched(regret: Sequence[float], gamma: float) -> list[float]:
    """Regret matching, mixed with uniform play."""
    size = len(regret)
    total = sum(value for value in regret if value > 0)
    if total <= 0:
        return [1 / size] * size
    scale, least = (1 - gamma) / total, gamma / size
    return [least + scale * value if value > 0 else least for value in regret]


def draw(weights: Sequence[float], total: float, source: random.Random) -> int:
    """Samples an index in proportion to weights with sum `total`; never one of weight 0."""
    point, last = source.random() * total, 0
    for place, weight in enumerate(weights):
        if weight > 0:
            if point < weight:
                return place
            point, last = point - weight, place
    return last


def normalized(weights: Sequence[float]) -> list[float]:
    """Normalized weights; uniform if none is positive."""
    total = sum(weights)
    return [w / total for w in weights] if total > 0 else [1 / len(weights)] * len(weights)
