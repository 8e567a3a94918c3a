"""`sog push_fold`, with a deck of twelve cards; tests/holdem/test_push_fold.py has the values."""

import json

import pytest

from sog.cli.main import main
from sog.holdem.commands import push_fold
from sog.holdem.deck import Deck
from sog.holdem.ranges import parse_range
from sog.holdem.spots.push_fold import all_in_before_the_flop, solve_push_fold

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
