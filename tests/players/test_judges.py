"""Who judges where nobody was named."""

import pytest

from sog.games import make
from sog.players.judges import can_judge, usual_judge
from sog.players.methods import METHODS


@pytest.mark.parametrize("game", ["kuhn", "leduc", "leduc(ranks=4)", "goofspiel"])
def test_a_small_game_is_judged_by_its_exact_solution(game: str) -> None:
    assert usual_judge(make(game), others=["rollout"]) == "tabular"


def test_a_larger_one_by_who_played_if_he_can_and_by_the_agent_of_the_package_else() -> None:
    game = make("connect_four")
    assert usual_judge(game, others=["random", "zero"]) == "zero"
    assert usual_judge(game, others=["random"]) == "agent:connect_four"
    assert usual_judge(make("connect_four(columns=5)"), others=["random"]) == "rollout"


def test_a_game_that_began_at_a_position_is_not_judged_by_what_is_known_from_the_start() -> None:
    assert usual_judge(make("tron"), is_from_the_start=False) == "rollout"


def test_it_is_known_of_every_kind_of_player_whether_he_can_judge() -> None:
    able = {name for name in METHODS if can_judge(name)}
    assert {"zero", "rollout", "tabular", "outcome_sampling", "backward_induction"} <= able
    assert not able & {"random", "ismcts", "oos", "uct", "equity", "perfect", "sm_search"}
    for text in ("agent:leduc", "agent:leduc at step 7", "runs/leduc", "policy:leduc.npz"):
        assert can_judge(text)
    for text in ("uci:stockfish", "blueprint:holdem.blueprint"):
        assert not can_judge(text)
