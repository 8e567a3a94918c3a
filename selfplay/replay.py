"""The sliding window of training examples, and the queue of unsolved queries.

Both are NumPy arrays on the host: an example takes some hundred bytes, in the largest games a few
thousand; the device gets only the batches that are drawn.
"""

import math
from typing import Any, Final

import jax
import numpy as np

from gtcfr.packing import BeliefState, packed_width
from selfplay.examples import StoredExample, no_examples
from selfplay.sparse_rows import SparseRows
from sog.games.core import Game

SPARSE: Final = ("ranges", "values", "policy")
"""The sparse fields of an example: 0 for most infostates and actions."""
_ENTRY: Final = "entry_"


class Replay:
    """The newest examples, from which batches are drawn at random.

    An example is used at most `max_grad_updates` times on average: the learner may draw no more
    than that times the number of added examples (Student of Games, Table S2).
    """

    def __init__(self, game: Game[Any], size: int, max_grad_updates: float) -> None:
        self.size, self.max_grad_updates = size, max_grad_updates
        room = no_examples(game, size)
        self._dense = {name: leaf for name, leaf in vars(room).items() if name not in SPARSE}
        self._shapes = {name: vars(room)[name].shape[1:] for name in SPARSE}
        self._sparse = SparseRows(size, sum(map(math.prod, self._shapes.values())))
        self.num_added = 0
        self.num_drawn = 0

    def __len__(self) -> int:
        """Examples in the window."""
        return min(self.num_added, self.size)

    def add(self, examples: StoredExample) -> None:
        """Adds examples, with a leading axis, in place of the oldest."""
        new = {name: np.asarray(leaf) for name, leaf in vars(examples).items()}
        count = len(new["version"])
        self._sparse.add(_joined(new))
        kept = np.arange(max(count - self.size, 0), count)
        for name, table in self._dense.items():
            table[(self.num_added + kept) % self.size] = new[name][kept]
        self.num_added += count

    def num_batches(self, batch_size: int) -> int:
        """Batches that may be drawn now."""
        left = int(self.max_grad_updates * self.num_added) - self.num_drawn
        return max(left // batch_size, 0)

    def draw(self, shape: tuple[int, ...], random: np.random.Generator) -> StoredExample:
        """Examples drawn uniformly from the window, with replacement; they count as used."""
        self.num_drawn += int(np.prod(shape))
        return self._take(random.integers(len(self), size=shape))

    def newest(self, count: int) -> StoredExample:
        """The newest `count` examples, or all if there are fewer, oldest first."""
        first = max(self.num_added - min(count, len(self)), 0)
        return self._take(np.arange(first, self.num_added) % self.size)

    def _take(self, places: np.ndarray) -> StoredExample:
        ends = np.cumsum([math.prod(kind) for kind in self._shapes.values()])
        parts = np.split(self._sparse.take(places), ends[:-1], axis=-1)
        drawn: dict[str, Any] = {name: table[places] for name, table in self._dense.items()}
        for (name, kind), part in zip(self._shapes.items(), parts, strict=True):
            drawn[name] = part.reshape(*places.shape, *kind)
        return StoredExample(**drawn)

    def mean_age(self, version: int) -> float:
        """The mean number of learner steps since the examples of the window were made."""
        if not self.num_added:
            return 0.0
        return float(version - np.mean(self._dense["version"][: len(self)]))

    def save(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        kept = {name: table[: len(self)] for name, table in self._dense.items()}
        entries = {f"{_ENTRY}{name}": array for name, array in self._sparse.save().items()}
        return {
            **kept,
            **entries,
            "counts": np.array([self.num_added, self.num_drawn], np.int64),
        }

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restores what `save` returned; raises ValueError for anything else."""
        self.num_added, self.num_drawn = (int(count) for count in arrays["counts"])
        for name, table in self._dense.items():
            table[: len(self)] = arrays[name]
        entries = {
            name.removeprefix(_ENTRY): array
            for name, array in arrays.items()
            if name.startswith(_ENTRY)
        }
        self._sparse.load(entries, self.num_added)


def _joined(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """[example, number]: the sparse fields of examples, concatenated."""
    parts = [arrays[name] for name in SPARSE]
    return np.concatenate(
        [part.reshape(len(part), math.prod(part.shape[1:])) for part in parts], axis=1
    )


class QueryQueue:
    """Unsolved belief states, first in, first out.

    If it is full the oldest are dropped: they come from the oldest networks.
    """

    def __init__(self, game: Game[Any], size: int) -> None:
        self._game, self.size = game, size
        self._beliefs: list[BeliefState] = []
        self.num_dropped = 0

    def __len__(self) -> int:
        return len(self._beliefs)

    def add(self, beliefs: BeliefState) -> None:
        """Adds queries [query, ...]."""
        rows = zip(beliefs.state, beliefs.ranges, strict=True)
        self._beliefs.extend(BeliefState(state=state, ranges=ranges) for state, ranges in rows)
        surplus = max(len(self) - self.size, 0)
        del self._beliefs[:surplus]
        self.num_dropped += surplus

    def pop(self, count: int) -> BeliefState:
        """Removes and returns the oldest `count`; there must be that many."""
        oldest = _stacked(self._beliefs[:count])
        del self._beliefs[:count]
        return oldest

    def save(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        counts = {"dropped": np.array(self.num_dropped, np.int64)}
        if not self._beliefs:
            return counts
        beliefs = _stacked(self._beliefs)
        return {**counts, "states": np.asarray(beliefs.state), "ranges": np.asarray(beliefs.ranges)}

    def load(self, arrays: dict[str, Any]) -> None:
        """Restores what `save` returned; raises ValueError for states of another game."""
        self._beliefs = []
        if "states" in arrays:
            width = packed_width(self._game)
            if arrays["states"].shape[1:] != (width,):
                raise ValueError(f"public states of {self._game} must be rows of {width} words.")
            self.add(BeliefState(state=arrays["states"], ranges=arrays["ranges"]))
        self.num_dropped = int(arrays["dropped"])


def _stacked(beliefs: list[BeliefState]) -> BeliefState:
    stacked: BeliefState = jax.tree.map(lambda *leaves: np.stack(leaves), *beliefs)
    return stacked
