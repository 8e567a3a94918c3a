"""The script that counts mistakes by phase of the game."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mistakes import bitbully_solver

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "mistakes.py"


def lines_of(*arguments: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.thorough
def test_random_play_errs_in_every_phase() -> None:
    pytest.importorskip("bitbully")  # AGPL, and large: in the extra `bench`, not in `test`
    found = lines_of("random", "--games", "4", "--opening", "12", "--phase", "6")
    assert [line["moves"] for line in found][:3] == ["1-6", "7-12", "13-18"]
    assert all(line["mistakes"] <= line["at_stake"] <= line["decisions"] for line in found)
    assert sum(line["mistakes"] for line in found) > 5


def test_the_first_move_of_connect_four_wins_in_the_centre_only() -> None:
    pytest.importorskip("bitbully")
    assert bitbully_solver()([]) == {0: -1, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -1}
