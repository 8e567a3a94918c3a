"""What `sog train` refuses before it begins: exit code 2 and one line."""

import importlib.util
from pathlib import Path

import pytest

from tests.cli.conftest import TINY, Run, refusal


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("network.widht=3", "did you mean network.width?"),
        (
            "run.value_error_states=100000000000",
            "run: value_error_states must be <= 100,000, got 100,000,000,000.",
        ),
        ("run.seed=4294967296", "run: seed must be < 2**32, got 4294967296."),
        ("run.steps=0", "with run.steps=0: run: steps must be >= 1, got 0."),
        (
            "run.evaluate_every=12",
            "run: evaluate_every must be a multiple of checkpoint_every = 8, got 12.",
        ),
        ("game=checkers", "unknown game 'checkers'"),
        ("solver.queue_size=3", "queue_size must be at least batch_size = 8, got 3."),
        ("search.num_children=1", "search: num_children must be left out"),
        ("network.torso=resnet", "torso must be mlp for kuhn, whose encoding is Flat, got resnet."),
    ],
)
def test_settings_that_cannot_be_are_refused(
    sog: Run, config: str, tmp_path: Path, change: str, message: str
) -> None:
    found = refusal(sog, "train", config, "--run", str(tmp_path / "run"), "--set", change)
    assert message in found
    assert not (tmp_path / "run").exists()  # it would refuse the configuration that is right


def test_a_run_that_would_make_no_examples_is_refused(sog: Run, tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    found = refusal(sog, "train", "kuhn", "--run", run, "--set", "selfplay.queries_per_search=0")
    assert found == (
        "selfplay: one of queries_per_search, td1 and search_targets must be > 0, else there is "
        "nothing to learn from."
    )


def test_a_file_is_no_run_folder(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    found = refusal(sog, "train", "kuhn", "--run", str(file))
    assert found == f"--run: {file} is a file; a folder is needed."
    assert file.read_text() == "mine"


def test_an_unknown_key_of_a_file_is_named(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('game = "kuhn"\nserach = { num_simulations = 4 }\n')
    assert refusal(sog, "train", str(file)).startswith(f"{file}: serach ")


@pytest.mark.thorough
def test_evaluations_are_refused_where_the_game_is_too_large(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "large.toml"
    file.write_text(TINY.replace('"kuhn"', '"scotland_yard"'))
    code, _, err = sog("train", str(file), "--run", str(tmp_path / "run"))
    assert code == 2
    assert err.splitlines()[-1] == (
        "sog: error: run.evaluate_every must be 0 in scotland_yard, which is too large."
    )


@pytest.mark.skipif(
    importlib.util.find_spec("tensorboardX") is not None, reason="tensorboardX is installed"
)
def test_tensorboard_is_missed_before_the_work_begins(
    sog: Run, config: str, tmp_path: Path
) -> None:
    found = refusal(sog, "train", config, "--run", str(tmp_path / "run"), "--tensorboard")
    assert found == "--tensorboard needs tensorboardX: pip install 'sog[tensorboard]'."
    assert not (tmp_path / "run").exists()
