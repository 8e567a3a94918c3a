"""Bots of betting games, against what is known of hands and a count of all cards by hand."""

import itertools
from typing import Any

import numpy as np
import pytest

from sog.holdem.bots.calling_down import CallingDown
from sog.holdem.game import Holdem
from sog.play.arena import play_match
from sog.play.match import Agent
from sog.players.seating import seat
from tests.holdem.games import holdem

SMALL = "holdem(ranks=4,suits=2,hole_cards=1,deals=1/1,blinds=1/2,stack=40,bets=1/allin)"
FOLD, CALL, POT, ALL_IN = range(4)
RIVER = "holdem(board=KsTh7s4d2c,pot=100,stack=100,bets=0.5/1)"


def agent(name: str, game: Any, player: int = 0) -> Agent:
    return seat([name], game=game).players[0].make(player, 0)


def plays(name: str, game: Holdem, events: list[int], hand: str, player: int = 0) -> int:
    """What a bot does with a hand, after some events."""
    bot: Any = agent(name, game, player)
    for outcome in events:
        bot.observe(outcome)
    cards = np.sort(game.deck.parse_cards(hand))
    (infostate,) = np.flatnonzero((cards[None] == game.hands.cards).all(axis=1))
    return int(bot.act(int(infostate)))


def test_fixed_bots_fold_call_and_raise_whenever_they_may() -> None:
    game = holdem(SMALL)
    assert plays("always_fold", game, [POT], "As") == FOLD
    assert plays("always_fold", game, [CALL], "As") == CALL
    assert plays("always_call", game, [POT], "As") == CALL
    assert plays("always_raise", game, [POT], "As") == POT
    assert plays("always_raise(size=largest)", game, [POT], "As") == ALL_IN
    assert plays("always_raise", game, [ALL_IN], "As") == CALL


def test_the_smallest_size_is_the_one_of_fewest_chips_wherever_it_is_on_the_menu() -> None:
    game = holdem(SMALL.replace("bets=1/allin", "bets=1/drawn/allin,draw_bets=0.5"))
    drawn = POT + 1
    after_the_draw = [0]
    assert plays("always_raise", game, after_the_draw, "As", player=1) == drawn
    # Whoever bets with any hand bets the less, the worse the hand is.
    assert plays("equity(raise_from=0)", game, after_the_draw, "Js", player=1) == drawn


def test_whoever_always_raises_gets_the_blinds_of_one_who_always_folds() -> None:
    """0.5 big blinds as the big blind, 1 as the small one: 750 mbb."""
    raises, folds = seat(["always_raise", "always_fold"], game=SMALL).players
    result = play_match(raises.game, raises.make, folds.make, num_games=4)
    assert result.mean == 0.75
    assert result.standard_error == 0


def test_fixed_bots_need_a_game_of_betting() -> None:
    with pytest.raises(ValueError, match=r"^always_call: the game must have betting, as holdem"):
        seat(["always_call"], game="tic_tac_toe")


@pytest.mark.slow
def test_equities_before_the_flop_are_those_of_the_tables() -> None:
    """AA 85.20%, KK 82.40%, 72o 34.58%, 32o 32.30% against any hand (common knowledge)."""
    game = holdem("holdem")
    found = CallingDown(game, runouts=1000).equities(game.root())
    kinds: dict[str, list[float]] = {}
    for hand in range(game.num_infostates):
        kinds.setdefault(game.describe_kind(game.root(), 0, hand), []).append(found[hand])
    for kind, equity in (("AA", 0.8520), ("KK", 0.8240), ("72o", 0.3458), ("32o", 0.3230)):
        assert np.mean(kinds[kind]) == pytest.approx(equity, abs=0.02)


@pytest.mark.thorough
def test_equities_of_a_small_deck_are_those_of_all_its_cards() -> None:
    game = holdem(SMALL)
    cards, expected = range(8), np.zeros(8)
    for own in cards:
        shares = []
        for other, first, second in itertools.permutations(set(cards) - {own}, 3):
            board = [first // 2, second // 2]

            def worth(card: int, board: list[int] = board) -> tuple[int, ...]:
                ranks = sorted([card // 2, *board], reverse=True)
                pairs = [rank for rank in set(ranks) if ranks.count(rank) == 2]
                three = ranks[0] == ranks[2]
                return (int(three), *(pairs or [-1]), *ranks)

            one, two = worth(own), worth(other)
            shares.append(1.0 if one > two else 0.5 if one == two else 0.0)
        expected[own] = np.mean(shares)
    np.testing.assert_allclose(CallingDown(game).equities(game.root()), expected, atol=1e-6)


@pytest.mark.thorough
def test_the_equity_bot_plays_by_the_odds_of_the_pot() -> None:
    """On this river a set bets the pot and a pair of tens raises; a bet of half of the pot takes an
    equity of a quarter: a pair of fours has it, five-high folds, and checks where that is free."""
    game = holdem(RIVER)
    half, pot = 2, 3
    assert plays("equity", game, [], "KhKd") == pot
    assert plays("equity", game, [half], "9sTs", player=1) == pot
    assert plays("equity", game, [half], "5s4s", player=1) == CALL
    assert plays("equity", game, [half], "3s5h", player=1) == FOLD
    assert plays("equity", game, [CALL], "3s5h", player=1) == CALL
