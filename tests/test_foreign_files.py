"""Files from somebody else: no reader imports, waits, fills the memory, or goes elsewhere for one.

One table of what is read and by which command, and a few of what may lie there instead.
"""

import json
import os
import shutil
import signal
import socket
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from sog.cli.main import main

_PATIENCE: Final = 120  # seconds: whoever is not done then waits for ever
_CONFIG: Final = 'game = "kuhn"\nsummary = "s"\n[network]\nwidth = 8\n[run]\nsteps = 1\n'

READERS: Final = {
    "sog policy": ("policy.npz", "policy policy.npz"),
    "sog exploitability": ("policy.npz", "exploitability kuhn policy.npz"),
    "sog solve --resume": ("kuhn.solve", "solve kuhn --resume kuhn.solve"),
    "sog policy, a spot": ("own.spot", "policy own.spot"),
    "sog solve --resume, a spot": (
        "own.spot",
        "solve holdem(board=Ts3h2h5c9s,pot=9,stack=9) --resume own.spot",
    ),
    "sog configs": ("mine.toml", "configs mine.toml"),
    "sog train, its configuration": ("mine.toml", "train mine.toml --run other"),
    "sog replay": ("saved.json", "replay saved.json"),
    "sog replay, a PGN": ("own.pgn", "replay own.pgn"),
    "sog review, an SGF": ("own.sgf", "review own.sgf"),
    "sog exploitability, a table": ("table.csv", "exploitability kuhn table.csv"),
    "a table that plays": ("table.csv", "match policy:table.csv random --game kuhn --games 2"),
    "a FEN": ("own.fen", "solve gardner_chess --history own.fen"),
    "a PGN": ("own.pgn", "match random random --game gardner_chess --history own.pgn"),
    "an SGF": ("own.sgf", "search go5 --evaluator zero --history own.sgf"),
    "sog play --resume": ("saved.json", "play random --game kuhn --resume saved.json"),
    "sog tournament --save": (
        "saved.jsonl",
        "tournament random ismcts:1 --game kuhn --games 2 --save saved.jsonl",
    ),
    "sog tournament --openings": (
        "openings.txt",
        "tournament random ismcts:1 --game tic_tac_toe --games 2 --openings openings.txt",
    ),
    "sog blueprint --resume": (
        "small.blueprint",
        "blueprint holdem --resume small.blueprint --save other.blueprint",
    ),
    "a blueprint that plays": (
        "small.blueprint",
        "match blueprint:small.blueprint random --games 2",
    ),
    "a map": ("town.csv", "games scotland_yard(map=town.csv)"),
    "sog plot, the configuration": ("run/config.toml", "plot run"),
    "sog plot, the metrics": ("run/metrics.jsonl", "plot run"),
    "sog evaluate, the configuration": ("run/config.toml", "evaluate run"),
    "sog evaluate, a manifest": ("run/checkpoints/0/manifest.json", "evaluate run"),
    "sog evaluate, the meta data": ("run/checkpoints/0/meta.json", "evaluate run"),
    "sog evaluate, the checkpoints": ("run/checkpoints", "evaluate run"),
    "sog train, the configuration of the run": ("run/config.toml", "train mine.toml --run run"),
    "sog train, the metrics": ("run/metrics.jsonl", "train mine.toml --run run"),
    "sog train, the lock": ("run/lock", "train mine.toml --run run"),
    "sog train, a manifest": ("run/checkpoints/0/manifest.json", "train mine.toml --run run"),
    "sog train, the checkpoints": ("run/checkpoints", "train mine.toml --run run"),
}
"""What is read, in the current folder, and the command that reads it."""


class HangsError(BaseException):
    """Nobody takes it for damage."""


def _giant(path: Path) -> None:
    """A terabyte that takes no room on disk."""
    with path.open("wb") as file:
        file.truncate(2**40)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket must be short
        one.bind(path.name)
        os.chdir(here)


THINGS: Final[dict[str, Callable[[Path], None]]] = {
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a folder": Path.mkdir,
    "a terabyte": _giant,
}


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """Ends a test that waits for ever."""

    def stop(number: int, frame: Any) -> None:
        raise HangsError("it waits, or reads, for ever")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each kind, all as they should be."""
    from selfplay.runs.checkpoint import CheckpointStore
    from selfplay.runs.config import load_config
    from selfplay.runs.metrics import MetricsFile
    from selfplay.runs.run_folder import RunFolder

    folder = tmp_path_factory.mktemp("original")
    (folder / "mine.toml").write_text(_CONFIG)
    with RunFolder.open(folder / "run", load_config(str(folder / "mine.toml"))) as run:
        CheckpointStore(run.checkpoints, keep=1).save(0, {"learner": np.zeros(2)}, {})
        MetricsFile(run.metrics).add({"step": 0, "seconds": 1.0})
    write_policy(folder / "policy.npz")
    (folder / "own.spot").write_bytes(b"")
    (folder / "small.blueprint").write_bytes(b"")
    (folder / "kuhn.solve").write_bytes(b"")  # what lies there instead is not even looked into
    (folder / "saved.json").write_text(json.dumps(SAVED))
    (folder / "table.csv").write_text("history,infostate,action,probability\n")
    for position in ("own.fen", "own.pgn", "own.sgf"):
        (folder / position).write_text("")
    (folder / "saved.jsonl").write_text('{"file": "sog tournament"}\n')
    (folder / "openings.txt").write_text("a1\n")
    (folder / "town.csv").write_text("station_a,station_b,transport\n3,5,taxi\n5,8,taxi\n")
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that is a copy of it."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


SAVED: Final[dict[str, Any]] = {
    "game": "kuhn(ranks=3)",
    "unit": "chips",
    "agent": {"name": "random"},
    "games": [
        {
            "human": 1,
            "utility": -1.0,
            "moves": [{"state": "start", "actor": 0, "action": 2, "text": None, "event": "x"}],
            "names": [["K", "J"]] * 2,
        }
    ],
}


def write_policy(path: Path, game: str = "kuhn(ranks=3)", **arrays: Any) -> None:
    notes = {"format": "sog-policy-1", "game": game}
    content: dict[str, Any] = {
        "probabilities": np.full(24, 0.5),
        "metadata": np.array(json.dumps(notes)),
    }
    np.savez_compressed(path, **(content | arrays))


def refusal(capsys: pytest.CaptureFixture[str], command: str) -> str:
    """Why a command refuses, in one line that does nothing to a terminal."""
    code = main(command.split())
    out, err = capsys.readouterr()
    assert code == 2, out + err
    assert "Traceback" not in err
    errors = [line for line in err.splitlines() if line.startswith("sog: error: ")]
    assert len(errors) == 1, err
    assert is_plain(out + err)
    return errors[0].removeprefix("sog: error: ")


def is_plain(text: str) -> bool:
    return all(one.isprintable() or one in "\n\t" for one in text)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_the_kind_is_refused_at_once(
    folder: Path, reader: str, thing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, command = READERS[reader]
    (folder / name).rename(folder / "as it was")
    THINGS[thing](folder / name)
    refusal(capsys, command)


# Names of games, which commands make.

NAMERS: Final = {
    "sog policy": "policy policy.npz",
    "sog train": "train mine.toml --run other",
    "sog plot": "plot run",
    "sog evaluate": "evaluate run",
    "sog play": "play run",
    "sog match": "match run random",
    "sog search": "search run",
    "sog serve": "serve run",
}
NAMES: Final = (
    "evil:Game",
    " evil:Game(x=1)",
    "scotland_yard(map=/etc/passwd)",
    "glasses( map = ../town.csv)",
    "glasses(map=~/town.csv)",
    "glasses(map=link.csv)",
    "openspiel:efg_game(filename=/etc/passwd)",
    "openspiel:efg_game(filename=x(y)/../../secret)",
    "openspiel:turn_based_simultaneous_game(game=nfg_game(filename=/etc/passwd))",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reader", NAMERS)
def test_a_file_chooses_neither_what_is_imported_nor_what_else_is_read(
    folder: Path, reader: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "evil.py").write_text("open('ran', 'w')")
    for place in (folder, folder / "run"):
        (place / "link.csv").symlink_to("/etc/passwd")
    write_policy(folder / "policy.npz", name)
    for file in ("mine.toml", "run/config.toml"):
        text = (folder / file).read_text().replace('"kuhn"', json.dumps(name))
        (folder / file).write_text(text)
    assert "SOG_GAMES=" in refusal(capsys, NAMERS[reader])
    assert not (folder / "ran").exists()


def test_what_lies_beside_a_file_or_is_allowed_may_be_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sog.games.foreign import check_named_by_file

    (folder / "sub").mkdir()
    check_named_by_file("scotland_yard(rounds=5,map=town.csv)", "policy.npz")
    check_named_by_file("glasses(map=quarter)", "sub/policy.npz")
    check_named_by_file("openspiel:efg_game(filename=sub/my game.efg)", folder / "policy.npz")
    with pytest.raises(ValueError, match=r"^sub/policy.npz names the file town\.csv, which is not"):
        check_named_by_file("glasses(map=town.csv)", "sub/policy.npz")
    (folder / "town_positions.csv").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="not in its own folder"):
        check_named_by_file("glasses(map=town.csv)", "policy.npz")
    monkeypatch.setenv("SOG_GAMES", "a:B,town.csv")
    check_named_by_file("glasses(map=town.csv)", "sub/policy.npz")
    check_named_by_file("a:B(x=2)", "sub/policy.npz")


# Links in a folder, and where something is written.


@pytest.mark.parametrize("reader", [name for name, (path, _) in READERS.items() if "/" in path])
def test_a_folder_leads_nowhere_else(
    folder: Path, reader: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, command = READERS[reader]
    elsewhere = folder / "elsewhere"
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    assert "link" in refusal(capsys, command)
    (folder / name).unlink()
    assert elsewhere.exists()


def test_nothing_is_written_through_a_link(folder: Path) -> None:
    from sog.cli.saved_games import read_saved
    from sog.files import open_to_append, replace_file
    from sog.games import make

    (folder / "own").write_text("mine")
    for name in ("saved.json.new", ".saved.json.new", "picture.svg", "picture.svg.new", "lines"):
        (folder / name).symlink_to("own")
    (folder / "dangling").symlink_to("nowhere")
    read_saved(folder / "saved.json").write(folder / "saved.json", make("kuhn"))
    replace_file(folder / "picture.svg", "new")
    replace_file(folder / "dangling", b"new")
    with pytest.raises(OSError, match="link"):
        open_to_append(folder / "lines")
    assert (folder / "own").read_text() == "mine"
    assert not (folder / "nowhere").exists()
    assert (folder / "picture.svg").read_text() == (folder / "dangling").read_text() == "new"


# What reaches a terminal.

_ESCAPES: Final = "\x1b]0;mine\x07\x9b31m\x7f\u202e"


def test_what_a_file_says_does_nothing_to_a_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    escaped = json.dumps(SAVED).replace("start", json.dumps(_ESCAPES)[1:-1])
    # Of a game whose rules are not at hand: its moves are told as they are written.
    (folder / "saved.json").write_text(escaped.replace("kuhn(ranks=3)", "a_game"))
    assert main(["replay", "saved.json"]) == 0
    out, err = capsys.readouterr()
    assert is_plain(out + err)
    assert r"\x1b]0;mine\x07\x9b31m\x7f\u202e" in out
    (folder / "mine.toml").write_text(_CONFIG.replace('"s"', '"\\u001b]0;mine\\u0007\\u009b31m"'))
    assert main(["configs", "mine.toml"]) == 0
    assert is_plain(capsys.readouterr().out)
    write_policy(folder / "policy.npz", _ESCAPES)
    refusal(capsys, "policy policy.npz")
    (folder / "mine.toml").write_text(f"'{_ESCAPES[-1]}\\u009b' = 3\n")
    refusal(capsys, "configs mine.toml")
    (folder / "mine.toml").write_text(_CONFIG.replace("kuhn", "openspiel:kuhn_poker()\\u001b[31m"))
    assert "not printed" in refusal(capsys, "train mine.toml --run other")
    (folder / "run" / "checkpoints" / "0" / _ESCAPES).touch()
    refusal(capsys, "evaluate run")
    (folder / "run" / "config.toml").unlink()
    (folder / "run" / f" {_ESCAPES}").touch()
    refusal(capsys, "plot run")
    (folder / "mine.toml").write_text(_CONFIG)
    refusal(capsys, "train mine.toml --run run")


# Sizes.


def bomb(path: Path, name: str) -> None:
    """A policy of which one array is 256 MB of zeros, in some 256 kB."""
    arrays: dict[str, Any] = {name: np.zeros(2**25)}
    write_policy(path, **arrays)


@pytest.mark.thorough(but=["exploitability kuhn policy.npz-other"])
@pytest.mark.parametrize("name", ["probabilities", "metadata", "other"])
@pytest.mark.parametrize("command", ["policy policy.npz", "exploitability kuhn policy.npz"])
def test_nothing_is_unpacked_that_is_too_large(
    folder: Path, name: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bomb(folder / "policy.npz", name)
    tracemalloc.start()
    code = main(command.split())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert code == (0 if name == "other" else 2), capsys.readouterr()
    assert peak < 2**27


def test_a_directory_of_a_million_entries_is_not_read(folder: Path) -> None:
    from sog.tabular import PolicyFileError, read_metadata

    content = bytearray((folder / "policy.npz").read_bytes())
    listed = int.from_bytes(content[-10:-6], "little")
    entry = content[-22 - listed : -22]
    content[-22:-22] = entry * (2**21 // listed)
    content[-10:-6] = (listed * (1 + 2**21 // listed)).to_bytes(4, "little")
    (folder / "policy.npz").write_bytes(content)
    with pytest.raises(PolicyFileError, match="is damaged"):
        read_metadata(folder / "policy.npz")
