"""One bet keeps the contract, and is worth what theory says."""

import pytest
from my_games.one_bet import OneBet

from sog.games.conformance import check_game
from sog.tabular import compile_tree, solve


@pytest.mark.parametrize("game", [OneBet(), OneBet(cards=5)], ids=str)
def test_one_bet_keeps_the_contract(game: OneBet) -> None:
    assert check_game(game).exhaustive


def test_three_cards_are_worth_a_18th_of_a_chip() -> None:
    solution = solve(compile_tree(OneBet()), rule="cfr+", iterations=2000)
    assert solution.last.value == pytest.approx(1 / 18, abs=0.001)
