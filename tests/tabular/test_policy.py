"""What takes a policy says what is wrong with one, and where."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtcfr.evaluators.exact import policy_evaluator
from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import RowEvaluator
from sog.games import make
from sog.play import TabularAgent
from sog.tabular import compile_tree, evaluate_policy, save_policy, uniform_policy
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.policy import check_policy
from sog.tabular.profile_analysis import analyze_profile

KUHN = compile_tree(make("kuhn"))
GAME = EnumeratedGame(tree=KUHN.tree)
UNIFORM = uniform_policy(KUHN)


def changed(node: int, infostate: int, row: Any) -> np.ndarray:
    policy = UNIFORM.copy()
    policy[node, infostate] = row
    return policy


# At nodes 0 and 1 players check (action 1) or bet (2), having nothing to fold to; node 8 is an end.
WRONG = [
    (np.zeros(UNIFORM.shape), "must sum to 1, got 0 for infostate 0 ('J') at node 0 ("),
    (changed(1, 2, [0, 0.5, 0.3]), "must sum to 1, got 0.8 for infostate 2 ('K') at node 1 ("),
    (
        changed(0, 1, [0.5, 0, 0.5]),
        "must be 0 for an illegal action, got 0.5 for action 0 of infos",
    ),
    (
        changed(0, 1, [1.5, -0.5, 0]),
        "must be finite and >= 0, got -0.5 for action 1 of infostate 1",
    ),
    (changed(0, 1, [np.nan, 0, 0]), "must be finite and >= 0, got nan for action 0 of infostate 1"),
    (
        changed(8, 0, [1, 0, 0]),
        "must be 0 for an illegal action, got 1 for action 0 of infostate 0",
    ),
    (UNIFORM[0], "must have shape (9, 3, 3), got (3, 3)."),
    ([[1.0], [0.5, 0.5]], "must have shape (9, 3, 3), got rows of several lengths."),
    (UNIFORM.astype(str), "must be of real numbers, got <U"),
]


@pytest.mark.parametrize(("policy", "what"), WRONG, ids=[what for _, what in WRONG])
def test_what_is_no_policy_is_named_with_its_place(policy: Any, what: str) -> None:
    with pytest.raises(ValueError, match="^policy " + re.escape(what)):
        evaluate_policy(KUHN, policy)


@pytest.mark.parametrize(
    "take",
    [
        lambda policy: analyze_profile(KUHN.tree, policy),
        lambda policy: policy_evaluator(GAME, policy),
        lambda policy: TabularAgent(GAME, policy, player=0),
        lambda policy: save_policy(Path("never.npz"), KUHN.tree, policy),
    ],
    ids=["analyze_profile", "policy_evaluator", "TabularAgent", "save_policy"],
)
def test_everything_that_takes_a_policy_asks_the_same(take: Callable[[Any], Any]) -> None:
    for policy, what in WRONG:
        with pytest.raises(ValueError, match="^policy " + re.escape(what)):
            take(policy)


def test_policies_by_rows_are_asked_the_same() -> None:
    tree = lay_out_histories(KUHN.tree)
    policies = np.repeat(np.asarray(tree.histories.legal)[None] / 2, 2, axis=0)
    evaluator = RowEvaluator(tree)
    assert evaluator.evaluate(policies).exploitability == pytest.approx(0.458333, abs=1e-6)
    policies[1, 0] = 0.45
    with pytest.raises(ValueError, match=r"policy must sum to 1, got 0\.9 for infostate 0 \('J'\)"):
        evaluator.evaluate(policies)
    with pytest.raises(
        ValueError, match=r"policies must have shape \(runs, 13, 2\), got \(13, 2\)"
    ):
        evaluator.evaluate(policies[0])


@pytest.mark.parametrize("policy", [UNIFORM, UNIFORM.tolist(), UNIFORM.astype(np.float32)])
def test_uniform_play_is_a_policy_in_whatever_numbers(policy: Any) -> None:
    # A best response wins 0.5 as the first and 0.416667 as the second player (OpenSpiel).
    found = evaluate_policy(KUHN, policy)
    assert found.exploitability == pytest.approx(0.458333, abs=1e-6)
    assert check_policy(KUHN.tree, policy).dtype == getattr(policy, "dtype", np.float64)


def test_a_row_that_32_bits_do_not_add_up_to_1_is_a_policy() -> None:
    check_policy(KUHN.tree, changed(0, 0, [0, 0.50001, 0.5]))


@pytest.mark.thorough
def test_what_is_said_of_chance_does_not_matter() -> None:
    leduc = compile_tree(make("leduc(ranks=2,suits=2,max_raises=1)"))
    uniform = uniform_policy(leduc)
    chance = leduc.tree.node_legal & (leduc.tree.node_actor == 2)[:, None, None]
    assert chance.any()
    assert np.isfinite(evaluate_policy(leduc, uniform + chance).exploitability).all()
