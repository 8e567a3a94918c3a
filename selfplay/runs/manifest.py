"""The manifest of a checkpoint: its files, and their hashes to detect changes.

A checkpoint may come from somebody else, so a manifest is not trusted: a matching hash shows that a
file was not damaged by accident, and no more.
"""

import dataclasses
import hashlib
import json
import math
import re
from pathlib import Path, PurePosixPath
from typing import Any, Final

from sog import __version__
from sog.files import force_to_disk, open_to_read, parse_json, read_bytes

_NAME: Final = "manifest.json"
_FORMAT: Final = 1
_MOST_BYTES: Final = 2**24  # of a JSON file
_MOST_OF_FILES: Final = 2**36  # bytes of all files of a checkpoint
_LONGEST: Final = 60
"""Characters of a value that a message repeats."""


class ManifestError(ValueError):
    """A checkpoint is damaged; the message is one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a checkpoint says about itself without its files."""

    step: int
    metric: float | None
    files: dict[str, tuple[str, int]]
    """The SHA-256 and the size of every file, by its path in the folder."""


def write_manifest(path: Path, step: int, metric: float | None) -> None:
    """Writes the manifest of a folder, and syncs the folder to disk."""
    files = {}
    folders = [path]
    for entry in sorted(path.rglob("*")):
        if entry.is_dir():
            folders.append(entry)
        else:
            force_to_disk(entry)
            size = entry.stat().st_size
            files[entry.relative_to(path).as_posix()] = (_sha256(entry, size), size)
    body = {
        "format": _FORMAT,
        "sog": __version__,
        "step": step,
        "metric": metric,
        "files": files,
    }
    write_json(path / _NAME, {"sha256": sha256_of(body), "checkpoint": body})
    force_to_disk(path / _NAME)
    for folder in folders:
        force_to_disk(folder)


def read_manifest(path: Path) -> Manifest:
    """The manifest of a folder; raises ManifestError if it is damaged, missing or too new."""
    content = _read(path, _NAME)
    body = content.get("checkpoint") if isinstance(content, dict) else None
    if not isinstance(body, dict) or content.get("sha256") != sha256_of(body):
        raise ManifestError(f"{_NAME} is damaged.")
    version = body.get("format")
    if version != _FORMAT:
        writer = _shown(body.get("sog")).strip('"')
        raise ManifestError(
            f"has format {_shown(version)}, written by sog {writer}; this one reads {_FORMAT}."
        )
    step, metric = body.get("step"), body.get("metric", "")
    if type(step) is not int or step < 0:
        raise ManifestError(f"{_NAME}: step must be an integer >= 0, got {_shown(step)}.")
    if str(step) != path.name:
        raise ManifestError(f"is the checkpoint of step {step}.")
    if metric is not None and not is_number(metric):
        raise ManifestError(f"{_NAME}: metric must be a number or null, got {_shown(metric)}.")
    files = body.get("files")
    if not isinstance(files, dict):
        raise ManifestError(f"{_NAME}: files must be names with hashes, got {_shown(files)}.")
    checked = dict(map(_check_entry, files.items()))
    total = sum(size for _, size in checked.values())
    if total > _MOST_OF_FILES:
        raise ManifestError(f"{_NAME}: the files may have {_MOST_OF_FILES:,} bytes, got {total:,}.")
    return Manifest(step=step, metric=metric, files=checked)


def _check_entry(entry: tuple[str, Any]) -> tuple[str, tuple[str, int]]:
    """A file of a manifest: a plain path inside the folder, its SHA-256 and its size."""
    name, about = entry
    plain = PurePosixPath(name)
    if plain.is_absolute() or ".." in plain.parts or str(plain) != name or "\0" in name:
        raise ManifestError(f"{_NAME}: file {_shown(name)} is not inside the checkpoint.")
    match about:
        case [str(sha256), size] if re.fullmatch("[0-9a-f]{64}", sha256) and _is_count(size):
            return name, (sha256, size)
    raise ManifestError(f"{_NAME}: file {_shown(name)} needs a SHA-256 and a size.")


def verify_files(path: Path, manifest: Manifest) -> None:
    """Raises ManifestError if a file has changed since the manifest was written, is not in it, or
    is a link, which could lead anywhere."""
    for entry in sorted(path.rglob("*")):
        name = entry.relative_to(path).as_posix()
        if entry.is_symlink():
            raise ManifestError(f"file {_shown(name)} is a link.")
        if name not in manifest.files and name != _NAME and not entry.is_dir():
            raise ManifestError(f"file {_shown(name)} is not in {_NAME}.")
    for name, (sha256, size) in manifest.files.items():
        file = path / name
        try:
            now = file.stat().st_size
            if now != size:
                raise ManifestError(f"file {name} has {now} bytes, not {size}.")
            if _sha256(file, size) != sha256:
                raise ManifestError(f"file {name} does not match its SHA-256.")
        except OSError as error:
            raise _unreadable(f"file {name}", error) from None


def read_part(path: Path, name: str, manifest: Manifest) -> dict[str, Any]:
    """The object in a JSON file of a checkpoint; raises ManifestError if there is none."""
    if name not in manifest.files:
        raise ManifestError(f"file {name} is missing in {_NAME}.")
    content = _read(path, name)
    if not isinstance(content, dict):
        raise ManifestError(f"file {name} must hold an object, got {_shown(content)}.")
    return content


def _read(path: Path, name: str) -> Any:
    """The contents of a JSON file; raises ManifestError if it cannot be read."""
    try:
        return parse_json(read_bytes(path / name, _MOST_BYTES, follow=False))
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError:
        raise ManifestError(f"{name} is damaged.") from None


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # an integer with hundreds of digits
        return False


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _shown(value: Any) -> str:
    """A value, shortened for a one-line message."""
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file; raises ValueError or TypeError for values that JSON cannot hold."""
    path.write_text(json.dumps(value, allow_nan=False))


def _unreadable(name: str, error: OSError) -> ManifestError:
    if isinstance(error, FileNotFoundError):
        return ManifestError(f"{name} is missing.")
    return ManifestError(f"{name} cannot be read: {error.strerror}.")


def _sha256(path: Path, size: int) -> str:
    with open_to_read(path, size, follow=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of(value: Any) -> str:
    """The SHA-256 of a JSON value, independent of its formatting."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
