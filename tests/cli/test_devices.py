"""On a CPU every core is a device, unless the user has said otherwise."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sog.devices import _quota, num_cores
from tests.cli.conftest import Run, Start

SAYS_DEVICES = "JAX_NUM_CPU_DEVICES"
PROGRAM = """
import jax
from sog.devices import use_all_cores
use_all_cores()
print(jax.device_count())
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, num_cores()),
        ({"JAX_NUM_CPU_DEVICES": "3"}, 3),
        ({"XLA_FLAGS": "--xla_force_host_platform_device_count=5"}, 5),
    ],
)
def test_cores_are_devices(said: dict[str, str], expected: int) -> None:
    assert int(run("-c", PROGRAM, code=0, **said)) == expected


@pytest.mark.parametrize(("said", "expected"), [(None, "3"), ("0", "0")])
def test_xla_logs_nothing_among_our_lines_unless_the_user_wants_it(
    sog: Run, monkeypatch: pytest.MonkeyPatch, said: str | None, expected: str
) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", said or "")
    if said is None:
        monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL")
    assert sog("configs")[0] == 0
    assert os.environ["TF_CPP_MIN_LOG_LEVEL"] == expected


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_cores_that_the_process_may_not_use_are_none() -> None:
    only_one = f"import os\nos.sched_setaffinity(0, [{min(os.sched_getaffinity(0))}])\n"
    assert int(run("-c", only_one + PROGRAM)) == 1


WITH_FLAGS = """
import os
from sog.cli.devices import start_jax
start_jax()  # XLA would refuse what it does not know
print(os.environ.get("XLA_FLAGS"))
"""


@pytest.mark.thorough(but=["None-said0", "jax_cuda12"])
@pytest.mark.parametrize(
    ("plugin", "said", "expected"),
    [
        (None, {}, ""),
        ("jax_cuda12_plugin", {}, "--xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL"),
        (
            "jax_cuda13_plugin",
            {"XLA_FLAGS": "--xla_gpu_autotune_level=0"},
            "--xla_gpu_autotune_level=0 --xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL",
        ),
        (
            "jax_cuda13_plugin",
            {"XLA_FLAGS": "--xla_gpu_enable_command_buffer=FUSION"},
            "--xla_gpu_enable_command_buffer=FUSION",
        ),
    ],
)
def test_a_gpu_runs_loops_by_itself_unless_the_user_has_said_otherwise(
    tmp_path: Path, plugin: str | None, said: dict[str, str], expected: str
) -> None:
    if plugin is not None:
        (tmp_path / f"{plugin}.py").touch()
    environment = {"XLA_FLAGS": "", "PYTHONPATH": str(tmp_path), **said}
    assert run("-c", WITH_FLAGS, code=0, **environment).strip() == expected


def run(*arguments: str, code: int = 0, **said: str) -> str:
    """What Python prints, where nothing is said of devices but this."""
    environment = {k: v for k, v in os.environ.items() if k != SAYS_DEVICES}
    found = subprocess.run(
        [sys.executable, *arguments],
        env={**environment, "JAX_PLATFORMS": "cpu", **said},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert found.returncode == code, found.stdout
    return found.stdout


@pytest.mark.thorough
def test_no_command_asks_for_devices_before_it_has_said_how_many() -> None:
    """JAX would refuse to be told. The game is refused after that, so nothing is compiled."""
    words = ("evaluate", "kuhn", "--search", "2,1", "--seeds", "2", "--max-nodes", "8")
    found = run("-m", "sog", *words, code=2)
    assert "more than max_nodes = 8 nodes" in found


@pytest.mark.parametrize(
    ("content", "expected"), [("150000 100000\n", 2), ("max 100000\n", math.inf), ("", math.inf)]
)
def test_a_container_may_have_fewer_cores(tmp_path: Path, content: str, expected: float) -> None:
    file = tmp_path / "cpu.max"
    file.write_text(content)
    assert _quota(file) == expected
    assert _quota(tmp_path / "missing") == math.inf


def test_a_platform_that_jax_does_not_know_is_told_in_one_line(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "foo")
    process = start("games", "kuhn")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    said = r"sog: error: JAX_PLATFORMS must name what JAX finds here \((gpu, )?cpu\), got 'foo'.\n"
    assert re.fullmatch(said, err)


@pytest.mark.parametrize(
    ("variable", "error", "said"),
    [
        # What JAX does where there is no GPU.
        (
            "cuda",
            AssertionError(),
            "JAX_PLATFORMS must name what JAX finds here (cpu), got 'cuda'.",
        ),
        ("", RuntimeError("the driver is too old"), "JAX cannot start: the driver is too old"),
    ],
)
def test_what_keeps_jax_from_starting_is_told_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch, variable: str, error: Exception, said: str
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setenv("JAX_PLATFORMS", variable)
    monkeypatch.setattr("sog.cli.devices.jax.devices", fail)
    monkeypatch.setattr("sog.cli.devices._platforms", lambda: "cpu")
    assert sog("solve", "kuhn") == (2, "", f"sog: error: {said}\n")
