"""What training runs is for accelerators as it is: it lowers for GPUs and TPUs, asks the host for
nothing, and computes with no number of 64 bits. No accelerator is needed to see that.

The one exception is not ours: JAX counts the random bits that it makes with integers of 64 bits,
which no number of the program goes into.
"""

import functools
import re
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.packing import BeliefState, packed_width
from gtcfr.root import start_of_game
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.actor import start_games, step_games
from selfplay.examples import no_examples
from selfplay.learner import Learner
from selfplay.query_solver import solve_queries
from selfplay.settings import LearnerSettings, SelfplaySettings, SolverSettings
from sog.games import make

PLATFORMS = ("cuda", "tpu")
BATCH = 4
KEY = jax.random.key(0)

HOST = re.compile(r"callback|stablehlo\.(?:send|recv|infeed|outfeed)\b")
# `padding = dense<0> : tensor<2x2xi64>` and the like say how an operation works; constants are
# written `stablehlo.constant dense<...>`.
ATTRIBUTE = re.compile(r"\w+ = dense<[^>]*> : tensor<[^>]*>")
WIDE = re.compile(r"tensor<(?:[\d?]+x)*(?:complex<f64>|f64|u?i64)>")
LOCATION = re.compile(r"^(#loc\d+) = loc\((.*)\)$", re.MULTILINE)
COUNTER = re.compile(r"[\"/]iota_2x32_shape\"")


def lowered(function: Callable[..., Any], *arguments: Any) -> str:
    """StableHLO for both platforms as text, with the locations of its operations."""
    exported = jax.export.export(jax.jit(function), platforms=PLATFORMS)(*arguments)
    return str(exported.mlir_module())


def calls_of_the_host(module: str) -> list[str]:
    return HOST.findall(module)


def wide_numbers(module: str) -> list[str]:
    """Lines with numbers of 64 bits; constants show where they are used."""
    locations = dict(LOCATION.findall(module))

    def is_ours(line: str) -> bool:
        said = re.search(r"loc\((#loc\d+)\)$", line)
        where = locations.get(said[1], "") if said else ""
        return not COUNTER.search(where) and "stablehlo.constant" not in line

    return [
        line
        for line in ATTRIBUTE.sub("", module).splitlines()
        if WIDE.search(line) and is_ours(line)
    ]


def evaluator_of(text: str) -> NetworkEvaluator:
    apply_fn, params = make_network(make(text), NetworkSettings(width=8, depth=1))
    return NetworkEvaluator(apply_fn=apply_fn, params=params)


SETTINGS: Final = SearchSettings(num_simulations=3)


def lowered_search(text: str) -> str:
    game = make(text)

    def run(evaluator: NetworkEvaluator, key: Array) -> Any:
        root = start_of_game(game, batch_size=BATCH)
        return search(game, evaluator=evaluator, root=root, key=key, settings=SETTINGS)

    return lowered(run, evaluator_of(text), KEY)


def lowered_step_of_selfplay(text: str) -> str:
    game, evaluator = make(text), evaluator_of(text)
    settings = SelfplaySettings(batch_size=BATCH, queries_per_search=1.0)
    start = functools.partial(start_games, game, SETTINGS, settings)
    games = jax.eval_shape(start, KEY)
    step = functools.partial(step_games, game, SETTINGS, settings)
    return lowered(step, evaluator, games, np.int32(0), KEY)


def lowered_query_solver(text: str) -> str:
    game = make(text)
    beliefs = BeliefState(
        state=jnp.zeros((BATCH, packed_width(game)), jnp.int32),
        ranges=jnp.zeros((BATCH, 2, game.num_infostates)),
    )
    settings = SolverSettings(search=SETTINGS, recursive_queries=0.5, random_ranges=0.5)
    solve = functools.partial(solve_queries, game, settings)
    arguments = (evaluator_of(text), beliefs, np.int32(0), KEY)
    return lowered(solve, *arguments)


def lowered_learner_step(text: str) -> str:
    game = make(text)
    settings = LearnerSettings(batch_size=BATCH, optimizer="muon", average_decay=0.9)
    apply_fn, params = make_network(game, NetworkSettings(width=8, depth=1))
    learner = Learner(game, apply_fn, settings, params, jax.devices()[:1])
    return lowered(learner._run, learner.state, no_examples(game, BATCH))


@pytest.mark.thorough(but=["learner_step"])
@pytest.mark.parametrize(
    ("lower", "text"),
    [
        pytest.param(lowered_search, "leduc", marks=pytest.mark.slow),  # a step has one in it
        pytest.param(lowered_search, "glasses", marks=pytest.mark.slow),
        (lowered_search, "tic_tac_toe"),
        (lowered_step_of_selfplay, "leduc"),
        pytest.param(lowered_query_solver, "leduc", marks=pytest.mark.slow),
        (lowered_learner_step, "leduc"),
    ],
)
def test_it_lowers_without_the_host_and_without_wide_numbers(
    lower: Callable[[str], str], text: str
) -> None:
    module = lower(text)
    assert "stablehlo." in module
    assert calls_of_the_host(module) == []
    assert wide_numbers(module) == []


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64, np.complex128])
def test_wide_numbers_would_be_seen(dtype: Any) -> None:
    with jax.enable_x64(True):
        module = lowered(lambda numbers: numbers * 2, np.ones(3, dtype))
    assert wide_numbers(module)
