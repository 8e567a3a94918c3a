"""Depth-limited best response: never above the exact one, and equal to it with a deep tree."""

from typing import Any

import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.evaluators.exact import exact_evaluator, policy_evaluator
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.play import Aivat, SearchAgent, TabularAgent
from sog.play.arena import play_match
from sog.play.rules import after, first_state
from sog.players.cdbr import DepthLimitedResponseAgent
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


def won_by(text: str, compiled: Any, policy: np.ndarray, *, values: str = "zero") -> np.ndarray:
    """[player]: what it wins as either player."""
    tree = compiled.tree
    game = EnumeratedGame(tree=tree)
    evaluator = exact_evaluator(game, iterations=30) if values == "exact" else None
    won = []
    for player, sign in enumerate((1, -1)):
        agent = cdbr(game, player, text)
        played = response_to(policy, tree, agent, game=game, evaluator=evaluator)
        won.append(sign * float(evaluate_policy(compiled, played).value[0]))
    return np.array(won)


def best_response(compiled: Any, policy: np.ndarray) -> np.ndarray:
    """[player]: what an exact best response wins."""
    return np.asarray(evaluate_policy(compiled, policy).best_response_value[:, 0])


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize("name", SMALL)
def test_it_never_wins_more_than_a_best_response(name: str) -> None:
    compiled = compile_tree(make(name))
    good = solve(compiled, iterations=100).policy
    for policy in (uniform_policy(compiled), random_policy(compiled.tree), good):
        best = best_response(compiled, policy)
        assert (won_by("cdbr:20", compiled, policy) <= best + ROUNDING).all()


def test_with_a_tree_to_the_end_it_is_a_best_response() -> None:
    compiled = compile_tree(make("kuhn"))
    for seed in range(3):
        policy = random_policy(compiled.tree, seed) ** 4  # so that actions say much about the range
        policy /= np.maximum(policy.sum(axis=-1, keepdims=True), 1e-9)
        best = best_response(compiled, policy)
        np.testing.assert_allclose(won_by("cdbr(depth=5)", compiled, policy), best, atol=ROUNDING)


@pytest.mark.thorough
def test_of_a_policy_that_never_folds_it_finds_nearly_all() -> None:
    compiled = compile_tree(make("leduc"))
    legal = compiled.tree.node_legal.astype(float)
    legal[..., 0] *= legal[..., 1] == 0  # it folds only where nothing else is legal
    policy = legal / np.maximum(legal.sum(axis=-1, keepdims=True), 1)
    best = best_response(compiled, policy)
    won = won_by("cdbr", compiled, policy, values="exact")
    assert sum(won) > 0.9 * best.sum()


def test_games_against_it_are_worth_what_the_whole_tree_says() -> None:
    """With both policies and exact values, AIVAT leaves no luck."""
    compiled = compile_tree(make("kuhn"))
    tree = compiled.tree
    game, policy = EnumeratedGame(tree=tree), random_policy(tree)
    for player, won in enumerate(won_by("cdbr", compiled, policy)):
        played = response_to(policy, tree, cdbr(game, player), game=game)
        aivat = Aivat(game, policy_evaluator(game, played))
        result = play_match(
            game,
            lambda player, seed: cdbr(game, player),
            lambda player, seed: TabularAgent(game, policy, player=player, seed=seed),
            num_games=4,
            aivat=aivat,
        )
        assert result.corrected is not None
        np.testing.assert_allclose(result.corrected[:, player], won, atol=ROUNDING)


@pytest.mark.thorough
def test_the_reply_in_its_tree_is_what_the_opponent_then_searches() -> None:
    game, bet = make("kuhn"), 1
    settings = SearchSettings(num_simulations=4)
    other = SearchAgent(game, ZeroEvaluator(), settings, player=1, seed=3)
    agent = cdbr(game, 0)
    agent.watch(other)
    held = {game.describe_state(state): copied for state, copied in agent._replies()}
    other.observe(bet)
    reply = held[game.describe_state(after(game, first_state(game), bet))].policies()
    np.testing.assert_allclose(other.policies(), reply, atol=ROUNDING)


@pytest.mark.thorough
def test_it_searches_for_several_games_at_once_and_plays_as_if_for_each_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, evaluator, sizes = make("kuhn"), ZeroEvaluator(), list[int]()
    settings = SearchSettings(num_simulations=4)

    def searching(player: int, seed: int) -> SearchAgent:
        return SearchAgent(game, evaluator, settings, player=player, seed=seed)

    search_together = DepthLimitedResponseAgent.search_together

    def search(agents: Any, batch_size: int = 1) -> None:
        sizes.append(len(agents))
        search_together(agents, batch_size)

    monkeypatch.setattr(DepthLimitedResponseAgent, "search_together", staticmethod(search))
    alone, batched = (
        play_match(
            game, make_method("cdbr:20").agents(game, Host()), searching, 24, batch_size=size
        )
        for size in (1, 4)
    )
    assert (sizes[0], max(sizes)) == (1, 4)
    np.testing.assert_array_equal(alone.utilities, batched.utilities)


@pytest.mark.parametrize(
    ("players", "message"),
    [
        (["cdbr", "lbr"], "cdbr cannot play lbr: each would wait for the other's policy"),
        (["cdbr", "ismcts:10"], "cdbr needs an opponent that reveals its policies"),
    ],
)
def test_an_opponent_must_reveal_its_policy(players: list[str], message: str) -> None:
    first, second = seat(players, game="kuhn").players
    with pytest.raises(ValueError, match=message):
        play_match(first.game, first.make, second.make, num_games=2)
