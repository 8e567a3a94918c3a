"""On a GPU: what a CPU finds there too. Run by `make test-gpu`; skipped where JAX finds no GPU.

A GPU multiplies matrices in 10 bits unless it is told otherwise, adds in another order, and runs
other code for sorts and scatters. What is exact must not feel any of it.
"""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import WHOLE_GAME, SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.recipe import make_evaluator
from sog.accelerators import is_accelerated
from sog.games import make
from sog.games.core import opponents_weight
from sog.holdem.game import Holdem
from sog.holdem.spots import SpotSolver, spot_of
from sog.holdem.spots.solved_spots import solve_random_spots
from sog.tabular import compile_tree, solve

pytestmark = pytest.mark.gpu
BATCH = 64
BET = 2  # in Kuhn, of fold, check and bet


def on_cpu(function: Any) -> Any:
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.device_get(function())


def test_searches_run_on_it() -> None:
    assert is_accelerated()


def test_payoffs_are_not_rounded_to_the_bits_of_a_tensor_core() -> None:
    rng = np.random.default_rng(0)
    matrix, reach = rng.normal(size=(256, 256)), rng.random((2, 256))
    found = jax.jit(opponents_weight)(jnp.asarray(matrix), jnp.asarray(reach))
    exact = np.stack([matrix @ reach[1], reach[0] @ matrix])
    assert np.abs(found - exact).max() < 1e-4  # 10 bits would give some 1e-2


@pytest.mark.parametrize("rule", ["cfr+", "dcfr"])
def test_cfr_goes_as_far_as_on_a_cpu(rule: str) -> None:
    def run() -> float:
        return solve(compile_tree(make("leduc")), rule=rule, iterations=200).last.exploitability

    # On a CPU 32 bits are that far from 64.
    assert run() == pytest.approx(on_cpu(run), rel=0.2)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars_dice", "glasses", "connect_four", "go5"])
def test_a_search_finds_what_a_cpu_finds(name: str) -> None:
    """Trees that do not grow, so that no simulation goes elsewhere for the last bit of a value."""
    game, batch = make(name), 8
    settings = SearchSettings(num_simulations=20, grow=False, lookahead=2)
    network = NetworkSettings(width=32, depth=2)

    def run() -> SearchResult:
        evaluator = make_evaluator(*make_network(game, network))
        program = jax.jit(functools.partial(search, game, settings=settings))
        root = start_of_game(game, batch_size=batch)
        found: SearchResult = program(evaluator=evaluator, root=root, key=jax.random.key(0))
        return found

    gpu, cpu = jax.device_get(run()), on_cpu(run)
    # Leaves are valued by a network in the GPU's own precision.
    np.testing.assert_allclose(gpu.policy, cpu.policy, atol=0.03)


def test_a_search_of_a_whole_game_goes_to_its_equilibrium() -> None:
    game = make("kuhn")
    settings = SearchSettings(num_simulations=400, lookahead=WHOLE_GAME, grow=False, capacity=60)
    program = jax.jit(functools.partial(search, game, settings=settings))
    root = start_of_game(game, batch_size=BATCH)
    found = program(evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0))
    policy = np.asarray(found.policy)
    assert np.ptp(policy, axis=0).max() < 1e-5  # of a batch each finds the same
    jack, queen, king = policy[0, :, BET]
    assert queen == pytest.approx(0, abs=0.02)
    assert king == pytest.approx(3 * jack, abs=0.05)


def test_rivers_of_many_boards_are_solved() -> None:
    game = make("holdem(board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin)")
    assert isinstance(game, Holdem)
    rng = np.random.default_rng(0)
    boards = [tuple(rng.choice(52, 5, replace=False).tolist()) for _ in range(BATCH)]

    def run() -> float:
        ranges = np.ones((2, game.num_infostates))
        solver = SpotSolver(spot_of(game), ranges, "cfr+", boards=boards)
        solver.run(100)
        return float(solver.exploitability().max())

    found = run()
    assert found == pytest.approx(on_cpu(run), rel=0.02, abs=0.01)
    assert found < 1  # percent of the pot


def test_values_of_random_rivers_are_those_of_a_cpu() -> None:
    game = make("holdem(stack=2000,bets=1/allin)")
    assert isinstance(game, Holdem)

    def run() -> Any:
        return solve_random_spots(game, 0, 4, np.random.default_rng(3)).values

    np.testing.assert_allclose(jax.device_get(run()), on_cpu(run), atol=0.02)


def test_an_agent_trains_and_goes_on(tmp_path: Path) -> None:
    """As a user starts it: with programs that are kept for the next process, which is the second
    half of the training."""
    few = [
        *("--set", "selfplay.batch_size=64", "--set", "solver.batch_size=64"),
        *("--set", "search.num_simulations=8", "--set", "solver.search.num_simulations=8"),
        *("--set", "replay.least=64", "--set", "learner.batch_size=64"),
        *("--set", "network.width=32"),
        *("--set", "run.checkpoint_every=4", "--set", "run.evaluate_every=0"),
        *("--set", "run.milestones=0", "--run", str(tmp_path / "run"), "--json"),
    ]
    environment = {
        **os.environ,
        "SOG_CACHE_DIR": str(tmp_path / "cache"),
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",  # this process has most of the memory
    }
    for steps in (4, 8):
        command = [sys.executable, "-m", "sog", "train", "leduc_gpu", *few]
        told = subprocess.run(
            [*command, "--set", f"run.steps={steps}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout)["step"] == steps
    assert list((tmp_path / "cache" / "traced").iterdir())
