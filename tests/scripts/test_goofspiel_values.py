"""Values of Goofspiel over hands and point cards, against those of whole histories."""

import goofspiel_values
import numpy as np
import pytest

from sog.baselines.histories.arrays import ROOT
from sog.baselines.simultaneous.backward_induction import ExactSolver
from sog.players.player import Host
from tests.baselines.plain_histories import history_tree


@pytest.mark.parametrize("cards", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_matrices_are_those_of_backward_induction_over_histories(cards: int) -> None:
    tree = history_tree(f"goofspiel(cards={cards},order=random,payoff=diff)")
    solver, values = ExactSolver("none", tree, Host()), goofspiel_values.PointValues()
    chance = solver.stages.stage[ROOT]
    assert chance is not None
    assert len(chance.children[0]) == cards
    hand = tuple(range(1, cards + 1))
    found = []
    for history in chance.children[0]:
        stage = solver.stages.stage[history]
        assert stage is not None
        expected = [[solver.value_of(child) for child in line] for line in stage.children]
        (shown,) = (  # the card that is worth most to the highest bid against the lowest
            card
            for card in hand
            if np.allclose(values.matrix(hand, hand, hand, card), expected, atol=1e-7)
        )
        found.append(shown)
    assert sorted(found) == list(hand)


def test_a_last_card_goes_to_the_higher_bid_and_an_equal_hand_is_worth_nothing() -> None:
    values = goofspiel_values.PointValues()
    assert values.before_a_card((2,), (5,), (3,)) == -3
    assert values.before_a_card((9,), (5,), (3,)) == 3
    assert values.before_a_card((1, 4), (1, 4), (2, 3)) == 0
    # Two bids that win everything, in any order.
    assert values.before_a_card((3, 4), (1, 2), (1, 2)) == pytest.approx(3)
    assert values.before_a_card((1, 2), (3, 4), (1, 2)) == pytest.approx(-3)
