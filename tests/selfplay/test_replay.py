"""The window of examples and the queue of queries, against the plainest things that do the same."""

import collections
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gtcfr.packing import BeliefState, packed_width
from selfplay.examples import StoredExample, no_examples
from selfplay.replay import SPARSE, QueryQueue, Replay
from selfplay.sparse_rows import SparseRows
from sog.games import make

KUHN = make("kuhn")
ENTRIES = ("count", "column", "value")
few = settings(max_examples=60)


def examples(numbers: list[int] | range) -> StoredExample:
    """Examples that can be told apart by each of their arrays."""
    found = no_examples(KUHN, len(numbers))
    for leaf in vars(found).values():
        leaf[:] = np.array(numbers).reshape(-1, *[1] * (leaf.ndim - 1))  # True for all but 0
    return found


def dense_rows(replay: Replay) -> np.ndarray:
    """[example, number]: ranges, values and policy, at the places of the window."""
    kinds = vars(no_examples(KUHN, 1))
    rows = SparseRows(replay.size, sum(kinds[name].size for name in SPARSE))
    saved = replay.save()
    rows.load({name: saved[f"entry_{name}"] for name in ENTRIES}, replay.num_added)
    return rows.take(np.arange(len(replay)))


def window(replay: Replay) -> list[int]:
    """The examples in a replay, oldest first; every array must tell the same."""
    saved = replay.save()
    numbers: list[int] = saved["version"].tolist()
    for table in (saved["state"], dense_rows(replay)):
        assert all((row == number).all() for row, number in zip(table, numbers, strict=True))
    return sorted(numbers)


@few
@given(size=st.integers(1, 7), batches=st.lists(st.integers(0, 17), max_size=8))
def test_the_window_holds_the_newest_examples(size: int, batches: list[int]) -> None:
    replay, plain = Replay(KUHN, size, 1.0), collections.deque[int](maxlen=size)
    added = 0
    for count in batches:
        new = range(added + 1, added + count + 1)
        replay.add(examples(new))
        plain.extend(new)
        added += count
        assert window(replay) == list(plain)
        assert (len(replay), replay.num_added) == (len(plain), added)


def test_batches_are_drawn_evenly_from_the_window_and_nothing_else() -> None:
    replay = Replay(KUHN, 4, 1e9)
    replay.add(examples(range(1, 7)))
    drawn = replay.draw((50, 80), np.random.default_rng(0))
    assert drawn.ranges.shape == (50, 80, 2, 3)
    numbers, counts = np.unique(drawn.version, return_counts=True)
    assert numbers.tolist() == [3, 4, 5, 6]
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(4000 * 0.25 * 0.75)
    assert (drawn.values[..., 0, 0] == drawn.version).all()


@pytest.mark.parametrize(
    ("count", "expected"), [(1, [6]), (3, [4, 5, 6]), (4, [3, 4, 5, 6]), (9, [3, 4, 5, 6])]
)
def test_the_newest_examples_come_in_the_order_in_which_they_were_added(
    count: int, expected: list[int]
) -> None:
    replay = Replay(KUHN, 4, 1.0)
    for number in range(1, 7):
        replay.add(examples([number]))
    newest = replay.newest(count)
    assert newest.version.tolist() == expected
    assert newest.values[:, 0, 0].tolist() == expected  # of those that are kept without zeros


def test_what_is_drawn_does_not_change_when_it_is_overwritten() -> None:
    replay = Replay(KUHN, 2, 1.0)
    replay.add(examples([1, 1]))
    drawn = replay.draw((2,), np.random.default_rng(0))
    replay.add(examples([2, 2]))
    assert drawn.version.tolist() == [1, 1]


@few
@given(
    limit=st.sampled_from([0.5, 1.0, 2.5, 10.0]),
    batch_size=st.integers(1, 6),
    adds=st.lists(st.integers(0, 9), max_size=6),
)
def test_an_example_is_used_as_often_as_allowed_on_average_and_no_oftener(
    limit: float, batch_size: int, adds: list[int]
) -> None:
    replay, random = Replay(KUHN, 5, limit), np.random.default_rng(0)
    used = 0
    for count in adds:
        replay.add(examples([1] * count))
        for _ in range(replay.num_batches(batch_size)):
            replay.draw((batch_size,), random)
            used += batch_size
        assert used <= limit * sum(adds)
        assert used + batch_size > limit * replay.num_added - 1  # one more would be too many
    assert replay.num_drawn == used


def test_steps_times_batch_size_count_as_used() -> None:
    replay = Replay(KUHN, 10, 2.0)
    replay.add(examples(range(1, 11)))
    assert replay.num_batches(4) == 5
    replay.draw((3, 4), np.random.default_rng(0))
    assert replay.num_batches(4) == 2


@pytest.mark.parametrize("added", [0, 3, 5, 12])
def test_a_replay_that_was_saved_goes_on_as_if_nothing_had_been(added: int) -> None:
    replay, copy = Replay(KUHN, 5, 3.0), Replay(KUHN, 5, 3.0)
    if added:
        replay.add(examples(range(1, added + 1)))
        replay.draw((2,), np.random.default_rng(0))
    copy.load(replay.save())
    for one in (replay, copy):
        one.add(examples(range(101, 104)))
    assert window(copy) == window(replay)
    assert (copy.num_added, copy.num_drawn) == (replay.num_added, replay.num_drawn)
    first, second = (one.draw((3, 4), np.random.default_rng(1)) for one in (replay, copy))
    for ours, theirs in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_the_age_of_the_window_is_counted_in_learner_steps() -> None:
    replay = Replay(KUHN, 3, 1.0)
    assert replay.mean_age(5) == 0
    replay.add(examples([1, 2]))
    assert replay.mean_age(5) == pytest.approx((4 + 3) / 2)
    replay.add(examples([4, 5]))
    assert replay.mean_age(5) == pytest.approx((3 + 1 + 0) / 3)


# The queue.


def queries(numbers: list[int] | range) -> BeliefState:
    column: Any = np.array(numbers, np.int32)
    states: Any = np.repeat(column[:, None], packed_width(KUHN), axis=1)
    ranges: Any = np.tile(column[:, None, None].astype(np.float32), (1, 2, 3))
    return BeliefState(state=states, ranges=ranges)


def popped(queue: QueryQueue, count: int) -> list[int]:
    beliefs = queue.pop(count)
    assert beliefs.state.shape == (count, packed_width(KUHN))
    assert beliefs.ranges.shape == (count, 2, 3)
    numbers: list[int] = beliefs.state[:, 0].tolist()
    assert beliefs.ranges[:, 1, 2].tolist() == numbers
    return numbers


@few
@given(
    size=st.integers(1, 6),
    steps=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=8),
)
def test_the_queue_is_first_in_first_out_and_drops_the_oldest(
    size: int, steps: list[tuple[int, int]]
) -> None:
    queue, plain = QueryQueue(KUHN, size), collections.deque[int](maxlen=size)
    added = dropped = 0
    for adds, pops in steps:
        new = range(added, added + adds)
        dropped += max(len(plain) + adds - size, 0)
        queue.add(queries(new))
        plain.extend(new)
        added += adds
        assert (len(queue), queue.num_dropped) == (len(plain), dropped)
        if 0 < pops <= len(plain):
            assert popped(queue, pops) == [plain.popleft() for _ in range(pops)]


@pytest.mark.parametrize("count", [0, 3])
def test_a_queue_that_was_saved_goes_on_as_if_nothing_had_been(count: int) -> None:
    queue, copy = QueryQueue(KUHN, 4), QueryQueue(KUHN, 4)
    queue.add(queries(range(count)))
    copy.add(queries([9]))  # which is forgotten
    copy.load(queue.save())
    for one in (queue, copy):
        one.add(queries(range(10, 13)))
    assert len(copy) == len(queue)
    assert popped(copy, len(copy)) == popped(queue, len(queue))
    saved = queue.save() | {"states": np.zeros((2, 7)), "ranges": np.zeros((2, 2, 3))}
    with pytest.raises(ValueError, match=r"^public states of kuhn.* must be rows of \d+ words\.$"):
        copy.load(saved)
