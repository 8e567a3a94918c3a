"""The betting of a street of a spot, and what cannot be a spot."""

import dataclasses
from typing import Any

import pytest

from sog.holdem.spots import (
    SpotPause,
    betting,
    look,
    split_history,
    spot_of,
    walk,
)
from sog.holdem.spots.betting import BettingLine, End, SpotDecision, build_street
from tests.holdem.games import solver_of, spot_game


def test_what_follows_some_actions_is_a_street_of_its_own() -> None:
    """The same decisions, named from the one who acts first."""
    (menu,) = spot_game("board=Ts3h2h5c9s,pot=200,stack=1900,bets=0.5/1/allin,caps=3").betting.menus

    def street(*line: Any) -> SpotDecision:
        (start,) = build_street([BettingLine(*line)], menu, smallest_bet=100, last=True).starts
        return start

    def same(part: SpotDecision | End, whole: SpotDecision | End, turned: bool) -> int:
        if isinstance(part, End):
            assert isinstance(whole, End)
            sign = -1 if turned and part.kind == "fold" else 1
            assert (part.kind, sign * part.payoff) == (whole.kind, whole.payoff)
            return 0
        assert isinstance(whole, SpotDecision)
        assert (part.words, part.actions) == (whole.words, whole.actions)
        assert part.stakes == (whole.stakes[::-1] if turned else whole.stakes)
        below = zip(part.children, whole.children, strict=True)
        return 1 + sum(same(one, other, turned) for one, other in below)

    start, seen = street(200, 1900), []
    for words in (("check",), ("bet100",), ("check", "bet200"), ("bet200", "raise800")):
        whole: SpotDecision | End = start
        for word in words:
            assert isinstance(whole, SpotDecision)
            whole = whole.children[whole.actions.index(word)]
        assert isinstance(whole, SpotDecision)
        turned = bool(whole.level % 2)
        stakes = whole.stakes[::-1] if turned else whole.stakes
        seen.append(same(street(200, 1900, stakes, words), whole, turned))
    assert min(seen) > 1
    spot = spot_of(spot_game("board=Ts3h2h5c,pot=200,stack=1900,bets=1"))
    with pytest.raises(ValueError, match=r"must begin with a street, .* got words \('check',\)"):
        dataclasses.replace(spot, words=("check",))
    with pytest.raises(ValueError, match=r"must begin with a street, .* stakes \(0, 100\)"):
        dataclasses.replace(spot, stakes=(0, 100))


def test_a_raise_is_at_least_as_large_as_the_one_before() -> None:
    """A tenth of the pot is less: 100, and 100 more each time."""
    (menu,) = spot_game("board=Ts3h2h5c9s,pot=200,stack=1900,bets=0.1,caps=3").betting.menus
    at: SpotDecision | End
    (at,) = build_street([BettingLine(200, 1900)], menu, smallest_bet=100, last=True).starts
    for word in ("bet100", "raise200", "raise300"):
        assert isinstance(at, SpotDecision)
        assert at.actions[-1] == word
        at = at.children[-1]
    line = BettingLine(200, 1900, (0, 300), ("bet300",))
    (later,) = build_street([line], menu, smallest_bet=100, last=True).starts
    assert later.actions == ("fold", "call", "raise600")


def test_more_betting_than_memory_can_hold_is_refused_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone_through = []

    def add(node: Any, *others: Any) -> None:
        gone_through.append(node)
        add_choice(node, *others)

    add_choice = betting._add_choice
    monkeypatch.setattr(betting, "_add_choice", add)
    menu = "/".join(f"{part / 10:g}" for part in range(1, 17))
    spot = spot_of(spot_game(f"board=Ts3h2h,pot=1,stack=1000000,bets={menu},caps=100"))
    with pytest.raises(ValueError, match="a street must have at most 200,000 decisions"):
        spot.streets()
    assert len(gone_through) < 200_000


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ("bet", "'bet' is not possible"),
        ("check check check", "the hand is over"),
        ("check check", "there is no decision"),
    ],
)
def test_a_history_that_is_not_possible_is_told(history: str, words: str) -> None:
    solver = solver_of("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin", "AA,QQ", "KK")
    with pytest.raises(ValueError, match=words):
        walk(solver, split_history(history))


def test_where_a_card_is_due_a_word_is_answered_with_cards() -> None:
    solver = solver_of("ranks=5,suits=2,board=AsAhKsKh,pot=10,stack=20,bets=1,caps=1")
    with pytest.raises(ValueError, match=r"'check' cannot be dealt; choose one of Ts, Th, Js, "):
        walk(solver, ["check", "check", "check"])
    due = look(solver, ["bet10", "call"])
    assert isinstance(due, SpotPause)
    assert (due.pot, due.stacks) == (30, (10, 10))


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        (("TsTh", "AA"), "share a pair"),  # one has a card of the board
        (("AhAd", "AhAd"), "share a pair"),
        # Too little for 32 bits, where products of weights would be 0.
        (("AhKd:1e-42", "AA"), "a weight of at least 1e-06, got at most 1e-42"),
    ],
)
def test_ranges_without_a_deal_that_counts_are_refused(ranges: tuple[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solver_of("board=Ts3h2h5c9s,pot=100,stack=100", *ranges)


def test_a_game_that_begins_before_the_flop_is_no_spot() -> None:
    with pytest.raises(ValueError, match="board"):
        spot_of(spot_game(""))
    with pytest.raises(ValueError, match="flop"):
        spot_of(spot_game("blinds=none,pot=10,stack=20,bets=allin"))
    with pytest.raises(ValueError, match="draw_bets must be none"):
        spot_of(spot_game("board=Ts3h2h5c9s,pot=10,stack=20,bets=drawn,draw_bets=0.5/1"))
