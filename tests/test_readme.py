"""The README does what it says."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def _run_example(number: int) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) == 3
    exec(compile(blocks[number], str(README), "exec"), {})


def test_the_search_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(1)
    shape, *values = capsys.readouterr().out.splitlines()
    assert shape == "(4, 6, 3)"
    assert values


def test_two_agents_play_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(2)
    assert float(capsys.readouterr().out) in (-2.0, -1.0, 1.0, 2.0)


def test_the_solver_example_runs_and_prints_what_its_comments_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _run_example(0)
    exploitability, shape, value, state, *values = capsys.readouterr().out.splitlines()
    assert 0 < float(exploitability) < 0.001  # CFR+ is under 1 mbb after 500 iterations
    assert shape == "(465, 6, 3)"
    assert float(value.strip("[]")) == pytest.approx(-0.0856064, abs=0.001)
    assert state == "check bet2 call [Qh] (stakes 3-3)"
    assert len([line for line in values if line]) == 12
