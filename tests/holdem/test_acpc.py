"""Hands as the ACPC protocol writes them, and bets that are not in the menu, by hand."""

from typing import Any

import jax
import numpy as np
import pytest

from sog.games import make
from sog.games.core import CHANCE, TERMINAL
from sog.holdem.acpc import AcpcHand, MatchState, acpc_game
from sog.holdem.game import Holdem
from sog.play.rules import after, situation

FOLD, CALL, HALF, POT, ALL_IN = range(5)
GAME = acpc_game(make("holdem(bets=0.5/1/allin)"))
DRAWN = acpc_game(make("holdem(bets=drawn/allin,draw_bets=0.5/1,draw_stacks=20000)"))
LINE = "MATCHSTATE:1:7:cr200c/cr500:|KsTd/7h8d2c"


def acpc_hand(betting: str, board: str = "") -> AcpcHand:
    """After this betting, and the boards of its streets."""
    found = AcpcHand(GAME)
    found.follow(MatchState.read(f"MATCHSTATE:0:0:{betting}:AsAd|{board}"))
    return found


def test_a_match_state_is_read_and_written() -> None:
    told = MatchState.read(f"{LINE}\r\n")
    assert (told.position, told.hand, told.cards) == (1, 7, ("", "KsTd"))
    assert (told.betting, told.board) == ("cr200c/cr500", ("7h8d2c",))
    assert str(told) == LINE


def test_digits_that_go_on_are_another_bet() -> None:
    found = acpc_hand("r300")
    with pytest.raises(ValueError, match=r"r3000:AsAd\| does not come after 'r300'"):
        found.follow(MatchState.read("MATCHSTATE:0:0:r3000:AsAd|"))
    assert found.real.stakes.tolist() == [100, 300]


def test_a_drawn_size_may_be_the_smallest() -> None:
    game = acpc_game(make("holdem(bets=1/drawn/allin,draw_bets=0.25,draw_stacks=20000)"))
    found = AcpcHand(game)
    found.draw(np.random.default_rng(0))
    drawn, pot = 3, 2
    assert [found.size_of(chips) for chips in (200, 300, 20000)] == [drawn, pot, 4]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("MATCHSTATE:2:0::AsAd|", "a match state must look like MATCHSTATE:0:7:cr300c/:"),
        ("MATCHSTATE:0:0:cc/:AsAd|", "public cards are missing in MATCHSTATE:0:0:cc/:AsAd|."),
        ("MATCHSTATE:0:0:ccc:AsAd|", "'c' cannot come after 'cc' in"),
        ("MATCHSTATE:0:0:c/:AsAd|/KsTd2c", "'/' cannot come after 'c' in"),
        ("MATCHSTATE:0:0:r150:AsAd|", "'r150' is illegal where r200 to r20000 is possible in"),
        ("MATCHSTATE:0:0:r500r800:AsAd|", "'r800' is illegal where r900 to r20000 is possible in"),
        ("MATCHSTATE:0:0:r20000r20000:AsAd|", "'r20000' is illegal where no raise is possible in"),
        ("MATCHSTATE:0:0:cc/:AsAd|/KsTd", "3 cards must be dealt, got 'KsTd' in"),
        ("MATCHSTATE:0:0:cc/:AsAd|/KsKsTd", "cards must differ, got Ks twice in"),
        ("MATCHSTATE:0:0:cc/cc/:AsAd|/KsTd2c/Ks", "a card is dealt twice in"),
    ],
)
def test_a_line_that_lies_is_told(line: str, told: str) -> None:
    found = AcpcHand(GAME)
    with pytest.raises(ValueError, match=r".") as caught:
        found.follow(MatchState.read(line))
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("game", [GAME, DRAWN], ids=["a menu", "a size that is drawn"])
def test_bets_of_the_menu_are_the_same_in_both_directions(game: Holdem) -> None:
    """Random hands of our game: what a dealer writes leads a client to the same events."""
    random = np.random.default_rng(1)
    for _ in range(12):
        dealt, told = AcpcHand(game), AcpcHand(game)
        for acpc_hand in (dealt, told):
            acpc_hand.draw(np.random.default_rng(2))
        while dealt.actor < 3:
            legal = np.flatnonzero(situation(game, dealt.state).legal_outcomes)
            outcome = int(random.choice(legal[legal > 0] if len(legal) > 1 else legal))
            if dealt.actor < 2:
                assert dealt.action_of(dealt.text_of(outcome)) == outcome
            dealt.observe(outcome)
            line = MatchState(
                position=0,
                hand=0,
                betting=dealt.betting,
                cards=("AsAd", ""),
                board=tuple(dealt.board),
            )
            told.follow(MatchState.read(str(line)))
        assert told.outcomes == dealt.outcomes
        jax.tree.map(np.testing.assert_array_equal, told.real, dealt.real)
        assert told.real_actor == TERMINAL


@pytest.mark.parametrize(
    ("chips", "size"),
    [
        # Into 200, after a call of 100. Between half the pot and the pot the border is
        # (0.5 + 1 + 2 * 0.5 * 1) / (0.5 + 1 + 2) = 0.714 pots, which is 243 chips; between the pot
        # and all-in, 99.5 pots, it is (1 + 99.5 + 199) / (1 + 99.5 + 2) = 2.92 pots, 684 chips.
        *((200, HALF), (242, HALF), (243, POT), (300, POT), (684, POT), (685, ALL_IN)),
        (20_000, ALL_IN),
    ],
)
def test_a_bet_counts_as_the_size_that_pseudo_harmonic_mapping_takes(chips: int, size: int) -> None:
    found = AcpcHand(GAME)
    found.follow(MatchState.read(f"MATCHSTATE:0:0:r{chips}:AsAd|"))
    assert found.outcomes == [size]
    assert found.real.stakes.tolist() == [100, chips]


def test_our_bets_are_the_same_part_of_the_real_pot() -> None:
    # Told 260, which counts as the pot, 300: a raise of the pot is to 300 + 600 there, which is 260
    # + 520 here.
    assert acpc_hand("r260").text_of(POT) == "r780"
    assert acpc_hand("r260").text_of(ALL_IN) == "r20000"
    assert acpc_hand("r300").text_of(POT) == "r900"
    assert acpc_hand("r260").text_of(CALL) == "c"
    assert acpc_hand("r260").text_of(FOLD) == "f"
    # Half of the pot is 300 there, and 260 here.
    assert acpc_hand("r260").text_of(HALF) == "r520"


def test_where_our_game_is_all_in_the_hand_goes_on() -> None:
    """700 counts as all-in: after the call nobody bets in our game, but they do in the hand."""
    found = acpc_hand("r700c/r1000", "/KsTd2c")
    assert (found.real.stakes.tolist(), found.real_actor) == ([1000, 700], 1)
    assert found.actor == 2  # chance: the turn of a game where all are all-in
    assert situation(GAME, found.state).legal_outcomes.sum() == 49
    found.follow(MatchState.read("MATCHSTATE:0:0:r700c/r1000c/cc/cc:AsAd|/KsTd2c/3d/4d"))
    assert found.real_actor == TERMINAL
    assert found.actor == 3


def test_a_hand_may_have_more_raises_than_our_game_ever_has() -> None:
    found = acpc_hand("".join(f"r{100 * number}" for number in range(2, 180)))
    assert found.bounds == (18_000, 20_000)
    found.follow(MatchState.read(f"MATCHSTATE:0:0:{found.betting}c:AsAd|"))
    assert found.real_actor == CHANCE


def test_a_size_that_is_drawn_is_drawn_for_every_hand_and_not_told() -> None:
    random = np.random.default_rng(0)
    raised = set()
    for _ in range(8):
        found = AcpcHand(DRAWN)
        found.draw(random)
        assert found.betting == ""
        raised.add(found.text_of(2))
    # Half of the pot of 200 that there is after a call of 100, and all of it.
    assert raised == {"r200", "r300"}


@pytest.mark.parametrize(
    "name",
    [
        "leduc",
        "holdem(hole_cards=1)",
        "holdem(draw_stacks=1000/2000)",
        "holdem(board=KsTh7s4d2c,pot=100,stack=100)",
    ],
)
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"ACPC"):
        acpc_game(make(name))


def test_the_big_blind_may_raise_after_a_call() -> None:
    found: Any = acpc_hand("c")
    assert (found.actor, found.real_actor) == (0, 0)
    assert found.bounds == (200, 20_000)
    state = after(GAME, GAME.root(), CALL)
    assert isinstance(GAME, Holdem)
    assert np.array_equal(state.betting.stakes, found.state.betting.stakes)
