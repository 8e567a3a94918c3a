"""Calls a compiled function on chunks of one size, so that it compiles once."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np


def chunks(call: Callable[[Any], Any], batch: Any, size: int) -> Iterator[Any]:
    """The results for chunks of `size` rows of a batch, as NumPy arrays.

    The last chunk is padded with its last row; the results of padding are cut off.
    """
    total = len(jax.tree.leaves(batch)[0])
    for start in range(0, total, size):
        rows = np.minimum(np.arange(start, start + size), total - 1)
        chunk = jax.tree.map(lambda leaf, rows=rows: leaf[rows], batch)
        kept = min(size, total - start)
        yield jax.tree.map(lambda leaf, kept=kept: leaf[:kept], jax.device_get(call(chunk)))


def in_chunks(call: Callable[[Any], Any], batch: Any, size: int) -> Any:
    """The concatenated results of all chunks."""
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *chunks(call, batch, size))
