"""A misspelled game and a folder that is not there are refused before a script works."""

import argparse
import re
from pathlib import Path

import pytest
import shared

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["kuhnn"], "argument GAME: unknown game 'kuhnn'"),
        (["kuhn(ranks=1)"], "argument GAME: kuhn: ranks must be"),
        (["kuhn", "--out", "nowhere/x"], "argument --out: nowhere must be a folder"),
        (["kuhn", "--out", "x"], ""),
    ],
)
def test_an_argument_is_refused_in_a_line(
    words: list[str],
    refusal: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    parser.add_argument("game", metavar="GAME", type=shared.game_text)
    parser.add_argument("--out", type=shared.prefix)
    try:
        parser.parse_args(words)
        code = 0
    except SystemExit as stop:
        code = int(str(stop.code))
    assert code == (2 if refusal else 0)
    assert refusal in capsys.readouterr().err


def test_scripts_read_games_in_one_way() -> None:
    """But those that count kernels, which choose a backend before JAX is imported, and of pgx."""
    own = {"bench_games", "kernel_count"}
    for file in SCRIPTS.glob("*.py"):
        for line in file.read_text().splitlines():
            if re.search(r'add(_argument)?\("(--)?game"', line):
                assert "game_text" in line or "choices" in line or file.stem in own, file
