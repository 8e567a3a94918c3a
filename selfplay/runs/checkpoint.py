"""Checkpoints: arrays and JSON, written atomically.

Orbax writes the arrays. It does not detect changed bytes, and does not sync its folders to disk; so
a manifest lists every file with its SHA-256, and a checkpoint is made in a temporary folder that is
renamed when all of it is on disk:

    3000/manifest.json  the files, their sizes and hashes; without it there is no checkpoint
    3000/meta.json      the caller's data, and the types and shapes of the arrays
    3000/arrays/        Orbax's own
"""

import contextlib
import dataclasses
import itertools
import math
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from selfplay.runs.arrays import ArraysError, describe_arrays, load_arrays, save_arrays
from selfplay.runs.manifest import (
    ManifestError,
    read_manifest,
    read_part,
    verify_files,
    write_json,
    write_manifest,
)
from sog.files import force_to_disk

_ARRAYS: Final = "arrays"
_META: Final = "meta.json"
_TORN: Final = ".torn"
"""Ends the name of a folder that is being written or deleted."""
_OLD: Final = ".old"
_STEP: Final = "(0|[1-9][0-9]{0,17})"

Check = Callable[[dict[str, Any]], None]
"""Raises ValueError for data that the caller cannot resume from, though it is undamaged."""


class CheckpointError(ValueError):
    """There is no checkpoint to load; the message is one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoadedCheckpoint:
    """The contents of a checkpoint."""

    step: int
    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]
    path: Path
    skipped: tuple[str, ...]
    """The faults of newer checkpoints, a line each."""


class CheckpointStore:
    """The checkpoints of a run, for the process that writes them; others use `load_checkpoint`."""

    def __init__(
        self,
        folder: Path,
        *,
        keep: int,
        milestones: Collection[int] = (),
        passing: tuple[str, ...] = (),
        check: Check = lambda meta: None,
    ) -> None:
        """Makes the folder, and removes the remains of interrupted saves.

        keep: how many of the newest checkpoints stay; those of `milestones` and the one with the
        least metric stay as well, without the arrays whose names begin with one of `passing`.
        Damaged ones do not count and stay as they are. check: see `load_checkpoint`.
        """
        if keep < 1:
            raise ValueError(f"keep must be >= 1, got {keep}.")
        self._folder = folder.absolute()
        self._keep = keep
        self._milestones = frozenset(milestones)
        self._passing = passing
        self._check = check
        self._thin: set[int] = set()  # steps without passing arrays
        self._whole: set[int] = set()  # steps that this process has saved or verified
        _check_no_link(self._folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        for entry in list(self._folder.iterdir()):
            if match := re.fullmatch(rf"{_STEP}({re.escape(_OLD)})?{re.escape(_TORN)}", entry.name):
                self._clean_up(entry, is_old=match[2] is not None)

    def save(
        self,
        step: int,
        arrays: dict[str, np.ndarray],
        meta: dict[str, Any],
        *,
        metric: float | None = None,
    ) -> Path:
        """Saves a checkpoint, replacing one of the same step, and deletes old ones.

        meta: JSON data. metric: less is better. Raises OSError if the system refuses, for example
        on a full disk; older checkpoints then stay unchanged.
        """
        if step < 0:
            raise ValueError(f"step must be >= 0, got {step}.")
        if metric is not None and not math.isfinite(metric):
            raise ValueError(f"metric must be finite, got {metric}.")
        path = self._put(step, arrays, meta, metric)
        self._thin.discard(step)
        self._delete_old()
        return path

    def steps(self) -> list[int]:
        """The steps that have a checkpoint, ascending."""
        return checkpoint_steps(self._folder)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever saved here, not even a damaged checkpoint."""
        return not has_checkpoints(self._folder)

    def load(self, step: int | None = None) -> LoadedCheckpoint:
        """See `load_checkpoint`."""
        found = load_checkpoint(self._folder, step, check=self._check)
        self._whole.add(found.step)
        return found

    def _put(
        self, step: int, arrays: dict[str, np.ndarray], meta: dict[str, Any], metric: float | None
    ) -> Path:
        """Writes a checkpoint; an older one of the step stays until the new one is complete."""
        path = self._folder / str(step)
        torn = path.with_name(f"{path.name}{_TORN}")
        try:
            with _naming(torn):
                _write(torn, arrays, meta)
                write_manifest(torn, step, metric)
            older = _set_aside(path) if os.path.lexists(path) else None
            torn.rename(path)
        except BaseException:
            shutil.rmtree(torn, ignore_errors=True)
            raise
        force_to_disk(self._folder)
        self._whole.add(step)
        if older is not None:
            _remove(older)
        return path

    def _clean_up(self, entry: Path, *, is_old: bool) -> None:
        """Removes the remains of a save, but not the checkpoint it was about to replace."""
        path = entry.with_name(entry.name.split(".")[0])
        if is_old and not os.path.lexists(path) and entry.is_dir() and not entry.is_symlink():
            entry.rename(path)
            if self._is_whole(int(path.name)):
                return
            entry = _set_aside(path)
        _remove(entry)

    def _delete_old(self) -> None:
        metrics = {step: read_manifest(self._folder / str(step)).metric for step in self.steps()}
        whole = filter(self._is_whole, sorted(metrics, reverse=True))
        newest = set(itertools.islice(whole, self._keep))
        kept = self._milestones | newest
        measured = [(metric, step) for step, metric in metrics.items() if metric is not None]
        best = next((step for _, step in sorted(measured) if self._is_whole(step)), None)
        for step in metrics.keys() - newest:
            if self._is_whole(step) and step not in kept | {best}:
                _remove(_set_aside(self._folder / str(step)))
            elif self._is_whole(step) and step not in self._thin:
                self._make_thin(step, metrics[step])

    def _make_thin(self, step: int, metric: float | None) -> None:
        """Removes the passing arrays, which only the newest checkpoints have."""
        found = _load(self._folder / str(step), (), self._check)
        lasting = {
            name: array
            for name, array in found.arrays.items()
            if not name.startswith(self._passing)
        }
        if len(lasting) < len(found.arrays):
            self._put(step, lasting, found.meta, metric)
        self._thin.add(step)

    def _is_whole(self, step: int) -> bool:
        """Whether a run could resume from a checkpoint; checked once."""
        if step in self._whole:
            return True
        try:
            _load(self._folder / str(step), (), self._check)
        except ManifestError:
            return False
        self._whole.add(step)
        return True


def checkpoint_steps(folder: Path) -> list[int]:
    """The steps that have a checkpoint, ascending; its files may be damaged."""
    return [step for step in _candidates(folder) if _has_manifest(folder / str(step))]


def has_checkpoints(folder: Path) -> bool:
    """Whether anything was ever saved here, even if it is damaged now."""
    return bool(_candidates(folder))


def load_checkpoint(
    folder: Path, step: int | None = None, *, check: Check = lambda meta: None
) -> LoadedCheckpoint:
    """The checkpoint of this step, or else the newest one that is not damaged.

    check: of the data beside the arrays; what it rejects counts as damaged. Read-only, so that it
    can be used while another process saves. Raises CheckpointError.
    """
    folder = folder.absolute()
    if step is not None:
        if step not in _candidates(folder):
            known = ", ".join(map(str, checkpoint_steps(folder))) or "none"
            raise CheckpointError(f"no checkpoint {step} in {folder}; there are: {known}.")
        try:
            return _load(folder / str(step), (), check)
        except ManifestError as error:
            raise CheckpointError(f"checkpoint {step}: {error}") from None
    skipped: tuple[str, ...] = ()
    left, newest = _candidates(folder), -1
    while left:
        newest = max(newest, left[-1])
        candidate = left.pop()
        try:
            return _load(folder / str(candidate), skipped, check)
        except ManifestError as error:
            skipped += (f"checkpoint {candidate}: {error}",)
        now = _candidates(folder)
        if now and now[-1] > newest:  # since saved, perhaps in place of this one
            left, skipped = now, ()
    problems = f": {' '.join(skipped)}" if skipped else "."
    raise CheckpointError(f"no checkpoint that can be loaded in {folder}{problems}")


def _candidates(folder: Path) -> list[int]:
    """The folders that may be checkpoints, ascending."""
    _check_no_link(folder)
    if not folder.is_dir():
        return []
    # A link could lead anywhere, and we never make one.
    entries = [entry for entry in folder.iterdir() if re.fullmatch(_STEP, entry.name)]
    return sorted(int(e.name) for e in entries if e.is_dir() and not e.is_symlink())


def _check_no_link(folder: Path) -> None:
    """Rejects a link, behind which another run's checkpoints could be deleted as this one's."""
    if folder.is_symlink():
        raise CheckpointError(f"{folder} is a link, which is not followed.")


def _set_aside(path: Path) -> Path:
    """Renames a folder before removal: half deleted, it would look like a damaged checkpoint."""
    doomed = path.with_name(f"{path.name}{_OLD}{_TORN}")
    path.rename(doomed)
    return doomed


def _remove(path: Path) -> None:
    """Removes a folder tree, or a file, or a link but not its target."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _has_manifest(path: Path) -> bool:
    try:
        read_manifest(path)
    except ManifestError:
        return False
    return True


def _write(path: Path, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    described = describe_arrays(arrays)
    if os.path.lexists(path):  # from a save that was interrupted during cleanup
        _remove(path)
    path.mkdir()
    write_json(path / _META, {"meta": meta, "arrays": described})
    save_arrays(path / _ARRAYS, arrays)


def _load(path: Path, skipped: tuple[str, ...], check: Check) -> LoadedCheckpoint:
    """A complete checkpoint; raises ManifestError if it is damaged."""
    manifest = read_manifest(path)
    verify_files(path, manifest)
    described = read_part(path, _META, manifest)
    meta, kinds = described.get("meta"), described.get("arrays")
    if not isinstance(meta, dict) or not isinstance(kinds, dict):
        raise ManifestError(f"file {_META} must hold meta and arrays.")
    try:
        check(meta)
        arrays = load_arrays(path / _ARRAYS, kinds)
    except ValueError as error:
        raise ManifestError(f"file {_META}: {error}") from None
    except ArraysError as error:
        raise ManifestError(f"{_ARRAYS} {error}") from None
    return LoadedCheckpoint(
        step=manifest.step, arrays=arrays, meta=meta, path=path, skipped=skipped
    )


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Adds the path to an OSError without one, as from a write to a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise
