"""How far values are from exact ones: the measure itself, held against other solvers."""

import functools
from typing import Any

import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.exact import NoisyEvaluator, exact_evaluator
from sog.evaluation.value_error import HeldOut, ValueErrors, _random_ranges, random_belief_states
from sog.games import CHANCE, TERMINAL
from sog.tabular import compile_tree, solve_subgame
from sog.tabular.enumerated_game import EnumeratedGame
from tests.tabular.small_games import compiled_game, push_reach, tree_of

NUM_STATES, SEED = 12, 3


@functools.cache
def held_out() -> HeldOut:
    compiled = compiled_game("kuhn")
    return HeldOut(compiled, *random_belief_states(compiled.tree, NUM_STATES, SEED))


def errors(evaluator: Evaluator) -> dict[str, float]:
    found: ValueErrors = held_out().errors(evaluator)
    return {name: float(value) for name, value in vars(found).items()}


@functools.cache
def exact_values() -> np.ndarray:
    """The values of all infostates that can be, by a solver that sees one subgame at a time."""
    tree = tree_of("kuhn")
    nodes, ranges = random_belief_states(tree, NUM_STATES, SEED)
    found = []
    for node, both in zip(nodes.tolist(), ranges, strict=True):
        compiled = compile_tree(tree.game, root=tree.state(node))
        solution = solve_subgame(compiled, both[..., None], iterations=2000)
        found.append(solution.values[..., 0][tree.node_mask[node]])
    return np.concatenate(found)


def shifted_exact_evaluator(shift: float | np.ndarray) -> Evaluator:
    """shift: added to the exact values; of each infostate, or of all."""
    game = EnumeratedGame(tree=tree_of("kuhn"))
    exact = exact_evaluator(game, iterations=600, fading=1.0)
    noise: Any = np.broadcast_to(shift, game.tree.node_mask.shape)
    return NoisyEvaluator(inner=exact, node_noise=noise)


def test_exact_values_have_no_error_and_shifted_ones_that_of_the_shift() -> None:
    found = errors(shifted_exact_evaluator(0))
    assert found["mean_absolute"] < 0.01
    assert found["root_mean_square"] < 0.02
    assert found["policy_divergence"] < 0.03
    shifted = errors(shifted_exact_evaluator(-0.5))
    assert shifted["mean_absolute"] == pytest.approx(0.5, abs=0.01)
    assert shifted["root_mean_square"] == pytest.approx(0.5, abs=0.01)
    assert shifted["policy_divergence"] == found["policy_divergence"]


@pytest.mark.thorough
def test_the_error_of_zero_is_the_mean_of_the_exact_values() -> None:
    found, exact = errors(ZeroEvaluator()), exact_values()
    assert found["mean_absolute"] == pytest.approx(np.abs(exact).mean(), abs=0.01)
    assert found["root_mean_square"] == pytest.approx(np.sqrt((exact**2).mean()), abs=0.01)
    assert found["mean_absolute"] > 0.3
    # Facing a bet, to fold and to call are far from equally good with a jack or a king.
    assert found["policy_divergence"] > 0.1


def test_errors_where_the_range_is_zero_can_be_left_out() -> None:
    compiled = compiled_game("kuhn")
    nodes, ranges = random_belief_states(compiled.tree, 16, SEED)
    ranges[:, :, 0] = 0  # nobody has a jack
    ranges /= ranges.sum(axis=-1, keepdims=True)
    jacks_only = shifted_exact_evaluator(np.array([1.0, 0, 0]))
    found: ValueErrors = HeldOut(compiled, nodes, ranges).errors(jacks_only)
    assert found.mean_absolute == pytest.approx(1 / 3, abs=0.05)
    assert found.mean_absolute_in_range < 0.01


@pytest.mark.thorough(but=["kuhn", "leduc", "ii_goofspiel"])
@pytest.mark.parametrize(
    "text",
    ["kuhn", "leduc(suit_isomorphism=true)", "ii_goofspiel(cards=3,order=random)", "glasses"],
)
def test_ranges_of_random_play_are_distributions_over_all_that_can_be(text: str) -> None:
    """Random policies are never 0 anywhere, so that every possible infostate is reached."""
    tree = tree_of(text)
    nodes, ranges = random_belief_states(tree, 200, seed=0)
    assert (tree.node_actor[nodes] != TERMINAL).all()
    assert (ranges >= 0).all()
    np.testing.assert_allclose(ranges.sum(axis=2), 1, rtol=1e-5)
    np.testing.assert_array_equal(ranges > 0, tree.node_mask[nodes])


def test_states_are_drawn_evenly_among_those_where_the_game_goes_on() -> None:
    tree = tree_of("kuhn")
    nodes, _ = random_belief_states(tree, 2000, seed=0)
    numbers, counts = np.unique(nodes, return_counts=True)
    assert numbers.tolist() == np.flatnonzero(tree.node_actor < CHANCE).tolist()
    share = 1 / len(numbers)
    assert np.abs(counts - 2000 * share).max() < 5 * np.sqrt(2000 * share * (1 - share))


def test_a_range_is_spread_over_the_actions_as_a_random_row_of_a_policy() -> None:
    """Player 0 checks a card with a probability that is uniform in [0, 1], alone for each card.

    Of three such probabilities, normalized, each has mean 1/3; player 1 has done nothing yet.
    """
    tree = tree_of("kuhn")
    nodes, ranges = random_belief_states(tree, 3000, seed=5)
    own = ranges[nodes == 1]
    assert tree.node_parent[1] == 0
    assert len(own) > 400
    np.testing.assert_allclose(own[:, 1], 1 / 3, rtol=1e-5)
    np.testing.assert_allclose(own[:, 0].mean(axis=0), 1 / 3, atol=0.05)
    assert own[:, 0].max() > 0.8
    random = np.random.default_rng(0).uniform(size=(20_000, 3))
    wanted = (random / random.sum(axis=1, keepdims=True)).std()
    assert own[:, 0].std() == pytest.approx(wanted, rel=0.1)


class Dice:
    """A random generator whose throws are known: the weights of the nodes on the way."""

    def __init__(self, weights: list[np.ndarray]) -> None:
        self._weights = iter(weights)

    def exponential(self, size: tuple[int, ...]) -> np.ndarray:
        weight = next(self._weights)
        assert weight.shape == size
        return weight


@pytest.mark.thorough(only=["glasses"])
@pytest.mark.parametrize("text", ["ii_goofspiel(cards=3,order=random)", "glasses(rounds=2)"])
def test_with_hidden_moves_ranges_flow_as_the_game_says(text: str) -> None:
    """Under one policy they are what `Game.advance` sends down the tree, a node at a time."""
    tree = tree_of(text)
    weight = np.random.default_rng(2).uniform(0.1, 1, tree.node_legal.shape)
    legal = tree.decisions
    policy = weight * legal / np.maximum((weight * legal).sum(axis=2, keepdims=True), 1e-9)
    reach = push_reach(tree, policy)
    for node in np.flatnonzero(tree.node_actor < CHANCE)[::3].tolist():
        way, above = [], node
        while above != 0:
            above = int(tree.node_parent[above])
            way.append(above)
        dice: Any = Dice([weight[parent] for parent in way[::-1]])
        wanted = reach[node] / reach[node].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(_random_ranges(tree, node, dice), wanted, atol=1e-9)
