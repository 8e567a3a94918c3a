"""A first-in, first-out buffer of sparse rows, on the host.

In a large game a belief state holds few of all infostates, and an infostate has few of all actions:
in London some 90 of the 12 500 numbers of an example are nonzero. Only those are stored.
"""

import numpy as np


class SparseRows:
    """The newest `size` rows that were added; row number r is at place r % size.

    The nonzero entries of the rows lie consecutively in a ring buffer, which grows when they do not
    fit.
    """

    def __init__(self, size: int, width: int) -> None:
        self._size, self._width = size, width
        self._num_added = 0
        self._first = np.zeros(size, np.int64)  # each row's first entry, counted from the start
        self._count = np.zeros(size, np.int32)
        self._end = 0  # entries ever added
        self._column = np.zeros(0, entry_type(width))
        self._value = np.zeros(0, np.float32)

    def add(self, rows: np.ndarray) -> None:
        """Adds rows [n, width] float32, in place of the oldest."""
        self._num_added += max(len(rows) - self._size, 0)
        rows = rows[-self._size :]
        row, column = np.nonzero(rows)
        count = np.bincount(row, minlength=len(rows))
        # Existing entries from here on stay.
        oldest = max(self._num_added + len(rows) - self._size, 0)
        begin = self._first[oldest % self._size] if oldest < self._num_added else self._end
        self._make_room(int(begin), len(row))
        at = (self._end + np.arange(len(row))) % max(len(self._value), 1)
        self._column[at], self._value[at] = column, rows[row, column]
        place = (self._num_added + np.arange(len(rows))) % self._size
        self._first[place] = self._end + np.cumsum(count) - count
        self._count[place] = count
        self._num_added += len(rows)
        self._end += len(row)

    def take(self, places: np.ndarray) -> np.ndarray:
        """The rows at these places: [*places.shape, width] float32."""
        flat = places.reshape(-1)
        row, at = self._entries(flat)
        dense = np.zeros((len(flat), self._width), np.float32)
        dense[row, self._column[at]] = self._value[at]
        return dense.reshape(*places.shape, self._width)

    def save(self) -> dict[str, np.ndarray]:
        """All rows, oldest first: their numbers of entries, and the entries."""
        places = self._newest(min(self._num_added, self._size))
        _, at = self._entries(places)
        return {
            "count": self._count[places],
            "column": self._column[at],
            "value": self._value[at],
        }

    def load(self, arrays: dict[str, np.ndarray], num_added: int) -> None:
        """Restores what `save` returned; num_added: rows added by then.

        Raises ValueError for anything else.
        """
        count, column, value = (arrays[name] for name in ("count", "column", "value"))
        are_rows = count.shape == (min(num_added, self._size),) and np.all(count >= 0)
        if not (are_rows and column.shape == value.shape == (count.sum(),)):
            raise ValueError("the entries of its examples do not belong together.")
        if np.any(column < 0) or np.any(column >= self._width):
            raise ValueError(f"an entry of its examples is outside of 0 to {self._width - 1}.")
        self._num_added, self._end = num_added, len(value)
        self._column, self._value = column.astype(self._column.dtype), value.astype(np.float32)
        places = self._newest(len(count))
        self._count[places], self._first[places] = count, np.cumsum(count) - count

    def _newest(self, count: int) -> np.ndarray:
        """The places of the newest rows, oldest first."""
        return (self._num_added - count + np.arange(count)) % self._size

    def _entries(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For all entries of the rows at places [n]: the index of the row, and that in the ring."""
        count = self._count[places]
        row = np.repeat(np.arange(len(places)), count)
        within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        return row, (np.repeat(self._first[places], count) + within) % max(len(self._value), 1)

    def _make_room(self, begin: int, num_new: int) -> None:
        """Grows the ring to hold its entries from `begin` on and `num_new` new ones."""
        needed, room = self._end - begin + num_new, len(self._value)
        if needed <= room:
            return
        kept = begin + np.arange(self._end - begin)
        column, value = self._column, self._value
        larger = max(needed, 2 * room)
        self._column, self._value = np.zeros(larger, column.dtype), np.zeros(larger, value.dtype)
        if len(kept):
            self._column[kept % larger] = column[kept % room]
            self._value[kept % larger] = value[kept % room]


def entry_type(width: int) -> np.dtype[np.unsignedinteger]:
    """The type of an entry's column."""
    return np.min_scalar_type(max(width - 1, 0))
