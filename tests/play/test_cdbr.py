"""Depth-limited best response: never above the exact one, and equal to it with a deep tree."""

from typing import Any

import numpy as np
import pytest

from gtcfr.evaluators.exact import exact_evaluator, policy_evaluator
from sog.games import make
from sog.play import Aivat, SearchAgent, TabularAgent
from sog.play.arena import play_match
from sog.players.methods import make_method
from sog.players.player import Host
from sog.players.seating import seat
from sog.tabular import compile_tree, evaluate_policy, solve, uniform_policy
from sog.tabular.enumerated_game import EnumeratedGame
from tests.responses import random_policy, response_to

SMALL = ("kuhn", "leduc", "liars_dice(faces=4)", "ii_goofspiel")
ROUNDING = 1e-5


def cdbr(game: Any, player: int, text: str = "cdbr") -> Any:
    return make_method(text).agents(game, Host())(player, 0)


def won_by(text: str, compiled: Any, policy: np.ndarray, *, values: str = "zero") -> list[float]:
    """What it wins as either player."""
    tree = compiled.tree
    game = EnumeratedGame(tree=tree)
    evaluator = exact_evaluator(game, iterations=30) if values == "exact" else None
    won = []
    for player, sign in enumerate((1, -1)):
        agent = cdbr(game, player, text)
        played = response_to(policy, tree, agent, game=game, evaluator=evaluator)
        won.append(sign * float(evaluate_policy(compiled, played).value[0]))
    return won


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize("name", SMALL)
def test_it_never_wins_more_than_a_best_response(name: str) -> None:
    compiled = compile_tree(make(name))
    good = solve(compiled, iterations=100).policy
    for policy in (uniform_policy(compiled), random_policy(compiled.tree), good):
        best = evaluate_policy(compiled, policy).best_response_value[:, 0]
        assert (won_by("cdbr:20", compiled, policy) <= best + ROUNDING).all()


def test_with_a_tree_to_the_end_it_is_a_best_response() -> None:
    compiled = compile_tree(make("kuhn"))
    for seed in range(3):
        policy = random_policy(compiled.tree, seed)
        best = evaluate_policy(compiled, policy).best_response_value[:, 0]
        np.testing.assert_allclose(won_by("cdbr(depth=5)", compiled, policy), best, atol=ROUNDING)


@pytest.mark.thorough
def test_of_a_policy_that_never_folds_it_finds_nearly_all() -> None:
    compiled = compile_tree(make("leduc"))
    legal = compiled.tree.node_legal.astype(float)
    legal[..., 0] *= legal[..., 1] == 0  # it folds only where nothing else is legal
    policy = legal / np.maximum(legal.sum(axis=-1, keepdims=True), 1)
    best = evaluate_policy(compiled, policy).best_response_value[:, 0]
    won = won_by("cdbr", compiled, policy, values="exact")
    assert sum(won) > 0.9 * best.sum()
