"""SM-MCTS against the same search in plain Python, and what the paper finds on Goofspiel."""

from random import Random
from typing import Any

import numpy as np
import pytest

from sog.baselines.histories.arrays import ROOT
from sog.baselines.learners.learning import LearningRuns, RowEvaluator
from sog.baselines.plain.goofspiel import PlainGoofspiel
from sog.baselines.simultaneous.learner import SimultaneousMcts
from sog.baselines.simultaneous.search import SimultaneousSearch
from sog.games import make
from tests.baselines.plain_histories import history_tree
from tests.baselines.test_simultaneous_search import first_round
from tests.baselines.test_simultaneous_updates import rows_and_children

GAME = "goofspiel(cards=3,payoff=diff)"


@pytest.mark.thorough
@pytest.mark.parametrize("selection", ["duct_mix", "exp3", "rm", "oos_plus"])
def test_tables_are_those_of_the_tree_that_grows_on_demand(selection: str) -> None:
    """On average over many runs, in the first round and in all second ones."""
    settings: dict[str, Any] = {"selection": selection, "gamma": 0.3, "c": 0.8}
    iterations, searches, runs = 150, 200, 1000
    learner = LearningRuns(SimultaneousMcts(**settings), history_tree(GAME), runs=runs)
    learner.run(iterations)
    state, has_policies = learner.state, selection in ("rm", "oos_plus")
    game: Any = make(GAME)
    _, later = rows_and_children(ROOT)
    found: list[list[Any]] = [[] for _ in range(1 + later.size)]
    for seed in range(searches):
        method = SimultaneousSearch(**settings)
        search, world = method.tree_search(PlainGoofspiel(game), Random(seed)), first_round(game)
        search._explorer = 1  # player 0 explores first, as in the learner
        root = search.node(world)
        for _ in range(iterations):
            search.simulate(root, world.copy())
        for number, node in enumerate([root, *(root.children[joint, 2] for joint in range(9))]):
            policies = node.policy if has_policies else []
            found[number].append((node.mean_n, np.square(node.mean_n), *node.total, *policies))
    for history, theirs in zip([ROOT, *later.ravel().tolist()], found, strict=True):
        rows, children = rows_and_children(history)
        visits = np.asarray(state.visits)[:, children.ravel()]
        ours = [visits, visits**2]
        for table in (state.row_sum, state.policy_sum)[: 1 + has_policies]:
            ours += [np.asarray(table)[:, row, : len(children)] for row in rows]
        for own, of_search in zip(ours, zip(*theirs, strict=True), strict=True):
            other = np.array(of_search)
            error = np.hypot(own.std(axis=0) / runs**0.5, other.std(axis=0) / searches**0.5)
            deviation = np.abs(own.mean(axis=0) - other.mean(axis=0)) / np.maximum(error, 1e-3)
            assert deviation.max() < 5


@pytest.mark.slow
def test_regret_matching_and_exp3_converge_on_goofspiel_where_duct_does_not() -> None:
    """As in Figure 4 of the paper, on the same game with one card less."""
    found = {}
    for selection in ("duct_mix", "exp3", "rm", "oos_plus"):
        method = SimultaneousMcts(selection=selection, gamma=0.1)
        learner = LearningRuns(method, history_tree("goofspiel(cards=3)"), runs=16)
        learner.run(20_000)
        evaluation = RowEvaluator(learner.tree).evaluate(learner.policies())
        found[selection] = float(evaluation.exploitability.mean())
    assert found["rm"] < 0.05
    assert found["oos_plus"] < 0.05
    assert found["exp3"] < 0.3 * found["duct_mix"]
    assert found["duct_mix"] > 0.1


@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3)", "liars_dice(dice=1,faces=2)"])
def test_other_games_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the game must have only simultaneous moves"):
        LearningRuns(SimultaneousMcts(), history_tree(text))
