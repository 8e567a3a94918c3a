"""The script that counts mistakes by phase of the game."""

import functools
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sog.boards.hex import Hex
from sog.games import make
from sog.tabular.perfect_play import perfect_values

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "mistakes.py"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPT.parent))
    import mistakes


def lines_of(*arguments: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.thorough
def test_random_play_errs_and_perfect_play_does_not() -> None:
    given = ("--game", "tic_tac_toe", "--games", "12", "--opening", "3", "--phase", "3")
    erring, perfect = lines_of("random", *given), lines_of("perfect", *given)
    for found in (erring, perfect):
        assert [line["moves"] for line in found] == ["1-3", "4-6", "7-9"]
        assert all(line["mistakes"] <= line["at_stake"] <= line["decisions"] for line in found)
        assert sum(line["decisions"] for line in found) >= 12 * 2
        assert all(line["not_judged"] == 0 for line in found)
    assert sum(line["mistakes"] for line in erring) > 5
    assert sum(line["mistakes"] for line in perfect) == 0
    assert sum(line["at_stake"] for line in perfect) > 5


@pytest.mark.thorough
def test_an_oracle_of_another_game_is_refused_in_one_line() -> None:
    arguments = [sys.executable, str(SCRIPT), "random", "--game", "tic_tac_toe"]
    done = subprocess.run([*arguments, "--oracle", "hex"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "mistakes.py: the solver of Hex needs hex without swap, got tic_tac_toe.\n"
    )


def test_the_solver_of_hex_judges_decisions_as_backward_induction_does() -> None:
    rng, decisions = random.Random(0), []
    for _ in range(20):
        cells = rng.sample(range(9), rng.randint(1, 4))  # nobody has won before the fifth stone
        decisions.append((tuple(cells[:-1]), cells[-1]))
    game = Hex(size=3)
    found = mistakes.perfect_hex(game, decisions)
    assert found == mistakes.exact(game, decisions)
    assert len({*found}) >= 3  # mistakes, good moves, and lost positions are among them


def test_the_last_decisions_are_judged_where_there_is_no_room_for_those_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six free cells leave less than 500 positions, nine more than 5,000."""
    few = functools.partial(perfect_values, max_positions=500)
    monkeypatch.setattr(mistakes, "perfect_values", few)
    cells = (8, 1, 3, 0, 4, 5, 7)
    decisions = [(cells[:ply], cells[ply]) for ply in range(7)]
    judged = mistakes.exact(make("tic_tac_toe"), decisions)
    known = [worth is not None for worth in judged]
    assert known == sorted(known)
    assert (known[0], known[3]) == (False, True)


def test_the_first_move_of_connect_four_wins_in_the_centre_only() -> None:
    pytest.importorskip("bitbully")  # AGPL, and large: in the extra `bench`, not in `test`
    found = mistakes.bitbully(make("connect_four"), [((), column) for column in range(7)])
    taken = [-1.0, -1.0, 0.0, 1.0, 0.0, -1.0, -1.0]
    assert found == [mistakes.Worth(best=1.0, taken=worth, worst=-1.0) for worth in taken]
