"""The manifest of a checkpoint: which files it has, and how to tell that one has changed."""

import dataclasses
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from sog import __version__

_NAME: Final = "manifest.json"
_FORMAT: Final = 1


class ManifestError(ValueError):
    """A folder is not the checkpoint it was; told in one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Manifest:
    """What is known of a checkpoint without its files."""

    step: int
    metric: float | None
    files: dict[str, tuple[str, int]]
    """The SHA-256 and the size of every file, by its path in the folder."""


def write_manifest(path: Path, step: int, metric: float | None) -> None:
    """Makes the manifest of a folder, and forces the folder to disk."""
    files = {}
    folders = [path]
    for entry in sorted(path.rglob("*")):
        if entry.is_dir():
            folders.append(entry)
        else:
            force_to_disk(entry)
            files[entry.relative_to(path).as_posix()] = (_sha256(entry), entry.stat().st_size)
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
    """The manifest of a folder; ManifestError if it is damaged, or missing, or too new."""
    try:
        content = read_json(path / _NAME)
    except OSError as error:
        raise _unreadable(_NAME, error) from None
    except ValueError:
        raise ManifestError(f"{_NAME} is damaged.") from None
    body = content.get("checkpoint") if isinstance(content, dict) else None
    if not isinstance(body, dict) or content.get("sha256") != sha256_of(body):
        raise ManifestError(f"{_NAME} is damaged.")
    if body["format"] != _FORMAT:
        raise ManifestError(
            f"has format {body['format']}, written by sog {body['sog']}; this one reads {_FORMAT}."
        )
    if str(body["step"]) != path.name:
        raise ManifestError(f"is the checkpoint of step {body['step']}.")
    files = {name: (sha256, size) for name, (sha256, size) in body["files"].items()}
    return Manifest(step=body["step"], metric=body["metric"], files=files)


def verify_files(path: Path, manifest: Manifest) -> None:
    """Raises ManifestError if a file is not as it was when the manifest was made."""
    for name, (sha256, size) in manifest.files.items():
        file = path / name
        try:
            now = file.stat().st_size
            if now != size:
                raise ManifestError(f"file {name} has {now} bytes, not {size}.")
            if _sha256(file) != sha256:
                raise ManifestError(f"file {name} does not match its SHA-256.")
        except OSError as error:
            raise _unreadable(f"file {name}", error) from None


def read_json(path: Path) -> Any:
    """What a JSON file holds."""
    return json.loads(path.read_bytes())


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file; ValueError or TypeError if the value is more than JSON can hold."""
    path.write_text(json.dumps(value, allow_nan=False))


def force_to_disk(path: Path) -> None:
    """Waits until a file or folder is on disk, with what was written to it."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _unreadable(name: str, error: OSError) -> ManifestError:
    if isinstance(error, FileNotFoundError):
        return ManifestError(f"{name} is missing.")
    return ManifestError(f"{name} cannot be read: {error.strerror}.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of(value: Any) -> str:
    """The SHA-256 of a JSON value, however it is written."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
