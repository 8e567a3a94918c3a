"""Scotland Yard in plain Python keeps the rules of the contract's."""

import pytest

from sog.games import make
from sog.scotland_yard.game import ScotlandYard
from sog.scotland_yard.plain import Roads
from tests.baselines.plain_rules import check_random_ends, check_rules

WITH_ALL_RULES = (
    "scotland_yard(map=quarter,rounds=7,reveals=2/5,detectives=2,starts=79/96/64,taxi=3,bus=1,"
    "underground=1,mr_x_taxi=2,mr_x_bus=1,mr_x_underground=1,black=1,doubles=2)"
)


def twin_of(game: object) -> Roads:
    assert isinstance(game, ScotlandYard)
    return Roads(game)


@pytest.mark.thorough(but=["glasses"])
@pytest.mark.parametrize("text", ["glasses", WITH_ALL_RULES])
def test_the_rules_are_those_of_the_contract(text: str) -> None:
    game = make(text)
    check_rules(game, twin_of(game))


def test_what_is_finished_at_random_ends_as_random_games_do() -> None:
    game = make("glasses")
    check_random_ends(game, twin_of(game))
