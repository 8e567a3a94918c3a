"""A game as histories: counts known by hand, chance, and values that other exact tools know."""

import numpy as np
import pytest

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROW
from sog.games.core import CHANCE, TERMINAL
from sog.tabular import evaluate_policy
from tests.baselines.plain_histories import exact, history_tree, random_policy
from tests.tabular.small_games import VARIOUS_GAMES, compiled_game


def test_kuhn_has_six_deals_of_four_decisions_and_five_ends() -> None:
    tree = history_tree("kuhn")
    actors = np.bincount(tree.histories.facts[:, ACTOR]).tolist()
    assert actors == [2 * 6, 2 * 6, 1, 5 * 6]
    assert tree.histories.num_rows == 12
    assert tree.histories.depth == 4  # the deal, check, bet, call
    assert tree.histories.max_choices == 2


def test_leduc_has_as_many_histories_as_openspiel_counts() -> None:
    # OpenSpiel has 9457; it deals the two cards one after the other, which are 6 histories more.
    assert len(history_tree("leduc").histories.facts) == 9457 - 6


def test_a_forced_last_card_is_no_history() -> None:
    tree = history_tree("goofspiel(cards=4,order=descending)")
    # Three rounds of choices of 4, 3 and 2 cards; the ends are the pairs of orders.
    ends = (tree.histories.facts[:, ACTOR] == TERMINAL).sum()
    assert (tree.histories.depth, ends) == (6, 24 * 24)


@pytest.mark.parametrize(
    "text", ["kuhn", "leduc(suit_isomorphism=true)", "liars_dice(dice=2,dice1=1,faces=2)"]
)
def test_alias_tables_draw_events_with_their_probabilities(text: str) -> None:
    histories = history_tree(text).histories
    for history in np.flatnonzero(histories.facts[:, ACTOR] == CHANCE).tolist():
        first, count = histories.facts[history, [FIRST_EDGE, NUM_EDGES]].tolist()
        edges = np.arange(first, first + count)
        kept = np.minimum(histories.threshold[edges], 1)
        drawn = np.zeros(count)
        np.add.at(drawn, edges - first, kept / count)
        np.add.at(drawn, histories.alias[edges] - first, (1 - kept) / count)
        assert drawn == pytest.approx(histories.probability[edges], abs=1e-9)
        assert drawn.sum() == pytest.approx(1)


@pytest.mark.thorough(only=["glasses"])
@pytest.mark.parametrize("text", VARIOUS_GAMES)
def test_the_value_of_a_policy_is_what_the_sequence_form_says(text: str) -> None:
    tree = history_tree(text)
    policy = random_policy(tree, seed=1)
    expected = float(evaluate_policy(compiled_game(text), tree.to_tree(policy)).value[0])
    assert exact(tree, policy).value == pytest.approx(expected, abs=1e-9)


def test_widths_are_the_most_a_traversal_can_meet() -> None:
    # Player 0 of Kuhn: the deal, his card, check or bet, one answer to each, check-bet's two.
    assert history_tree("kuhn").histories.widths[0] == (1, 1, 2, 2, 2)
    # Player 1 meets check and bet one at a time: two answers, and one more decision of player 0.
    assert history_tree("kuhn").histories.widths[1] == (1, 1, 1, 2, 1)


def test_choices_are_the_legal_actions_in_order() -> None:
    tree = history_tree("leduc")
    policy = random_policy(tree, seed=2)
    whole = tree.to_tree(policy)
    row = 7
    node, infostate = int(tree.row_node[row]), int(tree.row_infostate[row])
    legal = np.flatnonzero(tree.tree.node_legal[node, infostate])
    assert whole[node, infostate, legal].tolist() == policy[row, : len(legal)].tolist()
    decisions = tree.histories.facts[:, ACTOR] < CHANCE
    rows = tree.histories.facts[decisions, ROW]
    counts = tree.histories.facts[decisions, NUM_EDGES]
    assert (tree.histories.row_choices[rows] == counts).all()
