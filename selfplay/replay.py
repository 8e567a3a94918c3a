"""The sliding window of training examples, and the queue of queries that wait to be solved.

Both are NumPy arrays on the host: an example of a small game takes some hundred bytes, and the
device sees only the batches that are drawn.
"""

from typing import Any

import jax
import numpy as np

from selfplay.examples import StoredExample, no_examples, take
from sog.games.core import Game


class Replay:
    """The newest examples, from which batches are drawn at random.

    An example is used `max_grad_updates` times on average at most: the learner may draw no more
    than so many times what was added (Student of Games, Table S2).
    """

    def __init__(self, game: Game[Any], size: int, max_grad_updates: float) -> None:
        self.size, self.max_grad_updates = size, max_grad_updates
        self._examples = no_examples(game, size)
        self.num_added = 0
        self.num_drawn = 0

    def __len__(self) -> int:
        """Examples in the window."""
        return min(self.num_added, self.size)

    def add(self, examples: StoredExample) -> None:
        """Adds examples, with an axis in front; the oldest make room."""
        new = jax.tree.map(lambda leaf: np.asarray(leaf)[-self.size :], examples)
        count = len(examples.version)
        rows = (self.num_added + count - len(new.version) + np.arange(len(new.version))) % self.size

        def put(kept: np.ndarray, added: np.ndarray) -> None:
            kept[rows] = added

        jax.tree.map(put, self._examples, new)
        self.num_added += count

    def num_batches(self, batch_size: int) -> int:
        """Batches that may be drawn now."""
        left = int(self.max_grad_updates * self.num_added) - self.num_drawn
        return max(left // batch_size, 0)

    def draw(self, shape: tuple[int, ...], random: np.random.Generator) -> StoredExample:
        """Examples drawn uniformly from the window, with replacement; they count as used."""
        self.num_drawn += int(np.prod(shape))
        return take(self._examples, random.integers(len(self), size=shape))

    def mean_age(self, version: int) -> float:
        """Learner steps since the examples of the window were made, on average."""
        if not self.num_added:
            return 0.0
        return float(version - np.mean(self._examples.version[: len(self)]))

    def save(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        kept = take(self._examples, np.arange(len(self)))
        counts = np.array([self.num_added, self.num_drawn], np.int64)
        return {**_named(kept), "counts": counts}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Takes over what `save` gave."""
        self.num_added, self.num_drawn = (int(count) for count in arrays["counts"])
        for name, kept in _named(self._examples).items():
            kept[: len(self)] = arrays[name]


class QueryQueue:
    """Belief states that wait to be solved, first in, first out.

    Where there is no room the oldest are dropped: they come from the oldest networks.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._states: list[np.ndarray] = []
        self._ranges: list[np.ndarray] = []
        self.num_dropped = 0

    def __len__(self) -> int:
        return len(self._states)

    def add(self, states: np.ndarray, ranges: np.ndarray) -> None:
        """Adds queries. states: [query, width], packed; ranges: [query, player, S]."""
        self._states.extend(states)
        self._ranges.extend(ranges)
        surplus = max(len(self) - self.size, 0)
        del self._states[:surplus], self._ranges[:surplus]
        self.num_dropped += surplus

    def pop(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Takes the oldest so many out; there must be as many."""
        states, ranges = np.stack(self._states[:count]), np.stack(self._ranges[:count])
        del self._states[:count], self._ranges[:count]
        return states, ranges

    def save(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        counts = {"dropped": np.array(self.num_dropped, np.int64)}
        if not self._states:
            return counts
        return {**counts, "states": np.stack(self._states), "ranges": np.stack(self._ranges)}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Takes over what `save` gave."""
        self._states = list(arrays.get("states", []))
        self._ranges = list(arrays.get("ranges", []))
        self.num_dropped = int(arrays["dropped"])


def _named(examples: StoredExample) -> dict[str, np.ndarray]:
    return {name: np.asarray(leaf) for name, leaf in vars(examples).items()}
