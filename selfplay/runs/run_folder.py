"""The folder of a training run: its configuration, checkpoints, metrics and lock.

runs/leduc/config.toml    every setting
runs/leduc/metrics.jsonl  a JSON object per line
runs/leduc/checkpoints/   see `CheckpointStore`
runs/leduc/tensorboard/   if requested
runs/leduc/lock           locked by the process that trains, whose PID it holds
"""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Any, Final, Self

from selfplay.runs.checkpoint import has_checkpoints
from selfplay.runs.config import dump_config, flatten, load_config, read_config
from selfplay.settings import Config
from sog.files import open_to_lock, printable, read_text, replace_file
from sog.games.registry import origin

_CONFIG: Final = "config.toml"
_MOST_BYTES: Final = 2**20  # of it
_NEW_CONFIG: Final = "config.toml.new"
_LOCK: Final = "lock"
_CHECKPOINTS: Final = "checkpoints"
_METRICS: Final = "metrics.jsonl"
TENSORBOARD: Final = "tensorboard"
_ORIGIN: Final = "# the game comes from "
_MAY_CHANGE: Final = (
    "summary",
    "run.steps",
    "run.checkpoint_every",
    "run.keep",
    "run.milestones",
    "run.evaluate_every",
    "run.evaluate_search",
    "run.value_error_states",
)
"""Keys that may change when a run is resumed: its length, and what it keeps."""


class RunFolder(contextlib.AbstractContextManager["RunFolder"]):
    """A run on disk, made by `open` for training and by `read` for reading."""

    def __init__(self, path: Path, config: Config, lock: int | None, changed: str = "") -> None:
        """path: absolute. lock: the open file that holds the lock; None for a reader.

        changed: settings that differ from an earlier start without a checkpoint.
        """
        self.path, self.config, self._lock, self.changed = path, config, lock, changed

    @classmethod
    def open(cls, path: Path, config: Config) -> Self:
        """The folder for training, locked for this process until it is closed.

        Saves the configuration of a new run; resumes an existing run, with new values of the keys
        that may change. A start without a checkpoint is not a run yet. Raises ValueError if another
        process trains there, if the run has another configuration, and if the folder is not a run
        folder; OSError if the system refuses.
        """
        path = path.absolute()
        path.mkdir(parents=True, exist_ok=True)
        _check_no_other(path)
        _check_no_links(path)
        lock, changed = _lock(path), ""
        try:
            if not (path / _CONFIG).exists():
                pass
            elif not _has_begun(path):
                changed = _changes(path, config)
            else:
                _check_same(path, read_config(str(path / _CONFIG)), config)
            package = origin(config.game)
            comment = f"{_ORIGIN}{package}\n" if package else ""
            replace_file(path / _CONFIG, comment + dump_config(config))
        except BaseException:
            os.close(lock)
            raise
        return cls(path, config, lock, changed)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The folder of a run for reading, also while it is trained.

        Raises ValueError if it is not a run folder, or if its game is not installed or not allowed.
        """
        path = path.absolute()
        if not path.is_dir():
            raise ValueError(f"run folder {path} does not exist.")
        _check_no_links(path)
        if not (path / _CONFIG).is_file():
            raise ValueError(f"{path} is not a run folder: it has no {_CONFIG}.")
        config = load_config(str(path / _CONFIG))
        _check_origin(path, config.game)
        return cls(path, config, None)

    @property
    def checkpoints(self) -> Path:
        """The folder of the checkpoints."""
        return self.path / _CHECKPOINTS

    @property
    def metrics(self) -> Path:
        """The file of the metrics, a JSON object per line."""
        return self.path / _METRICS

    def close(self) -> None:
        """Releases the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __exit__(self, *error: object) -> None:
        self.close()


def _check_no_other(path: Path) -> None:
    """Raises ValueError for a nonempty folder that is not a run folder."""
    names = {entry.name for entry in path.iterdir()}
    others = names - {_LOCK, _NEW_CONFIG}  # left behind by an interrupted start
    if others and _CONFIG not in names:
        raise ValueError(
            f"{path} is not a run folder: it has no {_CONFIG}, but holds {min(others)}; choose "
            f"another --run folder."
        )


def _check_no_links(path: Path) -> None:
    """Rejects links in a folder, which may come from somebody else."""
    for name in (_CONFIG, _LOCK, _CHECKPOINTS, _METRICS, TENSORBOARD):
        if (path / name).is_symlink():
            raise ValueError(f"{path / name} is a link, which is not followed.")


def _check_origin(path: Path, game: str) -> None:
    """Raises ValueError if the game of a run is not installed."""
    name = game.partition("(")[0].strip()
    first, _, _ = read_text(path / _CONFIG, _MOST_BYTES).partition("\n")
    if first.startswith(_ORIGIN) and not origin(game):
        package = printable(first.removeprefix(_ORIGIN))
        raise ValueError(f"{path} is of the game {name}, which comes from {package}: install that.")


def _has_begun(path: Path) -> bool:
    """Whether there is anything that a new start would replace."""
    return has_checkpoints(path / _CHECKPOINTS) or (path / _METRICS).exists()


def _lock(path: Path) -> int:
    """Locks a folder until the returned open file is closed."""
    file = open_to_lock(path / _LOCK)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    except BlockingIOError:
        holder = os.pread(file, 32, 0).decode(errors="replace").strip() or "of unknown number"
        os.close(file)
        raise ValueError(f"run folder {path} is in use by process {holder}.") from None
    except BaseException:
        os.close(file)
        raise
    return file


def _check_same(path: Path, old: Config, new: Config) -> None:
    now = flatten(new)
    for key, before in flatten(old).items():
        may_change = f"{key}.".startswith(tuple(f"{one}." for one in _MAY_CHANGE))
        if before != now[key] and not may_change:
            raise ValueError(
                f"run folder {path} was started with {key} = {_shown(before)}, not "
                f"{_shown(now[key])}; choose another --run folder (only {', '.join(_MAY_CHANGE)} "
                f"may change)."
            )


def _changes(path: Path, new: Config) -> str:
    """The differences to the folder's configuration, as "search.c_puct = 2 (it was 1)"."""
    try:
        old = flatten(read_config(str(path / _CONFIG)))
    except ValueError:  # it is replaced
        return ""
    now = flatten(new)
    changed = [key for key in now if now[key] != old.get(key)]
    return ", ".join(
        f"{key} = {_shown(now[key])} (it was {_shown(old.get(key))})" for key in changed
    )


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
