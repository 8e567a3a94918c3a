"""What the programs of spots take: memory, precision, compiling; several spots in one program."""

from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.holdem.ranges import parse_range
from sog.holdem.spots import (
    SpotSolver,
    boards,
    forget_programs,
    solve_spot,
    spot_of,
    walk,
)
from sog.holdem.spots.solver import PROGRAMS, _run
from sog.holdem.spots.tables import pack, read
from sog.kept_programs import keep_in
from sog.memory import bytes_of
from tests.holdem.games import solver_of, spot_game


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where programs are kept."""
    keep_in(tmp_path)
    yield tmp_path
    keep_in(None)


@pytest.mark.thorough
def test_sixteen_bits_find_the_same_in_half_of_the_memory() -> None:
    text = "board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin"
    whole, half = (
        solver_of(text, "AA,QQ,T9s", "KK,JJ", rule="dcfr", precision=precision)
        for precision in ("float32", "int16")
    )
    for solver in (whole, half):
        solver.run(300)
    assert bytes_of(half.memory) < 0.6 * bytes_of(whole.memory)
    assert half.values(0)[0] == pytest.approx(whole.values(0)[0], abs=0.02)
    assert half.exploitability()[0] < 0.1
    first, second = walk(whole, ["bet50"]), walk(half, ["bet50"])
    assert second.frequency == pytest.approx(first.frequency, abs=0.01)
    assert not np.array_equal(first.policy, second.policy)  # it was rounded
    with pytest.raises(ValueError, match="float32, int16, got int8"):
        solver_of(text, precision="int8")


def test_packed_numbers_are_off_by_half_a_part_of_the_largest_of_their_decision() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([1e-20, 1.0, 3e12])[:, None]
    numbers = rng.normal(size=(2, 3, 3, 50)) * sizes
    numbers[1, :, 2] = 0
    packed = pack(jnp.asarray(numbers, jnp.float32))
    assert packed.parts.dtype == np.int16
    largest = np.abs(numbers).max(axis=(1, 3), keepdims=True)
    back = np.stack([np.asarray(read(packed, jnp.int32(board), 1)[0]) for board in (0, 1)])
    assert (np.abs(back - numbers) <= 0.501 * largest / 32767).all()
    assert np.abs(np.asarray(packed.parts)).max() == 32767


def test_hands_that_fill_up_a_list_change_nothing_and_are_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, ranges = "board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin", ("AA,QQ,T9s", "KK,JJ,98s")
    found = []
    for step in (1, 32):
        monkeypatch.setattr(boards, "_LEAST_STEP", step)
        found.append(solver_of(text, *ranges, precision="int16"))
        found[-1].run(50)
    shapes = [[len(number) for number in solver.hands.number] for solver in found]
    held = [[one.sum() for one in solver.hands.is_held] for solver in found]
    assert shapes[1] == [32, 32] != shapes[0]
    assert held[0] == held[1]
    assert found[1].values(0) == pytest.approx(found[0].values(0), abs=1e-3)
    first, second = (walk(solver, ["bet50"]) for solver in found)
    np.testing.assert_allclose(second.policy, first.policy, atol=1e-3)  # NaN at the same hands
    np.testing.assert_array_equal(second.ranges[0].range_ > 0, first.ranges[0].range_ > 0)


@pytest.mark.thorough
def test_many_spots_in_one_program_equal_each_by_itself() -> None:
    text = "board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin"
    game = spot_game(text)
    boards = [
        game.deck.parse_cards(b) for b in ("Ts3h2h5c9s", "AsAhKdKc2s", "8c7c6cQd2h", "2d3d4d5d9d")
    ]
    weights = np.stack([parse_range("77+,A9s+"), parse_range("55+,KTs+")])
    together = SpotSolver(spot_of(game), weights, boards=boards, chunk=2)
    together.run(30)
    values, exploited = together.values(0), together.exploitability()
    for number in (0, 3):
        name = "".join(map(game.deck.card_name, boards[number]))
        alone = SpotSolver(spot_of(spot_game(text.replace("Ts3h2h5c9s", name))), weights)
        alone.run(30)
        assert values[number] == pytest.approx(alone.values(0)[0], abs=1e-3)
        assert exploited[number] == pytest.approx(alone.exploitability()[0], abs=1e-3)


def test_spots_that_differ_in_cards_and_chips_share_a_program() -> None:
    sizes = []
    for board, stack in (("Ts3h2h5c9s", 100), ("Td3s2s5h9d", 50)):
        text = f"board={board},pot=100,stack={stack},bets=allin"
        solver = solver_of(text, "AA,QQ", "KK", rule="dcfr")
        solver.run(1000)
        bluffs = stack / (100 + stack)  # of QQ, as often as makes a caller indifferent
        assert solver.values(0)[0] == pytest.approx(50 * bluffs, abs=0.05)
        assert solver.exploitability()[0] < 0.1
        sizes.append([program._cache_size() for program in PROGRAMS])
    assert sizes[0] == sizes[1]
    solver_of(text, "AA,JJ,87s", "KK,98o", rule="dcfr").run(1)  # nor do ranges matter
    assert sizes[0][0] == _run._cache_size()
    deeper = solver_of("board=Ts3h2h5c9s,pot=100,stack=300,bets=1/allin", "AA,QQ", "KK")
    assert deeper.layout != solver.layout


def test_another_process_traces_nothing_for_other_cards_chips_and_ranges(folder: Path) -> None:
    counts = []
    for board, stack, first in (("Ts3h2h5c9s", 100, "AA,QQ"), ("Td3s2s5h9d", 50, "AA,JJ,87s")):
        forget_programs()  # as in a new process
        text = f"board={board},pot=100,stack={stack},bets=allin"
        solver = solver_of(text, first, "KK", rule="dcfr")
        solver.run(1)
        solver.exploitability()
        walk(solver, [])
        counts.append(len([*folder.iterdir()]))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("keeps", [True, False])
def test_programs_are_compiled_before_there_are_tables_and_not_again(
    keeps: bool, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keep_in(folder if keeps else None)
    forget_programs()
    solver = solver_of("ranks=5,suits=2,board=AsAhKsKh,pot=10,stack=10,bets=1,caps=1")
    has_tables = list[bool]()

    def compiled() -> None:
        has_tables.append("memory" in vars(solver))
        assert "Compiling jit(run_iterations)" in caplog.text
        caplog.clear()

    monkeypatch.setattr("sog.holdem.spots.solver.return_unused_memory", compiled)
    with jax.log_compiles():
        solver.warm_up()
        solver.run(1)
        solver.exploitability()
    assert has_tables == [False]
    assert "jit(run_iterations)" not in caplog.text
    assert "jit(evaluate)" not in caplog.text


def test_whoever_waits_is_told_when_the_first_iteration_begins() -> None:
    solver, told = solver_of("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin"), list[int]()
    solve_spot(
        solver,
        iterations=2,
        on_start=lambda: told.append(solver.iteration),
        on_checkpoint=lambda point: told.append(point.iteration),
    )
    assert told[0] == 0
    assert told[-1] == 2


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.memory.available_bytes", lambda: 10_000_000)
    with pytest.raises(ValueError, match=r"regrets and sums of policies would take .* of memory"):
        solver_of("board=Ts3h2h5c,pot=100,stack=1000,bets=0.5/1/allin")


@pytest.mark.thorough
def test_what_a_pass_works_with_is_counted() -> None:
    """XLA's own count of a river with much betting: what it keeps, and what it needs beside it."""
    made = solver_of("board=Ts3h2h5c9s,pot=10,stack=400,bets=0.5/1/allin", "22+,A2s+", "22+,A2s+")
    arguments = (made.layout, made.cards, made.equities, made.reach, made.rule, made.memory)
    program = _run.lower(*arguments, *map(jnp.int32, (1, 1, 0))).compile()
    found = program.memory_analysis()
    assert found is not None
    needed = found.argument_size_in_bytes + found.temp_size_in_bytes
    assert needed / 2 < sum(made.memory_parts().values()) < needed * 2
    counted = made.memory_parts()["a pass through the betting"]
    assert counted / 4 < found.temp_size_in_bytes < 1.2 * counted
