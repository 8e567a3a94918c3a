"""What the page about games of one's own says, and the template beside it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sog.games import make
from sog.games.conformance import check_game
from sog.tabular import compile_tree, solve

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_the_example_is_a_game_of_40_lines_and_worth_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "own_game.md").read_text(), re.DOTALL)
    assert len(blocks) == 1
    assert len([line for line in blocks[0].splitlines() if line]) <= 40
    (tmp_path / "nim.py").write_text(blocks[0])
    monkeypatch.syspath_prepend(tmp_path)
    game = make("nim:Nim(stones=6)")
    assert check_game(game).exhaustive
    # Whoever leaves a multiple of four wins.
    for stones, value in ((6, 1), (8, -1)):
        tree = compile_tree(make(f"nim:Nim(stones={stones})"))
        solution = solve(tree, rule="cfr+", iterations=200)
        assert solution.last.value == pytest.approx(value, abs=0.01)


@pytest.mark.slow
def test_the_template_can_be_copied_installed_checked_and_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, site = tmp_path / "my_games", tmp_path / "site"
    shutil.copytree(DOCS / "template_game", copy)

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("pip", "install", "--quiet", "--no-deps", f"--target={site}", ".")
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    listed = run("sog", "games")
    assert "(from my-games 0.1)" in listed, listed
    assert "3 passed" in run("pytest", "-q")
    config = copy / "one_bet.toml"
    config.write_text(config.read_text().replace("steps = 300", "steps = 4"))
    run("sog", "train", "one_bet.toml")
    assert (
        (copy / "runs" / "one_bet" / "config.toml")
        .read_text()
        .startswith("# the game comes from my-games 0.1\n")
    )
    run("sog", "evaluate", "runs/one_bet", "--seeds", "1", "--search", "4,1")
    shutil.rmtree(site)
    shutil.move(copy / "runs" / "one_bet", tmp_path / "left")  # away from the sources of the game
    gone = subprocess.run(
        [sys.executable, "-m", "sog", "evaluate", "left"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert gone.returncode == 2
    assert "is of the game one_bet, which comes from my-games 0.1: install that." in gone.stderr
