"""Every game keeps the contract."""

from collections.abc import Callable
from typing import Any

import pytest

from sog.games import GAMES, Game, make
from sog.games.cards.kuhn import Kuhn
from sog.games.conformance import check_game, outcomes
from tests.games.broken_games import follow_few, renamed_kuhn, shifted_kuhn
from tests.games.hidden_draw import HiddenDraw

slow = pytest.mark.slow

ALL_STATES: list[Any] = [
    pytest.param("biased_rps(bias=1.5)", marks=slow),
    pytest.param("non_locality", marks=slow),
    "leduc",
    "liars_dice(dice=1,faces=3)",
    pytest.param("goofspiel(cards=3)", marks=slow),
    "ii_goofspiel(cards=3)",
    pytest.param("connect_four(rows=2,columns=3,run_length=2)", marks=slow),
    "oshi_zumo(coins=3)",
    pytest.param("oshi_zumo(coins=5,least=2)", marks=slow),
    pytest.param("random_game(actions=2,rounds=2)", marks=slow),
    pytest.param("tron(rows=2)", marks=slow),
    pytest.param("pursuit_evasion(rows=2,columns=2)", marks=slow),
    pytest.param("matching_pennies", marks=slow),
    pytest.param("rps", marks=slow),
    pytest.param("kuhn(ranks=5)", marks=slow),
    pytest.param("leduc(suit_isomorphism=true)", marks=slow),
    pytest.param("leduc(ranks=2,suits=3,max_raises=1)", marks=slow),
    pytest.param("generic_poker(types=2,cards=2,raises=1,bets=2)", marks=slow),
    pytest.param("board_poker(ranks=2,suits=2,public_cards=1)", marks=slow),
    "holdem(ranks=3,suits=2,deals=1,blinds=1/2,stack=3/4,bets=allin)",
    pytest.param(
        "holdem(ranks=3,suits=2,hole_cards=1,deals=1,blinds=1/2,"
        "draw_stacks=2/5,draw_bets=0.5/1,bets=drawn/allin)",
        marks=slow,
    ),
    pytest.param("holdem(ranks=4,suits=2,deals=3,blinds=1/2,stack=3,bets=allin)", marks=slow),
    pytest.param("holdem(ranks=4,suits=2,deals=1/1,blinds=1/2,stack=5,bets=1/allin)", marks=slow),
    pytest.param(
        "holdem(ranks=3,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=9,bets=2c|4c,caps=1)",
        marks=slow,
    ),
    pytest.param("liars_dice(dice=2,faces=2,dice1=1)", marks=slow),
    pytest.param("goofspiel(cards=3,order=random)", marks=slow),
    pytest.param("goofspiel(cards=3,payoff=diff)", marks=slow),
    pytest.param("ii_goofspiel(cards=4)", marks=slow),
    "hex(size=2,swap=true)",
    pytest.param("go(size=2,move_limit=3,payoff=diff)", marks=slow),
]
SOME_STATES: list[Any] = [
    "tic_tac_toe",
    pytest.param("glasses", marks=slow),
    pytest.param("connect_four", marks=slow),
    pytest.param("othello", marks=slow),
    "othello6(payoff=diff,size=4)",
    pytest.param("hex", marks=slow),
    "hex5",
    pytest.param("chess", marks=slow),
    pytest.param("gardner_chess", marks=slow),
    pytest.param("los_alamos_chess", marks=slow),
    pytest.param("generic_poker", marks=slow),
    pytest.param("board_poker", marks=slow),
    pytest.param("holdem(board=KsTh7s4d,pot=100,stack=200)", marks=slow),
    pytest.param("liars_dice(dice=2,faces=3)", marks=slow),
    pytest.param("goofspiel(cards=4)", marks=slow),
    pytest.param("ii_goofspiel(cards=5)", marks=slow),
    pytest.param("oshi_zumo", marks=slow),
    pytest.param("random_game", marks=slow),
    pytest.param("tron", marks=slow),
    pytest.param("pursuit_evasion", marks=slow),
    pytest.param("quarter", marks=slow),
    pytest.param("london", marks=slow),
    pytest.param("scotland_yard", marks=slow),
    "go(size=3)",
    pytest.param("go(superko=simple,payoff=diff,komi=0.5)", marks=slow),
    pytest.param("go5", marks=slow),
    pytest.param("go7", marks=slow),
    pytest.param("go9", marks=slow),
    pytest.param("go19", marks=slow),
]


@pytest.mark.thorough(but=["liars_dice"])
@pytest.mark.parametrize("text", ALL_STATES)
def test_a_small_game_keeps_the_contract_in_every_state(text: str) -> None:
    assert check_game(make(text)).exhaustive


@pytest.mark.thorough
@pytest.mark.parametrize("text", SOME_STATES)
def test_a_large_game_keeps_the_contract_in_the_states_that_walks_visit(text: str) -> None:
    assert not check_game(make(text), num_walks=32, max_states=100, max_worlds=32).exhaustive


@pytest.mark.thorough
def test_of_wide_chance_events_a_sample_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    follow_few(monkeypatch)
    game = make("leduc(max_raises=1)")
    assert outcomes.num_followed(game) == game.num_decision_outcomes < game.num_outcomes
    assert check_game(game).exhaustive


@pytest.mark.slow
def test_holdem_keeps_the_contract_with_all_its_flops_and_hands() -> None:
    report = check_game(make("holdem"), num_walks=4, max_states=8, max_worlds=1)
    assert report.num_states == 8


def test_every_game_of_the_registry_is_checked() -> None:
    listed = [
        param if isinstance(param, str) else param.values[0] for param in ALL_STATES + SOME_STATES
    ]
    assert {str(text).partition("(")[0] for text in listed} == set(GAMES)


@pytest.mark.thorough
def test_the_report_says_what_was_checked() -> None:
    report = check_game(Kuhn())
    # 4 decisions and 5 ends; 6 deals with 2 actions at each decision, and 6 at each end.
    assert (report.num_states, report.deepest, report.num_worlds) == (9, 3, 4 * 12 + 5 * 6)
    assert str(report) == (
        "kuhn(ranks=3) keeps the contract: all 9 public states, up to 3 events deep, "
        "78 worlds and actions."
    )


@pytest.mark.thorough
def test_a_game_from_elsewhere_with_a_hidden_event_keeps_the_contract() -> None:
    assert check_game(HiddenDraw()).exhaustive


@pytest.mark.thorough
@pytest.mark.parametrize("numbered_in_another_way", [renamed_kuhn, shifted_kuhn])
def test_public_actions_may_be_numbered_in_any_way_by_a_game_that_claims_nothing(
    numbered_in_another_way: Callable[..., Game[Any]],
) -> None:
    assert check_game(numbered_in_another_way(has_public_actions=False)).exhaustive
