import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from selfplay.runs.config import load_config
from selfplay.runs.run_folder import RunFolder
from selfplay.settings import Config, RunSettings

CHECKOUT = Path(__file__).resolve().parents[2]
CONFIG = Config(game="kuhn", network=NetworkSettings(width=8))

HOLDER = """
import sys
from pathlib import Path
from selfplay.runs.run_folder import RunFolder
from selfplay.settings import Config
with RunFolder.open(Path(sys.argv[1]), Config(game="kuhn")):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "kuhn"


def begin(path: Path, config: Config = CONFIG) -> None:
    """A run that has saved something."""
    with RunFolder.open(path, config) as run:
        (run.checkpoints / "0").mkdir(parents=True)


def refusal(path: Path, config: Config) -> str:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        RunFolder.open(path, config)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message.replace(str(path), "FOLDER")


def test_a_new_run_writes_its_configuration_and_goes_on_with_it(path: Path) -> None:
    with RunFolder.open(path, CONFIG) as run:
        assert run.config == CONFIG
        assert (run.path, run.checkpoints) == (path, path / "checkpoints")
        assert run.metrics == path / "metrics.jsonl"
    assert load_config(str(path / "config.toml")) == CONFIG
    assert sorted(entry.name for entry in path.iterdir()) == ["config.toml", "lock"]
    with RunFolder.open(path, CONFIG) as run:
        assert run.config == CONFIG


def test_a_relative_folder_stays_where_it_was(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with RunFolder.open(Path("runs/kuhn"), CONFIG) as run:
        assert run.path == path


def test_readers_need_no_lock_and_see_the_configuration(path: Path) -> None:
    with RunFolder.open(path, CONFIG):
        reader = RunFolder.read(path)
        assert reader.config == CONFIG
        assert reader.checkpoints == path / "checkpoints"
        reader.close()
        assert refusal(path, CONFIG).startswith("run folder FOLDER is in use")


def test_what_is_no_run_folder_is_named(tmp_path: Path, path: Path) -> None:
    with pytest.raises(ValueError, match=r"^run folder /.*kuhn does not exist\.$"):
        RunFolder.read(path)
    with pytest.raises(ValueError, match=r"^/.* is not a run folder: it has no config\.toml\.$"):
        RunFolder.read(tmp_path)
    with RunFolder.open(path, CONFIG):
        pass
    (path / "config.toml").write_text("game = 3\n")
    with pytest.raises(ValueError, match=r"^/.*config\.toml: game must be text, got 3\.$"):
        RunFolder.read(path)


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    assert refusal(tmp_path, CONFIG) == (
        "FOLDER is not a run folder: it has no config.toml, but holds thesis.tex; choose another "
        "--run folder."
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_start_that_was_cut_short_is_taken_over(path: Path) -> None:
    path.mkdir(parents=True)
    (path / "lock").write_text("123\n")
    (path / "config.toml.new").write_text('game = "ku')
    with RunFolder.open(path, CONFIG):
        assert load_config(str(path / "config.toml")) == CONFIG
    assert not (path / "config.toml.new").exists()


def test_another_configuration_is_refused_by_its_first_key(path: Path) -> None:
    begin(path)
    other = Config(game="leduc", network=NetworkSettings(width=9))
    start = "run folder FOLDER was started with "
    end = (
        "; choose another --run folder (only summary, run.steps, run.checkpoint_every, run.keep, "
        "run.milestones, run.evaluate_every, run.evaluate_search, run.value_error_states may "
        "change)."
    )
    assert refusal(path, other) == f"{start}game = kuhn, not leduc{end}"
    other = dataclasses.replace(CONFIG, network=NetworkSettings(width=9))
    assert refusal(path, other) == f"{start}network.width = 8, not 9{end}"
    other = dataclasses.replace(CONFIG, search=SearchSettings(capacity=9))
    assert refusal(path, other) == f"{start}search.capacity = none, not 9{end}"
    other = dataclasses.replace(CONFIG, run=RunSettings(seed=5))
    assert refusal(path, other) == f"{start}run.seed = 0, not 5{end}"
    # Nothing was changed, and nobody is locked out.
    with RunFolder.open(path, CONFIG):
        assert load_config(str(path / "config.toml")) == CONFIG


def test_a_run_from_before_a_setting_existed_has_its_default(path: Path) -> None:
    begin(path)
    file = path / "config.toml"
    lines = file.read_text().splitlines()
    old = [line for line in lines if not line.startswith("policy_heads")]
    assert len(old) == len(lines) - 1
    file.write_text("\n".join(old))
    assert RunFolder.read(path).config.network.policy_heads == 1
    with RunFolder.open(path, CONFIG) as run:
        assert run.config == CONFIG


def test_a_run_goes_on_with_other_settings_of_how_long(path: Path) -> None:
    begin(path)
    longer = dataclasses.replace(
        CONFIG, summary="New.", run=RunSettings(steps=7, evaluate_search=SearchSettings(alpha=1))
    )
    with RunFolder.open(path, longer) as run:
        assert run.config == longer
    assert RunFolder.read(path).config == longer


def test_a_run_that_was_killed_gives_its_lock_back(path: Path) -> None:
    config = Config(game="kuhn")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        says = f"run folder FOLDER is in use by process {holder.pid}."
        assert refusal(path, config) == says
        assert refusal(path, config) == says
        holder.send_signal(signal.SIGKILL)
    with RunFolder.open(path, config):
        assert (path / "lock").read_text() == f"{os.getpid()}\n"


def test_closing_twice_is_closing_once(path: Path) -> None:
    run = RunFolder.open(path, CONFIG)
    run.close()
    run.close()
    with RunFolder.open(path, CONFIG):
        pass


def test_errors_of_the_system_are_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        RunFolder.open(tmp_path / "file", CONFIG)
    with pytest.raises(NotADirectoryError):
        RunFolder.open(tmp_path / "file" / "run", CONFIG)


def test_a_configuration_that_cannot_be_written_leaves_the_old_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunFolder.open(path, CONFIG):
        pass
    longer = dataclasses.replace(CONFIG, run=RunSettings(steps=7))

    def full_disk(number: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space left on device"):
            RunFolder.open(path, longer)
    assert load_config(str(path / "config.toml")) == CONFIG
    assert sorted(entry.name for entry in path.iterdir()) == ["config.toml", "lock"]
    with RunFolder.open(path, longer):
        assert RunFolder.read(path).config == longer


def test_a_start_that_came_to_no_checkpoint_is_no_run_yet(path: Path) -> None:
    with RunFolder.open(path, CONFIG) as run:
        run.checkpoints.mkdir()
    (path / "config.toml").write_text("torn = ")
    other = dataclasses.replace(CONFIG, run=RunSettings(seed=5))
    with RunFolder.open(path, other) as run:
        assert load_config(str(path / "config.toml")) == other


def test_what_a_new_start_sets_otherwise_is_known(path: Path) -> None:
    other = dataclasses.replace(CONFIG, run=RunSettings(seed=5))
    said = []
    for config in (CONFIG, other, other):
        with RunFolder.open(path, config) as run:
            said.append(run.changed)
    assert said == ["", "run.seed = 5 (it was 0)", ""]


def test_metrics_without_checkpoints_are_a_run_still(path: Path) -> None:
    with RunFolder.open(path, CONFIG) as run:
        run.metrics.touch()
    other = dataclasses.replace(CONFIG, run=RunSettings(seed=5))
    assert refusal(path, other).startswith("run folder FOLDER was started with run.seed = 0, not 5")


@pytest.mark.parametrize("name", ["lock", "config.toml.new"])
def test_nothing_is_written_through_a_link(path: Path, tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    path.mkdir(parents=True)
    (path / name).symlink_to(mine)
    if name == "lock":
        assert refusal(path, CONFIG) == "FOLDER/lock is a link, which is not followed."
    else:
        with RunFolder.open(path, CONFIG):
            assert load_config(str(path / "config.toml")) == CONFIG
    assert mine.read_text() == "mine"


def test_a_run_of_a_class_is_read_only_where_it_is_allowed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = dataclasses.replace(CONFIG, game="sog.games.cards.kuhn:Kuhn")
    begin(path, config)
    with pytest.raises(ValueError, match="no file chooses what is imported"):
        RunFolder.read(path)
    monkeypatch.setenv("SOG_GAMES", "sog.games.cards.kuhn:Kuhn")
    assert RunFolder.read(path).config == config
