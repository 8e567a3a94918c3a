"""Sets of cards by number: the subsets of k out of n in colexicographic order.

The set {c1 < ... < ck} has the number C(c1, 1) + ... + C(ck, k), for every n.
"""

import functools
import itertools
import math
from types import ModuleType
from typing import Any

import jax.numpy as jnp
import numpy as np


@functools.cache
def combinations(n: int, k: int) -> np.ndarray:
    """int32[C(n, k), k]: all sets in their order, each ascending."""
    last_first = itertools.combinations(range(n)[::-1], k)  # backwards
    numbers = np.fromiter(itertools.chain.from_iterable(last_first), np.int32)
    everything = np.ascontiguousarray(numbers[::-1].reshape(math.comb(n, k), k))
    everything.flags.writeable = False  # callers share it
    return everything


def number_of(cards: Any, n: int, xp: ModuleType = jnp) -> Any:
    """int32[...]: the numbers of sets of cards [..., k], in any order; xp as the arrays are."""
    ascending = xp.sort(cards.astype(xp.int32), axis=-1)
    k = cards.shape[-1]
    choose = np.array([[math.comb(c, j + 1) for c in range(n)] for j in range(k)], np.int32)
    parts = [xp.asarray(choose[j])[ascending[..., j]] for j in range(k)]
    return xp.sum(xp.stack(parts, axis=-1), axis=-1, dtype=xp.int32)
