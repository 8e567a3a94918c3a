"""Buckets: hands that a blueprint does not distinguish, by E[HS^2], street by street.

A bucket holds about as many pairs of a board and a hand as any other. If there are at least as many
buckets as classes of hands up to suit isomorphism, such as the 169 preflop, each class has its own.
That is lossless up to the first deal; on later streets the order of the board's cards is forgotten.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from sog.holdem.blueprint.strengths import earlier_scores, last_scores, num_opponents
from sog.holdem.board_classes import hands_of_class, in_order, renamed_hands, suit_classes
from sog.holdem.game import Holdem

MOST_BUCKETS: Final = 2**16
MOST_KEPT: Final = 2**25
"""Entries of a table; if the last street has more, its scores are recomputed when needed. For the
whole deck it would have 178 million."""
_TOGETHER: Final = 512  # boards at a time, so that lists of all hands stay small


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Buckets:
    """The bucket of every hand on every board, street by street."""

    game: Holdem
    sizes: tuple[int, ...]
    """The number of buckets, by street."""
    tables: tuple[np.ndarray, ...]
    """By street: uint16[C, S], the bucket of each hand on each board with suits in order (see
    `suit_classes`), 0 for dead hands. Of no rows for a last street that has `edges`."""
    edges: np.ndarray
    """int32[sizes - 1] ascending, if the last street has no table: the largest score (see
    `last_scores`) of each bucket except the last."""

    @property
    def has_edges(self) -> bool:
        """Whether buckets of the last street are computed from scores."""
        return len(self.tables[-1]) == 0

    def of_boards(self, street: int, boards: np.ndarray) -> np.ndarray:
        """uint16[n, S]: the buckets of all hands on boards [n, cards], cards in any order."""
        deck, hands = self.game.deck, self.game.hands
        if street == len(self.tables) - 1 and self.has_edges:
            scores = last_scores(hands, boards)
            return np.searchsorted(self.edges, scores).astype(np.uint16)
        keys, renaming = in_order(deck, boards)
        rows = np.searchsorted(suit_classes(deck, boards.shape[1]).key, keys)
        names = renamed_hands(hands)[renaming]
        return np.asarray(self.tables[street][rows[:, None], names])


def check_whole(game: Holdem) -> None:
    """Raises ValueError for a game that begins with a board or a draw."""
    if game.board != "none":
        raise ValueError(f"a blueprint needs a whole game, got one with board={game.board}.")
    if game.betting.setups:
        raise ValueError("a blueprint needs fixed stacks and a fixed menu, got drawn ones.")


def make_buckets(
    game: Holdem,
    sizes: Sequence[int],
    progress: Callable[[str], None] = lambda doing: None,
) -> Buckets:
    """Makes the buckets of all streets; for the whole deck that takes a minute or two.

    sizes: the most buckets, by street. Raises ValueError for sizes that do not fit the game.
    """
    last = len(game.num_public) - 1
    if len(sizes) != last + 1:
        raise ValueError(f"buckets must be {last + 1} numbers, one for each street, got {sizes}.")
    if not all(1 <= size <= MOST_BUCKETS for size in sizes):
        raise ValueError(f"buckets must be 1 to {MOST_BUCKETS} on each street, got {sizes}.")
    tables: list[np.ndarray] = []
    found_sizes: list[int] = []
    edges, scores = np.zeros(0, np.int32), np.zeros((0, 0))
    for street in range(last, -1, -1):
        progress(f"street {street + 1} of {last + 1}")
        classes = _alike(game, street, sizes[street])
        if classes is None or any(_alike(game, one, sizes[one]) is None for one in range(street)):
            scores = _scores(game, street, scores)
        if classes is not None:
            tables.append(classes.astype(np.uint16))
            found_sizes.append(int(classes.max()) + 1)
            continue
        found = _edges(game, street, scores, sizes[street])
        found_sizes.append(len(found) + 1)
        if street == last and scores.size > MOST_KEPT:
            edges = found.astype(np.int32)
            tables.append(np.zeros((0, scores.shape[1]), np.uint16))
        else:
            tables.append(_in_buckets(game, street, scores, found))
    return Buckets(
        game=game, sizes=tuple(found_sizes[::-1]), tables=tuple(tables[::-1]), edges=edges
    )


def _scores(game: Holdem, street: int, later: np.ndarray) -> np.ndarray:
    """[C, S]: see `earlier_scores` and `last_scores`. later: of the next street."""
    there = game.num_public[street]
    if street == len(game.num_public) - 1:
        return last_scores(game.hands, suit_classes(game.deck, there).board)
    return earlier_scores(game.hands, there, game.num_public[street + 1] - there, later)


def _chunks(game: Holdem, street: int) -> Iterator[tuple[slice, np.ndarray]]:
    """The boards of a street in chunks, and bool[n, S], the hands that are live on them."""
    boards = suit_classes(game.deck, game.num_public[street]).board
    for start in range(0, len(boards), _TOGETHER):
        chunk = slice(start, start + _TOGETHER)
        yield chunk, game.hands.live(boards[chunk])


def _in_buckets(game: Holdem, street: int, scores: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """uint16[C, S]."""
    found = np.zeros(scores.shape, np.uint16)
    for chunk, live in _chunks(game, street):
        found[chunk] = np.where(live, np.searchsorted(edges, scores[chunk]), 0)
    return found


def _alike(game: Holdem, street: int, most: int) -> np.ndarray | None:
    """[C, S]: numbers of the classes of boards and hands; None if there are more than `most`."""
    boards = suit_classes(game.deck, game.num_public[street]).board
    if len(boards) > most:
        return None
    first = np.stack([hands_of_class(game.hands, board) for board in boards])
    live = np.concatenate([there for _, there in _chunks(game, street)])
    key = first + np.arange(len(boards))[:, None] * first.shape[1]
    there, number = np.unique(key[live], return_inverse=True)
    if len(there) > most:
        return None
    found = np.zeros(key.shape, np.int64)
    found[live] = number
    return found


def _edges(game: Holdem, street: int, scores: np.ndarray, size: int) -> np.ndarray:
    """int64[buckets - 1], ascending: the largest score of each bucket except the last.

    scores: [C, S].
    """
    on_last = scores.dtype == np.int16
    most = 2 * num_opponents(game.hands, game.num_public[street])  # of a hand that always wins
    value = np.arange(most + 1) if on_last else np.unique(scores)
    total = np.zeros(len(value))  # pairs of boards and hands with each score
    weight = suit_classes(game.deck, game.num_public[street]).size
    for chunk, live in _chunks(game, street):
        times = np.broadcast_to(weight[chunk, None], live.shape)[live]
        place = scores[chunk][live]
        place = place if on_last else np.searchsorted(value, place)
        total += np.bincount(place, times, len(value))
    upto = np.cumsum(total)
    wanted = upto[-1] * np.arange(1, size) / size
    largest = np.unique(value[np.searchsorted(upto, wanted)])
    return np.asarray(largest[largest < value[total > 0][-1]], np.int64)
