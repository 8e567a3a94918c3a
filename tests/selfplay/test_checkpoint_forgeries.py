"""Checkpoints whose manifest is signed, and wrong."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore

from selfplay.runs import manifest
from selfplay.runs.checkpoint import CheckpointStore
from tests.selfplay.checkpoints import value


def sign(path: Path, body: Any) -> None:
    content = {"sha256": manifest.sha256_of(body), "checkpoint": body}
    (path / "manifest.json").write_text(json.dumps(content))


def manifest_with(**changes: Any) -> Callable[[Path, Any], None]:
    return lambda path, body: body.update(changes)


def manifest_without(name: str) -> Callable[[Path, Any], None]:
    return lambda path, body: body.pop(name)


def listing(*names: str) -> Callable[[Path, Any], None]:
    """Lists more files, with hashes that match where there is such a file."""

    def change(path: Path, body: Any) -> None:
        for name in names:
            file = path / name
            content = file.read_bytes() if file.is_file() else b""
            body["files"][name] = [hashlib.sha256(content).hexdigest(), len(content)]

    return change


def meta_with(change: Callable[[Any], Any]) -> Callable[[Path, Any], None]:
    def forge(path: Path, body: Any) -> None:
        new = change(json.loads((path / "meta.json").read_text()))
        (path / "meta.json").write_text(new if isinstance(new, str) else json.dumps(new))
        listing("meta.json")(path, body)

    return forge


def kinds_with(**kinds: Any) -> Callable[[Path, Any], None]:
    return meta_with(lambda meta: meta | {"arrays": meta["arrays"] | kinds})


def unlist(part: str) -> Callable[[Path, Any], None]:
    def change(path: Path, body: Any) -> None:
        shutil.rmtree(path / part) if (path / part).is_dir() else (path / part).unlink()
        body["files"] = {k: v for k, v in body["files"].items() if not k.startswith(part)}

    return change


def linked(path: Path, body: Any) -> None:
    """A file of the checkpoint is a link to a copy of it elsewhere."""
    copy = path.parent.parent / "meta.json"
    shutil.move(path / "meta.json", copy)
    (path / "meta.json").symlink_to(copy)


def pipe(path: Path, body: Any) -> None:
    os.mkfifo(path / "pipe")
    body["files"]["pipe"] = [hashlib.sha256(b"").hexdigest(), 0]


def large_chunks(path: Path, body: Any) -> None:
    """Few bytes that unpack to much more than the array."""
    folder = path / "arrays" / "state"
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd"}]
    chunks = {"name": "regular", "configuration": {"chunk_shape": [2**22]}}
    kind = {"shape": [1000], "data_type": "int32", "chunk_grid": chunks, "codecs": codecs}
    array = tensorstore.open(
        {
            "driver": "zarr3",
            "kvstore": {"driver": "ocdbt", "base": folder.as_uri(), "path": "x/"},
            "metadata": kind,
            "create": True,
            "delete_existing": True,
        }
    ).result()
    array.write(np.full(1000, 2, np.int32)).result()
    files = [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
    body["files"] = {}
    listing(*(name for name in files if name != "manifest.json"))(path, body)


DEEP = "[" * 100_000 + "]" * 100_000
DIFFER = "arrays are not as described:"
FORGERIES: dict[str, tuple[Callable[[Path, Any], Any], str]] = {
    "no files": (manifest_without("files"), "manifest.json: files must be names with hashes"),
    "a size below 0": (
        manifest_with(files={"meta.json": ["0" * 64, -1]}),
        'manifest.json: file "meta.json" needs a SHA-256 and a size.',
    ),
    "a metric that is NaN": (manifest_with(metric=float("nan")), "metric must be a number or null"),
    "a step of text": (manifest_with(step="2"), 'step must be an integer >= 0, got "2".'),
    "a file outside": (listing("../1/meta.json"), 'file "../1/meta.json" is not inside the'),
    "an absolute file": (listing("/etc/hostname"), 'file "/etc/hostname" is not inside the'),
    "a file more": (lambda path, body: (path / "x").touch(), 'file "x" is not in manifest.json.'),
    "a link": (linked, 'file "meta.json" is a link.'),
    "no meta": (unlist("meta.json"), "file meta.json is missing in manifest.json."),
    "meta nested": (meta_with(lambda meta: DEEP), "meta.json is damaged."),
    "meta without arrays": (
        meta_with(lambda meta: {"meta": {}}),
        "file meta.json must hold meta and arrays.",
    ),
    "an array of objects": (kinds_with(x=["object", [0]]), "array 'x' needs a type of numbers"),
    "less than no rows": (kinds_with(x=["int32", [-1]]), "array 'x' needs a type of numbers and a"),
    "another shape": (kinds_with(x=["int32", [1001]]), f"{DIFFER} 'x' differs."),
    "an endless shape": (kinds_with(x=["int32", [2**62, 9]]), "array 'x' needs a type of numbers"),
    "an array more": (kinds_with(y=["int32", [3]]), f"{DIFFER} 'y' differs."),
    "more than there is memory": (
        kinds_with(x=["int32", [10**6, 10**6]]),
        "the arrays need 4 TB of memory, of ",
    ),
    "a pipe": (pipe, "file pipe cannot be read: not a regular file."),
    "files of petabytes": (
        manifest_with(files={"meta.json": ["0" * 64, 2**50]}),
        "manifest.json: the files may have 68,719,476,736 bytes, got 1,125,899,906,842,624.",
    ),
    "arrays removed": (unlist("arrays"), "arrays cannot be read: "),
    "chunks larger than their array": (
        large_chunks,
        f"{DIFFER} 'x' has chunks larger than itself.",
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_checkpoint_counts_as_damaged_and_is_told_in_a_line(
    forgery: str, store: CheckpointStore
) -> None:
    store.save(1, value(1), {})
    path = store.save(2, value(2), {})
    forge, says = FORGERIES[forgery]
    body = json.loads((path / "manifest.json").read_text())["checkpoint"]
    forge(path, body)
    sign(path, body)
    loaded = store.load()
    assert loaded.step == 1
    (skipped,) = loaded.skipped
    assert skipped.startswith("checkpoint 2: ")
    assert says in skipped
    assert len(skipped.splitlines()) == 1
    assert len(skipped) < 250


def test_a_manifest_that_is_nested_too_deeply_is_damaged(store: CheckpointStore) -> None:
    store.save(1, value(1), {})
    for text in (DEEP, f'{{"sha256": "", "checkpoint": {DEEP}}}'):
        (store.save(2, value(2), {}) / "manifest.json").write_text(text)
        assert store.load().skipped == ("checkpoint 2: manifest.json is damaged.",)


def test_what_its_caller_cannot_go_on_from_counts_as_damaged(folder: Path) -> None:
    def check(meta: dict[str, Any]) -> None:
        if "counts" not in meta:
            raise ValueError("counts are missing.")

    store = CheckpointStore(folder, keep=1, milestones=(1, 2), check=check)
    store.save(1, value(1), {"counts": 3})
    store.save(2, value(2), {})
    assert store.load().skipped == ("checkpoint 2: file meta.json: counts are missing.",)
