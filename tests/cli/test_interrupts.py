import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sog.cli.interrupts import listening
from sog.games import make
from sog.tabular import compile_tree, evaluate_policy, load_policy, save_policy

Run = Callable[..., tuple[int, str, str]]
Start = Callable[..., "subprocess.Popen[str]"]


def interrupt_when(process: "subprocess.Popen[str]", line: str, number: int) -> tuple[str, str]:
    """Sends a signal after a line on stderr; stdout and the rest of stderr."""
    assert process.stderr is not None
    for told in process.stderr:
        if told == f"sog: {line}\n":
            break
    process.send_signal(number)
    return process.communicate(timeout=60)


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_in_a_finalizer_is_not_lost(number: int) -> None:
    """It often comes in one: JAX has Python call it at every garbage collection."""

    class Finalized:
        def __del__(self) -> None:
            signal.raise_signal(number)

    def work() -> None:
        Finalized()
        time.sleep(10)

    with listening(), pytest.raises(KeyboardInterrupt):
        work()


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
