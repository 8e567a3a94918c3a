"""Self-play: what is searched, what is played, and what is said about it.

Compiling takes nearly all the time, so each way of playing serves several tests.
"""

import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.mesh import batch_mesh, on_all, split_batch
from gtcfr.packing import pack, unpack
from gtcfr.root import NO_EVENT
from gtcfr.settings import SearchSettings
from selfplay.actor import start_games, step_games
from selfplay.settings import SelfplaySettings
from sog.evaluation import compose
from sog.games import CHANCE, TERMINAL, Game, make
from sog.play import rules
from sog.tabular import uniform_policy
from tests.gtcfr.grown_trees import whole_game
from tests.selfplay.played_steps import (
    VERSION,
    Step,
    actors,
    nodes_of,
    play,
    take,
)
from tests.tabular.small_games import compiled_game, expected_utility, tree_of

# Uniform play, with the whole game in every tree, so that searches are not random.

UNIFORM = SelfplaySettings(batch_size=32, uniform_mix=1.0, max_events=4)


def _search_of(text: str, safe: bool, everywhere: bool) -> SearchSettings:
    num_nodes = tree_of(text).num_nodes + make(text).num_outcomes
    return whole_game(30, num_nodes, safe=safe, search_everywhere=everywhere)


def uniform_play(
    text: str = "kuhn", *, safe: bool = True, everywhere: bool = False
) -> tuple[Step, ...]:
    return play(text, _search_of(text, safe, everywhere), UNIFORM, 60, network=False)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "safe", "everywhere"),
    [
        ("kuhn", True, True),
        pytest.param("kuhn", True, False, marks=pytest.mark.slow),
        pytest.param("kuhn", False, False, marks=pytest.mark.slow),
        pytest.param("leduc(suit_isomorphism=true)", True, False, marks=pytest.mark.slow),
        pytest.param("leduc(suit_isomorphism=true)", True, True, marks=pytest.mark.slow),
    ],
)
def test_the_policies_found_are_those_of_the_composed_agent(
    text: str, safe: bool, everywhere: bool
) -> None:
    """A chain of searches per player, re-solved with the gadget: what is evaluated is trained on.

    Also in the games that took the place of others. With `everywhere` a player's searches at his
    opponent's decisions show in the policies of those after them.
    """
    compiled = compiled_game(text)
    tree = compiled.tree
    search = _search_of(text, safe, everywhere)
    composed = compose(compiled, ZeroEvaluator(), search, seeds=1, batch_size=8)
    seen: set[int] = set()
    for step in uniform_play(text, safe=safe, everywhere=everywhere):
        visited = step.decisions.visited
        assert (visited.version == VERSION).all()
        for number, node in enumerate(nodes_of(tree, visited.state).tolist()):
            mover = int(tree.node_actor[node])
            possible = tree.node_mask[node, mover]
            np.testing.assert_allclose(
                visited.policy[number, possible], composed.policy[0, node, possible], atol=1e-3
            )
            seen.add(node)
    decisions = np.flatnonzero(tree.node_actor < CHANCE)
    assert len(seen) > 0.8 * len(decisions)
    assert text != "kuhn" or len(seen) == len(decisions) == 4


@pytest.mark.thorough
def test_whoever_searches_begins_a_new_path() -> None:
    for step in uniform_play(everywhere=True):
        goes_on = ~step.decisions.is_over
        assert step.after.has_searched[goes_on].all()
        assert (step.after.num_events[goes_on] == 1).all()
        assert (step.after.path[goes_on, :, 1:] == NO_EVENT).all()
        assert len(step.decisions.is_full) == 2 * UNIFORM.batch_size


def test_belief_states_are_those_where_the_games_stand() -> None:
    game = make("kuhn")
    for step in uniform_play():
        stands = np.asarray(jax.vmap(pack)(step.before.state))
        np.testing.assert_array_equal(step.decisions.visited.state, stands)
        np.testing.assert_array_equal(step.decisions.infostates, step.before.infostates)
        ranges = step.decisions.visited.ranges
        np.testing.assert_allclose(ranges.sum(axis=2), 1, rtol=1e-5)
        movers = actors(game, step.before)
        mask = step.decisions.visited.policy_mask
        assert (mask == (ranges[np.arange(len(movers)), movers] > 0)).all()


def test_mean_payoffs_are_those_of_uniform_play() -> None:
    wanted = expected_utility(tree_of("kuhn"), uniform_policy(compiled_game("kuhn")))
    payoffs = np.concatenate([s.decisions.utility[s.decisions.is_over] for s in uniform_play()])
    assert len(payoffs) > 700
    assert set(np.abs(payoffs).tolist()) == {1.0, 2.0}
    assert abs(payoffs.mean() - wanted) < 4 * payoffs.std() / len(payoffs) ** 0.5


def test_games_that_are_over_are_replaced_by_new_ones() -> None:
    num_over = 0
    for step in uniform_play():
        over, after = step.decisions.is_over, step.after
        assert not step.decisions.is_resigned.any()
        assert (after.num_decisions[over] == 0).all()
        assert not after.has_searched[over].any()
        assert (after.num_decisions[~over] == step.before.num_decisions[~over] + 1).all()
        assert after.has_searched[~over].any(axis=1).all()
        num_over += int(over.sum())
    assert num_over > 700  # 60 steps of 32 games that last 2 or 3 decisions


# Greedy play of a game with hidden moves and with chance between them; searches grow.

HIDDEN = "ii_goofspiel(cards=3,order=random)"
GREEDY = SelfplaySettings(batch_size=6, uniform_mix=0.0, greedy_after=0, max_events=3)


def greedy_play() -> tuple[Step, ...]:
    return play(HIDDEN, SearchSettings(num_simulations=4), GREEDY, 9, network=True)


@functools.cache
def _keys(count: int) -> tuple[Any, ...]:
    return tuple(jax.random.key(number) for number in range(count))


def settle(game: Game[Any], state: Any, infostates: np.ndarray, goal: Any) -> tuple[Any, list[int]]:
    """Lets chance move until the game is over or stands at `goal`; also the events."""
    if rules.situation(game, state).actor != CHANCE:
        return state, []
    for key in _keys(60):
        outcome, _ = rules.step(game, key, state, infostates, 0)
        new, events = settle(game, rules.after(game, state, outcome), infostates, goal)
        if rules.situation(game, new).actor == TERMINAL or same(new, goal):
            return new, [outcome, *events]
    raise AssertionError("chance cannot have led there.")


def same(first: Any, second: Any) -> bool:
    return bool((np.asarray(pack(first)) == np.asarray(pack(second))).all())


@pytest.mark.slow
def test_greedy_games_are_replayed_by_the_rules() -> None:
    """States, infostates, paths since the last search, and utilities, move by move."""
    game, num_over = make(HIDDEN), 0
    paths: dict[tuple[int, int], list[int]] = {}
    for step in greedy_play():
        movers = actors(game, step.before)
        assert (movers < CHANCE).all()
        for number, mover in enumerate(movers.tolist()):
            before, after = take(step.before, number), take(step.after, number)
            if before.num_decisions == 0:  # chance has revealed the first prize
                _, first = settle(game, rules.first_state(game), before.infostates, before.state)
                assert len(first) == 1
                paths |= {(number, player): list(first) for player in (0, 1)}
            for player in (0, 1):
                path = before.path[player].tolist()
                assert [event for event in path if event != NO_EVENT] == paths[number, player]
                assert before.num_events[player] == len(paths[number, player])
            policy = step.decisions.visited.policy[number, before.infostates[mover]]
            outcome, infostates = rules.step(
                game, _keys(1)[0], before.state, before.infostates, int(np.argmax(policy))
            )
            moved = rules.after(game, before.state, outcome)
            state, events = settle(game, moved, infostates, after.state)
            paths[number, mover] = []
            for player in (0, 1):
                paths[number, player] += [outcome, *events]
            is_over = rules.situation(game, state).actor == TERMINAL
            assert is_over == step.decisions.is_over[number]
            if is_over:
                utility = rules.utility(game, state, infostates)
                assert step.decisions.utility[number] == pytest.approx(utility, abs=1e-6)
                num_over += 1
            else:
                assert same(state, after.state)
                assert infostates.tolist() == after.infostates.tolist()
                assert step.decisions.utility[number] == 0
    assert num_over == 12  # 6 of 4 decisions, the last bids being forced, and 6 more


@pytest.mark.thorough
def test_all_of_these_events_had_room() -> None:
    assert not any(step.decisions.overflows.any() for step in greedy_play())
    assert max(step.before.num_events.max() for step in greedy_play()) == GREEDY.max_events


@pytest.mark.thorough
def test_searches_that_grow_are_asked_for_queries() -> None:
    chosen = np.array([step.decisions.queries.chosen for step in greedy_play()])
    mean = GREEDY.queries_per_search
    assert chosen.mean() == pytest.approx(mean, abs=5 * (mean * (1 - mean) / chosen.size) ** 0.5)
    for step in greedy_play():
        ranges = step.decisions.queries.beliefs.ranges[step.decisions.queries.chosen]
        np.testing.assert_allclose(ranges.sum(axis=2), 1, rtol=1e-5)


@pytest.mark.thorough
def test_games_go_on_beyond_a_deal_that_the_evaluator_valued() -> None:
    search = SearchSettings(
        num_simulations=4, widest_chance=2, resolve_from="reply", rule="dcfr", leaf_interval=2
    )
    num_after_the_deal = num_begun_there = 0
    text, few = "leduc(suit_isomorphism=true)", SelfplaySettings(batch_size=8, max_events=4)
    game = make(text)
    for step in play(text, search, few, 12, network=True):
        visited, movers = step.decisions.visited, actors(game, step.before)
        stands = np.asarray(jax.vmap(pack)(step.before.state))
        np.testing.assert_array_equal(visited.state, stands)
        np.testing.assert_allclose(visited.ranges.sum(axis=2), 1, rtol=1e-5)
        np.testing.assert_allclose(visited.policy.sum(axis=2)[visited.policy_mask], 1, rtol=1e-5)
        assert np.isfinite(visited.values).all()
        # Its tree leaves the deal to the evaluator, so the next one can begin behind it only where
        # the evaluator was asked about the card that came.
        states = np.where(movers == 0, step.last[0].state[:, 0].T, step.last[1].state[:, 0].T).T
        begun = jax.vmap(functools.partial(unpack, game))(jnp.asarray(states))
        num_begun_there += int(np.sum(begun.round))
        num_after_the_deal += int(np.sum(step.before.state.round))
    assert num_after_the_deal > 10
    assert num_begun_there > 0.9 * num_after_the_deal  # else from a parent that it has seen


# The start.


def test_games_start_at_a_decision_whatever_chance_does_before() -> None:
    game = make(HIDDEN)
    search, settings = SearchSettings(num_simulations=1), SelfplaySettings(batch_size=60)
    start: Any = functools.partial(start_games, game, search, settings)
    games = jax.jit(start)(jax.random.key(0))
    worlds = jax.device_get(games.worlds)
    assert (actors(game, worlds) < CHANCE).all()
    assert not worlds.has_searched.any()
    assert (worlds.num_events == 1).all()
    assert (worlds.path[:, :, 1:] == NO_EVENT).all()
    prizes, counts = np.unique(worlds.path[:, 0, 0], return_counts=True)
    assert len(prizes) == 3
    assert counts.min() > 5


@pytest.mark.slow
@pytest.mark.parametrize("everywhere", [False, True])
def test_devices_share_games_without_waiting_for_each_other(everywhere: bool) -> None:
    """XLA ends a process one of whose CPU devices waits too long for what another is to send."""
    game, mesh = make("leduc"), batch_mesh(4)
    search = SearchSettings(num_simulations=4, search_everywhere=everywhere)
    settings = SelfplaySettings(batch_size=4)
    evaluator, key, version = jax.device_put(
        (ZeroEvaluator(), jax.random.key(0), np.int32(0)), on_all(mesh)
    )
    games = start_games(game, search, settings, jax.random.key(0))
    step = jax.jit(
        functools.partial(step_games, game, search, settings, mesh=mesh),
        out_shardings=(split_batch(mesh), None),
    )
    games = jax.device_put(games, split_batch(mesh))
    program = step.lower(evaluator, games, version, key).compile().as_text()
    assert mesh.size == 2
    assert program is not None
    assert not re.findall(r"all-reduce|all-gather|all-to-all|collective-permute", program)
