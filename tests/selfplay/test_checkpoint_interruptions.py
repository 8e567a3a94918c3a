"""Saves that a kill, a full disk or an interrupt ends."""

import asyncio
import functools
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfplay.runs.checkpoint import (
    CheckpointStore,
    checkpoint_steps,
    load_checkpoint,
)
from tests.selfplay.checkpoints import value
from tests.waiting import PATIENCE, wait_until

CHECKOUT = Path(__file__).resolve().parents[2]


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


def stopped_while_saving(process: "subprocess.Popen[str]", folder: Path, least: int) -> bool:
    """Stops a process if it has made so many files of a checkpoint that is not whole yet."""
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    torn = (files for place, _, files in os.walk(folder) if ".torn" in place)
    if sum(map(len, torn)) >= least:
        return True
    process.send_signal(signal.SIGCONT)
    return False


def test_a_kill_while_saving_leaves_whole_checkpoints_only(folder: Path) -> None:
    code = """
        step = max(store.steps(), default=0)
        while True:
            step += 1
            store.save(step, arrays(step), {"step": step})
            print(step, flush=True)
    """
    for least in (1, 2, 4, 6, 9):  # a whole one has 13
        with start(code, folder) as process:
            assert process.stdout is not None
            last = int(process.stdout.readline())
            wait_until(functools.partial(stopped_while_saving, process, folder, least))
            process.send_signal(signal.SIGKILL)
            last = max([last, *map(int, process.stdout.read().split())])
        assert any(folder.glob("*.torn"))
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


@pytest.mark.thorough
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
    done, heard = list[Path](), threading.Event()

    def hear(*_: Any) -> None:
        heard.set()
        raise KeyboardInterrupt

    def save(path: Path, _: Any) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert heard.wait(PATIENCE)
        done.append(path)

    monkeypatch.setattr("orbax.checkpoint.v1.save", save)
    before = signal.signal(signal.SIGINT, hear)
    try:
        with pytest.raises(KeyboardInterrupt):
            store.save(1, value(1), {})
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [folder / "1.torn" / "arrays"]
    assert not any(folder.iterdir())
