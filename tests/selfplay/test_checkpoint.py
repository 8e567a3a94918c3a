import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from selfplay.checkpoint import (
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
    from selfplay import manifest

    path = store.save(1, value(1), {}) / "manifest.json"
    content = json.loads(path.read_text())
    assert content["checkpoint"]["format"] == 1
    content["checkpoint"] |= {"format": 2, "sog": "9.0"}
    content["sha256"] = manifest.sha256_of(content["checkpoint"])
    path.write_text(json.dumps(content))
    with pytest.raises(CheckpointError, match=r"1: has format 2, written by sog 9\.0; this one"):
        store.load(1)


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
from selfplay.checkpoint import CheckpointStore
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
    code = """
        store.save(1, arrays(1), {})
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        noise = np.random.default_rng(0).random(10_000)
        for step, meta in ((2, {}), (3, {"text": "x" * 10_000})):
            try:
                store.save(step, {"x": noise}, meta)
            except OSError as error:
                print(error.strerror)
        print(store.steps(), store.load().step)
    """
    with start(code, folder) as process:
        out, err = process.communicate()
    assert out.splitlines() == ["File too large", "File too large", "[1] 1"]
    assert err == ""
    assert [entry.name for entry in folder.iterdir()] == ["1"]
