"""Saved spots: walked again, gone on with to the last bit; what does not fit is refused."""

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from sog.holdem.game import Holdem
from sog.holdem.ranges import parse_range
from sog.holdem.spots import (
    SpotFileError,
    SpotNode,
    SpotPause,
    SpotSolver,
    load_spot,
    look,
    save_spot,
    solve_spot,
    split_history,
    spot_of,
    walk,
)
from tests.holdem.games import holdem, rewritten

LAST = "kept11"
"""Of the arrays of the river below: sums of player 1's policies."""
RIVER = "holdem(board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin)"
TURN = "holdem(board=AsAhKsKh,ranks=5,suits=2,blinds=none,pot=10,stack=20,bets=1,caps=1)"


def spot(text: str, rule: str = "dcfr", **options: Any) -> tuple[Holdem, np.ndarray, SpotSolver]:
    game = holdem(text)
    if text == TURN:
        ranges = np.ones((2, game.num_infostates))
    else:
        ranges = np.stack([parse_range(one) for one in ("AA,QQ:0.25,AdKd", "KK,QJs")])
    return game, ranges, SpotSolver(spot_of(game), ranges, rule, **options)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spot") / "river.spot"
    game, ranges, solver = spot(RIVER)
    solver.run(20)
    save_spot(path, solver, game, ranges)
    return path


@pytest.mark.thorough(but=["int16"])
@pytest.mark.parametrize(
    ("text", "rule", "precision"),
    [(RIVER, "dcfr", "int16"), (TURN, "pcfr+", "float32")],
)
def test_a_spot_that_was_gone_on_with_is_one_that_was_never_stopped(
    text: str, rule: str, precision: str, tmp_path: Path
) -> None:
    game, ranges, solver = spot(text, rule, precision=precision)
    solver.run(13)
    save_spot(tmp_path / "a.spot", solver, game, ranges)
    found = load_spot(tmp_path / "a.spot")
    assert (str(found.game), found.solver.iteration) == (str(game), 13)
    assert found.solver.precision == precision
    np.testing.assert_array_equal(found.ranges, ranges)
    for one in (solver, found.solver):
        one.run(9)
    first, second = walk(solver, ["check"]), walk(found.solver, ["check"])
    assert first.actions == second.actions
    np.testing.assert_array_equal(first.policy, second.policy)
    np.testing.assert_array_equal(first.action_value, second.action_value)
    assert solver.exploitability()[0] == found.solver.exploitability()[0]


def test_iterations_that_were_made_count_and_a_target_that_was_reached_ends_it(
    saved: Path,
) -> None:
    solution = solve_spot(load_spot(saved).solver, iterations=37)
    assert [point.iteration for point in solution.checkpoints] == [20, 30, 37]
    again = solve_spot(load_spot(saved).solver, iterations=1000, until=50)
    assert [point.iteration for point in again.checkpoints] == [20]


def test_one_may_look_where_a_card_comes_and_where_the_hand_is_over() -> None:
    _, _, solver = spot(TURN)
    deck = solver.spot.deck
    for history, pot, behind, is_fold, num_cards in (
        ("check check", 10, 20, False, 6),
        ("bet10 call", 30, 10, False, 6),
        ("bet10 fold", 10, 20, True, 0),
        ("check check [Qs] check check", 10, 20, False, 0),
    ):
        found = look(solver, split_history(history))
        assert isinstance(found, SpotPause)
        assert (found.pot, found.stacks, found.is_fold) == (pot, (behind, behind), is_fold)
        assert len(found.cards) == num_cards
        assert not set(found.cards) & set(solver.spot.board)
    assert isinstance(look(solver, split_history("check check [Qs]")), SpotNode)
    assert deck.card_name(found.board[-1]) == "Qs"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "sog-spot-0"}, "of this version"),
        ({"rule": "cfr++"}, "damaged"),
        ({"iteration": -1}, "damaged"),
        ({"iteration": True}, "damaged"),
        ({"precision": "float64"}, "precision must be"),
        ({"chunk": 10**9}, "damaged"),
        ({"game": "evil:Game"}, "no file chooses what is imported"),
        ({"game": "kuhn"}, "not a spot of holdem"),
        ({"ranges": lambda one: one[:, :-1]}, "damaged"),
        ({"ranges": lambda one: one * np.nan}, "finite"),
        ({"ranges": lambda one: one * 0}, "share a pair"),
        ({"kept0": lambda one: one[..., :-1]}, "damaged"),
        ({"kept0": lambda one: one.astype(object)}, "damaged"),
        ({"kept0": lambda one: one * np.inf}, "finite"),
        ({LAST: lambda one: np.full_like(one, -0.5)}, ">= 0"),
        ({"kept1": None}, "damaged"),
    ],
)
def test_what_does_not_fit_is_refused(
    saved: Path, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = rewritten(saved, tmp_path / "other.spot", "notes", change)
    with pytest.raises(SpotFileError, match=words):
        load_spot(path)


def test_a_damaged_file_is_refused_in_a_line_or_says_what_it_said(
    saved: Path, tmp_path: Path
) -> None:
    content, dice, refusals = saved.read_bytes(), np.random.default_rng(0), list[str]()
    whole, path = load_spot(saved), tmp_path / "damaged.spot"
    for number in range(60):
        damaged, place = bytearray(content), int(dice.integers(len(content)))
        if number % 3 == 0:
            damaged[place] ^= 1 << int(dice.integers(8))
        elif number % 3 == 1:
            del damaged[place:]
        else:
            damaged[place : place + 512] = bytes(len(damaged[place : place + 512]))
        path.write_bytes(damaged)
        try:
            found = load_spot(path)
        except SpotFileError as error:
            refusals.append(str(error))
        else:
            np.testing.assert_array_equal(found.ranges, whole.ranges)
            jax.tree.map(np.testing.assert_array_equal, found.solver.memory, whole.solver.memory)
    assert len(refusals) > 40
    assert not any("\n" in one for one in refusals)


def test_what_cannot_be_read_again_is_not_saved(tmp_path: Path) -> None:
    game, ranges, _ = spot(RIVER)
    two = SpotSolver(spot_of(game), ranges, boards=[spot_of(game).board] * 2)
    with pytest.raises(ValueError, match="one spot"):
        save_spot(tmp_path / "two.spot", two, game, ranges)
    assert not list(tmp_path.iterdir())


def test_a_file_that_would_need_more_memory_than_there_is_is_refused(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.memory.available_bytes", lambda: 100)
    with pytest.raises(SpotFileError, match="of memory"):
        load_spot(saved)
