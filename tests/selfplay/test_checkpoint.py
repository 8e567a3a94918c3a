import json
import shutil
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
from tests.selfplay.checkpoints import value

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


def files_of(path: Path) -> list[Path]:
    return sorted(entry for entry in path.rglob("*") if entry.is_file())


def test_whoever_reads_while_the_only_one_is_replaced_gets_the_new_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer, read = CheckpointStore(folder, keep=1), "selfplay.runs.checkpoint.verify_files"
    trainer.save(10, value(10), META)

    def look_slowly(*arguments: Any) -> Any:
        monkeypatch.setattr(read, manifest.verify_files)
        trainer.save(20, value(20), META)
        return manifest.verify_files(*arguments)

    monkeypatch.setattr(read, look_slowly)
    found = load_checkpoint(folder)
    assert (found.step, found.skipped) == (20, ())


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
