"""The script that counts mistakes by phase of the game."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "mistakes.py"


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
