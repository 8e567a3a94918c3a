"""The network over a map: what goes in, what comes out, and that a map is all it knows of it."""

import functools
import importlib.resources
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network, num_kept
from networks.losses import Example, batch_loss
from sog.games import PLAYER_0, PLAYER_1, Game, make
from sog.scotland_yard.game import ScotlandYard
from tests.games.random_plays import play_randomly
from tests.gtcfr.grown_trees import run_search
from tests.networks.queries import apply, random_ranges

TINY = NetworkSettings(torso="graph", width=4, depth=2)
GAMES = pytest.mark.parametrize("text", ["glasses", "quarter"])


@functools.cache
def states_of(game: Game[Any], num_plays: int = 3) -> list[Any]:
    """Those of random plays where somebody is to move."""
    states, apply = [], jax.jit(game.apply)
    for play in play_randomly(game, num_plays, seed=5):
        state = game.root()
        for step in play.steps:
            states += [state] if step.actor in (PLAYER_0, PLAYER_1) else []
            state = apply(state, jnp.int32(step.outcome))
    return states


def grown(game: Game[Any], settings: NetworkSettings = TINY) -> tuple[Any, Any]:
    """A network whose heads are not that small and whose biases are not 0."""
    apply_fn, params = make_network(game, settings)
    return apply_fn, jax.tree.map(lambda leaf: leaf + 0.05, params)


def encode(apply_fn: Any, game: Game[Any], states: list[Any]) -> jax.Array:
    return jnp.stack([apply_fn.encode(game, state) for state in states])


def ask(game: Game[Any], states: list[Any], ranges: jax.Array) -> tuple[np.ndarray, np.ndarray]:
    apply_fn, params = grown(game)
    values, logits = apply(apply_fn, params, encode(apply_fn, game, states), ranges)
    return np.asarray(values), np.asarray(logits)


def test_an_untrained_network_values_everything_near_zero() -> None:
    game = make("quarter")
    states = states_of(game)
    apply_fn, params = make_network(game, NetworkSettings(torso="graph", width=16, depth=1))
    values, logits = apply(
        apply_fn, params, encode(apply_fn, game, states), random_ranges(game, states)
    )
    assert 1e-4 < np.abs(values).max() < 0.5
    assert np.ptp(logits, axis=2).max() < 1


@pytest.mark.thorough
@GAMES
def test_it_answers_in_two_steps_what_it_does_in_one(text: str) -> None:
    game = make(text)
    states = states_of(game)
    ranges = random_ranges(game, states)
    apply_fn, params = grown(game)
    embed, answer = apply_fn.in_parts
    features = encode(apply_fn, game, states)
    kept = embed(params, features)
    assert kept.shape == (len(states), num_kept(game, TINY))
    for row in range(3):  # one by one, as a search embeds them
        alone = embed(params, features[row][None])[0]
        np.testing.assert_allclose(alone, kept[row], rtol=1e-5, atol=1e-5)
    parts = answer(params, kept, ranges)
    for one, two in zip(apply_fn(params, features, ranges), parts, strict=True):
        assert np.ptp(one) > 0.01
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


@pytest.mark.thorough(only=["glasses"])
@GAMES
def test_values_are_zero_sum(text: str) -> None:
    game = make(text)
    states = states_of(game)
    ranges = random_ranges(game, states)
    values, _ = ask(game, states, ranges)
    worth = np.sum(values * np.asarray(ranges), axis=2)
    assert np.abs(worth[:, 0]).min() > 1e-4
    np.testing.assert_allclose(worth[:, 0], -worth[:, 1], rtol=1e-5)


def test_ranges_matter_and_not_only_where_they_are() -> None:
    game = make("quarter")
    states = [state for state in states_of(game) if game.infostate_mask(state)[0].sum() > 2]
    first, second = (ask(game, states, random_ranges(game, states, seed)) for seed in (0, 1))
    for one, two in zip(first, second, strict=True):
        assert np.abs(one - two).max(axis=tuple(range(1, one.ndim))).min() > 1e-4


# What a logit is made of.


@functools.cache
def logits_with(heads: tuple[tuple[str, int], ...]) -> np.ndarray:
    """[node, action] of a state in which player 0 is to move, from a network in which 1 was added
    to some biases: (head, kind)."""
    game = make("quarter")
    state = next(state for state in states_of(game) if game.actor(state) == PLAYER_0)
    apply_fn, params = grown(game)
    for head, kind in heads:
        params = jax.tree_util.tree_map_with_path(
            lambda path, leaf, head=head, kind=kind: (
                leaf.at[kind].add(1) if f"'{head}'" in str(path) and leaf.ndim == 1 else leaf
            ),
            params,
        )
    ranges = random_ranges(game, [state])
    return np.asarray(apply(apply_fn, params, encode(apply_fn, game, [state]), ranges)[1][0])


@pytest.mark.parametrize("head", ["starts", "ends"])
def test_the_logit_of_an_action_is_that_of_its_kind_at_both_ends(head: str) -> None:
    """What is added for a kind at all nodes is added to the logits of that kind and no others."""
    game: Any = make("quarter")
    graph = game.encoding
    for kind in range(graph.num_kinds):
        more = logits_with(((head, kind),)) - logits_with(())
        expected = np.broadcast_to(graph.action_kind == kind, more.shape)
        leads = graph.action_end < len(graph.roads)
        np.testing.assert_allclose(more[leads], expected[leads], atol=1e-5)
    assert graph.num_kinds > 3


def test_a_logit_is_the_sum_of_what_both_ends_say() -> None:
    """From one node to two others and from another node there, by one kind: equal differences."""
    game: Any = make("quarter")
    graph, logits = game.encoding, logits_with(())
    ways: dict[tuple[int, int, int], float] = {}
    for node, action in np.argwhere(graph.action_end < len(graph.roads)).tolist():
        kind = int(graph.action_kind[action])
        ways[node, int(graph.action_end[node, action]), kind] = float(logits[node, action])
    compared = 0
    for (node, end, kind), logit in ways.items():
        others = {other for start, other, by in ways if (start, by) == (node, kind)} - {end}
        twins = {start for start, there, by in ways if (there, by) == (end, kind)} - {node}
        for other in others:
            for twin in twins:
                if (twin, other, kind) in ways:
                    here = logit - ways[node, other, kind]
                    there = ways[twin, end, kind] - ways[twin, other, kind]
                    assert here == pytest.approx(there, abs=1e-5)
                    compared += abs(here) > 1e-3
    assert compared > 10


# A map of other numbers.


def renumbered(tmp_path: Path) -> tuple[Game[Any], Game[Any], np.ndarray]:
    """Quarter and the same map with other numbers of the stations; for each index, the other."""
    quarter = make("quarter")
    text = (importlib.resources.files("sog.scotland_yard") / "maps/quarter.csv").read_text()
    rows = [row.split(",") for row in text.splitlines() if row[:1].isdigit()]
    old = sorted({int(end) for row in rows for end in row[:2]})
    new = np.random.default_rng(0).permutation(len(old)) + 1
    names = dict(zip(map(str, old), map(str, new), strict=True))
    moved = [",".join([names[a], names[b], way]) for a, b, way in rows]
    path = tmp_path / "other.csv"
    path.write_text("\n".join(["station_a,station_b,transport", *moved]))
    starts = "/".join(
        names.get(start, start) for start in str(quarter.params()["starts"]).split("/")
    )
    other = ScotlandYard(**quarter.params() | {"map": str(path), "starts": starts})
    return quarter, other, new - 1


@pytest.mark.thorough
def test_numbers_of_stations_mean_nothing(tmp_path: Path) -> None:
    game, other, index = renumbered(tmp_path)
    size, twins = game.num_infostates, []
    states = states_of(game)
    for state in states:
        fields = {name: np.asarray(array) for name, array in vars(state).items()}
        for name in ("stations", "seen"):
            fields[name] = np.append(index, size)[fields[name]].astype(np.int32)
        possible = np.zeros_like(fields["possible"])
        possible[index] = fields["possible"]
        twins.append(type(state)(**fields | {"possible": possible}))
    ranges = np.asarray(random_ranges(game, states))
    moved = ranges.copy()
    moved[:, 0, index] = ranges[:, 0]
    values, logits = ask(game, states, jnp.asarray(ranges))
    new_values, new_logits = ask(other, twins, jnp.asarray(moved))
    np.testing.assert_allclose(new_values[:, 0, index], values[:, 0], atol=1e-5)
    np.testing.assert_allclose(new_values[:, 1, 0], values[:, 1, 0], atol=1e-5)
    num_moves = 0
    for row, (state, twin) in enumerate(zip(states, twins, strict=True)):
        first, second = (by_end(g, s) for g, s in ((game, state), (other, twin)))
        assert len(first) == len(second)
        for (pawn, at, end, kind), where in first.items():
            new_end = index[end] if end < size else size
            there = second[pawn, index[at], new_end, kind]
            assert new_logits[(row, *there)] == pytest.approx(logits[(row, *where)], abs=1e-5)
            num_moves += 1
    assert num_moves > 100


def by_end(game: Any, state: Any) -> dict[tuple[int, int, int, int], tuple[int, int]]:
    """Legal (infostate, action) by who moves, from where, to where, and the kind of the move."""
    found, actor = {}, int(game.actor(state))
    for infostate, action in np.argwhere(np.asarray(game.legal_actions(state))).tolist():
        at = infostate if actor == PLAYER_0 else int(state.stations[state.turn])
        end, kind = game.encoding.action_end[at, action], game.encoding.action_kind[action]
        found[actor, at, int(end), int(kind)] = infostate, action
    return found


# What a run does with it.


@pytest.mark.thorough
def test_a_gradient_step_lowers_the_loss() -> None:
    game = make("quarter")
    states = states_of(game)[:8]
    apply_fn, params = make_network(game, TINY)
    legal = jnp.stack([game.legal_actions(state) for state in states])
    mask = jnp.stack([game.infostate_mask(state) for state in states])
    random = np.random.default_rng(2)
    weight = jnp.asarray(random.exponential(size=legal.shape), jnp.float32) * legal
    total = weight.sum(axis=2, keepdims=True)
    examples = Example(
        features=encode(apply_fn, game, states),
        legal=legal,
        ranges=random_ranges(game, states),
        values=jnp.asarray(random.uniform(-1, 1, mask.shape), jnp.float32),
        value_mask=mask,
        policy=weight / jnp.where(total > 0, total, 1),
        policy_mask=legal.any(axis=2),
        at_stake=jnp.ones(len(states)),
    )

    def loss(params: Any) -> tuple[jax.Array, dict[str, jax.Array]]:
        return batch_loss(
            apply_fn, params, examples, value_weight=1, policy_weight=0.05, huber_delta=1
        )

    gradient, before = jax.jit(jax.grad(loss, has_aux=True))(params)
    assert all(np.abs(leaf).max() > 0 for leaf in jax.tree.leaves(gradient))
    stepped = jax.tree.map(lambda leaf, slope: leaf - 0.02 * slope, params, gradient)
    after = loss(stepped)[1]
    for term in ("value_loss", "policy_loss"):
        assert after[term] < before[term]


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["glasses", pytest.param("quarter", marks=pytest.mark.slow)])
def test_a_search_asks_it(text: str) -> None:
    game = make(text)
    apply_fn, params = make_network(game, TINY)
    embed, answer = apply_fn.in_parts
    whole, parts = (
        run_search(
            game,
            SearchSettings(num_simulations=3),
            evaluator=NetworkEvaluator(
                apply_fn=asked, params=params, encode_fn=apply_fn.encode, embed_fn=embed_fn
            ),
        )
        for asked, embed_fn in ((apply_fn, None), (answer, embed))
    )
    np.testing.assert_allclose(parts.values, whole.values, atol=1e-5)
    assert np.abs(parts.values).max() > 1e-4
