"""Jam or fold before the flop: the equilibrium, and what `sog push_fold` prints of it."""

import itertools
import json

import numpy as np
import pytest

from sog.cli.main import main
from sog.holdem.commands import push_fold
from sog.holdem.deck import Deck, combinations
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.ranges import class_of_hands, parse_range
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


DECK = Deck(ranks=4, suits=3)


@pytest.fixture(autouse=True)
def small_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_fold, "_DECK", DECK)


def test_json_has_the_equilibrium_of_every_stack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["push_fold", "2", "30", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    equities = all_in_before_the_flop(DECK)
    assert [one["stack"] for one in told] == [2, 30]  # suits count when stacks are deep
    for one in told:
        found = solve_push_fold(equities, one["stack"])
        assert one["value"] == pytest.approx(found.value)
        assert list(one["jams"]["classes"].values()) == pytest.approx(found.jam.tolist())
        assert one["calls"]["share"] == pytest.approx(found.call_share)
        for told_of in (one["jams"], one["calls"]):
            weights = parse_range(told_of["range"], DECK)  # as read again
            assert weights.mean() == pytest.approx(told_of["share"], abs=1e-3)
            assert weights[-1] == pytest.approx(told_of["classes"]["AA"], abs=1e-3)


def test_one_stack_is_shown_as_two_squares(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["push_fold", "4"]) == 0
    out = capsys.readouterr().out
    found = solve_push_fold(all_in_before_the_flop(DECK), 4)
    assert "jam or fold with 4 big blinds" in out
    assert f"{found.value:+.4f} big blinds a hand" in out
    assert f"{100 * found.call_share:.1f}%: " in out
    squares = [line.split() for line in out.splitlines() if line[:2] in ("A ", "K ", "Q ", "J ")]
    assert [row[0] for row in squares] == list("AKQJ") * 2
    shown = [float(number) for row in squares for number in row[1:]]
    assert shown == pytest.approx([*100 * found.jam, *100 * found.call], abs=0.5)


def test_several_stacks_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["push_fold", "1.5", "4"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "%" in line]
    assert [row[0] for row in rows] == ["1.5", "4"]
    equities = all_in_before_the_flop(DECK)
    assert [float(row[1]) for row in rows] == pytest.approx(
        [solve_push_fold(equities, stack).value for stack in (1.5, 4)], abs=1e-4
    )


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ("1", "stack must be > 1 big blind, got 1."),
        ("1e18", "stack must be <= 1,000,000 big blinds, got 1e+18."),
        ("-2", "argument STACK: must be a finite number > 0, got -2"),
    ],
)
def test_a_stack_without_a_choice_is_refused(
    stack: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["push_fold", stack]) == 2
    assert message in capsys.readouterr().err
