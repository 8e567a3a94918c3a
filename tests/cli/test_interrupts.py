import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sog.cli.interrupts import holding_interrupts, listening
from sog.cli.main import main
from sog.games import make
from sog.tabular import compile_tree, evaluate_policy, load_policy, save_policy
from tests.boards.spoken_games import write_engine
from tests.cli.conftest import Run, Start
from tests.waiting import PATIENCE, has_computed, wait_until


def interrupt_when(process: "subprocess.Popen[str]", line: str, number: int) -> tuple[str, str]:
    """Sends a signal after a line on stderr; stdout and the rest of stderr."""
    assert process.stderr is not None
    for told in process.stderr:
        if told == f"sog: {line}\n":
            break
    process.send_signal(number)
    return process.communicate(timeout=PATIENCE)


@pytest.mark.thorough(but=["15-143"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_solve_keeps_what_was_reached(
    start: Start, tmp_path: Path, number: int, code: int
) -> None:
    file = tmp_path / "kuhn.npz"
    limits = ("--iterations", "2000000000", "--until-mbb", "1e-300")
    process = start("solve", "kuhn", *limits, "--save", str(file), "--json")
    out, err = interrupt_when(process, "solving", number)
    assert process.returncode == code
    result: dict[str, Any] = json.loads(out)
    assert result["interrupted"] is True
    assert f"interrupted after {result['iterations']:,} iterations" in err
    compiled = compile_tree(make("kuhn"))
    saved = evaluate_policy(compiled, load_policy(file, compiled.tree))
    assert float(saved.exploitability[0]) == pytest.approx(result["exploitability"], abs=1e-12)


def test_an_interrupt_before_anything_was_reached_is_told_in_one_line(start: Start) -> None:
    process = start("solve", "tic_tac_toe", "--json")
    out, err = interrupt_when(process, "enumerating tic_tac_toe", signal.SIGINT)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("sog: interrupted while enumerating tic_tac_toe")
    assert err.endswith("there is nothing to keep yet.\n")
    assert err.count("\n") == 1


def test_engines_that_hang_end_with_the_command(start: Start, tmp_path: Path) -> None:
    """Two that go on after they were told to quit: waiting for both takes longer than there is."""
    commands = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        pid = repr(str(tmp_path / f"{name}.pid"))
        write = f"open({pid} + '~', 'w').write(str(os.getpid())); os.rename({pid} + '~', {pid})"
        hang = "import threading; threading.Thread(target=time.sleep, args=(1e6,)).start()"
        think = f"if 'genmove' in line: open({pid} + '.thinks', 'w'); time.sleep(1e6)"
        change = "\n".join([write, hang, think])
        commands.append("gtp:" + write_engine(tmp_path / name, "gtp", change)[0])
    process = start("match", *commands, "--game", "go5", "--games", "2")
    wait_until(lambda: list(tmp_path.glob("*.thinks")) or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    for name in ("one", "two"):
        number = int((tmp_path / f"{name}.pid").read_text())
        with pytest.raises(ProcessLookupError):  # once whoever inherits it has waited for it
            wait_until(lambda number=number: os.kill(number, 0))  # type: ignore[misc]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_in_a_finalizer_is_not_lost(number: int) -> None:
    """It often comes in one: JAX has Python call it at every garbage collection."""

    class Finalized:
        def __del__(self) -> None:
            signal.raise_signal(number)

    def work() -> None:
        Finalized()
        time.sleep(PATIENCE)

    with listening(), pytest.raises(KeyboardInterrupt):
        work()


def test_an_interrupt_waits_for_the_end_of_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C++ that is loaded, as JAX's, dies of an exception, and half a module stays half."""
    inner = "import signal\nsignal.raise_signal(signal.SIGINT)\nx = 1"
    (tmp_path / "inner_module.py").write_text(inner)
    (tmp_path / "outer_module.py").write_text("import inner_module\ny = inner_module.x + 1")
    monkeypatch.syspath_prepend(tmp_path)

    def work() -> None:
        importlib.import_module("outer_module")
        threading.Event().wait(10)

    with listening(), pytest.raises(KeyboardInterrupt):
        work()
    assert sys.modules["outer_module"].y == 2


def test_an_interrupt_while_saving_waits_for_the_file(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_save(*arguments: Any, **notes: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        save_policy(*arguments, **notes)

    monkeypatch.setattr("sog.cli.solve.save_policy", interrupted_save)
    file = tmp_path / "kuhn.npz"
    code, out, err = sog("solve", "kuhn", "--iterations", "3", "--save", str(file), "--json")
    assert code == 130
    assert json.loads(out)["iterations"] == 3
    assert err.endswith("sog: interrupted.\n")
    load_policy(file, compile_tree(make("kuhn")).tree)


# While the main thread computes outside of Python, and does not hear.


DEAF = """
import hashlib
import signal
import sys
import threading
from sog.cli import interrupts
from sog.cli.interrupts import concluding, holding_interrupts, listening

def tell():
    begins.wait()
    sys.setswitchinterval(0.005)
    print("computing", flush=True)

def compute():
    threading.Thread(target=tell).start()
    sys.setswitchinterval(1000)  # until this thread computes, and lets go of Python, no other runs
    begins.set()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)  # half an hour

begins = threading.Event()
with listening():
    BODY
"""


def run_deaf(
    body: str, number: int = signal.SIGINT, *, first: str = "", again: bool = False
) -> tuple[int, str, str]:
    """Sends a signal when it computes; if again, others after its first line, until it ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", DEAF.replace("BODY", body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "computing\n"
    process.send_signal(number)
    assert process.stderr is not None
    told = process.stderr.readline() if first else ""
    assert told == first

    def has_ended() -> bool:
        process.send_signal(number)
        return process.poll() is not None

    if again:
        wait_until(has_ended)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, out, told + err


@pytest.mark.thorough(but=["2-130"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_was_reached_is_told_while_the_main_thread_computes(number: int, code: int) -> None:
    body = "with concluding(lambda: print('reached 3')): compute()"
    assert run_deaf(body, number=number) == (code, "reached 3\n", "")
    assert run_deaf("compute()", number=number) == (code, "", "sog: interrupted.\n")


def test_work_that_is_worth_it_is_waited_for_until_the_second_ctrl_c() -> None:
    body = "with concluding(lambda: print('reached 3'), lambda: 'this cycle'): compute()"
    first = "sog: stopping after this cycle; Ctrl-C again to stop at once.\n"
    told = first + "sog: stopped at once.\n"
    assert run_deaf(body, first=first, again=True) == (130, "", told)


@pytest.mark.parametrize(
    "body",
    [
        "with holding_interrupts(): compute()",
        # What was reached is being told.
        "with concluding(compute): signal.raise_signal(signal.SIGINT)",
    ],
)
def test_a_second_ctrl_c_ends_at_once_whatever_is_done(body: str) -> None:
    code, _, err = run_deaf(body, again=True)
    assert (code, err) == (130, "sog: stopped at once.\n")


def test_a_ctrl_c_that_comes_twice_is_one() -> None:
    """Once from the terminal, once from who runs us."""
    same = "interrupts._SAME_PRESS_SECONDS = 1000\n    "  # however long the second one takes
    body = "with concluding(lambda: print('reached 3')): compute()"
    assert run_deaf(same + body, again=True) == (130, "reached 3\n", "")


@pytest.mark.thorough
def test_a_search_without_end_is_interrupted(start: Start) -> None:
    process = start("evaluate", "kuhn", "--search", "1,1e-8")
    assert process.stderr is not None
    for told in process.stderr:
        if told == "sog: solving the whole tree for comparison\n":
            break
    # To compile it, so that it is in a program that takes an hour.
    wait_until(lambda: has_computed(process.pid, 15))
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, "")
    where = "while solving the whole tree for comparison"
    assert err == f"sog: interrupted {where}: there is nothing to keep yet.\n"


def test_the_end_waits_for_no_thread() -> None:
    """JAX has some, which may compute on."""
    code = """
import threading
import time
from sog.cli import main

def interrupted(argv):
    threading.Thread(target=time.sleep, args=[600]).start()
    raise KeyboardInterrupt

main._run = interrupted
main.entry()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "sog: interrupted.\n")


# Handlers.


def test_handlers_are_as_before_after_a_command(sog: Run) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    sog("--version")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert signal.set_wakeup_fd(-1) == -1


def test_an_interrupt_that_our_parent_has_us_ignore_is_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with listening() as received:
            signal.raise_signal(signal.SIGINT)
        assert received == []
    finally:
        signal.signal(signal.SIGINT, before)


def test_commands_run_in_any_thread() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]


def test_an_interrupt_takes_effect_when_nothing_holds_it_any_more() -> None:
    reached: list[str] = []

    def work() -> None:
        with holding_interrupts():
            with holding_interrupts():
                signal.raise_signal(signal.SIGINT)
                reached.append("inner")
            reached.append("outer")
        reached.append("after")

    with listening(), pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["inner", "outer"]
