"""Liar's dice: rules by hand, all worlds against plain Python, plays against OpenSpiel."""

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import TERMINAL
from sog.games.liars_dice import LiarsDice
from sog.games.registry import make
from tests.games.random_plays import play_randomly, state_after

Hand = tuple[int, ...]
History = tuple[tuple[Hand, Hand], tuple[Any, ...]]


class DiceRules:
    """A history is both hands (faces from 1) and the calls: bids (quantity, face) or "liar"."""

    def __init__(self, dice: tuple[int, int], faces: int) -> None:
        self.faces = faces
        self.bids = [(q, f) for q in range(1, sum(dice) + 1) for f in range(1, faces + 1)]
        rolls = [list(itertools.product(range(1, faces + 1), repeat=n)) for n in dice]
        sorted_rolls = [[tuple(sorted(roll)) for roll in of_player] for of_player in rolls]
        self.hands = [sorted(set(of_player)) for of_player in sorted_rolls]
        self.pairs = Counter(itertools.product(sorted_rolls[0], sorted_rolls[1]))

    def deals(self) -> list[tuple[float, History]]:
        return [(n / self.pairs.total(), (pair, ())) for pair, n in self.pairs.items()]

    def actor(self, history: History) -> int:
        calls = history[1]
        return TERMINAL if calls[-1:] == ("liar",) else len(calls) % 2

    def moves(self, history: History) -> list[tuple[int, float, int, History]]:
        hands, calls = history
        if calls[-1:] == ("liar",):
            return []
        higher = [(n, bid) for n, bid in enumerate(self.bids) if not calls or bid > calls[-1]]
        called: list[tuple[int, Any]] = [(len(self.bids), "liar")] if calls else []
        return [(n, 1.0, n, (hands, (*calls, call))) for n, call in [*higher, *called]]

    def infostates(self, history: History) -> tuple[int, int]:
        first, second = history[0]
        return self.hands[0].index(first), self.hands[1].index(second)

    def utility(self, history: History) -> float:
        hands, calls = history
        quantity, face = calls[-2]
        shown = sum(die in (face, self.faces) for die in hands[0] + hands[1])
        caller = (len(calls) - 1) % 2
        winner = caller if shown < quantity else 1 - caller
        return 1.0 if winner == 0 else -1.0


@pytest.mark.thorough(but=["dice=1,faces=2", "dice1=1"])
@pytest.mark.parametrize(
    ("game", "dice"),
    [
        (LiarsDice(faces=3), (1, 1)),
        (LiarsDice(dice=2, faces=2), (2, 2)),
        (LiarsDice(dice=2, dice1=1, faces=2), (2, 1)),
        (LiarsDice(dice=1, dice1=3, faces=2), (1, 3)),
    ],
    ids=str,
)
def test_all_worlds_agree_with_the_rules(
    check_rules: Callable[..., None], game: LiarsDice, dice: tuple[int, int]
) -> None:
    check_rules(game, DiceRules(dice, game.faces))


def utility_of(game: LiarsDice, hands: tuple[int, int], *calls: int) -> float:
    """Player 0's utility when the players hold these hands."""
    state = state_after(game, *calls)
    assert int(game.actor(state)) == TERMINAL
    reach = jax.nn.one_hot(jnp.array(hands), game.num_infostates)
    cfv = game.utilities(state, reach)[0, hands[0]]
    return float(cfv / game.compatible_reach(state, reach)[0, hands[0]])


def test_two_threes_hold_with_a_three_and_a_wild_six() -> None:
    game = LiarsDice()
    two_threes, liar = 6 + 2, 12
    # Player 0 holds a 3, player 1 a 6 and calls: the bid holds, so player 1 loses.
    assert utility_of(game, (2, 5), two_threes, liar) == 1.0
    assert utility_of(game, (2, 4), two_threes, liar) == -1.0
    # Here player 1 bids and player 0 calls.
    assert utility_of(game, (2, 5), 0, two_threes, liar) == -1.0


def test_wild_dice_alone_make_a_bid_on_sixes() -> None:
    game = LiarsDice()
    one_six, liar = 5, 12
    assert utility_of(game, (4, 4), one_six, liar) == -1.0
    assert utility_of(game, (4, 5), one_six, liar) == 1.0


def test_hands_are_dealt_with_their_probabilities() -> None:
    game = LiarsDice(dice=2, faces=2, dice1=1)
    keys = jax.random.split(jax.random.key(3), 8000)
    pairs = Counter(map(tuple, np.asarray(jax.jit(jax.vmap(game.deal))(keys)).tolist()))
    for hand, odds in enumerate([0.25, 0.5, 0.25]):
        for face in range(2):
            assert pairs[hand, face] / 8000 == pytest.approx(odds / 2, abs=0.025)  # 5 sigma
    assert set(pairs) == set(itertools.product(range(3), range(2)))


@pytest.mark.thorough(but=["2-"])
@pytest.mark.parametrize(("dice", "faces"), [(1, 6), (2, 3)])
def test_random_plays_agree_with_openspiel(dice: int, faces: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    other = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={faces})")
    hands = list(itertools.combinations_with_replacement(range(faces), dice))
    for play in play_randomly(LiarsDice(dice=dice, faces=faces), 60, 1):
        state = other.new_initial_state()
        for hand in play.dealt:
            for die in hands[hand]:
                state.apply_action(die)
        for step in play.steps:
            assert step.actor == state.current_player()
            assert step.legal == state.legal_actions()
            state.apply_action(step.action)
        assert state.is_terminal()
        assert state.returns() == [play.utility, -play.utility]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("liars_dice(dice=0)", "liars_dice: dice must be >= 1, got 0"),
        ("liars_dice(faces=1)", "liars_dice: faces must be >= 2, got 1"),
        ("liars_dice(dice1=-1)", "liars_dice: dice1 must be >= 0, got -1"),
    ],
)
def test_bad_parameters_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(text)


def test_bids_and_hands_are_told_in_words() -> None:
    game = LiarsDice(dice=2, faces=3)
    assert game.describe_state(game.root()) == "start"
    assert game.describe_state(state_after(game, 1, 5, 12)) == "1-2 2-3 liar"
    assert game.describe_infostate(game.root(), 0, 4) == "2 3"
    assert game.describe_action(game.root(), 0, 11) == "4-3"
    assert game.describe_outcome(state_after(game, 1), 12) == "liar"
