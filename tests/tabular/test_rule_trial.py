"""A trial of rules: what it solves, and for how long each rule plans."""

import numpy as np
import pytest

from sog.games import make
from sog.tabular import Solver
from sog.tabular.public_tree import TreeTooLargeError
from sog.tabular.rule_trial import LENGTHS, random_subgames, try_rules, whole_game


def test_each_rule_is_run_for_the_lengths_and_for_the_time_with_its_own_plan() -> None:
    problems = whole_game(make("kuhn"), 100)
    first, second = try_rules(problems, seconds=0.02, rules=("hs-dcfr", "pcfr+"))
    assert (first.rule, second.rule) == ("hs-dcfr", "pcfr+")
    for length, found in zip(LENGTHS, first.after, strict=True):
        solver = Solver(problems[0][0], "hs-dcfr", precision="float64")
        solver.planned = length
        solver.run(length)
        assert found == pytest.approx(float(solver.evaluate().exploitability[0]))
    assert first.iterations >= 1
    assert second.after[1] < second.after[0] / 100


def test_subgames_of_a_large_game_are_as_large_as_the_limit_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Leduc has 465 public states; after a public card there are 9."""
    monkeypatch.setattr("sog.tabular.rule_trial._LARGEST", 100)
    game = make("leduc")
    problems = random_subgames(game, 3, seed=1)
    assert len(problems) == 3
    for compiled, reach in problems:
        assert 9 <= compiled.tree.num_nodes <= 100
        np.testing.assert_allclose(reach.sum(axis=1), 1)
        assert (reach[~compiled.tree.node_mask[0]] == 0).all()


def test_a_game_without_a_small_subgame_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.tabular.rule_trial._LARGEST", 0)
    monkeypatch.setattr("sog.tabular.rule_trial._MOST_TRIES", 2)
    with pytest.raises(TreeTooLargeError, match="no subgames of at most 0 public states in 2"):
        random_subgames(make("kuhn"), 1, seed=0)
