"""A trial of rules: what it solves, and for how long each rule plans."""

import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.games.conformance.world_laws import joint_weight
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
        assert (reach[~compiled.tree.node_mask[0]] == 0).all()


@pytest.mark.parametrize("text", ["leduc", "liars_dice(dice=2,dice1=1,faces=2)"])
def test_in_a_subgame_something_is_held_with_probability_1(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So its exploitability is in the game's unit, and each subgame counts alike."""
    monkeypatch.setattr("sog.tabular.rule_trial._LARGEST", 100)
    for compiled, reach in random_subgames(make(text), 2, seed=0):
        game, state = compiled.tree.game, compiled.tree.state(0)
        held = np.argwhere(reach[0] * reach[1].T > 0)
        chances = [
            reach[0, a, 0] * reach[1, b, 0] * float(joint_weight(game, state, jnp.array([a, b])))
            for a, b in held
        ]
        assert sum(chances) == pytest.approx(1, rel=1e-5)


def test_a_game_without_a_small_subgame_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.tabular.rule_trial._LARGEST", 0)
    monkeypatch.setattr("sog.tabular.rule_trial._MOST_TRIES", 2)
    with pytest.raises(TreeTooLargeError, match="no subgames of at most 0 public states in 2"):
        random_subgames(make("kuhn"), 1, seed=0)
