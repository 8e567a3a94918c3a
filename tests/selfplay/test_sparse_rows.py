"""The newest rows of a table, without their zeros: nothing is lost."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfplay.sparse_rows import SparseRows

SIZE, WIDTH = 5, 300
ADDED = st.lists(st.tuples(st.integers(0, 12), st.floats(0, 1)), max_size=8)


def some_rows(count: int, share: float, random: np.random.Generator) -> np.ndarray:
    rows = random.normal(size=(count, WIDTH)).astype(np.float32)
    return np.where(random.uniform(size=rows.shape) < share, rows, 0)


@given(added=ADDED, saved_after=st.integers(0, 8))
def test_the_newest_rows_are_there_number_by_number(
    added: list[tuple[int, float]], saved_after: int
) -> None:
    """Beside a table that keeps every row; saved and loaded somewhere on the way."""
    random, sparse = np.random.default_rng(0), SparseRows(SIZE, WIDTH)
    all_rows: list[np.ndarray] = []
    for number, (count, share) in enumerate(added):
        rows = some_rows(count, share, random)
        sparse.add(rows)
        all_rows.extend(rows)
        if number == saved_after:
            saved = sparse.save()
            sparse = SparseRows(SIZE, WIDTH)
            sparse.load(saved, len(all_rows))
        there = np.arange(max(len(all_rows) - SIZE, 0), len(all_rows))
        places = there[:, None].repeat(2, axis=1) % SIZE
        expected = np.array([all_rows[row] for row in there]).reshape(len(there), 1, WIDTH)
        np.testing.assert_array_equal(
            sparse.take(places), np.broadcast_to(expected, (len(there), 2, WIDTH))
        )


def test_the_ring_is_used_again() -> None:
    """After a thousand rows there is no more room than a few windows need."""
    random, sparse = np.random.default_rng(1), SparseRows(SIZE, WIDTH)
    for _ in range(500):
        sparse.add(some_rows(2, 0.1, random))
    assert sum(len(array) for array in sparse.save().values()) < 4 * SIZE * WIDTH * 0.1
    assert len(sparse._value) < 4 * SIZE * WIDTH * 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": np.array([1, 1])}, "do not belong together"),
        ({"value": np.zeros(4, np.float32)}, "do not belong together"),
        ({"column": np.array([0, 1, 300])}, "outside of 0 to 299"),
    ],
)
def test_what_was_not_saved_here_is_refused(changes: dict[str, Any], message: str) -> None:
    sparse = SparseRows(SIZE, WIDTH)
    sparse.add(np.eye(3, WIDTH, dtype=np.float32))
    saved = sparse.save()
    SparseRows(SIZE, WIDTH).load(saved, 3)
    with pytest.raises(ValueError, match=message):
        SparseRows(SIZE, WIDTH).load(saved | changes, 3)
