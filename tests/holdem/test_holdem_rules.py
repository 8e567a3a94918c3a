"""Hold'em against the rules of OpenSpiel and of PokerKit, hand by hand on random play."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest

from sog.games.core import CHANCE, PLAYER_1, TERMINAL
from sog.holdem.deck import combinations
from sog.holdem.game import Holdem
from sog.holdem.no_limit import CALL, FIRST_SIZE, FOLD, NO_FOLDER
from tests.holdem.games import holdem

UNEQUAL = "holdem(blinds=5/10,stack=230/160,bets=min/0.5/allin)"
LIMIT = "holdem(blinds=5/10,stack=1000,bets=10c|10c|20c|20c,caps=4)"
GAMES: list[Any] = [
    UNEQUAL,
    LIMIT,
    *(
        pytest.param(text, marks=pytest.mark.slow)
        for text in (
            "holdem(blinds=1/2,stack=40,bets=min/0.33/0.75/1.5/allin)",
            "holdem(blinds=50/100,stack=700/1000,bets=min/0.5/1/allin)",
            "holdem(blinds=1/3,stack=3/20,bets=min/1/allin)",
            "holdem(blinds=2/2,stack=90/11,bets=min/1/allin)",
            "holdem(blinds=5/10,stack=600,bets=min/0.4/1/3/allin)",
        )
    ),
]
NUM_HANDS = 200
MANY = 2000


@dataclasses.dataclass(frozen=True)
class Bet:
    """A decision: who decides, whether he may fold, what he may raise to, and what he does."""

    player: int
    can_fold: bool
    sizes: list[int]
    action: int
    after: int
    on_street: int


@dataclasses.dataclass(frozen=True)
class Hand:
    """A hand, its decisions and deals in their order, and what player 0 wins, in chips."""

    cards: list[list[int]]
    steps: list[Bet | list[int]]
    won: float
    stakes: list[int]
    folder: int


@functools.cache
def play(game: Holdem, count: int, seed: int = 0) -> list[Hand]:
    def one(key: jax.Array) -> Any:
        deal_key, key = jax.random.split(key)
        infostates = game.deal(deal_key)

        def step(state: Any, key: jax.Array) -> tuple[Any, Any]:
            choice_key, key = jax.random.split(key)
            legal = game.betting.legal(state.betting)
            # Who often folds sees no showdown, and who often raises is all-in.
            odds = jnp.zeros(game.num_actions).at[FOLD].set(-2.0).at[CALL].set(1.5)
            action = jax.random.categorical(choice_key, jnp.where(legal, odds, -1e9))
            outcome, _ = game.transition(key, state, infostates, action)
            after = game.apply(state, outcome)
            is_over = game.actor(state) == TERMINAL
            told = (
                game.actor(state),
                legal,
                game.betting.raised_stakes(state.betting)[0],
                outcome,
                after.betting.stakes,
                state.betting.matched,
                state.betting.street,
            )
            return jax.tree.map(lambda a, b: jnp.where(is_over, a, b), state, after), told

        state, steps = jax.lax.scan(step, game.root(), jax.random.split(key, game.max_depth))
        won = game.world_utility(state, infostates) * game.chips_per_unit
        return infostates, steps, won, state.betting.stakes, state.betting.folder

    played = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(seed), count))
    rows = zip(*jax.tree.leaves(jax.tree.map(np.asarray, played)), strict=True)
    return [_hand(game, *row) for row in rows]


def _hand(game: Holdem, infostates: Any, *told: Any) -> Hand:
    *steps, won, stakes, folder = told
    events: list[Bet | list[int]] = []
    for actor, legal, sizes, outcome, after, matched, street in zip(*steps, strict=True):
        if actor == TERMINAL:
            break
        if actor == CHANCE:
            sets = combinations(52, 3 if street == 0 else 1)
            events.append(sets[outcome].tolist())
            continue
        assert legal[CALL]
        events.append(
            Bet(
                player=int(actor),
                can_fold=bool(legal[FOLD]),
                sizes=sizes[legal[FIRST_SIZE:]].tolist(),
                action=int(outcome),
                after=int(after[actor]),
                on_street=int(after[actor] - matched),
            )
        )
    cards = game.hands.cards[infostates].tolist()
    return Hand(cards, events, float(won), stakes.tolist(), int(folder))


def _is_limit(game: Holdem) -> bool:
    return any(menu.cap for menu in game.betting.menus)


def follow_in_openspiel(game: Holdem, hands: list[Hand]) -> None:
    (small, big), stacks = game.betting.blinds, game.betting.stacks
    first, is_limit = 2 if game.betting.first_to_act == PLAYER_1 else 1, _is_limit(game)
    betting = (
        "betting=limit,raiseSize=10 10 20 20,maxRaises=4 4 4 4"
        if is_limit
        else f"betting=nolimit,stack={stacks[0]} {stacks[1]},bettingAbstraction=fullgame"
    )
    rules = pyspiel.load_game(
        f"universal_poker({betting},numPlayers=2,numRounds=4,blind={big} {small},"
        f"firstPlayer={first} 1 1 1,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1)"
    )
    for hand in hands:
        state = rules.new_initial_state()
        for card in (*hand.cards[0], *hand.cards[1]):
            state.apply_action(card)
        for step in hand.steps:
            if isinstance(step, list):
                for card in step:
                    assert state.is_chance_node()
                    state.apply_action(card)
                continue
            assert state.current_player() == step.player
            legal = state.legal_actions()
            raises = [action for action in legal if action > 1]
            assert (0 in legal) == step.can_fold
            if is_limit:  # the one size has no number there
                assert len(step.sizes) == len(raises)
                state.apply_action(min(step.action, FIRST_SIZE))
                continue
            assert set(step.sizes) <= set(raises)
            # The menu has the smallest and the largest.
            assert step.sizes[:1] == raises[:1]
            assert step.sizes[-1:] == raises[-1:]
            state.apply_action(step.action if step.action < FIRST_SIZE else step.after)
        assert state.is_terminal()
        assert state.returns()[0] == hand.won


def follow_in_pokerkit(game: Holdem, hands: list[Hand]) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    automatic = [
        *("ANTE_POSTING", "BET_COLLECTION", "BLIND_OR_STRADDLE_POSTING", "HAND_KILLING"),
        *("HOLE_CARDS_SHOWING_OR_MUCKING", "CHIPS_PUSHING", "CHIPS_PULLING"),
    ]
    automations = tuple(getattr(pokerkit.Automation, name) for name in automatic)
    blinds, big, stacks = game.betting.blinds, game.betting.smallest_bet, game.betting.stacks
    for hand in hands:
        if _is_limit(game):
            state = pokerkit.FixedLimitTexasHoldem.create_state(
                automations, True, 0, blinds, 10, 20, stacks, 2
            )
        else:
            state = pokerkit.NoLimitTexasHoldem.create_state(
                automations, True, 0, blinds, big, stacks, 2
            )
        for cards in hand.cards:
            state.deal_hole(game.deck.cards_name(cards))
        for step in hand.steps:
            if isinstance(step, list):
                state.burn_card("??")
                state.deal_board(game.deck.cards_name(step))
                continue
            assert state.actor_index == step.player
            assert state.can_complete_bet_or_raise_to() == bool(step.sizes)
            if step.action == FOLD:
                state.fold()
            elif step.action == CALL:
                state.check_or_call()
            else:
                state.complete_bet_or_raise_to(step.on_street)
        assert not state.status
        assert state.payoffs[0] == hand.won


@pytest.mark.thorough(but=["allin)-pokerkit"])
@pytest.mark.parametrize(
    "follow", [follow_in_openspiel, follow_in_pokerkit], ids=["openspiel", "pokerkit"]
)
@pytest.mark.parametrize("text", GAMES)
def test_hands_go_as_by_other_rules(
    text: str, follow: Callable[[Holdem, list[Hand]], None], request: pytest.FixtureRequest
) -> None:
    game = holdem(text)
    is_slow = request.node.get_closest_marker("slow") is not None
    hands = play(game, MANY if is_slow else NUM_HANDS)
    follow(game, hands)


def test_the_hands_compared_have_all_ins_ties_and_bets_that_come_back() -> None:
    game = holdem(UNEQUAL)
    shown = [hand for hand in play(game, NUM_HANDS) if hand.folder == NO_FOLDER]
    stacks = game.betting.stacks
    assert sum(any(map(int.__eq__, hand.stakes, stacks)) for hand in shown) > 20
    assert sum(hand.stakes[0] != hand.stakes[1] for hand in shown) > 5
    assert sum(hand.won == 0 for hand in shown) > 2
    assert sum(abs(hand.won) < stacks[1] and hand.won != 0 for hand in shown) > 5


@pytest.mark.parametrize("text", [UNEQUAL, LIMIT, "holdem(draw_stacks=500/2000,bets=1/allin)"])
def test_states_on_the_host_go_on_as_those_of_jax_do(text: str) -> None:
    game, random = holdem(text), np.random.default_rng(0)
    rules = game.betting

    def follow(states: Any, actions: Any) -> Any:
        bet, dealt = rules.bet(states, actions), rules.next_street(states)
        return bet, dealt, rules.legal(states), rules.raised_stakes(states), rules.won(states)

    alone = jax.jit(jax.vmap(follow))
    states = jax.tree.map(lambda leaf: leaf[None].repeat(256, axis=0), rules.start())
    if rules.setups:
        states = rules.draw(states, random.integers(len(rules.setups), size=256))
    start, met = [leaf.copy() for leaf in jax.tree.leaves(states)], set()
    for _ in range(40):
        odds = random.random((256, rules.num_actions)) + (np.arange(rules.num_actions) > FOLD)
        actions = np.argmax(odds * rules.legal(states), axis=1)
        found = follow(states, actions)
        jax.tree.map(_check_same, found, alone(states, actions))
        met |= {(stage, street) for stage, street in zip(states.stage, states.street, strict=True)}
        is_deal, is_over = states.stage == CHANCE, states.stage == TERMINAL
        states, dealt = found[:2]
        for leaf, new, first in zip(*map(jax.tree.leaves, (states, dealt)), start, strict=True):
            leaf[is_deal], leaf[is_over] = new[is_deal], first[is_over]
    assert met >= {(stage, street) for stage in range(CHANCE) for street in range(4)}
    assert (TERMINAL, 3) in met


def _check_same(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
