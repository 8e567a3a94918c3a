"""Counting the kernels of a program, and how often its loops turn; no GPU, no plugin for one."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import gpu_program
import jax
import jax.numpy as jnp
import loop_trips
import numpy as np
import pytest
from jax import Array

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

PROGRAM = """HloModule a

%body (p: (s32[])) -> (s32[]) {
  %p = (s32[]) parameter(0)
  %n = s32[] get-tuple-element(%p), index=0
  %a = f32[1024]{0} fusion(%n), kind=kLoop, calls=%fused
  %b = f32[1024]{0} fusion(%a), kind=kLoop, calls=%f, metadata={op_name="x/dynamic_update_slice"}
  ROOT %t = (s32[]) tuple(%n)
}

%test (p: (s32[])) -> pred[] {
  %p = (s32[]) parameter(0)
  ROOT %c = pred[] fusion(%p), kind=kLoop, calls=%compared
}

ENTRY %main (x: s32[]) -> (s32[]) {
  %x = s32[] parameter(0)
  %y = s32[] copy(%x)
  %t = (s32[], (f32[2]{0}, s32[])) tuple(%y)
  %w = (s32[]) while(%t), condition=%test, body=%body, metadata={op_name="f/numbered_loop_0/while"}
  ROOT %v = (s32[]) while(%w), condition=%test, body=%body, b={"known_trip_count":{"n":"5"}}
}
"""


def test_kernels_are_counted_as_often_as_loops_turn() -> None:
    cost = gpu_program.cost_of(gpu_program.read_program(PROGRAM), {0: 2.5}, lambda size: 1 + size)
    by_host, by_xla = 2.5 * 2 + 3.5, 5 * 2
    assert cost.kernels == 1 + by_host + by_xla
    assert cost.conditions == 3.5  # where XLA knows how often, nobody reads
    assert cost.kernels_of_loop == {None: 1 + by_xla, 0: by_host}
    assert cost.seconds == cost.kernels + 4 + (2.5 + 5) * 4096 + 3.5 * 1  # nothing for a part


def nested(start: Array) -> Array:
    """Loops in loops; in a batch, each inner one turns as often as the longest."""

    def inner(number: Array) -> Array:
        def is_left(value: Array) -> Array:
            more: Array = value > 0
            return more

        def halve(value: Array) -> Array:
            return value // 2

        result: Array = jax.lax.while_loop(is_left, halve, number)
        return result

    def outer(count: Array, total: Array) -> Array:
        once: Array = jax.lax.cond(count > 1, lambda: jnp.int32(1), lambda: jnp.int32(0))
        longest: Array = jnp.max(jax.vmap(inner)(start + count))
        return total + longest + once

    finished: Array = jax.lax.fori_loop(0, 3, outer, jnp.int32(0))
    return finished


def test_starts_and_turns_of_nested_loops_are_counted() -> None:
    start = jnp.array([1, 6], jnp.int32)
    loops = loop_trips.NumberedLoops(nested, start)
    assert [(loop.number, loop.parent) for loop in loops.loops] == [(0, None), (1, 0)]
    result, counts = jax.jit(loops.counted)(start)
    assert int(result) == int(nested(start)) == int(loops.named(start))
    # 6, 7 and 8 are halved 3, 3 and 4 times.
    np.testing.assert_array_equal(counts, [[1, 3], [3, 10]])


def test_loops_have_their_numbers_in_the_program() -> None:
    start = jnp.array([1, 6], jnp.int32)
    text = jax.jit(loop_trips.NumberedLoops(nested, start).named).lower(start).compile().as_text()
    assert text is not None
    assert "numbered_loop_0/while/body" in text
    assert "numbered_loop_1/while" in text


def run(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, str(SCRIPTS / "kernel_count.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_missing_description_is_told_in_a_line(tmp_path: Path) -> None:
    code, out, err = run("--target", str(tmp_path / "none.txtpb"))
    assert (code, out) == (2, "")
    assert err.startswith("kernel_count.py: error: ")
    assert "none.txtpb" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(
    importlib.util.find_spec("jax_cuda12_plugin") is not None, reason="the plugin is there"
)
def test_a_missing_plugin_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "gpu.txtpb").write_text("memory_bandwidth: 1")
    code, out, err = run("--target", str(tmp_path / "gpu.txtpb"))
    assert (code, out) == (2, "")
    assert "CUDA plugin is needed" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("said", [("--batches", "0"), ("--kernel-us", "nan")])
def test_numbers_that_cannot_be_are_refused(said: tuple[str, str]) -> None:
    code, _, err = run("--target", "gpu.txtpb", *said)
    assert code == 2
    assert f"{said[0]} must be finite and >=" in err
    assert err.count("\n") == 1
