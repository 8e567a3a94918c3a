"""Random spots, rivers that are solved first and queries: what they say, and where they are not."""

import dataclasses
import functools
import types
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.packing import unpack
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from networks.losses import batch_loss
from selfplay.examples import StoredExample, load_example
from selfplay.learner import STEPS_PER_CALL
from selfplay.loop import InlineSchedule
from selfplay.processes import ProcessSchedule
from selfplay.settings import Config, LearnerSettings, SelfplaySettings, SolverSettings
from selfplay.workers import SOLVER, WorkerOutput
from sog.games import Game, make
from sog.games.core import CHANCE
from sog.holdem.no_limit import ALL_IN, CALL, FIRST_SIZE, FOLD
from sog.holdem.spots.random_spots import has_spots, random_spots
from sog.holdem.spots.solved_spots import solve_random_spots, spot_actions
from sog.holdem.spots.solver import SpotSolver
from sog.holdem.spots.spot import Spot
from sog.holdem.spots.training_examples import random_queries, solve_spots
from tests.holdem.games import holdem
from tests.selfplay.test_loop import CONFIG

GAME = "holdem(ranks=5,suits=3,blinds=50/100,stack=600,bets=1/allin,caps=1)"
COUNT = 20


def examples_of(game: Game[Any], seed: int) -> StoredExample:
    works = [*solve_spots(game, COUNT, np.random.default_rng(seed))]
    assert sum(work.counts["solves"] for work in works) == COUNT
    examples: StoredExample = jax.tree.map(
        lambda *leaves: np.concatenate(leaves), *(work.examples for work in works)
    )
    return examples


@pytest.fixture(scope="module")
def examples() -> StoredExample:
    return examples_of(make(GAME), 0)


def test_they_are_values_of_rivers_that_somebody_bets_on(examples: StoredExample) -> None:
    game = make(GAME)
    states = jax.vmap(lambda row: unpack(game, row))(examples.state)
    assert (np.asarray(states.board) >= 0).all()
    assert (np.asarray(jax.vmap(game.actor)(states)) < CHANCE).all()
    # Those that were solved, and of each a later decision.
    bets = states.betting
    is_later = bets.has_acted | (bets.num_raises > 0)
    assert is_later.sum() == (~is_later).sum() == COUNT
    ranges = examples.ranges
    live = np.asarray(jax.vmap(game.infostate_mask)(states))
    assert (ranges[live] > 0).all()  # so that it is known what each hand is worth
    assert ranges[is_later][live[is_later]].min() > 1e-5  # of 45 hands
    np.testing.assert_array_equal(examples.value_mask, live)
    actor = np.asarray(jax.vmap(game.actor)(states))
    np.testing.assert_array_equal(examples.policy_mask, live[np.arange(len(live)), actor])
    np.testing.assert_allclose(examples.policy[examples.policy_mask].sum(axis=1), 1, rtol=1e-5)
    legal = np.asarray(jax.vmap(game.legal_actions)(states))
    assert not examples.policy[~legal].any()
    # A hand that is always folded has lost what was bet with it.
    folds, hands = np.nonzero(examples.policy[..., FOLD] > 0.999)
    assert len(folds) > COUNT
    lost = np.asarray(bets.stakes)[folds, actor[folds]] / 600
    np.testing.assert_allclose(examples.values[folds, actor[folds], hands], -lost, atol=1e-3)
    np.testing.assert_allclose(ranges.sum(axis=2), 1, rtol=1e-5)
    assert len(np.unique(np.asarray(states.board), axis=0)) > COUNT // 2
    # What one wins the other loses, and nobody more than both have.
    meets = np.asarray(jax.vmap(game.compatible_reach)(states, ranges))
    weights = ranges * meets
    worth = (weights * examples.values).sum(axis=2) / weights.sum(axis=2)
    np.testing.assert_allclose(worth[:, 0], -worth[:, 1], atol=1e-4)
    assert np.abs(worth).max() > 0.01
    assert 0.05 < np.abs(examples.values).max() <= 1


def test_seeds_reproduce_them(examples: StoredExample) -> None:
    jax.tree.map(np.testing.assert_array_equal, examples, examples_of(make(GAME), 0))


def test_a_game_without_rivers_is_refused() -> None:
    selfplay = dataclasses.replace(CONFIG.selfplay, random_spots=3)
    config = dataclasses.replace(CONFIG, selfplay=selfplay)
    with pytest.raises(ValueError, match="selfplay: random_spots must be 0 in kuhn, got 3"):
        InlineSchedule(make("kuhn"), config)
    with pytest.raises(ValueError, match="random_spots must be >= 0, got -1"):
        SelfplaySettings(random_spots=-1)
    solver = dataclasses.replace(CONFIG.solver, random_spots=0.5)
    with pytest.raises(ValueError, match=r"solver: random_spots must be 0 in kuhn, got 0\.5"):
        InlineSchedule(make("kuhn"), dataclasses.replace(CONFIG, solver=solver))
    with pytest.raises(ValueError, match=r"random_spots must be in \[0, 1\), got 1"):
        SolverSettings(random_spots=1)


@pytest.mark.parametrize("chips", ["stack=100", "stack=2000/100", "draw_stacks=100/2000"])
def test_there_are_no_rivers_to_bet_on_where_a_blind_is_a_whole_stack(chips: str) -> None:
    game = holdem(f"holdem({chips})")
    assert not has_spots(game, 0)


def test_queries_are_random_decisions_of_all_streets_but_the_first() -> None:
    game = holdem(GAME)
    found = random_queries(game, 24, np.random.default_rng(0))
    states = jax.vmap(lambda row: unpack(game, row))(jnp.asarray(found.state))
    bets = states.betting
    assert set(bets.street.tolist()) == {1, 2, 3}
    assert (jax.vmap(game.actor)(states) < CHANCE).all()
    is_start = ~bets.has_acted & (bets.num_raises == 0)
    assert 6 < is_start.sum() < 18
    assert (bets.stage[is_start] == 0).all()
    assert (bets.matched < bets.stacks[:, 0]).all()
    assert len(set(bets.matched.tolist())) > 1
    assert (bets.stakes[:, 0] != bets.stakes[:, 1]).any()  # somebody has bet
    live = np.asarray(jax.vmap(game.infostate_mask)(states))
    assert not found.ranges[~live].any()
    np.testing.assert_allclose(found.ranges.sum(axis=2), 1, rtol=1e-5)
    again = random_queries(game, 24, np.random.default_rng(0))
    jax.tree.map(np.testing.assert_array_equal, found, again)


def test_no_query_is_a_river_where_rivers_are_solved() -> None:
    found = random_queries(make(GAME), 24, np.random.default_rng(0), rivers=False)
    states = jax.vmap(lambda row: unpack(make(GAME), row))(jnp.asarray(found.state))
    assert set(states.betting.street.tolist()) == {1, 2}
    only = make("holdem(ranks=5,suits=3,blinds=none,pot=2,stack=4,bets=none|none|none|1/allin)")
    assert len(random_queries(only, 3, np.random.default_rng(0), rivers=False).state) == 3


@pytest.mark.thorough
def test_a_share_of_the_queries_is_random_spots() -> None:
    search = SearchSettings(num_simulations=2, max_outcomes=4)
    solver = dataclasses.replace(CONFIG.solver, random_spots=0.25, search=search)
    network = NetworkSettings(torso="hands", width=4, depth=1)
    config = dataclasses.replace(CONFIG, game=GAME, network=network, search=search, solver=solver)
    training = InlineSchedule(make(GAME), config)
    asked = random_queries(make(GAME), 6, np.random.default_rng(1))
    for number in range(10):
        work = WorkerOutput(
            part=SOLVER, examples=None, queries=asked, counts={"searches": number}, seconds=0.0
        )
        training.take_in(work)
    queued = training.queue.pop(len(training.queue)).state
    assert len(queued) == pytest.approx(10 * (6 + 2), abs=2)
    num_others = len(queued) - sum(row.tolist() in asked.state.tolist() for row in queued)
    assert num_others == len(queued) - 60
    training.take_in(dataclasses.replace(work, queries=jax.tree.map(lambda row: row[:0], asked)))
    assert len(training.queue) == 0


@pytest.mark.thorough
def test_rivers_are_asked_about_again_when_those_that_were_solved_are_forgotten(
    examples: StoredExample,
) -> None:
    search = SearchSettings(num_simulations=2, max_outcomes=4)
    config = dataclasses.replace(
        CONFIG,
        game=GAME,
        network=NetworkSettings(torso="hands", width=4, depth=1),
        search=search,
        selfplay=dataclasses.replace(CONFIG.selfplay, random_spots=COUNT),
        solver=dataclasses.replace(CONFIG.solver, random_spots=0.5, search=search),
        replay=dataclasses.replace(CONFIG.replay, size=len(examples.version), least=1),
    )
    training = InlineSchedule(make(GAME), config)
    queries = random_queries(make(GAME), 24, np.random.default_rng(1))
    states = jax.vmap(lambda row: unpack(make(GAME), row))(jnp.asarray(queries.state))
    flops = jax.tree.map(lambda rows: rows[states.betting.street == 1], queries)
    rivers = []
    for _ in range(2):
        for number in range(4):
            work = WorkerOutput(
                part=SOLVER,
                examples=examples if number == 3 else None,
                queries=flops,
                counts={"searches": 1},
                seconds=0.0,
            )
            training.take_in(work)
        queued = jnp.asarray(training.queue.pop(len(training.queue)).state)
        states = jax.vmap(lambda row: unpack(make(GAME), row))(queued)
        rivers.append(int(jnp.sum(states.betting.street == 3)))
        training.take_in(dataclasses.replace(work, queries=jax.tree.map(lambda r: r[:0], queries)))
    assert rivers[0] == 0 < rivers[1]


@pytest.mark.thorough
def test_what_the_network_is_told_to_be_at_stake_is_the_larger_stake(
    examples: StoredExample,
) -> None:
    game = holdem(GAME)
    apply_fn, params = make_network(game, NetworkSettings(torso="hands", width=4, depth=1))
    loaded = jax.vmap(functools.partial(load_example, game, apply_fn))(examples)
    states = jax.vmap(lambda row: unpack(game, row))(examples.state)
    stake = np.max(states.betting.stakes, axis=1)
    assert np.mean(stake < game.betting.most_won) > 0.4  # or both losses were the same
    np.testing.assert_allclose(loaded.at_stake, stake / game.betting.most_won, rtol=1e-6)

    def loss(relative: bool) -> float:
        weights = {"value_weight": 1.0, "policy_weight": 0.0, "huber_delta": 1.0}
        found, _ = batch_loss(apply_fn, params, loaded, relative_values=relative, **weights)
        return float(found)

    values = jnp.where(loaded.value_mask, apply_fn(params, loaded.features, loaded.ranges)[0], 0)
    off = np.abs(np.where(loaded.value_mask, values - loaded.values, 0))
    for relative, counted in (
        (False, off),
        (True, off / np.asarray(loaded.at_stake)[:, None, None]),
    ):
        huber = np.where(counted <= 1, counted**2 / 2, counted - 0.5)
        of_each = huber.sum((1, 2)) / np.asarray(loaded.value_mask).sum((1, 2))
        assert loss(relative) == pytest.approx(of_each.mean(), rel=1e-4)


def test_values_are_relative_only_where_a_game_tells_what_is_at_stake() -> None:
    learner = dataclasses.replace(CONFIG.learner, relative_values=True)
    with pytest.raises(ValueError, match="learner: relative_values must be false in kuhn"):
        InlineSchedule(make("kuhn"), dataclasses.replace(CONFIG, learner=learner))


def test_the_size_that_was_drawn_is_that_of_the_spot(monkeypatch: pytest.MonkeyPatch) -> None:
    class MadeError(Exception):
        """Instead of solving it."""

    made: list[Spot] = []

    def make_solver(spot: Spot, *_: Any, **__: Any) -> SpotSolver:
        made.append(spot)
        raise MadeError

    monkeypatch.setattr("sog.holdem.spots.solved_spots.SpotSolver", make_solver)
    game = holdem("holdem(ranks=5,suits=3,stack=900,bets=drawn/allin,draw_bets=0.5/0.8)")
    for seed in range(8):
        with pytest.raises(MadeError):
            solve_random_spots(game, 0, 2, np.random.default_rng(seed))
    sizes = [size for spot in made for size in (*spot.menus[0].bets, *spot.menus[0].raises)]
    assert {size.part for size in sizes if size != ALL_IN} == {Fraction(1, 2), Fraction(4, 5)}
    assert not any(size.is_drawn for size in sizes)


def test_actions_of_a_spot_ascend_where_a_drawn_size_is_smaller_than_one_before_it() -> None:
    game = holdem("holdem(ranks=5,suits=3,stack=900,bets=1/drawn/allin,draw_bets=0.5/0.8)")
    states, _, _ = random_spots(game, 0, 1, np.random.default_rng(0), calls=1.0)
    stakes, _ = game.betting.raised_stakes(jax.tree.map(lambda leaf: leaf[0], states.betting))
    call, *sizes = spot_actions(game, states)
    assert call == CALL
    assert sizes == [FIRST_SIZE + 1, FIRST_SIZE, FIRST_SIZE + 2]
    assert (np.diff(stakes[np.array(sizes) - FIRST_SIZE]) > 0).all()


def test_processes_play_once_they_are_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def call(name: str, *_: Any) -> Any:
        asked.append(name)
        return ([], [], [0, 0]) if name == "gather" else None  # two workers without a task

    workers: Any = types.SimpleNamespace(call=call)
    schedule = ProcessSchedule(make("kuhn"), CONFIG, workers)
    monkeypatch.setattr(schedule, "only_learns", lambda: True)
    schedule.cycle()
    assert asked == ["gather"]
    monkeypatch.setattr(schedule, "only_learns", lambda: False)
    schedule.cycle()
    assert asked.count("begin") == 4


@pytest.mark.slow
def test_a_run_begins_with_them() -> None:
    search = SearchSettings(num_simulations=2, max_outcomes=4)
    config = Config(
        game=GAME,
        network=NetworkSettings(torso="hands", width=4, depth=1),
        search=search,
        selfplay=SelfplaySettings(batch_size=2, random_spots=COUNT),
        solver=dataclasses.replace(CONFIG.solver, batch_size=2, search=search),
        replay=dataclasses.replace(CONFIG.replay, max_grad_updates=8.0),
        learner=LearnerSettings(batch_size=8),
        run=dataclasses.replace(CONFIG.run, evaluate_every=0),
    )
    training = InlineSchedule(make(GAME), config)
    told = [*training.gather()]
    assert told == [("solving random rivers", COUNT, COUNT)]
    known = training.replay.num_added
    assert known == 2 * COUNT
    # What they teach is learned before anybody searches, also where a run stops meanwhile.
    steps = int(8.0 * known / 8)
    assert steps > 3
    training.cycle(until=3)
    assert training.learner.step == 3
    again = InlineSchedule(make(GAME), config)
    again.load(*training.save())
    assert [*again.gather()] == []
    again.cycle()
    assert steps - STEPS_PER_CALL < again.learner.step <= steps
    assert (again.counts["searches"], again.replay.num_added) == (0, known)
    for _ in range(3):
        again.cycle()
    assert again.counts["searches"] > 0
    assert 0 < again.counts["solves"] - COUNT < COUNT
