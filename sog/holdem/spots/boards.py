"""The cards of a spot: the boards of every street, cards that may stand for others, and who holds
what.

A suit permutation that leaves the board and both ranges as they are maps a card to others whose
subgames are the same up to names; one of these cards is dealt, and the values that come back are
permuted for the others. Hands are those in a player's range on any board, in the order of
`Deck.hands`; the two players have lists of their own.
"""

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import strength, suit_masks


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Boards:
    """The boards of one street; those below one of the street before are contiguous.

    Where their numbers are made equal for speed, the boards that fill up have no hands.
    """

    cards: np.ndarray
    """[board, card] int32; -1 on boards that fill up."""
    num_first: int
    """How many of the cards lay there when the spot began; the order of the others matters."""
    start: np.ndarray
    """[board of the street before + 1] int32: where its boards begin."""
    mask: tuple[np.ndarray, np.ndarray]
    """[board, hand] float32 of each player: 1 where no card of the hand lies on the board."""
    image: tuple[np.ndarray, np.ndarray]
    """[board, image, hand] int32: the hand of this board whose value a hand has on an image of it;
    the number of hands where there is no such image."""
    stands_for: tuple[dict[int, tuple[int, tuple[int, ...]]], ...]
    """For each board of the street before: for a card dealt, the board that stands for it, and the
    suits that those of the card's board become there."""

    @property
    def size(self) -> int:
        """How many boards, those that fill up included."""
        return len(self.cards)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SpotHands:
    """What the players may hold."""

    deck: Deck
    hole_cards: int
    number: tuple[np.ndarray, np.ndarray]
    """[hand] int32: the hand's number in `Deck.hands`."""
    holds: tuple[np.ndarray, np.ndarray]
    """[hand, card] float32: 1 where the hand has the card."""
    same: tuple[np.ndarray, np.ndarray]
    """[hand] int32: the place of the same hand in the other's list, or the length of that."""

    @property
    def compatible(self) -> np.ndarray:
        """[hand of player 0, hand of player 1] float32: 1 where the hands share no card."""
        return np.asarray(self.holds[0] @ self.holds[1].T == 0, np.float32)


def list_hands(deck: Deck, hole_cards: int, ranges: np.ndarray) -> SpotHands:
    """The hands that some range has. ranges: [root, 2, hand of the deck]."""
    numbers = [np.flatnonzero((ranges[:, player] > 0).any(axis=0)) for player in (0, 1)]
    holds = deck.holds(hole_cards).astype(np.float32)
    same = [_places(numbers[1 - player], numbers[player]) for player in (0, 1)]
    first, second = (number.astype(np.int32) for number in numbers)
    return SpotHands(
        deck=deck,
        hole_cards=hole_cards,
        number=(first, second),
        holds=(holds[first], holds[second]),
        same=(same[0], same[1]),
    )


def root_boards(hands: SpotHands, boards: Sequence[tuple[int, ...]]) -> Boards:
    """The boards that spots begin with, each of them itself."""
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
    """The boards with one card more.

    ranges: [2, hand of the deck], if cards may stand for others. chunk: the number of boards below
    one is made a multiple of this.
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
    """Cards whose suit s has become `suits[s]`."""
    return np.asarray(cards // deck.suits * deck.suits + np.asarray(suits)[cards % deck.suits])


def rename_hands(deck: Deck, hole_cards: int, suits: Sequence[int]) -> np.ndarray:
    """[hand of the deck]: what each hand has become."""
    renamed = np.sort(rename_suits(deck, deck.hands(hole_cards), suits), axis=1)
    if hole_cards == 1:
        return renamed[:, 0]
    return np.asarray(renamed[:, 1] * (renamed[:, 1] - 1) // 2 + renamed[:, 0])


def strengths(hands: SpotHands, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[board, hand] int32 of each player: ranks of hands on whole boards, 0 the weakest there."""
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
    """Cards that may be dealt: one of each class, and the suits by which it becomes the others."""

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
    """Whether new names of the suits leave all as it is.

    Cards that were dealt on the way stay where they are: what was bet before them was bet without
    them.
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
        masks.append(np.asarray(taken == 0, np.float32))
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
    """[wanted] int32: where each stands in an ordered list; its length where it does not."""
    at = np.searchsorted(ordered, wanted)
    found = at < len(ordered)
    found[found] = ordered[at[found]] == wanted[found]
    return np.where(found, at, len(ordered)).astype(np.int32)


def _inverse(suits: Sequence[int]) -> tuple[int, ...]:
    inverse = [0] * len(suits)
    for suit, image in enumerate(suits):
        inverse[image] = suit
    return tuple(inverse)
