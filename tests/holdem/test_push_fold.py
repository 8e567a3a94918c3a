import itertools

import numpy as np
import pytest

from sog.holdem.deck import Deck, combinations
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.ranges import class_of_hands
from sog.holdem.spots.push_fold import Equities, all_in_before_the_flop, solve_push_fold

TABLE = {  # stack in big blinds: value to the small blind, percent of hands jammed and called
    2: (0.0095, 89.5, 100.0),
    3: (0.0515, 77.9, 92.3),
    5: (0.0562, 71.5, 62.1),
    8: (-0.0040, 61.9, 45.0),
    10: (-0.0452, 58.3, 37.4),
    12: (-0.0824, 53.3, 33.0),
    15: (-0.1271, 45.7, 28.6),
    20: (-0.1830, 40.3, 21.8),
}
"""From a table of equities of all classes with two digits of a percent."""


def test_equities_of_a_small_deck_are_those_of_every_deal_one_by_one() -> None:
    deck = Deck(ranks=4, suits=3)
    found = all_in_before_the_flop(deck)
    hands, boards = deck.hands(), combinations(deck.num_cards, 5)
    strengths = np.stack(
        [
            strength(
                suit_masks(np.append(hands, np.tile(board, (len(hands), 1)), axis=1), deck, np),
                deck,
                np,
            )
            for board in boards
        ]
    )
    classes = class_of_hands(deck) @ np.array([deck.ranks, 1])
    net, pairs = np.zeros((16, 16)), np.zeros((16, 16))
    for first, second in itertools.product(range(len(hands)), repeat=2):
        cards = {*hands[first].tolist(), *hands[second].tolist()}
        if len(cards) < 4:
            continue
        free = ~np.isin(boards, list(cards)).any(axis=1)
        signs = np.sign(strengths[free, first].astype(np.int64) - strengths[free, second])
        net[classes[first], classes[second]] += signs.mean()
        pairs[classes[first], classes[second]] += 1
    np.testing.assert_array_equal(found.num_pairs, pairs)
    np.testing.assert_allclose(found.net, net / np.maximum(pairs, 1), atol=1e-12)


def test_the_equilibrium_is_one() -> None:
    equities = all_in_before_the_flop(Deck(ranks=4, suits=3))
    for stack in (1.5, 4.0, 15.0):
        found = solve_push_fold(equities, stack)
        deal = equities.num_pairs / equities.num_pairs.sum()
        called = deal * stack * equities.net
        jam, call = found.jam, found.call
        # What each class wins by each of its choices, against the other's policy.
        by_jam = deal @ (1 - call) + called @ call
        by_fold = -0.5 * deal.sum(axis=1)
        best_of_small = np.maximum(by_jam, by_fold).sum()
        folded = -0.5 * (1 - jam) @ deal
        best_of_big = np.minimum(folded + jam @ deal, folded + jam @ called).sum()
        assert best_of_small == pytest.approx(found.value, abs=1e-9)
        assert best_of_big == pytest.approx(found.value, abs=1e-9)


def test_a_stack_that_is_the_blind_is_refused() -> None:
    nothing = Equities(num_pairs=np.ones((1, 1)), net=np.zeros((1, 1)))
    with pytest.raises(ValueError, match="stack must be > 1 big blind, got 1"):
        solve_push_fold(nothing, 1)


@pytest.mark.slow
def test_the_whole_deck_has_the_values_of_the_known_table() -> None:
    equities = all_in_before_the_flop()
    assert (1 + equities.net[0, 14]) / 2 == pytest.approx(0.8195, abs=5e-4)  # AA against KK
    for stack, (value, jams, calls) in TABLE.items():
        found = solve_push_fold(equities, stack)
        assert found.value == pytest.approx(value, abs=5e-4)
        assert 100 * found.jam_share == pytest.approx(jams, abs=0.2)
        assert 100 * found.call_share == pytest.approx(calls, abs=0.2)
