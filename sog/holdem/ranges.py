"""Notation of ranges of two-card hands: "TT+, A5s-A2s, KQo:0.5, AhKd, 25%".

A range is a weight from 0 to 1 for every hand of a deck, in the order of `Deck.hands`. Commas,
semicolons, spaces or line breaks separate parts; later ones override earlier ones. A part is

    TT          a pair                        AK   AKs   AKo   two ranks: any, suited, offsuit
    TT+         it and all higher pairs       A5s+             it and all with a higher second card
    99-66       pairs from one to the other   A5s-A2s          likewise; T9s-76s of equal gaps, too
    AhKd        one hand                      Ax   Axs   Axo   with any lower second card, as A2+
    random      all hands                     25%              the best hands, so many of all

and its weight is 1 unless given after a colon or an @: AA:0.5 or AA@50%. [50]AA,KK[/50] gives all
parts inside that weight. The best hands have the highest scores by Chen's formula (Chen and
Ankenman, The Mathematics of Poker, 2006; see `_score`); the class of hands where a percentage ends
gets a partial weight, so that the percentage is exact.

A class is a set of hands equal up to suits: [row, column] of a square, ranks from the highest,
pairs on the diagonal, suited hands above it and offsuit ones below.
"""

import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from sog.holdem.deck import SUITS, Deck
from sog.quoting import quoted

Class = tuple[int, int]
"""Row and column in the square of classes."""
_HELP: Final = "write hands as TT+, AKs, A5s-A2s, Ax, KQo:0.5, AhKd or 25%"
_LONGEST: Final = 200_000  # letters; all hands one by one, with weights of many digits, are fewer
_MOST_PARTS: Final = 4_000
_NUMBER: Final = re.compile(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_FULL: Final = "100%"
_WEIGHTED: Final = re.compile(r"\[([^][/]*)\]([^][]*)\[/\1\]")  # [50]AA,KK[/50]


def parse_range(
    text: str,
    deck: Deck = Deck(),  # noqa: B008 - frozen
    *,
    may_be_empty: bool = False,
) -> np.ndarray:
    """[hand] float64: the weights of a range's text.

    may_be_empty: whether all may be 0, as while a range is edited. Raises ValueError, one line that
    names the part of the text and what is wrong with it.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"a range must have at most {_LONGEST} letters, got {len(text)}.")
    parts = _parts(text)
    if len(parts) > _MOST_PARTS:
        raise ValueError(f"a range must have at most {_MOST_PARTS} parts, got {len(parts)}.")
    weights = np.zeros(deck.num_hands())
    for part in parts:
        body, weight = _split_weight(part)
        hands, share = _hands_of(body, deck)
        weights[hands] = weight * share
    if not weights.any() and not may_be_empty:
        raise ValueError(f"a range must have a hand with a weight above 0, got {quoted(text)}.")
    return weights


def format_range(weights: np.ndarray, deck: Deck = Deck()) -> str:  # noqa: B008 - frozen
    """A short text that `parse_range` reads as exactly these weights; "" for an empty range.

    Heavier hands come first; with equal weights pairs, suited, offsuit, single hands.
    """
    parts: list[str] = []
    classes = class_of_hands(deck)
    mean = class_weights(weights, deck)
    is_even = weights == mean[classes[:, 0], classes[:, 1]]
    broken = {tuple(pair) for pair in classes[~is_even].tolist()}
    for weight in sorted(set(weights[weights > 0].tolist()), reverse=True):
        ending = "" if weight == 1 else f":{weight!r}"
        of_weight = [one for one in _classes(deck) if one not in broken and mean[one] == weight]
        single = [
            deck.cards_name(deck.hands()[hand])
            for hand in np.flatnonzero(weights == weight)[::-1]
            if tuple(classes[hand].tolist()) in broken
        ]
        if len(of_weight) == len(_classes(deck)):
            of_class = [_FULL]
        else:
            of_class = list(_runs(of_weight, deck))
        parts += [f"{name}{ending}" for name in (*of_class, *single)]
    return ",".join(parts)


def class_weights(weights: np.ndarray, deck: Deck = Deck()) -> np.ndarray:  # noqa: B008 - frozen
    """[row, column] float64: the mean weight of the hands of each class."""
    rows, columns = class_of_hands(deck).T
    size = (deck.ranks, deck.ranks)
    total, count = np.zeros(size), np.zeros(size)
    least, most = np.full(size, np.inf), np.zeros(size)
    np.add.at(total, (rows, columns), weights)
    np.add.at(count, (rows, columns), 1)
    np.minimum.at(least, (rows, columns), weights)
    np.maximum.at(most, (rows, columns), weights)
    # The mean of equal numbers is exactly that number, without rounding.
    return np.where(least == most, most, total / np.maximum(count, 1))


def class_name(row: int, column: int, deck: Deck = Deck()) -> str:  # noqa: B008 - frozen
    """Such as "AKs", "AKo" or "TT"."""
    letters = deck.rank_letters[::-1]
    if row == column:
        return letters[row] * 2
    return letters[min(row, column)] + letters[max(row, column)] + ("s" if row < column else "o")


@functools.cache
def class_names(deck: Deck = Deck()) -> tuple[tuple[str, ...], ...]:  # noqa: B008 - frozen
    """[row][column]."""
    size = range(deck.ranks)
    return tuple(tuple(class_name(row, column, deck) for column in size) for row in size)


@functools.cache
def class_of_hands(deck: Deck = Deck()) -> np.ndarray:  # noqa: B008 - frozen
    """[hand, 2] int: row and column of each hand's class."""
    hands = deck.hands()
    low, high = (deck.ranks - 1 - hands[:, card] // deck.suits for card in (0, 1))
    suited = (hands[:, 0] % deck.suits == hands[:, 1] % deck.suits)[:, None]
    found = np.where(suited, np.stack([high, low], axis=1), np.stack([low, high], axis=1))
    found.flags.writeable = False
    return found


@functools.cache
def _classes(deck: Deck) -> list[Class]:
    """The classes with any hands."""
    return sorted({(row, column) for row, column in class_of_hands(deck).tolist()})


@functools.cache
def _hands_of_class(deck: Deck) -> dict[Class, np.ndarray]:
    classes = class_of_hands(deck)
    return {one: np.flatnonzero((classes == one).all(axis=1)) for one in _classes(deck)}


def _parts(text: str) -> list[str]:
    """The parts of a text, each with its weight if given, without spaces."""
    joined = re.sub(r" ?([-:@]) ?| (?=%)", r"\1", " ".join(text.split()))
    plain, *rest = _WEIGHTED.split(joined)
    parts = _split(plain)
    for percent, inside, plain in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        parts += [f"{part}:{percent}%" for part in _split(inside)]
        parts += _split(plain)
    return parts


def _split(text: str) -> list[str]:
    return text.translate({ord(","): " ", ord(";"): " "}).split()


def _split_weight(part: str) -> tuple[str, float]:
    body, mark, number = re.match(r"([^:@]*)([:@]?)(.*)", part).groups()  # type: ignore[union-attr]
    if not mark:
        return body, 1.0
    weight = _read_number(number.removesuffix("%"))
    if weight is not None and number.endswith("%"):
        weight /= 100
    if weight is None or weight > 1:
        raise ValueError(
            f"the weight of {quoted(part)} must be a number from 0 to 1, or from 0% to 100%."
        )
    return body, weight


def _hands_of(body: str, deck: Deck) -> tuple[np.ndarray, np.ndarray | float]:
    """The hands of a part, and each one's share of the part's weight."""
    if body.lower() == "random":
        body = _FULL
    if body.endswith("%"):
        return _best_hands(body, deck)
    if len(body) == 4 and body[1].lower() in SUITS and body[3].lower() in SUITS:
        cards = deck.parse_cards(body)
        low, high = sorted(cards)
        return np.array([high * (high - 1) // 2 + low]), 1.0
    classes = [one for one in _named_classes(body, deck) if one in _hands_of_class(deck)]
    if not classes:
        raise ValueError(f"{quoted(body)} is not a hand of a deck with {deck.suits} suits.")
    return np.concatenate([_hands_of_class(deck)[one] for one in classes]), 1.0


def _named_classes(body: str, deck: Deck) -> list[Class]:
    """The classes of TT, AK, AKs, Ax, also with +, or of two joined by a dash."""
    first, dash, second = body.partition("-")
    if first[1:2] in ("x", "X") and first[:1].upper() != deck.rank_letters[0] and not dash:
        first = f"{first[0]}{deck.rank_letters[0]}{first[2:]}+"
    plus = first.endswith("+") and not dash
    high, low, kind = _read_class(first.removesuffix("+") if plus else first, body, deck)
    ends = [(high, low)]
    if plus:
        ends.append((0, 0) if high == low else (high, high + 1))
    elif dash:
        other_high, other_low, other_kind = _read_class(second, body, deck)
        is_pair = (high == low, other_high == other_low)
        gaps = low - high, other_low - other_high
        alike = kind == other_kind and is_pair[0] == is_pair[1]
        if not alike or (high != other_high and gaps[0] != gaps[1]):
            raise ValueError(
                f"{quoted(body)} must join two pairs, or two hands of one kind that share the "
                f"first card or the gap; {_HELP}."
            )
        ends.append((other_high, other_low))
    (top, bottom), last = ends[0], ends[-1]
    steps = max(abs(last[0] - top), abs(last[1] - bottom))
    down, right = (int(np.sign(end - begin)) for begin, end in zip(ends[0], last, strict=True))
    pairs = [(top + down * step, bottom + right * step) for step in range(steps + 1)]
    suited = [(row, column) for row, column in pairs if kind != "o"]
    offsuit = [(column, row) for row, column in pairs if kind != "s"]
    return list(dict.fromkeys([*suited, *offsuit]))


def _read_class(text: str, body: str, deck: Deck) -> tuple[int, int, str]:
    """The ranks of "AKs", counted from the highest, the higher one first, and its kind."""
    letters = deck.rank_letters[::-1]
    places = [letters.find(letter.upper()) for letter in text[:2]]
    kind = text[2:].lower()
    if len(places) < 2 or min(places) < 0 or kind not in ("", "s", "o"):
        raise ValueError(f"{quoted(body)} is not a hand; {_HELP}.")
    high, low = sorted(places)
    if high == low and kind:
        raise ValueError(f"{quoted(body)} is a pair, which is neither suited nor offsuit.")
    return high, low, kind


def _best_hands(body: str, deck: Deck) -> tuple[np.ndarray, np.ndarray]:
    """The best hands for a percentage, and their shares of its weight."""
    percent = _read_number(body.removesuffix("%"))
    if percent is None or not 0 < percent / 100 <= 1:
        raise ValueError(f"{quoted(body)} must be more than 0% and at most 100%.")
    members, sizes = _best_first(deck)
    left = percent / 100 * deck.num_hands() - (np.cumsum(sizes) - sizes)
    shares = np.repeat(np.clip(left / sizes, 0, 1), sizes)
    return members[shares > 0], shares[shares > 0]


@functools.cache
def _best_first(deck: Deck) -> tuple[np.ndarray, np.ndarray]:
    """[hand], all hands class by class, the best first; [class], the size of each."""
    order = sorted(_classes(deck), key=lambda one: _rank_of_class(one, deck))
    members = [_hands_of_class(deck)[one] for one in order]
    return np.concatenate(members), np.array([len(hands) for hands in members])


def _read_number(text: str) -> float | None:
    """A number such as 0.5 or 1e-3; None for any other text."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _rank_of_class(one: Class, deck: Deck) -> tuple[float, ...]:
    """A sort key, the best first: score, then higher card, lower card, suited."""
    row, column = one
    return (-_score(row, column, deck), min(one), max(one), row > column)


def _score(row: int, column: int, deck: Deck) -> float:
    """Chen's formula, without rounding up half points.

    The higher card counts 10, 8, 7, 6 (ace to jack), else half its rank; twice that for a pair, at
    least 5. Suited: 2 more. A gap of 1, 2, 3 or more ranks between the cards: 1, 2, 4, 5 less. One
    more for a straight that can go either way: a gap below 2, both cards below the queen.
    """
    high, low = min(row, column), max(row, column)
    best = (10, 8, 7, 6)
    score: float = best[high] if high < len(best) else (14 - high) / 2
    if row == column:
        return max(2 * score, 5)
    gap = low - high - 1
    score += 2 if row < column else 0
    score -= (0, 1, 2, 4, 5)[min(gap, 4)]
    return score + (1 if gap < 2 and high > 2 else 0)


def _runs(classes: Iterable[Class], deck: Deck) -> Iterator[str]:
    """Compact names of classes: TT+, 99-66, A5s+, A9s-A7s."""
    wanted = set(classes)
    name = functools.partial(class_name, deck=deck)
    pairs = sorted(row for row, column in wanted if row == column)
    for run in _consecutive(pairs):
        yield _run_name([name(row, row) for row in run], is_top=run[0] == 0)
    for suited in (True, False):
        for high in range(deck.ranks):
            lows = [
                low
                for low in range(high + 1, deck.ranks)
                if ((high, low) if suited else (low, high)) in wanted
            ]
            for run in _consecutive(lows):
                names = [name(high, low) if suited else name(low, high) for low in run]
                yield _run_name(names, is_top=run[0] == high + 1)


def _run_name(names: list[str], is_top: bool) -> str:
    """The name of a run of classes, the highest first."""
    if len(names) == 1:
        return names[0]
    return f"{names[-1]}+" if is_top else f"{names[0]}-{names[-1]}"


def _consecutive(numbers: list[int]) -> Iterator[list[int]]:
    for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        yield [number for _, number in run]
