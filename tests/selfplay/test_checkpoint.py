import asyncio
import gc
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from selfplay.runs import manifest
from selfplay.runs.checkpoint import (
    CheckpointError,
    CheckpointStore,
    checkpoint_steps,
    load_checkpoint,
)

CHECKOUT = Path(__file__).resolve().parents[2]
ARRAYS = {
    "params/torso.kernel": np.arange(12, dtype=np.float32).reshape(3, 4) / 7,
    "params": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "key": np.array([1, 2**32 - 1], np.uint32),
    "mask": np.array([[True, False, True]]),
    "policies": np.array([0.1, 65504, np.nan, np.inf], np.float16),
    "codes": np.array([-128, 127], np.int8),
    "large": np.array([2**64 - 1], np.uint64),
    "step": np.array(2**40),
    "strided": np.arange(12)[::-3],
    "big_endian": np.array([1.5, -2], ">f4"),
    "half": np.array([1.5, -2], jnp.bfloat16),
    "no rows": np.zeros((0, 5), np.float16),
    "nö/bits": np.zeros((3, 0), bool),
}
META = {"games": 12, "nested": {"list": [1, 2.5, None, "ä"]}, "done": False}


def value(number: int) -> dict[str, np.ndarray]:
    return {"x": np.full(1000, number, np.int32)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints"


@pytest.fixture
def store(folder: Path) -> CheckpointStore:
    return CheckpointStore(folder, keep=3)


def files_of(path: Path) -> list[Path]:
    return sorted(entry for entry in path.rglob("*") if entry.is_file())


def test_arrays_of_all_types_come_back_as_they_were(store: CheckpointStore, folder: Path) -> None:
    path = store.save(7, ARRAYS, META)
    loaded = store.load()
    assert (loaded.step, loaded.path, loaded.skipped) == (7, path, ())
    assert loaded.meta == META
    assert list(loaded.arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        back = loaded.arrays[name]
        assert type(back) is np.ndarray
        assert back.flags.writeable
        assert (back.dtype, back.shape) == (array.dtype.newbyteorder("="), array.shape)
        assert back.tobytes() == array.astype(back.dtype).tobytes()


@pytest.mark.parametrize("arrays", [{}, {"none": np.zeros((0, 2), np.uint8)}])
def test_a_checkpoint_may_hold_no_numbers(
    arrays: dict[str, np.ndarray], store: CheckpointStore
) -> None:
    store.save(0, arrays, {})
    loaded = store.load(0)
    assert {name: (a.dtype, a.shape) for name, a in loaded.arrays.items()} == {
        name: (a.dtype, a.shape) for name, a in arrays.items()
    }


def test_a_folder_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    CheckpointStore(Path("run"), keep=1).save(1, value(1), {})
    assert load_checkpoint(Path("run")).path == tmp_path / "run" / "1"


def test_steps_are_in_the_order_of_numbers(store: CheckpointStore) -> None:
    assert store.steps() == []
    for step in (10, 9, 100):
        store.save(step, value(step), {})
    assert store.steps() == [9, 10, 100]
    assert store.load().step == 100
    assert store.load(9).arrays["x"][0] == 9


def test_the_newest_the_best_and_the_milestones_stay(folder: Path) -> None:
    store = CheckpointStore(folder, keep=2, milestones=(2, 99))
    metrics = {1: 5.0, 2: 4.0, 3: 1.0, 4: None, 5: 3.0, 6: 2.0, 7: None}
    seen = []
    for step, metric in metrics.items():
        store.save(step, value(step), {}, metric=metric)
        seen.append(store.steps())
    assert seen == [[1], [1, 2], [2, 3], [2, 3, 4], [2, 3, 4, 5], [2, 3, 5, 6], [2, 3, 6, 7]]
    assert sorted(entry.name for entry in folder.iterdir()) == ["2", "3", "6", "7"]
    # Also after a restart.
    store = CheckpointStore(folder, keep=1, milestones=(2,))
    store.save(8, value(8), {}, metric=0.5)
    assert store.steps() == [2, 8]


def test_a_step_that_is_saved_again_is_replaced(store: CheckpointStore) -> None:
    store.save(1, value(1), {"first": True})
    store.save(1, value(2), {"first": False})
    assert store.steps() == [1]
    assert store.load().arrays["x"][0] == 2
    assert store.load().meta == {"first": False}


def full(number: int) -> dict[str, np.ndarray]:
    return value(number) | {"replay/y": np.full(5000, number), "replay/z": np.zeros((0, 3))}


def test_only_the_newest_keep_what_passes(folder: Path) -> None:
    store = CheckpointStore(folder, keep=2, milestones=(0, 2), passing=("replay/",))
    metrics = {0: None, 1: 0.5, 2: 0.75, 3: 1.0, 4: 2.0}
    for step, metric in metrics.items():
        store.save(step, full(step), {"step": step}, metric=metric)
    assert store.steps() == [0, 1, 2, 3, 4]
    for step in store.steps():
        found = load_checkpoint(folder, step)
        kept = full(step) if step >= 3 else value(step)
        assert found.arrays.keys() == kept.keys()
        assert all((found.arrays[name] == kept[name]).all() for name in kept)
        assert found.meta == {"step": step}
        assert (
            manifest.read_manifest(folder / str(step)).metric == metrics[step]
        )  # 1 is the best still
    # Also of a run that was made by a store that kept everything.
    CheckpointStore(folder, keep=3).save(5, full(5), {})
    CheckpointStore(folder, keep=1, milestones=(4,), passing=("replay/",)).save(6, full(6), {})
    assert load_checkpoint(folder, 4).arrays.keys() == {"x"}


def test_a_damaged_milestone_is_left_as_it_is(folder: Path) -> None:
    store = CheckpointStore(folder, keep=1, milestones=(0,), passing=("replay/",))
    store.save(0, full(0), {})
    flip(max(files_of(folder / "0" / "arrays"), key=lambda file: file.stat().st_size), 0, 1)
    before = {file: file.read_bytes() for file in files_of(folder / "0")}
    store = CheckpointStore(folder, keep=1, milestones=(0,), passing=("replay/",))
    store.save(1, full(1), {})
    assert {file: file.read_bytes() for file in files_of(folder / "0")} == before


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_kill_between_two_renamings_loses_nothing(folder: Path, is_whole: bool) -> None:
    """What was set aside is put back if its successor did not come."""
    store = CheckpointStore(folder, keep=3)
    store.save(1, value(1), {})
    store.save(2, value(2), {})
    (folder / "2").rename(folder / "2.old.torn")
    shutil.copytree(folder / "1", folder / "2.torn")
    if not is_whole:  # it was being deleted
        (folder / "2.old.torn" / "meta.json").unlink()
    store = CheckpointStore(folder, keep=3)
    assert sorted(entry.name for entry in folder.iterdir()) == (["1", "2"] if is_whole else ["1"])
    assert store.load().step == (2 if is_whole else 1)


def flip(file: Path, position: int, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[position] ^= 1 << bit
    file.write_bytes(content)


def test_a_bit_that_flips_in_any_file_is_noticed(store: CheckpointStore, folder: Path) -> None:
    store.save(1000, value(1), {})
    good = store.save(3000, ARRAYS, META, metric=0.5)
    pristine = folder.parent / "pristine"
    shutil.copytree(good, pristine)
    random = np.random.default_rng(0)
    files = [file for file in files_of(good) if file.stat().st_size]
    assert {file.name for file in files} >= {"manifest.json", "meta.json", "manifest.ocdbt"}
    for file in files:
        for _ in range(8):
            flip(file, int(random.integers(file.stat().st_size)), int(random.integers(8)))
            loaded = store.load()
            name = file.relative_to(good).as_posix()
            says = f"file {name} does not match its SHA-256."
            if name == "manifest.json":
                says = "manifest.json is damaged."
            assert (loaded.step, loaded.skipped) == (1000, (f"checkpoint 3000: {says}",))
            shutil.copy(pristine / name, file)
    assert store.load().step == 3000


def test_a_truncated_or_missing_file_is_noticed(store: CheckpointStore) -> None:
    store.save(1, value(1), {})
    good = store.save(2, ARRAYS, META)
    for file in files_of(good):
        content = file.read_bytes()
        name = file.relative_to(good).as_posix()
        what = "manifest.json" if name == "manifest.json" else f"file {name}"
        file.unlink()
        assert store.load().skipped == (f"checkpoint 2: {what} is missing.",)
        if content:
            file.write_bytes(content[:-1])
            (skipped,) = store.load().skipped
            short = f"has {len(content) - 1} bytes, not {len(content)}."
            assert skipped == f"checkpoint 2: {what} " + ("is damaged." if what == name else short)
        file.write_bytes(content)
    assert store.load().step == 2


def test_what_is_not_valid_is_told_for_all_checkpoints(store: CheckpointStore) -> None:
    for step in (1, 2, 3):
        (store.save(step, value(step), {}) / "meta.json").unlink()
    gone = "file meta.json is missing."
    with pytest.raises(CheckpointError) as caught:
        store.load()
    expected = f": checkpoint 3: {gone} checkpoint 2: {gone} checkpoint 1: {gone}"
    assert str(caught.value).endswith(expected)
    with pytest.raises(CheckpointError, match=r"^checkpoint 2: file meta\.json is missing\.$"):
        store.load(2)


def test_a_step_that_was_asked_for_is_not_replaced_by_another(store: CheckpointStore) -> None:
    with pytest.raises(CheckpointError, match=r"^no checkpoint that can be loaded in .*s\.$"):
        store.load()
    with pytest.raises(CheckpointError, match=r"^no checkpoint 5 in .*; there are: none\.$"):
        store.load(5)
    store.save(3, value(3), {})
    store.save(4, value(4), {})
    with pytest.raises(CheckpointError, match=r"^no checkpoint 5 in .*; there are: 3, 4\.$"):
        store.load(5)


def test_a_checkpoint_under_the_name_of_another_step_does_not_count(
    store: CheckpointStore, folder: Path
) -> None:
    store.save(1, value(1), {})
    shutil.copytree(folder / "1", folder / "2")
    assert store.steps() == [1]
    assert store.load().skipped == ("checkpoint 2: is the checkpoint of step 1.",)


def test_a_newer_format_is_told_by_its_version(store: CheckpointStore, folder: Path) -> None:
    path = store.save(1, value(1), {}) / "manifest.json"
    content = json.loads(path.read_text())
    assert content["checkpoint"]["format"] == 1
    content["checkpoint"] |= {"format": 2, "sog": "9.0"}
    content["sha256"] = manifest.sha256_of(content["checkpoint"])
    path.write_text(json.dumps(content))
    with pytest.raises(CheckpointError, match=r"1: has format 2, written by sog 9\.0; this one"):
        store.load(1)


# Checkpoints that are signed, and wrong.


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


DEEP = "[" * 100_000 + "]" * 100_000
DIFFER = "arrays are not as described:"
FORGERIES: dict[str, tuple[Callable[[Path, Any], Any], str]] = {
    "no files": (manifest_without("files"), "manifest.json: files must be names with hashes"),
    "files a list": (manifest_with(files=["meta.json"]), "files must be names with hashes"),
    "files of numbers": (
        manifest_with(files={"meta.json": 7}),
        'manifest.json: file "meta.json" needs a SHA-256 and a size.',
    ),
    "a size below 0": (
        manifest_with(files={"meta.json": ["0" * 64, -1]}),
        'manifest.json: file "meta.json" needs a SHA-256 and a size.',
    ),
    "nothing listed": (manifest_with(files={}), "is not in manifest.json."),
    "no metric": (manifest_without("metric"), "manifest.json: metric must be a number or null"),
    "a metric of text": (manifest_with(metric="x"), 'metric must be a number or null, got "x".'),
    "a metric that is NaN": (manifest_with(metric=float("nan")), "metric must be a number or null"),
    "no format": (manifest_without("format"), "has format null, written by sog"),
    "no step": (manifest_without("step"), "manifest.json: step must be an integer >= 0, got null."),
    "a step of text": (manifest_with(step="2"), 'step must be an integer >= 0, got "2".'),
    "a file outside": (listing("../1/meta.json"), 'file "../1/meta.json" is not inside the'),
    "an absolute file": (listing("/etc/hostname"), 'file "/etc/hostname" is not inside the'),
    "a way round": (listing("arrays/../meta.json"), 'file "arrays/../meta.json" is not inside the'),
    "a file more": (lambda path, body: (path / "x").touch(), 'file "x" is not in manifest.json.'),
    "a link": (linked, 'file "meta.json" is a link.'),
    "no meta": (unlist("meta.json"), "file meta.json is missing in manifest.json."),
    "meta a list": (meta_with(lambda meta: []), "file meta.json must hold an object, got []."),
    "meta nested": (meta_with(lambda meta: DEEP), "meta.json is damaged."),
    "meta without arrays": (
        meta_with(lambda meta: {"meta": {}}),
        "file meta.json must hold meta and arrays.",
    ),
    "an array of text": (kinds_with(x=["<U7", [1]]), "array 'x' needs a type of numbers and a"),
    "an array of objects": (kinds_with(x=["object", [0]]), "array 'x' needs a type of numbers"),
    "an array of no kind": (kinds_with(x=7), "array 'x' needs a type of numbers and a shape."),
    "less than no rows": (kinds_with(x=["int32", [-1]]), "array 'x' needs a type of numbers and a"),
    "an endless shape": (kinds_with(x=["int32", [2**62, 9]]), "array 'x' needs a type of numbers"),
    "an array more": (kinds_with(y=["int32", [3]]), f"{DIFFER} 'y' differs."),
    "another shape": (kinds_with(x=["int32", [1001]]), f"{DIFFER} 'x' differs."),
    "more than there is memory": (
        kinds_with(x=["int32", [10**6, 10**6]]),
        "the arrays need 4 TB of memory, of ",
    ),
    "a complex array": (kinds_with(x=["complex64", [1000]]), "array 'x' needs a type of numbers"),
    "a pipe": (pipe, "file pipe cannot be read: not a regular file."),
    "files of petabytes": (
        manifest_with(files={"meta.json": ["0" * 64, 2**50]}),
        "manifest.json: the files may have 68,719,476,736 bytes, got 1,125,899,906,842,624.",
    ),
    "another type": (kinds_with(x=["int16", [1000]]), f"{DIFFER} 'x' differs."),
    "no array": (meta_with(lambda meta: meta | {"arrays": {"y": ["int32", [1]]}}), f"{DIFFER} '"),
    "arrays removed": (unlist("arrays"), "arrays cannot be read: "),
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


# What is kept.


def test_damaged_checkpoints_never_take_the_place_of_what_is_saved_after_them(
    folder: Path,
) -> None:
    before = CheckpointStore(folder, keep=3, milestones=(2000, 2960, 2980, 3000))
    for step in (2000, 2960, 2980, 3000):
        before.save(step, value(step), {})
    for step in (2960, 2980, 3000):
        flip(files_of(folder / str(step) / "arrays")[-1], 5, 1)
    for keep in (1, 3):
        store = CheckpointStore(folder, keep=keep)
        newest = store.load().step
        for step in range(newest + 20, newest + 100, 20):
            store.save(step, value(step), {})
            assert CheckpointStore(folder, keep=keep).load().step == step
    # 2000, 2080 and what was saved between are gone; what is damaged is left as it is.
    assert store.steps() == [2120, 2140, 2160, 2960, 2980, 3000]


def test_one_damaged_checkpoint_does_not_count_where_one_is_kept(folder: Path) -> None:
    CheckpointStore(folder, keep=1).save(10, value(10), {}, metric=0.5)
    flip(files_of(folder / "10" / "arrays")[-1], 5, 1)
    store = CheckpointStore(folder, keep=1)
    store.save(5, value(5), {}, metric=0.75)
    assert store.load().step == 5
    store.save(7, value(7), {})
    assert store.load().step == 7
    assert store.steps() == [5, 7, 10]  # 5 is the best that is whole


def test_what_is_named_like_the_remains_of_a_save_blocks_nothing(
    store: CheckpointStore, folder: Path, tmp_path: Path
) -> None:
    store.save(1, value(1), {})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").touch()
    (folder / "2.torn").write_text("a file")
    (folder / "3.old.torn").symlink_to(outside)
    (folder / "x.torn").write_text("somebody's")
    (folder / "4").symlink_to(outside)
    store = CheckpointStore(folder, keep=3)
    assert sorted(entry.name for entry in folder.iterdir()) == ["1", "4", "x.torn"]
    assert store.steps() == [1]
    (folder / "4.torn").symlink_to(outside)  # while it runs
    store.save(4, value(4), {})
    assert store.load().step == 4
    assert [entry.name for entry in outside.iterdir()] == ["mine"]


def test_remains_of_torn_saves_are_removed_by_the_writer_and_not_by_readers(
    store: CheckpointStore, folder: Path
) -> None:
    store.save(1, value(1), {})
    (folder / "2.torn" / "arrays").mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    assert load_checkpoint(folder).step == 1
    assert checkpoint_steps(folder) == [1]
    assert (folder / "2.torn").exists()
    CheckpointStore(folder, keep=3)
    assert sorted(entry.name for entry in folder.iterdir()) == ["1", "notes.txt"]


def test_bad_input_is_named_and_leaves_nothing_behind(store: CheckpointStore, folder: Path) -> None:
    store.save(1, value(1), {})
    objects = {"x": np.array([None, "text"])}
    with pytest.raises(ValueError, match=r"^array x must hold numbers, got object\.$"):
        store.save(2, objects, {})
    with pytest.raises(ValueError, match="array x must hold numbers, got <U1"):
        store.save(2, {"x": np.array(["a"])}, {})
    with pytest.raises(TypeError, match="not JSON serializable"):
        store.save(2, value(2), {"x": {1, 2}})
    with pytest.raises(ValueError, match=r"^metric must be finite, got nan\.$"):
        store.save(2, value(2), {}, metric=float("nan"))
    with pytest.raises(ValueError, match=r"^step must be >= 0, got -1\.$"):
        store.save(-1, value(2), {})
    with pytest.raises(ValueError, match=r"^keep must be >= 1, got 0\.$"):
        CheckpointStore(folder, keep=0)
    assert [entry.name for entry in folder.iterdir()] == ["1"]


START = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from selfplay.runs.checkpoint import CheckpointStore
store = CheckpointStore(Path(sys.argv[1]), keep=2)
def arrays(step):
    return {f"array {n}": np.full((200, 1000), step * n, np.float32) for n in range(10)}
"""


def start(code: str, folder: Path) -> "subprocess.Popen[str]":
    program = START + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", program, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )


def test_a_kill_while_saving_leaves_whole_checkpoints_only(folder: Path) -> None:
    code = """
        step = max(store.steps(), default=0)
        while True:
            step += 1
            store.save(step, arrays(step), {"step": step})
            print(step, flush=True)
    """
    last, torn = 0, 0
    for delay in (0, 0.013, 0.029, 0.041, 0.061):
        with start(code, folder) as process:
            assert process.stdout is not None
            last = int(process.stdout.readline())
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            last = max([last, *map(int, process.stdout.read().split())])
        torn += any(folder.glob("*.torn"))
        # What was told to be saved is there, and perhaps one more that was being told.
        loaded = load_checkpoint(folder)
        assert loaded.skipped == ()
        assert loaded.step in (last, last + 1)
        assert loaded.meta == {"step": loaded.step}
        assert len(loaded.arrays) == 10
        for number in range(10):
            assert np.all(loaded.arrays[f"array {number}"] == loaded.step * number)
        for step in checkpoint_steps(folder):
            load_checkpoint(folder, step)
    assert torn > 0, "no kill hit a save; the test shows nothing"


def test_a_full_disk_is_an_error_of_the_system_and_old_checkpoints_stay(folder: Path) -> None:
    # A limit on the size of files looks the same to the program, but for the number of the error.
    # Many arrays: when the first cannot be written, the others are still on their way.
    code = """
        store.save(1, arrays(1), {})
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        noise = np.random.default_rng(0).random((40, 10_000))
        many = {f"array {n}": row for n, row in enumerate(noise)}
        for step, meta in ((2, {}), (3, {}), (4, {}), (5, {"text": "x" * 10_000})):
            try:
                store.save(step, many, meta)
            except OSError as error:
                print(f"{error.strerror}: {Path(error.filename).name}")
        print(store.steps(), store.load().step)
    """
    with start(code, folder) as process:
        out, err = process.communicate()
    assert out.splitlines() == [f"File too large: {n}.torn" for n in range(2, 6)] + ["[1] 1"]
    assert err == ""
    assert [entry.name for entry in folder.iterdir()] == ["1"]


def test_only_late_writes_of_a_failed_save_are_not_told(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: told.append(str(found.exc_value)))

    class Late:
        def __init__(self, message: str) -> None:
            self._message = message

        def __del__(self) -> None:  # cannot raise either, as a callback in another thread
            raise RuntimeError(self._message)

    def save(*_: Any) -> None:
        for message in ("Event loop is closed", "another"):
            Late(message)
        raise ValueError("os_error_code='28'")

    monkeypatch.setattr("orbax.checkpoint.v1.save", save)
    with pytest.raises(OSError, match="No space left on device"):
        store.save(1, value(1), {})
    assert told == ["another"]
    Late("Event loop is closed")
    assert told == ["another", "Event loop is closed"]


def test_asyncio_does_not_tell_of_a_write_that_failed_with_its_save(
    store: CheckpointStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.save(1, value(1), {})

    async def fail(message: str) -> None:
        raise ValueError(message)

    async def forget() -> None:
        for message in ("[os_error_code='28']", "another"):
            await asyncio.wait([asyncio.create_task(fail(message))])
        gc.collect()

    asyncio.run(forget())
    assert [str(one.exc_info[1]) for one in caplog.records if one.exc_info] == ["another"]


def test_an_interrupt_waits_until_orbax_is_done(
    store: CheckpointStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Path] = []

    def save(path: Path, _: Any) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.2)
        done.append(path)

    monkeypatch.setattr("orbax.checkpoint.v1.save", save)
    with pytest.raises(KeyboardInterrupt):
        store.save(1, value(1), {})
    assert done == [folder / "1.torn" / "arrays"]
    assert not any(folder.iterdir())
