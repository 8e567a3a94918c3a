"""With JAX_ENABLE_X64=1 every room finds the same numbers as without it."""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.exact import exact_evaluator
from gtcfr.evaluators.rollout import RolloutEvaluator
from gtcfr.evaluators.world_rollout import WorldRolloutEvaluator
from gtcfr.root import known_root, start_of_game
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.memory import kept_bytes
from sog.baselines.learners.dqn import Dqn
from sog.baselines.learners.external_sampling import ExternalSampling
from sog.baselines.learners.learning import LearningMethod, LearningRuns
from sog.baselines.online.oos import OnlineOutcomeSampling
from sog.drawing.nodes import read_nodes
from sog.evaluation import compose
from sog.evaluation.value_error import HeldOut, random_belief_states
from sog.games import GAMES, Game, make
from sog.games.conformance.static_laws import check_shapes
from sog.play import Aivat, PlayedGame, RandomAgent, SearchAgent, play_game
from sog.play.thinking import think
from sog.players.player import Host
from sog.players.shipped import load_agent
from sog.tabular import compile_tree, enumerate_public_tree, solve
from sog.tabular.enumerated_game import EnumeratedGame
from tests.baselines.plain_histories import history_tree
from tests.selfplay.test_loop import new_run

SETTINGS = SearchSettings(num_simulations=4, num_queries=2)
KUHN = make("kuhn")
ENUMERATED = EnumeratedGame(tree=enumerate_public_tree(KUHN))


def assert_same_with_64_bits(find: Callable[[], Any]) -> None:
    """find: returns arrays and numbers in any structure; they and their types are compared.

    Equal but for the last digit: loops of a program that the caller compiles count in 64 bits.
    """
    expected = find()
    with jax.enable_x64(True):
        found = find()
    before, after = jax.tree.leaves(expected), jax.tree.leaves(found)
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        if isinstance(one, jax.Array) and jnp.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.thorough
def test_a_search_that_the_caller_compiles() -> None:
    def find() -> Any:
        run = jax.jit(functools.partial(search, KUHN, evaluator=ZeroEvaluator(), settings=SETTINGS))
        return run(root=start_of_game(KUHN, batch_size=2), key=jax.random.key(0))

    assert_same_with_64_bits(find)


@pytest.mark.slow
def test_a_search_of_ranges_that_are_of_64_bits() -> None:
    def find() -> Any:
        state = jax.tree.map(lambda leaf: leaf[None], KUHN.root())
        root = known_root(state, jnp.full((1, 2, 3), 1 / 3), path=jnp.zeros((1, 0), int))
        result = think(
            KUHN, evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0), settings=SETTINGS
        )
        return result, [node.probability for node in read_nodes(KUHN, result)]

    assert_same_with_64_bits(find)


def play(game: Game[Any], evaluator: Evaluator, settings: SearchSettings) -> PlayedGame:
    agents = [SearchAgent(game, evaluator, settings, player=player) for player in (0, 1)]
    return play_game(game, agents, jax.random.key(0), with_policies=True)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["kuhn", pytest.param("connect_four", marks=pytest.mark.slow)])
def test_an_agent_that_comes_with_the_package(name: str) -> None:
    def find() -> Any:
        agent = load_agent(name)
        played = play(agent.game, agent.evaluator, agent.settings)
        return played.outcomes, played.policies, Aivat(agent.game, agent.evaluator).estimate(played)

    assert_same_with_64_bits(find)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "evaluator",
    [
        pytest.param(RolloutEvaluator(num_rollouts=2), marks=pytest.mark.slow),
        WorldRolloutEvaluator(num_games=2),
        exact_evaluator(ENUMERATED),
    ],
    ids=lambda evaluator: type(evaluator).__name__,
)
def test_an_agent_that_asks_others_about_its_leaves(evaluator: Evaluator) -> None:
    is_open = isinstance(evaluator, RolloutEvaluator)
    game = make("tic_tac_toe") if is_open else ENUMERATED
    assert_same_with_64_bits(lambda: play(game, evaluator, SETTINGS).policies)


@pytest.mark.thorough(
    only=[
        "chess",
        "go]",
        "go5",
        "go7",
        "go9",
        "go19",
        "holdem",
        "london",
        "scotland_yard",
        "othello",
        "hex",
    ]
)
@pytest.mark.parametrize("name", GAMES)
def test_what_happens_in_a_game(name: str) -> None:
    game = make(name)
    check_shapes(game)  # also of ranges, in both modes

    def find() -> Any:
        agents = [RandomAgent(game, player=player) for player in (0, 1)]
        played = play_game(game, agents, jax.random.key(1))
        return played.outcomes, played.infostates, played.utility

    assert_same_with_64_bits(find)


@pytest.mark.thorough(only=["pairwise"])
@pytest.mark.parametrize("value_head", ["plain", "pairwise"])
def test_a_network_from_its_seed(value_head: str) -> None:
    settings = NetworkSettings(width=8, depth=1, policy_heads=2, value_head=value_head)

    def find() -> Any:
        apply_fn, params = make_network(KUHN, settings)
        features = apply_fn.encode(KUHN, KUHN.root())[None]
        return params, jax.jit(apply_fn)(params, features, jnp.full((1, 2, 3), 1 / 3))

    assert_same_with_64_bits(find)


@pytest.mark.thorough
def test_the_policy_of_an_agent_and_the_errors_of_its_network() -> None:
    compiled = compile_tree(KUHN)

    def find() -> Any:
        composed = compose(compiled, ZeroEvaluator(), SETTINGS, seeds=2)
        held_out = HeldOut(compiled, *random_belief_states(compiled.tree, 4, 0))
        return composed.policy, composed.exploitability, held_out.errors(ZeroEvaluator())

    assert_same_with_64_bits(find)


@pytest.mark.thorough(but=["external"])
@pytest.mark.parametrize("method", [ExternalSampling(budget=1), Dqn(budget=1)], ids=str)
def test_a_method_that_learns(method: LearningMethod) -> None:
    def find() -> Any:
        learner = LearningRuns(method, history_tree("kuhn"), runs=2)
        learner.run(20)
        return learner.policies()

    assert_same_with_64_bits(find)


def test_a_method_that_searches() -> None:
    agents = OnlineOutcomeSampling(budget=50).agents(KUHN, Host())
    assert_same_with_64_bits(lambda: agents(0, 1).policy(1))


@pytest.mark.thorough
def test_a_solve_of_a_game() -> None:
    assert_same_with_64_bits(lambda: solve(compile_tree(KUHN), iterations=20).policy)


@pytest.mark.thorough
def test_a_training() -> None:
    def find() -> Any:
        inner = new_run()
        while inner.learner.step < 8:
            inner.cycle()
        arrays, numbers = inner.save()
        return arrays, numbers["counts"], kept_bytes(KUHN)

    assert_same_with_64_bits(find)


@pytest.mark.slow
def test_a_command() -> None:
    command = ("search", "kuhn", "--evaluator", "zero", "--search", "4,1", "--json")
    said = []
    for value in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-m", "sog", *command],
            env=os.environ | {"JAX_ENABLE_X64": value},
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        said.append({k: v for k, v in json.loads(done.stdout).items() if "second" not in k})
    assert said[0] == said[1]
