"""Outcome and external sampling: unbiased, and converging."""

from typing import Any

import jax
import numpy as np
import pytest

from sog.baselines.histories.tables import RegretTables
from sog.baselines.learners.external_sampling import ExternalSampling
from sog.baselines.learners.learning import LearningRuns, RowEvaluator
from sog.baselines.learners.outcome_sampling import BOTH, OutcomeSampling
from sog.games import make
from sog.players.methods import make_method
from sog.players.player import Host
from tests.baselines.plain_histories import exact, history_tree, random_policy

GAMES = ("kuhn", "ii_goofspiel(cards=3,order=random)")
SAMPLES = 20_000
MOST_DEVIATIONS = 5.0  # some hundred numbers are compared


def samples_of(method: Any, text: str, policy: np.ndarray, *how: Any) -> RegretTables:
    """Many times what one game or traversal adds to tables whose regrets say `policy`."""
    histories = jax.tree.map(jax.numpy.asarray, history_tree(text).histories)
    start = RegretTables(
        regret=jax.numpy.asarray(policy, "float32"), policy_sum=jax.numpy.zeros(policy.shape)
    )

    def one(key: jax.Array) -> RegretTables:
        after = method.learn(histories, start, key, *how)
        changed: RegretTables = jax.tree.map(lambda new, old: new - old, after, start)
        return changed

    keys = jax.random.split(jax.random.key(3), SAMPLES)
    added: RegretTables = jax.tree.map(np.asarray, jax.jit(jax.vmap(one))(keys))
    return added


def check_mean(samples: Any, expected: np.ndarray, rows: np.ndarray) -> None:
    mean, spread = samples.mean(axis=0), samples.std(axis=0) / np.sqrt(SAMPLES)
    deviations = np.abs(mean - expected)[rows] / np.maximum(spread[rows], 1e-4)
    assert deviations.max() < MOST_DEVIATIONS
    assert np.abs(expected[rows]).max() > 100 * 1e-4  # there is something to see


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("learns", [(True, False), (False, True), BOTH])
def test_outcome_sampling_is_unbiased(text: str, learns: tuple[bool, bool]) -> None:
    tree = history_tree(text)
    policy = random_policy(tree, seed=4)
    right = exact(tree, policy)
    averages = BOTH if learns == BOTH else learns[::-1]
    added = samples_of(OutcomeSampling(epsilon=0.5), text, policy, learns, averages)
    player = np.append(tree.histories.row_player, 0)
    check_mean(added.regret, right.regret, np.flatnonzero(np.array(learns)[player][:-1]))
    check_mean(added.policy_sum, right.policy_sum, np.flatnonzero(np.array(averages)[player][:-1]))
    if learns != BOTH:
        assert not added.regret[:, np.flatnonzero(player[:-1] == learns.index(False))].any()


@pytest.mark.parametrize("player", [0, 1])
def test_sm_oos_learns_in_each_state_as_if_the_game_began_there(player: int) -> None:
    """Of the same games, regrets of outcome sampling without the odds of the learner's own choices
    before; and policies as they are (Bosansky et al. 2016, Algorithm 4)."""
    text, epsilon = "goofspiel(cards=3,payoff=diff)", 0.5
    tree = history_tree(text)
    policy = random_policy(tree, seed=4)
    how = ((player == 0, player == 1), (player == 1, player == 0))
    whole, begun = (
        samples_of(OutcomeSampling(epsilon=epsilon, values=values), text, policy, *how)
        for values in ("game", "state")
    )
    own, others = (np.flatnonzero(tree.histories.row_player == who) for who in (player, 1 - player))
    sizes = tree.histories.row_choices
    root = own[sizes[own] == 3][0]
    np.testing.assert_allclose(begun.regret[:, root], whole.regret[:, root], rtol=1e-5)
    odds = (1 - epsilon) * policy[root] + epsilon / 3
    for row in own[sizes[own] == 2]:
        seen = np.flatnonzero(whole.regret[:, row].any(axis=1))
        ratio = begun.regret[seen, row, :2] / whole.regret[seen, row, :2]
        led = np.abs(odds - ratio[0, 0]).argmin()  # the one choice that leads there
        np.testing.assert_allclose(ratio, odds[led], rtol=1e-4)
    for row in others[sizes[others] > 1]:
        added = begun.policy_sum[:, row]
        np.testing.assert_allclose(added[added.any(axis=1)] - policy[row], 0, atol=1e-6)


def test_sm_oos_needs_a_game_that_hides_nothing_but_simultaneous_moves() -> None:
    with pytest.raises(ValueError, match="must hide nothing but simultaneous moves"):
        LearningRuns(OutcomeSampling(values="state"), history_tree("kuhn"))
    with pytest.raises(ValueError, match="values=state needs updates=alternating"):
        OutcomeSampling(values="state", updates="parallel")


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_external_sampling_is_unbiased(text: str, player: int) -> None:
    tree = history_tree(text)
    policy = random_policy(tree, seed=5)
    right = exact(tree, policy)
    added = samples_of(ExternalSampling(), text, policy, player)
    own, others = (np.flatnonzero(tree.histories.row_player == who) for who in (player, 1 - player))
    check_mean(added.regret, right.regret, own)
    check_mean(added.policy_sum, right.policy_sum, others)
    assert not added.regret[:, others].any()
    assert not added.policy_sum[:, own].any()


@pytest.mark.thorough(but=["external"])
@pytest.mark.parametrize(
    ("text", "early", "late"),
    [
        ("outcome_sampling", 200, 5000),
        ("outcome_sampling(updates=parallel)", 200, 5000),
        ("external_sampling", 40, 1000),
    ],
)
def test_exploitability_falls_towards_the_equilibrium(text: str, early: int, late: int) -> None:
    method: Any = make_method(text)
    learner = LearningRuns(method, history_tree("kuhn"), runs=64)
    evaluator = RowEvaluator(learner.tree)
    learner.run(early)
    before = evaluator.evaluate(learner.policies()).exploitability
    learner.run(late - early)
    evaluation = evaluator.evaluate(learner.policies())
    # Like 1 / sqrt(iterations): a fifth is expected of 25 times as many.
    assert evaluation.exploitability.mean() < 0.3 * before.mean()
    # The game is worth -1/18 to player 0 (Kuhn 1950).
    assert evaluation.value.mean() == pytest.approx(-1 / 18, abs=0.01)


@pytest.mark.thorough
def test_a_run_does_not_depend_on_how_many_there_are() -> None:
    tree, method = history_tree("kuhn"), OutcomeSampling()
    many, few = (
        LearningRuns(method, tree, runs=6, seed=9),
        LearningRuns(method, tree, runs=2, seed=9),
    )
    many.run(50)
    few.run(20)
    few.run(30)  # nor on how often one looks
    np.testing.assert_allclose(many.policies()[:2], few.policies(), atol=1e-5)
    other = LearningRuns(method, tree, runs=2, seed=10)
    other.run(50)
    assert np.abs(other.policies() - few.policies()).max() > 0.1


@pytest.mark.thorough
def test_a_learned_policy_plays() -> None:
    agent: Any = make_method("external_sampling:2000").agents(make("kuhn"), Host())(1, 7)
    agent.observe(2)  # player 0 bets
    assert agent.policy(0)[0] > 0.95  # a jack folds
    assert agent.policy(2)[1] > 0.95  # a king calls
