import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sog.holdem.deck import Deck
from sog.holdem.ranges import (
    class_name,
    class_of_hands,
    class_weights,
    format_range,
    parse_range,
)

DECK = Deck()
NAMES = [DECK.cards_name(hand) for hand in DECK.hands()]


def hands_in(text: str) -> dict[str, float]:
    weights = parse_range(text)
    return {NAMES[hand]: float(weights[hand]) for hand in np.flatnonzero(weights)}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("TT", 6),
        ("TT+", 30),  # TT, JJ, QQ, KK, AA
        ("66-99", 24),
        ("A5s-A2s", 16),
        ("A5s+", 36),  # with 5 to K
        ("T9s-76s", 16),  # T9, 98, 87, 76
        ("AhKd", 1),
        ("100%", 1326),
        ("Ax", 12 * 16),
        ("KXs", 11 * 4),  # with Q to 2
        ("5xo", 3 * 12),
    ],
)
def test_a_part_has_as_many_hands_as_by_hand(text: str, count: int) -> None:
    assert len(hands_in(text)) == count


def test_weights_follow_a_colon_or_an_at_sign_and_the_later_part_holds() -> None:
    found = hands_in("22+:0.25, QQ@0.5, QhQd")
    assert found[DECK.cards_name(DECK.parse_cards("2h2s"))] == 0.25
    assert found[DECK.cards_name(DECK.parse_cards("QsQd"))] == 0.5
    assert found[DECK.cards_name(DECK.parse_cards("QhQd"))] == 1
    assert len(found) == 78


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (", AA,,KK ,", "KK+"),
        ("AA\nK5s+\r\n\tQQ : 0.5\n", "AA,K5s+,QQ:0.5"),
        ("99 - 66, T9s -76s", "99-66,T9s-76s"),
        ("AA@50%", "AA:0.5"),
        ("[50]AA,KJs[/50], 22\n[12.5]AhKh[/12.5],", "AA:0.5,KJs:0.5,22,AhKh:0.125"),
        ("Ax:0.25,A5s", "A2+:0.25,A5s"),
    ],
)
def test_what_other_programs_write_is_read(text: str, same: str) -> None:
    weights = parse_range(text)
    np.testing.assert_array_equal(weights, parse_range(same))
    np.testing.assert_array_equal(weights, parse_range(format_range(weights)))


def test_names_with_a_plus_or_a_dash_are_those_of_pokerkit() -> None:
    pokerkit = pytest.importorskip("pokerkit")
    for text in ("22+; A2s+ K5s+,T9s+,Q2o+", "AK+ 72+ 32o+", "T9s-76s 99-66 66-99 J9-86"):
        found = {frozenset((name[:2], name[2:])) for name in hands_in(text)}
        assert found == {frozenset(map(repr, hand)) for hand in pokerkit.parse_range(text)}


def test_a_percentage_is_exact_and_takes_the_best_hands_first() -> None:
    weights = parse_range("25%")
    assert weights.sum() == pytest.approx(0.25 * 1326, abs=1e-9)
    assert ((weights > 0) & (weights < 1)).sum() <= 12  # of one class
    assert format_range(parse_range("0.4%")).startswith("AA")
    # Chen's formula: AA 20, KK 16, QQ 14, JJ and AKs 12, each 6, 6, 6, 6 and 4 hands.
    assert set(hands_in("2.2%")) >= set(hands_in("JJ+,AKs"))
    # KTo 8 - 2, A9o 10 - 5.
    assert set(hands_in("20%")) >= set(hands_in("KTo"))
    assert not set(hands_in("20%")) & set(hands_in("A9o"))
    for small, large in (("10%", "11%"), ("50%", "90%")):
        assert (parse_range(small) <= parse_range(large)).all()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("AA,AKx", "AKx"),
        ("AA:2", "AA:2"),
        ("AAs", "AAs"),
        ("2x", "2x"),
        ("A5s-K2s", "A5s-K2s"),
        ("AhAh", "AhAh"),
        ("0%", "0%"),
        ("", "''"),
        ("[50]AA[/40]", "[50]AA[/40]"),
        ("[x]AA[/x]", "AA:x%"),
        ("[50]AA:0.5[/50]", "AA:0.5:50%"),
        ("22+-33", "22+-33"),
        ("AA:0", "AA:0"),
        ("AA:1_0e-2", "AA:1_0e-2"),
        ("5e-324%", "5e-324%"),
        ("9%," * 4000 + "AA", "at most 4000 parts"),
    ],
)
def test_a_mistake_names_the_part(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)) as caught:
        parse_range(text)
    assert "\n" not in str(caught.value)


def test_small_decks_have_their_own_ranks_and_suits() -> None:
    deck = Deck(ranks=4, suits=2)
    assert parse_range("JJ+", deck).sum() == 4  # a pair of each of J, Q, K, A
    with pytest.raises(ValueError, match="TT"):
        parse_range("TT", deck)


def test_texts_are_short() -> None:
    assert format_range(parse_range("AA,KK,QQ,A5s,A4s,A3s,KQo@0.5,KQs,KJs")) == (
        "QQ+,A5s-A3s,KJs+,KQo:0.5"
    )
    for text in ("AA:0.1", "AhKd:0.25", "AKs:0.333"):
        assert format_range(parse_range(text)) == text
    assert format_range(np.ones(1326)) == "100%"
    assert format_range(np.zeros(1326)) == ""


def test_classes_have_six_four_or_twelve_hands() -> None:
    rows, columns = class_of_hands().T
    counts = np.zeros((13, 13), int)
    np.add.at(counts, (rows, columns), 1)
    upper = np.triu(np.ones((13, 13), bool), 1)
    assert (counts[upper] == 4).all()
    assert (counts[upper.T] == 12).all()
    assert (np.diag(counts) == 6).all()
    assert (class_name(0, 1), class_name(1, 0), class_name(4, 4)) == ("AKs", "AKo", "TT")
    assert class_weights(parse_range("AKs:0.5,AhKh"))[0, 1] == pytest.approx((3 * 0.5 + 1) / 4)


WEIGHTS = st.sampled_from([0.0, 0.0, 0.125, 0.1, 1 / 3, 1.0])


@given(
    classes=st.dictionaries(
        st.tuples(st.integers(0, 12), st.integers(0, 12)), WEIGHTS, max_size=40
    ),
    hands=st.dictionaries(st.integers(0, 1325), WEIGHTS, max_size=10),
)
def test_what_is_written_reads_as_the_same_weights(
    classes: dict[tuple[int, int], float], hands: dict[int, float]
) -> None:
    grid = np.zeros((13, 13))
    for place, weight in classes.items():
        grid[place] = weight
    rows, columns = class_of_hands().T
    weights = grid[rows, columns]
    for hand, weight in hands.items():
        weights[hand] = weight
    if weights.any():
        text = format_range(weights)
        np.testing.assert_array_equal(parse_range(text), weights)
        assert format_range(parse_range(text)) == text
