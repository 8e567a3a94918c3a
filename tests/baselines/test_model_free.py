"""Model-free learners: against best responses, and games whose solution is known."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from sog.baselines.histories.arrays import HistoryTree
from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.histories.walk import Place, Steps, explored, greedy_policy, steps_of, walk
from sog.baselines.learners.a2c import A2c
from sog.baselines.learners.dqn import Dqn
from sog.baselines.learners.learning import LearningMethod, LearningRuns, RowEvaluator
from sog.baselines.learners.q_learning import QLearning
from sog.games.matrix import MatrixGame
from sog.tabular import enumerate_public_tree
from tests.baselines.plain_histories import exact, history_tree


def test_a_players_steps_lead_from_his_decision_to_his_next() -> None:
    tree = history_tree("kuhn")
    histories = jax.tree.map(jnp.asarray, tree.histories)

    def choose(number: Array, place: Place, numbers: Array) -> tuple[Array, Array, tuple[()]]:
        # Player 0 passes, player 1 bets, player 0 calls: two chips change hands.
        return jnp.array((0, 1, 1, 0))[number], number + place.is_decision, ()

    played = walk(histories, jax.random.key(3), choose, jnp.int32(0))
    won = float(played.utility)
    assert abs(won) == 2
    own = steps_of(played, 0, histories.num_rows)
    assert own.is_own.tolist() == [False, True, False, True]
    first, second = own.row[1], own.row[3]
    assert (own.next_row[1], own.next_row[3]) == (second, histories.num_rows)
    assert first != second
    assert [float(own.reward[1]), float(own.reward[3]), float(own.gain[1])] == [0, won, won]
    other = steps_of(played, 1, histories.num_rows)
    assert other.is_own.tolist() == [False, False, True, False]
    assert [int(other.next_row[2]), float(other.reward[2])] == [histories.num_rows, -won]


def test_greedy_takes_the_best_legal_choice_and_exploration_is_shared_by_the_legal() -> None:
    values, legal = jnp.array([[1.0, 3, 9], [-2, -1, 0]]), jnp.array([[1, 1, 0], [1, 1, 0]], bool)
    greedy = greedy_policy(values, legal)
    assert greedy.tolist() == [[0, 1, 0], [0, 1, 0]]
    assert np.allclose(explored(greedy, legal, 0.2), [[0.1, 0.9, 0], [0.1, 0.9, 0]])


@pytest.mark.thorough(but=["method0"])
@pytest.mark.parametrize(
    ("method", "iterations"),
    [
        (QLearning(step_size=0.01, epsilon=1.0), 30_000),
        (Dqn(epsilon=1.0, decay=10**9, learning_rate=0.003), 2000),
    ],
)
def test_against_random_play_what_is_learned_is_a_best_response(
    method: LearningMethod, iterations: int
) -> None:
    """With epsilon 1 both players act at random, and each learns what is best against that."""
    tree = history_tree("kuhn")
    learner = LearningRuns(method, tree, runs=4)
    learner.run(iterations)
    histories = tree.histories
    legal = np.asarray(histories.legal)
    uniform = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
    # What a best response to random play gets, by the exact evaluation of random play.
    evaluation = RowEvaluator(tree).evaluate(uniform[None])
    best = np.asarray(evaluation.best_response_value)[:, 0]
    player = np.append(histories.row_player, 0)[:, None]
    for policy in learner.policies():
        for learned in (0, 1):
            value = exact(tree, np.where(player == learned, policy, uniform)).value
            assert (value if learned == 0 else -value) == pytest.approx(best[learned], abs=0.02)


def dominated() -> HistoryTree:
    """The second row and the first column are best, whatever the other one does."""
    return lay_out_histories(enumerate_public_tree(MatrixGame(payoffs=((0, 1), (1, 3)))))


def test_a2cs_bonus_for_entropy_is_in_largest_utilities() -> None:
    """Two players who mix two actions evenly, of whom nobody gained: 0.1 * 3 * 2 ln 2."""
    method, tree = A2c(entropy=0.1), dominated()
    histories = jax.tree.map(jnp.asarray, method.prepare(tree))
    state = jax.tree.map(jnp.zeros_like, method.begin(histories, jax.random.key(0)))
    number, nothing = jnp.zeros((2, 1), int), jnp.zeros((2, 1))
    steps = Steps(
        is_own=jnp.ones((2, 1), bool),
        row=jnp.array([[0], [1]]),
        choice=number,
        next_row=number,
        reward=nothing,
        gain=nothing,
    )
    loss = method._actor_loss(state.actor, state.critic, histories, steps)
    assert float(loss) == pytest.approx(-0.6 * math.log(2), rel=1e-5)


@pytest.mark.thorough
def test_a2c_finds_dominant_actions() -> None:
    learner = LearningRuns(A2c(critic_updates=1, actor_rate=0.01), dominated(), runs=4)
    learner.run(1500)
    policy = learner.policies()
    assert (policy[:, 0, 1] > 0.9).all()
    assert (policy[:, 1, 0] > 0.9).all()


@pytest.mark.thorough
def test_a_bonus_for_entropy_that_is_large_keeps_a_policy_uniform() -> None:
    learner = LearningRuns(A2c(critic_updates=1, actor_rate=0.01, entropy=100), dominated(), runs=4)
    learner.run(1500)
    np.testing.assert_allclose(learner.policies()[:, :2], 0.5, atol=0.05)


@pytest.mark.thorough
def test_a2c_becomes_less_exploitable_than_random_play_and_seeds_differ() -> None:
    learner = LearningRuns(A2c(critic_updates=4), history_tree("kuhn"), runs=4)
    evaluator = RowEvaluator(learner.tree)
    before = np.asarray(evaluator.evaluate(learner.policies()).exploitability)
    assert len(set(before.tolist())) == 4  # networks begin at random
    learner.run(1000)
    after = np.asarray(evaluator.evaluate(learner.policies()).exploitability)
    assert (after < 0.33).all()  # random play: 0.458
