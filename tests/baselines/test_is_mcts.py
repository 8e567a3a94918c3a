"""IS-MCTS: as OpenSpiel's, and as blind to what is not in the infostate as the OOS paper says."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from jax import Array

from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.learners.learning import LearningRuns
from sog.baselines.online.is_mcts import IsMcts, IsMctsNode
from sog.baselines.plain.worlds import InfostateGame, Seen
from sog.games.cards.kuhn import Kuhn
from sog.players.methods import make_method
from sog.tabular import compile_game, enumerate_public_tree, solve_lp
from tests.baselines.plain_histories import history_tree
from tests.baselines.test_oos import game_of
from tests.tabular.small_games import node_after

SEARCHES = 500


def policies(method: IsMcts, game: InfostateGame, seen: Seen, size: int) -> np.ndarray:
    """[search, choice]: the policies of many searches of one infostate."""
    return np.array([method.search(game, seed).search(seen, size) for seed in range(SEARCHES)])


@pytest.mark.parametrize(
    ("deal", "events", "c"), [([1, 0], [], 2.0), ([2, 0], [0], 2.0), ([0, 2], [0, 1], 0.5)]
)
def test_searches_are_those_of_openspiel(deal: list[int], events: list[int], c: float) -> None:
    """Kuhn poker; events: 0 a check, 1 a bet. OpenSpiel's first simulation only makes the root."""
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    for action in deal + events:
        state.apply_action(action)
    theirs = []
    for seed in range(1, 201):
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed + 1000)
        mixed = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
        bot = pyspiel.ISMCTSBot(seed, rollouts, c, 100, -1, mixed, False, False)
        theirs.append([probability for _, probability in sorted(bot.get_policy(state))])
    tree = history_tree("kuhn")
    node = node_after(tree.tree, *(1 + event for event in events))  # ours: 1 call, 2 raise
    row = int(tree.row_of[node, deal[state.current_player()]])
    method = IsMcts(c=c / 2, final="mixed", budget=99)  # 2 chips at most
    game = HistoryGame(tree)
    ours = policies(method, game, game.seen_at(row), 2)
    error = np.hypot(np.std(theirs, axis=0) / 200**0.5, ours.std(axis=0) / SEARCHES**0.5)
    assert np.abs(ours.mean(axis=0) - np.mean(theirs, axis=0)).max() <= 4 * error.max() + 1e-9
    assert 4 * error.max() < 0.1


@dataclasses.dataclass(frozen=True, kw_only=True)
class RichKuhn(Kuhn):
    """Kuhn poker where a chip is worth 256."""

    @property
    def max_utility(self) -> float:
        return 256 * super().max_utility

    def utilities(self, state: Any, reach: Array) -> Array:
        return 256 * super().utilities(state, reach)


@pytest.mark.thorough(but=["smooth_uct"])
@pytest.mark.parametrize("text", ["ismcts(final=mixed):50", "extensive_uct", "smooth_uct"])
def test_what_is_found_does_not_depend_on_the_unit_of_payoffs(text: str) -> None:
    found: list[np.ndarray] = []
    for game in (Kuhn(), RichKuhn()):
        method: Any = make_method(text)
        tree = lay_out_histories(enumerate_public_tree(game))
        if isinstance(method, IsMcts):
            search = method.search(HistoryGame(tree))
            search.search_game()
            rows = [search.learned(node) for node in search.tree.values()]
            found.append(np.array(rows))
        else:
            learner = LearningRuns(method, tree, runs=2)
            learner.run(50)
            found.append(learner.policies())
    np.testing.assert_array_equal(found[0], found[1])
    assert np.ptp(found[0]) > 0.1


def test_a_search_explores_in_shares_of_the_largest_utility() -> None:
    game = game_of("ii_goofspiel(cards=4,payoff=diff)", "whole")
    assert game.max_utility == 8
    assert IsMcts(c=2.0).search(game)._c == 16


@pytest.mark.parametrize("selection", ["uct", "rm"])
def test_non_locality_is_not_seen(selection: str) -> None:
    """Player 1 should go left one time in three; IS-MCTS goes there as often as right (OOS paper,
    section 2.2)."""
    tree = history_tree("non_locality")
    row = int(np.flatnonzero(tree.histories.row_player == 1)[0])
    game = HistoryGame(tree)
    method = IsMcts(selection=selection, final="mixed", budget=300)
    mean = policies(method, game, game.seen_at(row), 2).mean(axis=0)
    assert mean == pytest.approx([0.5, 0.5], abs=0.03)


@pytest.mark.thorough
def test_regret_matching_comes_to_the_equilibrium_of_a_matrix_game() -> None:
    tree = history_tree("biased_rps")
    node, infostate = int(tree.row_node[0]), int(tree.row_infostate[0])
    expected = solve_lp(compile_game(tree.tree)).policy[node, infostate]
    method = IsMcts(selection="rm", gamma=0.1, final="mixed", budget=5000)
    game = HistoryGame(tree)
    found = [method.search(game, seed).search(game.seen_at(0), 3) for seed in range(64)]
    policy = np.mean(found, axis=0)
    assert policy == pytest.approx(expected[tree.tree.node_legal[node, infostate]], abs=0.05)
    assert np.ptp(expected) > 0.2  # far from uniform


@pytest.mark.parametrize("final", ["visits", "mixed"])
def test_regret_matching_plays_its_mean_policy(final: str) -> None:
    """As the paper has it (Lisy et al. 2015, section 4.1), where UCT plays one action."""
    node = IsMctsNode([0, 0], [0.0, 0.0], regret=[1.0, 0.0], policy_sum=[3.0, 1.0])
    search = IsMcts(selection="rm", final=final).search(HistoryGame(history_tree("kuhn")))
    assert search.policy(node) == [0.75, 0.25]


def test_the_final_policy_is_made_of_visits_or_values() -> None:
    game = HistoryGame(history_tree("kuhn"))
    one = {
        final: IsMcts(final=final, budget=50).search(game, 0).search(game.seen_at(2), 2)
        for final in ("visits", "mixed", "value")
    }
    assert 0.5 < max(one["mixed"]) < 1
    assert one["visits"] == [float(share == max(one["mixed"])) for share in one["mixed"]]
    assert sorted(one["value"]) == [0, 1]
    with pytest.raises(ValueError, match="final=value needs selection=uct"):
        IsMcts(selection="rm", final="value")


def test_an_action_that_was_not_visited_has_no_value_rather_than_0() -> None:
    search = IsMcts(final="value").search(HistoryGame(history_tree("kuhn")))
    node = IsMctsNode([2, 0], [-0.5, 0.0], regret=[], policy_sum=[])
    assert search.policy(node) == [1, 0]
