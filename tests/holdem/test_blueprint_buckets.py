"""E[HS^2] against plain loops, and buckets that keep what they promise."""

import itertools
from typing import Any

import numpy as np
import pytest

from sog.holdem.blueprint.buckets import Buckets, make_buckets
from sog.holdem.blueprint.file import begin
from sog.holdem.blueprint.strengths import earlier_scores, last_scores, num_opponents
from sog.holdem.board_classes import hands_of_class, renamed_hands, suit_classes
from sog.holdem.deck import Deck
from sog.holdem.game import Holdem
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.showdown import Hands

DECK = Deck(5, 3)
HANDS = Hands(DECK)
SMALL = Holdem(ranks=5, suits=3, deals="3/1")


def test_hands_fall_into_the_known_numbers_of_classes() -> None:
    first = hands_of_class(Hands(Deck()), np.zeros(0, np.int32))
    _, sizes = np.unique(first, return_counts=True)
    # 13 pairs of 6 hands, 78 of one suit of 4, and 78 of two suits of 12.
    assert dict(zip(*np.unique(sizes, return_counts=True), strict=True)) == {4: 78, 6: 13, 12: 78}


def plain_score(board: tuple[int, ...], hand: tuple[int, ...]) -> int:
    """Twice the wins and the ties, by a loop over the opponent's hands."""

    def of(*cards: int) -> int:
        return int(strength(suit_masks(np.array(cards), DECK, np), DECK, np))

    left = [card for card in range(DECK.num_cards) if card not in board and card not in hand]
    own = of(*board, *hand)
    others = [of(*board, *other) for other in itertools.combinations(left, 2)]
    return sum(2 * (own > other) + (own == other) for other in others)


def test_expected_squares_are_those_of_plain_loops() -> None:
    last = last_scores(HANDS, suit_classes(DECK, 4).board)
    turn = earlier_scores(HANDS, 3, 1, last)
    random = np.random.default_rng(0)
    for row in random.choice(len(turn), 3, replace=False):
        board = suit_classes(DECK, 3).board[row]
        for number in random.choice(DECK.num_hands(), 5, replace=False):
            hand = DECK.hands()[number]
            left = np.setdiff1d(np.arange(DECK.num_cards), [*board, *hand])
            wanted = 0
            if not set(board) & set(hand):
                wanted = sum(plain_score((*board, card), tuple(hand)) ** 2 for card in left)
            assert turn[row, number] == wanted
    start = earlier_scores(HANDS, 0, 3, turn)
    # Each flop and later card, of all that there are.
    most = (2 * num_opponents(HANDS, 4)) ** 2 * 286 * 10
    assert 0 < start.min() < start.max() < most


@pytest.fixture(scope="module")
def made() -> Buckets:
    return make_buckets(SMALL, (100, 20, 10))


def test_hands_that_differ_in_the_names_of_suits_share_a_bucket(made: Buckets) -> None:
    random = np.random.default_rng(1)
    names = renamed_hands(HANDS)
    cards = np.arange(DECK.num_cards)
    for street, there in enumerate(SMALL.num_public):
        board = random.permutation(DECK.num_cards)[:there]
        for number, suits in enumerate(itertools.permutations(range(DECK.suits))):
            renamed = cards // DECK.suits * DECK.suits + np.array(suits)[cards % DECK.suits]
            pair = made.of_boards(street, np.stack([board, renamed[board]]).astype(np.int32))
            np.testing.assert_array_equal(pair[0], pair[1][names[number]])


def test_a_street_with_room_for_all_classes_loses_nothing(made: Buckets) -> None:
    found = made.of_boards(0, np.zeros((1, 0), np.int32))[0]
    first = hands_of_class(HANDS, np.zeros(0, np.int32))
    assert made.sizes[0] == len(np.unique(first)) == 5 + 10 + 10
    same = found[:, None] == found[None]
    np.testing.assert_array_equal(same, first[:, None] == first[None])


def shares_of_hands(made: Buckets, street: int) -> tuple[np.ndarray, np.ndarray]:
    """E[HS^2] of all live pairs of a board and a hand, and their buckets."""
    last = last_scores(HANDS, suit_classes(DECK, 4).board).astype(float)
    most = 2 * num_opponents(HANDS, 4)
    share = (last / most) ** 2
    if street == 1:
        share = earlier_scores(HANDS, 3, 1, last.astype(np.int16)) / (most**2 * 10)
    classes = suit_classes(DECK, SMALL.num_public[street])
    live = HANDS.live(classes.board)
    times = classes.size[np.nonzero(live)[0]]
    return share[live].repeat(times), made.tables[street][live].repeat(times)


@pytest.mark.parametrize("street", [1, 2])
def test_buckets_are_ordered_by_strength_and_as_large_as_they_should_be(
    made: Buckets, street: int
) -> None:
    share, bucket = shares_of_hands(made, street)
    size = (100, 20, 10)[street]
    assert bucket.max() + 1 <= made.sizes[street] <= size
    ends = [(share[bucket == one].min(), share[bucket == one].max()) for one in np.unique(bucket)]
    assert all(before[1] < after[0] for before, after in itertools.pairwise(ends))
    counts = np.bincount(bucket) / len(bucket)
    largest_tie = np.unique(share, return_counts=True)[1].max() / len(share)
    assert counts.max() <= 1 / size + largest_tie


def test_scores_made_anew_lead_to_the_buckets_of_a_table(
    made: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.holdem.blueprint.buckets.MOST_KEPT", 0)
    anew = make_buckets(SMALL, (100, 20, 10))
    boards = np.stack([np.random.default_rng(n).permutation(15)[:4] for n in range(40)])
    assert anew.has_edges
    assert not made.has_edges
    live = HANDS.live(boards)
    assert anew.sizes == made.sizes
    np.testing.assert_array_equal(anew.of_boards(2, boards)[live], made.of_boards(2, boards)[live])


@pytest.mark.parametrize(
    ("changes", "sizes", "message"),
    [
        ({}, (169, 10), "buckets must be 4 numbers, one for each street"),
        ({}, (169, 10, 10, 0), "buckets must be 1 to 65536 on each street"),
        ({"board": "KsTh7s", "pot": 100}, (10, 10, 10), "a blueprint needs a whole game"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    changes: dict[str, Any], sizes: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        begin(Holdem(stack="400", **changes), sizes)
