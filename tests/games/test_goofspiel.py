"""Goofspiel: rules by hand; all worlds and plays against OpenSpiel, also with hidden bids."""

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.bidding import TIED, WON_BY_0, WON_BY_1
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.games.goofspiel import Goofspiel
from sog.games.ii_goofspiel import IIGoofspiel
from tests.games.random_plays import play_randomly, state_after

History = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


class GoofspielRules:
    """A history is the point cards shown and the bids of each player."""

    def __init__(self, cards: int, order: str, payoff: str) -> None:
        self.payoff = payoff
        self.cards = tuple(range(1, cards + 1))
        self.shown = {"ascending": self.cards, "descending": self.cards[::-1], "random": ()}[order]

    def left(self, spent: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(card for card in self.cards if card not in spent)

    def deals(self) -> list[tuple[float, History]]:
        return [(1.0, (self.shown, (), ()))]

    def actor(self, history: History) -> int:
        shown, bids_0, bids_1 = history
        if len(self.left(bids_1)) == 1:
            return TERMINAL
        if len(bids_0) > len(bids_1):
            return PLAYER_1
        return CHANCE if len(shown) == len(bids_0) else PLAYER_0

    def moves(self, history: History) -> list[tuple[int, float, int, History]]:
        shown, bids_0, bids_1 = history
        actor, unseen = self.actor(history), self.left(shown)
        if actor == CHANCE:
            odds = 1 / len(unseen)
            return [(0, odds, card - 1, ((*shown, card), bids_0, bids_1)) for card in unseen]
        if actor == PLAYER_0:
            return [(bid - 1, 1.0, 0, (shown, (*bids_0, bid), bids_1)) for bid in self.left(bids_0)]
        if actor == PLAYER_1:
            return [
                (bid - 1, 1.0, self.shown_of(bids_0[-1], bid), (shown, bids_0, (*bids_1, bid)))
                for bid in self.left(bids_1)
            ]
        return []

    def shown_of(self, bid_0: int, bid_1: int) -> int:
        """The outcome that tells what is shown of these bids."""
        return (bid_0 - 1) * len(self.cards) + bid_1 - 1

    def infostates(self, history: History) -> tuple[int, int]:
        return history[1][-1] - 1 if self.actor(history) == PLAYER_1 else 0, 0

    def utility(self, history: History) -> float:
        shown, bids_0, bids_1 = ((*spent, *self.left(spent)) for spent in history)
        lead = 0
        for points, bid_0, bid_1 in zip(shown, bids_0, bids_1, strict=True):
            lead += points if bid_0 > bid_1 else -points if bid_1 > bid_0 else 0
        return lead if self.payoff == "diff" else (lead > 0) - (lead < 0)


class IIGoofspielRules(GoofspielRules):
    """The same histories, of which the players see less."""

    def shown_of(self, bid_0: int, bid_1: int) -> int:
        return TIED if bid_0 == bid_1 else WON_BY_0 if bid_0 > bid_1 else WON_BY_1

    def infostates(self, history: History) -> tuple[int, int]:
        return self.first_with(history[1]), self.first_with(history[2])

    def first_with(self, bids: tuple[int, ...]) -> int:
        """The first permutation that begins with the bids."""
        permutations = itertools.permutations(self.cards)
        return next(i for i, cards in enumerate(permutations) if cards[: len(bids)] == bids)


@pytest.mark.thorough(but=["3-random-diff-hidden", "2-random"])
@pytest.mark.parametrize("hidden", [False, True], ids=["revealed", "hidden"])
@pytest.mark.parametrize(
    ("cards", "order", "payoff"),
    [
        pytest.param(4, "descending", "wl", marks=pytest.mark.slow),
        (3, "ascending", "diff"),
        (3, "random", "diff"),
        (2, "random", "wl"),
    ],
)
def test_all_worlds_agree_with_the_rules(
    check_rules: Callable[..., None], cards: int, order: str, payoff: str, hidden: bool
) -> None:
    game_class = IIGoofspiel if hidden else Goofspiel
    rules_class = IIGoofspielRules if hidden else GoofspielRules
    game = game_class(cards=cards, order=order, payoff=payoff)
    check_rules(game, rules_class(cards, order, payoff))


def after_bids(game: Goofspiel, *rounds: tuple[int, int]) -> Any:
    """The public state after these pairs of bids, the point cards being in a fixed order."""
    bids = [(0, (bid_0 - 1) * game.cards + bid_1 - 1) for bid_0, bid_1 in rounds]
    return state_after(game, *itertools.chain(*bids))


def utility_of(game: Goofspiel, *rounds: tuple[int, int]) -> float:
    """Player 0's utility at the end, where each player has the one infostate 0."""
    state = after_bids(game, *rounds)
    assert int(game.actor(state)) == TERMINAL
    reach = jnp.zeros((2, game.num_infostates)).at[:, 0].set(1)
    return float(game.utilities(state, reach)[0, 0])


def test_the_forced_last_round_counts_and_ties_discard_the_card() -> None:
    game = Goofspiel(cards=3, payoff="diff")
    # 3: 3-1 to player 0; 2: 2-2 discarded; 1: the last cards are 1-3, to player 1.
    assert utility_of(game, (3, 1), (2, 2)) == 2.0
    # 3: 1-3, 2: 2-1 and 1: 3-2.
    assert utility_of(game, (1, 3), (2, 1)) == 0.0
    ascending = Goofspiel(cards=3, payoff="diff", order="ascending")
    # 1: 3-1, 2: 2-2, 3: 1-3.
    assert utility_of(ascending, (3, 1), (2, 2)) == -2.0


def test_the_greatest_lead_is_the_greatest_utility() -> None:
    orders = list(itertools.permutations(range(1, 5)))
    leads = [
        sum(
            points * int(np.sign(a - b))
            for points, a, b in zip(orders[0], bids, other, strict=True)
        )
        for bids, other in itertools.product(orders, orders)
    ]
    assert Goofspiel(cards=4, payoff="diff").max_utility == max(leads)


def test_point_cards_come_with_equal_odds() -> None:
    game = Goofspiel(cards=4, order="random")
    state = state_after(game, 1, 0, 0)
    assert int(game.actor(state)) == CHANCE
    keys = jax.random.split(jax.random.key(0), 3000)
    zeros, action = jnp.zeros(2, jnp.int32), jnp.int32(0)
    outcomes, _ = jax.vmap(lambda key: game.transition(key, state, zeros, action))(keys)
    shares = np.bincount(outcomes, minlength=16) / 3000
    assert shares[[0, 2, 3]] == pytest.approx(1 / 3, abs=0.045)  # 5 sigma
    assert shares.sum() == pytest.approx(shares[[0, 2, 3]].sum())


@pytest.mark.thorough(but=["hidden"])
@pytest.mark.parametrize("hidden", [False, True], ids=["revealed", "hidden"])
@pytest.mark.parametrize(
    ("order", "payoff", "returns"),
    [
        ("descending", "wl", "win_loss"),
        pytest.param("ascending", "diff", "point_difference", marks=pytest.mark.slow),
        ("random", "diff", "point_difference"),
    ],
)
def test_random_plays_agree_with_openspiel(
    order: str, payoff: str, returns: str, hidden: bool
) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    settings = f"imp_info={hidden},num_cards=5,points_order={order},returns_type={returns}"
    other = pyspiel.load_game(f"goofspiel({settings})")
    # Its point difference is to the mean of both scores: half of the difference of the two.
    scale = 2 if payoff == "diff" else 1
    game_class = IIGoofspiel if hidden else Goofspiel
    for play in play_randomly(game_class(cards=5, order=order, payoff=payoff), 60, 2):
        state = other.new_initial_state()
        pending = 0
        for step in play.steps:
            if step.actor == CHANCE:
                assert state.is_chance_node()
                state.apply_action(step.outcome)
                continue
            assert step.legal == state.legal_actions(step.actor)
            if step.actor == PLAYER_0:
                pending = step.action
            else:
                state.apply_actions([pending, step.action])
        assert state.is_terminal()
        assert [scale * value for value in state.returns()] == [play.utility, -play.utility]


def test_full_size_goofspiel_runs() -> None:
    game = Goofspiel(cards=13)
    state = after_bids(game, *((card, 14 - card) for card in range(1, 13)))
    assert int(game.actor(state)) == TERMINAL


def test_rounds_are_told_in_words() -> None:
    game = Goofspiel(cards=3)
    state = after_bids(game, (3, 1))
    assert game.describe_state(game.root()) == "for 3"
    assert game.describe_state(state) == "3: 3-1, for 2"
    assert game.describe_action(state, 0, 1) == "bid 2"
    hidden = game.apply(state, jnp.int32(0))
    assert game.describe_outcome(state, 0) == "player 0 bids"
    assert game.describe_infostate(hidden, 0, 1) == "has bid 2"
    assert game.describe_outcome(hidden, 1 * 3 + 2) == "bids 2-3"
    assert game.describe_outcome(Goofspiel(order="random").root(), 3) == "point card 4"


@pytest.mark.parametrize("game", [Goofspiel(cards=3), IIGoofspiel(cards=2)], ids=str)
def test_a_bid_of_player_1_has_no_more_outcomes_than_searches_have_room_for(game: Any) -> None:
    state = game.apply(game.root(), jnp.int32(0))
    outcomes = int(game.legal_outcomes(state).sum())
    assert outcomes == {"goofspiel": 9, "ii_goofspiel": 3}[game.name] == game.num_decision_outcomes
