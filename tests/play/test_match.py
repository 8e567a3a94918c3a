"""Games between agents, judged by hand."""

import dataclasses
from typing import Any

import jax
import pytest

from gtcfr.evaluator import ZeroEvaluator
from sog.games import make
from sog.play import Agent, Aivat, play_game
from sog.play.match import Resignation
from sog.play.replay import replay_of
from sog.play.rules import key_of_event

KUHN = make("kuhn")
FOLD, CALL, BET = 0, 1, 2  # checking is calling nothing


@dataclasses.dataclass
class Scripted(Agent):
    """Takes given actions, and remembers what it is told."""

    actions: tuple[int, ...]
    num_games: int = 0
    asked: list[int] = dataclasses.field(default_factory=list)
    events: list[int] = dataclasses.field(default_factory=list)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        self.num_games += 1
        self.asked, self.events = [], []

    def observe(self, outcome: int) -> None:
        self.events.append(outcome)

    def act(self, infostate: int) -> int:
        self.asked.append(infostate)
        return self.actions[len(self.asked) - 1]


@dataclasses.dataclass
class Watcher(Scripted):
    """Notes how many events the other had been told before each that it is told itself."""

    known: list[int] = dataclasses.field(default_factory=list)
    watches = True

    def watch(self, other: Agent) -> None:
        self.other = other

    def observe(self, outcome: int) -> None:
        assert isinstance(self.other, Scripted)
        self.known.append(len(self.other.events))
        super().observe(outcome)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_watches_is_told_each_event_before_the_other(seat: int) -> None:
    watcher, other = Watcher((CALL, CALL)), Scripted((CALL, CALL))
    agents = (watcher, other) if seat == 0 else (other, watcher)
    play_game(KUHN, agents, jax.random.key(0))
    assert watcher.known == list(range(len(other.events)))
    assert len(other.events) >= 2


@pytest.mark.parametrize(
    ("first", "second", "pot", "folder"),
    [
        ((CALL,), (CALL,), 1, None),
        ((CALL, FOLD), (BET,), 1, 0),
        ((CALL, CALL), (BET,), 2, None),
        ((BET,), (FOLD,), 1, 1),
        ((BET,), (CALL,), 2, None),
    ],
)
def test_kuhn_poker_pays_the_higher_card_or_whoever_did_not_fold(
    first: tuple[int, ...], second: tuple[int, ...], pot: int, folder: int | None
) -> None:
    agents = [Scripted(first), Scripted(second)]
    deals = set()
    for seed in range(30):
        played = play_game(KUHN, agents, jax.random.key(seed))
        cards = played.infostates[0]
        wins = cards[0] > cards[1] if folder is None else folder == 1
        assert played.utility == pytest.approx(pot if wins else -pot)
        deals.add(cards)
    assert len(deals) == 6


def test_each_agent_is_told_its_own_card_and_all_public_events() -> None:
    agents = [Scripted((CALL, CALL)), Scripted((BET,))]
    for seed in range(3):
        played = play_game(KUHN, agents, jax.random.key(seed))
        assert played.outcomes == played.actions == (CALL, BET, CALL)
        assert [agent.events for agent in agents] == [[CALL, BET, CALL]] * 2
        card, other_card = played.infostates[0]
        assert agents[0].asked == [card, card]
        assert agents[1].asked == [other_card]
        assert played.infostates == ((card, other_card),) * 4
    assert [agent.num_games for agent in agents] == [3, 3]


def test_chance_turns_up_every_card_that_nobody_holds() -> None:
    game = make("leduc")
    turned_up = set()
    for seed in range(60):
        agents = [Scripted((CALL, CALL)), Scripted((CALL, CALL))]
        played = play_game(game, agents, jax.random.key(seed))
        card = played.outcomes[2]
        assert played.actions == (CALL, CALL, None, CALL, CALL)
        assert played.outcomes == (CALL, CALL, card, CALL, CALL)
        assert card not in played.infostates[0]
        turned_up.add(card)
    assert turned_up == set(range(6))


def test_games_of_one_key_share_all_cards_however_they_are_bet() -> None:
    """Two cards come, each after two or three moves."""
    game = make("holdem(ranks=4,suits=2,hole_cards=1,deals=1/1,blinds=1/2,stack=40,bets=1,caps=2)")
    boards = set()
    for seed in range(10):
        games = [
            play_game(game, [Scripted(first), Scripted(second)], jax.random.key(seed))
            for first, second in (
                ((CALL,) * 3, (CALL,) * 3),
                ((BET, CALL, CALL, CALL), (CALL, CALL, BET, CALL)),
                ((BET, BET, CALL), (BET, CALL, CALL, CALL)),
            )
        ]
        cards = {
            (one.infostates[0], *(one.outcomes[i] for i, a in enumerate(one.actions) if a is None))
            for one in games
        }
        assert len(cards) == 1
        boards |= cards
    assert len(boards) > 5


def test_every_event_of_a_game_has_randomness_of_its_own() -> None:
    """Also decisions: in games of OpenSpiel something hidden may be drawn after one."""
    course = (0, 1, None, 0, None, None, 1, 0)
    keys = [
        key_of_event(jax.random.key(0), course[:number], is_chance=action is None)
        for number, action in enumerate(course)
    ]
    assert len({str(jax.random.key_data(key)) for key in keys}) == len(course)


def test_a_hidden_move_becomes_an_infostate_and_is_told_to_nobody() -> None:
    agents = [Scripted((1,)), Scripted((0,))]
    played = play_game(make("matching_pennies"), agents, jax.random.key(0))
    assert played.actions == (1, 0)
    assert played.outcomes == (0, 0)
    assert played.infostates[-1] == (1, 0)
    assert agents[1].asked == [0]
    assert played.utility == -1  # the pennies do not match


def test_an_illegal_action_names_the_player_and_what_is_legal() -> None:
    message = r"player 1 must choose one of the actions \[0, 1\] at 'bet1 .*', got 2[.]"
    with pytest.raises(ValueError, match=message):
        play_game(KUHN, [Scripted((BET,)), Scripted((BET,))], jax.random.key(0))


def test_one_agent_is_not_enough() -> None:
    with pytest.raises(ValueError, match="agents must be two, one for each player, got 1"):
        play_game(KUHN, [Scripted(())], jax.random.key(0))


class Quitter(Scripted):
    """Gives up when it has no more actions."""

    def act(self, infostate: int) -> int:
        if len(self.asked) == len(self.actions):
            raise Resignation
        return super().act(infostate)


@pytest.mark.parametrize("quitter", [0, 1])
def test_who_gives_up_loses_as_much_as_one_can(quitter: int) -> None:
    """Each puts a stone, then one gives up; AIVAT finds no luck in that, whatever it values."""
    game = make("tic_tac_toe")
    agents: list[Scripted] = [Scripted((0, 1, 2)), Scripted((8, 7, 6))]
    agents[quitter] = Quitter(agents[quitter].actions[:1])
    played = play_game(game, agents, jax.random.key(0), with_policies=True)
    assert played.resigned == quitter
    assert played.utility == (-1, 1)[quitter]
    assert played.outcomes == ((0, 8), (0, 8, 1))[quitter]
    assert len(played.infostates) == len(played.outcomes) + 1
    assert Aivat(game, ZeroEvaluator()).estimate(played) == played.utility
    assert replay_of(game, 0, played)["resigned"] == quitter
