"""What version 0.1.0 wrote is read: policies, solves, spots, blueprints, games, and runs resume."""

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from sog.cli.main import main

FILES: Final = Path(__file__).parent / "files_0_1"
TINY: Final = "holdem(ranks=3,suits=2,stack=200,deals=1,hole_cards=1,bets=allin)"
RUN: Final = (
    *("network.width=4", "network.depth=1", "replay.least=4", "replay.size=64"),
    *("learner.batch_size=4", "solver.batch_size=2", "solver.queue_size=8"),
    *("selfplay.batch_size=2", "run.checkpoint_every=2", "run.evaluate_every=0", "run.steps=4"),
    "solver.search.rule=dcfr",  # as the configuration had it then
)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("exploitability", "kuhn", "kuhn.npz"), "exploitability"),
        (("solve", "kuhn", "--iterations", "300", "--resume", "kuhn.solve"), "iterations  "),
        (("policy", "river.spot"), "Ks Th 7s 4d 2c"),
        (("exploitability", TINY, "tiny.blueprint"), "exploitability"),
        (("replay", "games.json"), "Game 1: you were player 0."),
    ],
)
def test_a_file_is_read(
    arguments: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(FILES / one) if (FILES / one).exists() else one for one in arguments]
    assert main(paths) == 0
    assert shown in capsys.readouterr().out


def test_a_run_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(FILES / "run", tmp_path / "run")
    options = [f"--set={one}" for one in RUN]
    assert main(["train", "kuhn", "--run", str(tmp_path / "run"), "--json", *options]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["step"] == 4
    assert "step 2" in captured.err
