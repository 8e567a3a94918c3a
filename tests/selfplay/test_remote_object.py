"""An object in a process of its own: what it answers, how it fails, and how it ends."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from selfplay.remote_object import ProcessEndedError, RemoteObject
from tests.waiting import PATIENCE, wait_until

KILLED: Final = """
import os, signal, sys
from pathlib import Path
from selfplay.remote_object import RemoteObject
from tests.selfplay.test_remote_object import sums
RemoteObject(sums, 0, Path(sys.argv[1]), environment={})
os.kill(os.getpid(), signal.SIGKILL)
"""


class Sums:
    """Adds up what it is given."""

    def __init__(self, start: int) -> None:
        self.total = start

    def add(self, number: int) -> int:
        self.total += number
        return self.total

    def number(self) -> int:
        print("nobody sees this")
        return os.getpid()

    def variable(self, name: str) -> str | None:
        return os.environ.get(name)

    def mistake(self) -> None:
        raise ValueError("a number is wrong.")

    def fault(self) -> None:
        raise KeyError("oh")

    def end(self) -> None:
        os._exit(1)


@contextlib.contextmanager
def sums(start: int, left: Path) -> Iterator[Sums]:
    if start < 0:
        raise ValueError(f"start must be >= 0, got {start}.")
    yield Sums(start)
    left.touch()


@contextlib.contextmanager
def separate_sums(left: Path, start: int = 0) -> Iterator[RemoteObject]:
    separate = RemoteObject(sums, start, left, environment={"SOG_SOMETHING": "told"})
    try:
        yield separate
    finally:
        separate.close()


def test_it_answers_from_elsewhere_and_is_left_at_the_end(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    left = tmp_path / "left"
    with separate_sums(left, 3) as separate:
        assert (separate.call("add", 4), separate.call("add", 5)) == (7, 12)
        assert separate.call("variable", "SOG_SOMETHING") == "told"
        number = separate.call("number")
        assert number != os.getpid()
        os.kill(number, 0)  # it lives
        assert os.getsid(number) != os.getsid(0)  # Ctrl-C in a terminal does not reach it
        assert not left.exists()
    assert left.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert capfd.readouterr() == ("", "")


def test_a_mistake_of_the_user_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^start must be >= 0, got -1\.$"):
        RemoteObject(sums, -1, tmp_path / "left", environment={})
    with (
        separate_sums(tmp_path / "left") as separate,
        pytest.raises(ValueError, match=r"^a number is wrong\.$"),
    ):
        separate.call("mistake")


def test_a_fault_comes_with_its_traceback(tmp_path: Path) -> None:
    with (
        separate_sums(tmp_path / "left") as separate,
        pytest.raises(RuntimeError, match=r"in fault\n(.*\n)*KeyError: 'oh'"),
    ):
        separate.call("fault")


@pytest.mark.parametrize("is_killed", [False, True])
def test_its_end_is_not_that_of_this_process(is_killed: bool, tmp_path: Path) -> None:
    with separate_sums(tmp_path / "left") as separate:
        if is_killed:
            os.kill(separate.call("number"), signal.SIGKILL)
        else:
            with pytest.raises(ProcessEndedError):
                separate.call("end")
        with pytest.raises(ProcessEndedError):
            separate.call("add", 1)


def test_it_is_left_when_the_process_that_asked_is_gone(tmp_path: Path) -> None:
    path = os.pathsep.join(filter(None, sys.path))
    asks = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "left")],
        env=os.environ | {"PYTHONPATH": path},
        timeout=PATIENCE,
        check=False,
    )
    assert asks.returncode == -signal.SIGKILL
    wait_until((tmp_path / "left").exists)
