"""Damage that disks, people and attackers do to a run folder, for `torture.py`."""

import dataclasses
import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

_OUTSIDE: Final = "outside"
"""A folder beside the run folder: the target of links, which no run may change."""
_DEEP: Final = "[" * 100_000 + "]" * 100_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Effect:
    """The required behavior of resuming after a damage."""

    ruined: frozenset[int] = frozenset()
    """Checkpoints that must be reported and skipped."""
    refused: bool | None = False
    """Whether resuming must fail; None: it may fail."""
    says: str = ""
    """Text that the output must contain."""


Damage = Callable[[Path, list[int], random.Random], Effect]
"""Damages the folder of a run that is not running; whole: its intact checkpoints, at least two."""


def saved_steps(run: Path) -> list[int]:
    """The folders of checkpoints, ascending."""
    folder = run / "checkpoints"
    entries = folder.iterdir() if folder.is_dir() else []
    return sorted(int(entry.name) for entry in entries if _is_checkpoint(entry))


def _is_checkpoint(path: Path) -> bool:
    return path.name.isdecimal() and not path.is_symlink()


def outside(run: Path) -> Path:
    """Makes a folder beside the run, with a file that no run may change."""
    folder = run.with_name(f"{run.name}-{_OUTSIDE}")
    folder.mkdir(exist_ok=True)
    (folder / "file").write_text(_OUTSIDE)
    return folder


def is_outside_untouched(run: Path) -> bool:
    """Whether the folder of `outside` is unchanged."""
    folder = run.with_name(f"{run.name}-{_OUTSIDE}")
    if not folder.exists():
        return True
    names = [entry.name for entry in folder.iterdir()]
    return names == ["file"] and (folder / "file").read_text() == _OUTSIDE


# Damage by disks, to any file.


def _flip(file: Path, dice: random.Random) -> None:
    content = bytearray(file.read_bytes())
    places = [n for n, byte in enumerate(content) if not chr(byte).isspace()]
    if places:
        content[dice.choice(places)] ^= 1 << dice.randrange(8)
    else:
        content += b"x"
    file.write_bytes(content)


def _truncate(file: Path, dice: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: dice.randrange(len(content))] if content else b"x")


def _zero(file: Path, dice: random.Random) -> None:
    file.write_bytes(b"\0" * max(file.stat().st_size, 1))


def _append(file: Path, dice: random.Random) -> None:
    file.write_bytes(file.read_bytes() + b"}\xff")


def _delete(file: Path, dice: random.Random) -> None:
    file.unlink()


_WAYS: Final = {
    "flip": _flip,
    "truncate": _truncate,
    "zero": _zero,
    "append": _append,
    "delete": _delete,
}


def _to_checkpoint(way: str, part: str) -> Damage:
    def damage(run: Path, whole: list[int], dice: random.Random) -> Effect:
        step = whole[-1]
        folder = run / "checkpoints" / str(step)
        if part == "arrays":
            files = sorted(file for file in (folder / part).rglob("*") if file.is_file())
            _WAYS[way](dice.choice(files), dice)
        else:
            _WAYS[way](folder / part, dice)
        return Effect(ruined=frozenset({step}))

    return damage


def _to_file(way: str, name: str, refused: bool | None) -> Damage:
    def damage(run: Path, whole: list[int], dice: random.Random) -> Effect:
        (run / name).touch()  # an earlier damage may have deleted it
        _WAYS[way](run / name, dice)
        return Effect(refused=refused)

    return damage


def _to_several(run: Path, whole: list[int], dice: random.Random) -> Effect:
    ruined = whole[-dice.randint(1, len(whole) - 1) :]
    for step in ruined:
        (run / "checkpoints" / str(step) / dice.choice(["manifest.json", "meta.json"])).unlink()
    return Effect(ruined=frozenset(ruined))


def _to_all(run: Path, whole: list[int], dice: random.Random) -> Effect:
    for step in whole:
        _flip(run / "checkpoints" / str(step) / "meta.json", dice)
    return Effect(refused=True, says="no checkpoint that can be loaded")


def _without_checkpoints(run: Path, whole: list[int], dice: random.Random) -> Effect:
    shutil.rmtree(run / "checkpoints")
    return Effect(refused=True, says="checkpoints")


# Lines that are not metrics.


def _bad_line(line: bytes) -> Damage:
    def damage(run: Path, whole: list[int], dice: random.Random) -> Effect:
        file = run / "metrics.jsonl"
        file.touch()
        lines = file.read_bytes().splitlines(keepends=True)
        lines.insert(dice.randint(0, len(lines)), line + b"\n")
        file.write_bytes(b"".join(lines))
        return Effect(says="metrics.jsonl")

    return damage


# Checkpoints with valid hashes but wrong contents.


def _sign(path: Path, body: Any) -> None:
    sha256 = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    (path / "manifest.json").write_text(json.dumps({"sha256": sha256, "checkpoint": body}))


def _body(path: Path) -> Any:
    return json.loads((path / "manifest.json").read_text())["checkpoint"]


def _forged(change: Callable[[Path, Any], None]) -> Damage:
    def damage(run: Path, whole: list[int], dice: random.Random) -> Effect:
        step = whole[-1]
        path = run / "checkpoints" / str(step)
        body = _body(path)
        change(path, body)
        _sign(path, body)
        return Effect(ruined=frozenset({step}))

    return damage


def _with(**values: Any) -> Damage:
    return _forged(lambda _, body: body.update(values))


def _without(name: str) -> Damage:
    return _forged(lambda _, body: body.pop(name))


def _listing(name: str) -> Damage:
    """Lists a file outside the checkpoint, with its hash if it exists."""

    def change(path: Path, body: Any) -> None:
        file = path / name
        content = file.read_bytes() if file.is_file() else b""
        body["files"][name] = [hashlib.sha256(content).hexdigest(), len(content)]

    return _forged(change)


def _meta(change: Callable[[Any], Any]) -> Damage:
    """Replaces meta.json and its hash; change: maps its value to a value or a text."""

    def signed(path: Path, body: Any) -> None:
        file = path / "meta.json"
        new = change(json.loads(file.read_text()))
        content = (new if isinstance(new, str) else json.dumps(new)).encode()
        file.write_bytes(content)
        body["files"]["meta.json"] = [hashlib.sha256(content).hexdigest(), len(content)]

    return _forged(signed)


def _except(place: str, name: str) -> Callable[[Any], Any]:
    return lambda meta: meta | {place: {k: v for k, v in meta[place].items() if k != name}}


def _arrays_removed(path: Path, body: Any) -> None:
    shutil.rmtree(path / "arrays")
    body["files"] = {name: value for name, value in body["files"].items() if "arrays" not in name}


def _deep_manifest(run: Path, whole: list[int], dice: random.Random) -> Effect:
    step = whole[-1]
    text = f'{{"sha256": "", "checkpoint": {_DEEP}}}'
    (run / "checkpoints" / str(step) / "manifest.json").write_text(text)
    return Effect(ruined=frozenset({step}))


# Links, and files that are not folders.


def _link_to(target: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _link(name: str) -> Damage:
    def damage(run: Path, whole: list[int], dice: random.Random) -> Effect:
        _link_to(outside(run) / "file", run / name)
        return Effect(refused=None)

    return damage


def _checkpoints_link(run: Path, whole: list[int], dice: random.Random) -> Effect:
    elsewhere = run.with_name(f"{run.name}-checkpoints")
    shutil.move(run / "checkpoints", elsewhere)
    _link_to(elsewhere, run / "checkpoints")
    return Effect(refused=True, says="is a link")


def _pipe(name: str) -> Damage:
    def damage(run: Path, whole: list[int], dice: random.Random) -> Effect:
        (run / name).unlink()
        os.mkfifo(run / name)
        return Effect(refused=True, says="not a regular file")

    return damage


def _torn_link(run: Path, whole: list[int], dice: random.Random) -> Effect:
    _link_to(outside(run), run / "checkpoints" / f"{dice.randint(0, 99)}.torn")
    return Effect()


def _torn_file(run: Path, whole: list[int], dice: random.Random) -> Effect:
    (run / "checkpoints" / f"x{dice.randint(0, 99)}.torn").write_bytes(dice.randbytes(10))
    return Effect()


def _checkpoint_link(run: Path, whole: list[int], dice: random.Random) -> Effect:
    _link_to(outside(run), run / "checkpoints" / "99999")
    return Effect()


_METRIC_LINES: Final = {
    "not UTF-8": b'{"step": 1, "\xff\xfe": 2}',
    "null": b"null",
    "step null": b'{"step": null}',
    "step 1e999": b'{"step": 1e999}',
    "step of 5000 digits": b'{"step": ' + b"9" * 5000 + b"}",
    "nested 100 000 deep": _DEEP.encode(),
}
_FORGED: Final = {
    "files missing": _without("files"),
    "files a list": _with(files=["meta.json"]),
    "files a number": _with(files=7),
    "files of numbers": _with(files={"meta.json": 7}),
    "no files listed": _with(files={}),
    "no step": _without("step"),
    "no metric": _without("metric"),
    "metric a text": _with(metric="x"),
    "metric NaN": _with(metric=float("nan")),
    "no format": _without("format"),
    "a newer format": _with(format=10**6),
    "a file ../../lock listed": _listing("../../lock"),
    "a file /etc/hostname listed": _listing("/etc/hostname"),
    "manifest nested 100 000 deep": _deep_manifest,
    "meta nested 100 000 deep": _meta(lambda _: _DEEP),
    "meta a list": _meta(lambda _: []),
    "meta without meta": _meta(lambda meta: {"arrays": meta["arrays"]}),
    "meta without arrays": _meta(lambda meta: {"meta": meta["meta"]}),
    "meta without counts": _meta(_except("meta", "counts")),
    "meta without total_seconds": _meta(_except("meta", "total_seconds")),
    "meta with one array less": _meta(_except("arrays", "learner/0000")),
    "meta with another type": _meta(
        lambda meta: meta | {"arrays": {name: ["U7", [1]] for name in meta["arrays"]}}
    ),
    "meta with another shape": _meta(
        lambda meta: meta | {"arrays": {name: ["float32", [10**12]] for name in meta["arrays"]}}
    ),
    "arrays removed": _forged(_arrays_removed),
}

RECOVERABLE: Final[dict[str, Damage]] = {
    **{
        f"{part}: {way}": _to_checkpoint(way, part)
        for part in ("manifest.json", "meta.json", "arrays")
        for way in _WAYS
    },
    **{f"metrics.jsonl: {way}": _to_file(way, "metrics.jsonl", False) for way in _WAYS},
    **{f"lock: {way}": _to_file(way, "lock", False) for way in _WAYS},
    **{f"metrics.jsonl: a line {name}": _bad_line(line) for name, line in _METRIC_LINES.items()},
    **{f"forged: {name}": damage for name, damage in _FORGED.items()},
    "several newest checkpoints": _to_several,
    "*.torn a link": _torn_link,
    "*.torn a file": _torn_file,
    "a checkpoint a link": _checkpoint_link,
}
"""Damage after which a run resumes by itself."""
DAMAGES: Final[dict[str, Damage]] = {
    **RECOVERABLE,
    **{
        f"config.toml: {way}": _to_file(way, "config.toml", True if way == "delete" else None)
        for way in _WAYS
    },
    **{f"{name} a link": _link(name) for name in ("lock", "config.toml.new", "metrics.new")},
    **{f"{name} a pipe": _pipe(name) for name in ("lock", "config.toml", "metrics.jsonl")},
    "checkpoints/ a link": _checkpoints_link,
    "all checkpoints": _to_all,
    "checkpoints/ missing": _without_checkpoints,
}
"""All damage; some needs repair by hand."""
