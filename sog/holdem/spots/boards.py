"""The cards of a spot: the boards of every street up to suit isomorphism, and the players' hands.

A suit permutation that preserves the board and both ranges maps a card to others with isomorphic
subgames; only one of these cards is dealt, and its values are permuted for the others. Hands are
those in a player's range on any board, in the order of `Deck.hands`; each player has its own list.
It is filled up with other hands to one of a few lengths, so that many ranges share a program.
"""

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from sog.holdem.deck import Deck, number_of
from sog.holdem.hand_ranks import strength, suit_masks

_LEAST_STEP: Final = 32


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Boards:
    """The boards of one street; those below one of the previous street are contiguous.

    If their numbers are made equal for speed, padding boards have no hands.
    """

    cards: np.ndarray
    """[board, card] int32; -1 on padding boards."""
    num_first: int
    """Cards of the spot's initial board; the order of later ones matters."""
    start: np.ndarray
    """[board of the previous street + 1] int32: where its boards begin."""
    mask: tuple[np.ndarray, np.ndarray]
    """[board, hand] float32 of each player: 1 if the hand is in a range and has no card of the
    board."""
    image: tuple[np.ndarray, np.ndarray]
    """[board, image, hand] int32: the hand on this board that corresponds to a hand on an image of
    it; the number of hands if there is no such image."""
    stands_for: tuple[dict[int, tuple[int, tuple[int, ...]]], ...]
    """For each board of the previous street: by card dealt, the canonical board, and the suits that
    those of the card's board become there."""

    @property
    def size(self) -> int:
        """The number of boards, including padding."""
        return len(self.cards)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SpotHands:
    """The hands that the players may hold."""

    deck: Deck
    hole_cards: int
    number: tuple[np.ndarray, np.ndarray]
    """[hand] int32: the hand's number in `Deck.hands`."""
    holds: tuple[np.ndarray, np.ndarray]
    """[hand, card] float32: 1 if the hand has the card."""
    same: tuple[np.ndarray, np.ndarray]
    """[hand] int32: the index of the same hand in the other's list, or the list's length."""
    is_held: tuple[np.ndarray, np.ndarray]
    """[hand] bool: whether it is in a range, and not there to fill up."""

    @functools.cached_property
    def compatible(self) -> np.ndarray:
        """[hand of player 0, hand of player 1] float32: 1 if the hands share no card."""
        return np.asarray(self.holds[0] @ self.holds[1].T == 0, np.float32)


def list_hands(
    deck: Deck, hole_cards: int, ranges: np.ndarray, roots: Sequence[tuple[int, ...]] = ((),)
) -> SpotHands:
    """The hands of any range. ranges: [root, 2, hand of the deck]. roots: the initial boards."""
    holds = deck.holds(hole_cards).astype(np.float32)
    is_possible = np.any([holds[:, list(board)].sum(axis=1) == 0 for board in roots], axis=0)
    in_range = np.asarray((ranges > 0).any(axis=0))
    numbers = [_fill_up(one, is_possible) for one in in_range]
    same = [_places(numbers[1 - player], numbers[player]) for player in (0, 1)]
    first, second = (number.astype(np.int32) for number in numbers)
    return SpotHands(
        deck=deck,
        hole_cards=hole_cards,
        number=(first, second),
        holds=(holds[first], holds[second]),
        same=(same[0], same[1]),
        is_held=(in_range[0][first], in_range[1][second]),
    )


def _fill_up(in_range: np.ndarray, is_possible: np.ndarray) -> np.ndarray:
    """The numbers of the hands in a range, and of others up to a multiple of a quarter to an eighth
    of their number."""
    numbers, others = np.flatnonzero(in_range), np.flatnonzero(is_possible & ~in_range)
    step = max(_LEAST_STEP, 2 ** (len(numbers).bit_length() - 3))
    return np.sort(np.concatenate([numbers, others[: -len(numbers) % step]]))


def root_boards(hands: SpotHands, boards: Sequence[tuple[int, ...]]) -> Boards:
    """The initial boards of spots, each its own canonical board."""
    suits = tuple(range(hands.deck.suits))
    return _boards(
        hands,
        np.asarray(boards, np.int32).reshape(len(boards), -1),
        len(boards[0]),
        np.asarray([0, len(boards)], np.int32),
        [[] for _ in boards],
        ({number: (number, suits) for number in range(len(boards))},),
    )


def deal(hands: SpotHands, before: Boards, ranges: np.ndarray | None, chunk: int = 1) -> Boards:
    """The boards with one more card.

    ranges: [2, hand of the deck], to merge isomorphic cards; None not to. chunk: the number of
    boards below each one is padded to a multiple of this.
    """
    deck = hands.deck
    cards: list[list[int]] = []
    images: list[list[tuple[int, ...]]] = []
    start, stands_for = [0], []
    for board in before.cards.tolist():
        classes = _classes(hands, board, before.num_first, ranges) if -1 not in board else {}
        known: dict[int, tuple[int, tuple[int, ...]]] = {}
        for dealt, others in classes.items():
            identity = tuple(range(deck.suits))
            known[dealt] = len(cards), identity
            known |= {card: (len(cards), _inverse(suits)) for card, suits in others.items()}
            cards.append([*board, dealt])
            images.append([_inverse(suits) for suits in others.values()])
        while len(cards) % chunk:
            cards.append([-1] * (len(board) + 1))
            images.append([])
        start.append(len(cards))
        stands_for.append(known)
    return _boards(
        hands,
        np.asarray(cards, np.int32),
        before.num_first,
        np.asarray(start, np.int32),
        images,
        tuple(stands_for),
    )


def rename_suits(deck: Deck, cards: np.ndarray, suits: Sequence[int]) -> np.ndarray:
    """Cards with each suit s replaced by `suits[s]`."""
    return np.asarray(cards // deck.suits * deck.suits + np.asarray(suits)[cards % deck.suits])


def rename_hands(deck: Deck, hole_cards: int, suits: Sequence[int]) -> np.ndarray:
    """[hand of the deck]: the new number of each hand."""
    renamed = rename_suits(deck, deck.hands(hole_cards), suits)
    return np.asarray(number_of(renamed, deck.num_cards, np))


def strengths(hands: SpotHands, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[board, hand] int32 of each player: ranks of hands on complete boards, 0 for the weakest."""
    deck = hands.deck
    found: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    masks = suit_masks(deck.hands(hands.hole_cards), deck, np)
    for board in boards:
        public = suit_masks(np.where(board < 0, deck.num_cards, board), deck, np)
        _, ranks = np.unique(strength(masks | public, deck, np), return_inverse=True)
        for player in (0, 1):
            found[player].append(ranks[hands.number[player]].astype(np.int32))
    return np.stack(found[0]), np.stack(found[1])


def _classes(
    hands: SpotHands, board: list[int], num_first: int, ranges: np.ndarray | None
) -> dict[int, dict[int, tuple[int, ...]]]:
    """The canonical cards to deal, each with the permutations to the cards of its class."""

    deck = hands.deck
    everything = itertools.permutations(range(deck.suits))
    symmetries = [next(everything)]  # the identity
    if ranges is not None:
        symmetries += [
            suits for suits in everything if _is_symmetry(hands, suits, board, num_first, ranges)
        ]
    left = set(range(deck.num_cards)) - set(board)
    found: dict[int, dict[int, tuple[int, ...]]] = {}
    while left:
        card = min(left)
        found[card] = {}
        left.discard(card)
        for suits in symmetries:
            image = int(rename_suits(deck, np.asarray([card]), suits)[0])
            if image in left:
                found[card][image] = suits
                left.discard(image)
    return found


def _is_symmetry(
    hands: SpotHands, suits: tuple[int, ...], board: list[int], num_first: int, ranges: np.ndarray
) -> bool:
    """Whether a suit permutation preserves the board and the ranges.

    Cards dealt after the start must stay in place, since earlier bets were made without them.
    """
    renamed = rename_suits(hands.deck, np.asarray(board, np.int32), suits).tolist()
    is_same_board = set(renamed[:num_first]) == set(board[:num_first])
    is_same_board &= renamed[num_first:] == board[num_first:]
    renaming = rename_hands(hands.deck, hands.hole_cards, suits)
    return is_same_board and np.array_equal(ranges[:, renaming], ranges)


def _boards(
    hands: SpotHands,
    cards: np.ndarray,
    num_first: int,
    start: np.ndarray,
    images: list[list[tuple[int, ...]]],
    stands_for: tuple[dict[int, tuple[int, tuple[int, ...]]], ...],
) -> Boards:
    most = max(map(len, images))
    masks, tables = [], []
    for player in (0, 1):
        dealt = np.zeros((len(cards), hands.deck.num_cards), np.float32)
        for column in cards.T:
            dealt[np.arange(len(cards)), column] = 1
        fills_up = (cards < 0).any(axis=1, keepdims=True)
        taken = dealt @ hands.holds[player].T + fills_up
        masks.append(np.asarray((taken == 0) & hands.is_held[player], np.float32))
        number = hands.number[player]
        table = np.full((len(cards), most, len(number)), len(number), np.int32)
        places = {}
        for board, of_board in enumerate(images):
            for image, suits in enumerate(of_board):
                if suits not in places:
                    renaming = rename_hands(hands.deck, hands.hole_cards, suits)
                    places[suits] = _places(number, renaming[number])
                table[board, image] = places[suits]
        tables.append(table)
    return Boards(
        cards=cards,
        num_first=num_first,
        start=start,
        mask=(masks[0], masks[1]),
        image=(tables[0], tables[1]),
        stands_for=stands_for,
    )


def _places(ordered: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """[wanted] int32: the index of each in an ordered list; the list's length if absent."""
    at = np.searchsorted(ordered, wanted)
    found = at < len(ordered)
    found[found] = ordered[at[found]] == wanted[found]
    return np.where(found, at, len(ordered)).astype(np.int32)


def _inverse(suits: Sequence[int]) -> tuple[int, ...]:
    return tuple(np.argsort(suits).tolist())
