"""Checkpoints: arrays and JSON that are whole, or not there at all.

Orbax writes the arrays. It does not notice a changed byte in what it reads, and its folders are not
forced to disk; so every file is listed with its SHA-256 in a manifest, and a checkpoint is made in
a temporary folder that is renamed when all of it is on disk:

    3000/manifest.json  the files, their sizes and hashes; without a whole one nothing here counts
    3000/meta.json      what the caller gave, and the types and shapes of the arrays
    3000/arrays/        Orbax's own
"""

import contextlib
import dataclasses
import logging
import math
import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from selfplay.manifest import (
    ManifestError,
    force_to_disk,
    read_json,
    read_manifest,
    verify_files,
    write_json,
    write_manifest,
)

_ARRAYS: Final = "arrays"
_META: Final = "meta.json"
_TORN: Final = ".torn"
"""Ends the name of a folder that is being written or deleted."""


class CheckpointError(ValueError):
    """There is no checkpoint to load; told in one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """What was loaded."""

    step: int
    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]
    path: Path
    skipped: tuple[str, ...]
    """What was wrong with newer checkpoints, a line each."""


class CheckpointStore:
    """The checkpoints of a run, for the process that writes them; others use `load_checkpoint`."""

    def __init__(self, folder: Path, *, keep: int, milestones: Collection[int] = ()) -> None:
        """Makes the folder, and removes what is left there of torn saves.

        keep: how many of the newest checkpoints stay; those of `milestones` and the one with the
        least metric do as well.
        """
        if keep < 1:
            raise ValueError(f"keep must be >= 1, got {keep}.")
        self._folder = folder.absolute()
        self._keep = keep
        self._milestones = frozenset(milestones)
        self._folder.mkdir(parents=True, exist_ok=True)
        for torn in self._folder.glob(f"*{_TORN}"):
            shutil.rmtree(torn)

    def save(
        self,
        step: int,
        arrays: dict[str, np.ndarray],
        meta: dict[str, Any],
        *,
        metric: float | None = None,
    ) -> Path:
        """Saves a checkpoint, in place of an older one of this step, and deletes old ones.

        meta: what JSON can hold. metric: less is better. Raises OSError if the system refuses, for
        example on a full disk; older checkpoints are as before then.
        """
        if step < 0:
            raise ValueError(f"step must be >= 0, got {step}.")
        if metric is not None and not math.isfinite(metric):
            raise ValueError(f"metric must be finite, got {metric}.")
        path = self._folder / str(step)
        torn = path.with_name(f"{path.name}{_TORN}")
        try:
            _write(torn, arrays, meta)
            write_manifest(torn, step, metric)
            if path.exists():
                self._delete(path)
            torn.rename(path)
        except BaseException:
            shutil.rmtree(torn, ignore_errors=True)
            raise
        force_to_disk(self._folder)
        self._delete_old()
        return path

    def steps(self) -> list[int]:
        """The steps that have a checkpoint, ascending."""
        return checkpoint_steps(self._folder)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever saved here, not even what is damaged now."""
        return not _candidates(self._folder)

    def load(self, step: int | None = None) -> Checkpoint:
        """See `load_checkpoint`."""
        return load_checkpoint(self._folder, step)

    def _delete_old(self) -> None:
        metrics = {step: read_manifest(self._folder / str(step)).metric for step in self.steps()}
        kept = self._milestones | set(sorted(metrics)[-self._keep :])
        measured = [(metric, step) for step, metric in metrics.items() if metric is not None]
        if measured:
            kept |= {min(measured)[1]}
        for step in metrics.keys() - kept:
            self._delete(self._folder / str(step))

    def _delete(self, path: Path) -> None:
        # Under another name first: what is half deleted must not look like a damaged checkpoint.
        doomed = path.with_name(f"{path.name}.old{_TORN}")
        path.rename(doomed)
        shutil.rmtree(doomed)


def checkpoint_steps(folder: Path) -> list[int]:
    """The steps that have a checkpoint, ascending; what its manifest lists may be damaged."""
    return [step for step in _candidates(folder) if _has_manifest(folder / str(step))]


def load_checkpoint(folder: Path, step: int | None = None) -> Checkpoint:
    """The checkpoint of this step, or else the newest one that is not damaged.

    Only reads, so that it can be used while another process saves. Raises CheckpointError.
    """
    folder = folder.absolute()
    if step is not None:
        if step not in _candidates(folder):
            known = ", ".join(map(str, checkpoint_steps(folder))) or "none"
            raise CheckpointError(f"no checkpoint {step} in {folder}; there are: {known}.")
        try:
            return _load(folder / str(step), ())
        except ManifestError as error:
            raise CheckpointError(f"checkpoint {step}: {error}") from None
    skipped: tuple[str, ...] = ()
    for candidate in reversed(_candidates(folder)):
        try:
            return _load(folder / str(candidate), skipped)
        except ManifestError as error:
            skipped += (f"checkpoint {candidate}: {error}",)
    problems = f": {' '.join(skipped)}" if skipped else "."
    raise CheckpointError(f"no checkpoint that can be loaded in {folder}{problems}")


def _candidates(folder: Path) -> list[int]:
    """The folders that may be checkpoints, ascending."""
    if not folder.is_dir():
        return []
    names = [entry.name for entry in folder.iterdir() if entry.is_dir()]
    return sorted(int(name) for name in names if re.fullmatch(r"0|[1-9][0-9]*", name))


def _has_manifest(path: Path) -> bool:
    try:
        read_manifest(path)
    except ManifestError:
        return False
    return True


def _write(path: Path, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    for name, array in arrays.items():
        if not jnp.issubdtype(array.dtype, np.number) and array.dtype != bool:
            raise ValueError(f"array {name} must hold numbers, got {array.dtype}.")
    shutil.rmtree(path, ignore_errors=True)  # of a save that was interrupted while it cleaned up
    path.mkdir()
    kinds = {name: [array.dtype.name, list(array.shape)] for name, array in arrays.items()}
    write_json(path / _META, {"meta": meta, "arrays": kinds})
    # Orbax refuses empty arrays, and having nothing to save.
    filled = {name: array for name, array in arrays.items() if array.size}
    if filled:
        from orbax.checkpoint import v1 as ocp  # takes a second to import

        with _system_errors(path):
            ocp.save(path / _ARRAYS, filled)


def _load(path: Path, skipped: tuple[str, ...]) -> Checkpoint:
    manifest = read_manifest(path)
    verify_files(path, manifest)
    described = read_json(path / _META)
    kinds = described["arrays"].items()
    # Not np.dtype: JAX's knows bfloat16.
    arrays = {name: np.zeros(shape, jnp.dtype(kind)) for name, (kind, shape) in kinds}
    if any(array.size for array in arrays.values()):
        from orbax.checkpoint import v1 as ocp

        arrays |= ocp.load(path / _ARRAYS)
    return Checkpoint(
        step=manifest.step, arrays=arrays, meta=described["meta"], path=path, skipped=skipped
    )


@contextlib.contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    """Turns Orbax's ValueError about a full disk and the like into the OSError that it is."""
    log = logging.getLogger("absl")
    was_disabled, log.disabled = log.disabled, True  # else it prints some hundred lines about it
    try:
        yield
    except ValueError as error:
        code = re.search(r"os_error_code='(\d+)'", str(error))
        if code is None:
            raise
        number = int(code[1])
        raise OSError(number, os.strerror(number), str(path)) from None
    finally:
        log.disabled = was_disabled
