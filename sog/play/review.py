"""A finished game judged: what every choice was worth, and what was luck.

An adviser sits in each player's place and is led through the game, told only what that player was.
At each of his choices it says what its policy is and what each action is worth to him, given what
he held and what he could know. What a choice lost is the worth of the best action less that of the
one he took. So for either player

    utility = expected at his first choice + luck - what his choices lost,

where luck is all that he had no choice in: what chance did, what the other one held and did.

If the adviser's action values are those of a best response to the other player's policy, losses
are the player's part of the performance difference lemma (Kakade and Langford 2002): against that
policy, what he loses in a game is on average what he is short of a best response.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np

from sog.games.core import PLAYER_0, PLAYER_1, Game
from sog.play.agent import SearchAgent
from sog.play.alphazero_agent import AlphaZeroAgent
from sog.play.history import state_at_beginning
from sog.play.keeping_agent import KeepingAgent
from sog.play.match import Agent, PlayedGame
from sog.play.rules import after, situation
from sog.play.simple_agents import TabularAgent

GRADES: Final = (("good", 0.02), ("inaccuracy", 0.08), ("mistake", math.inf))
"""Words for what a choice lost that was not the best, each up to a share of the largest utility."""
_BOTH: Final = (PLAYER_0, PLAYER_1)
_LEAST_SHARE: Final = 0.1
"""Of the likeliest action's probability, from which on the adviser would take an action."""
_MIXED_SHARE: Final = 0.5
"""The same, from which on it is one of those that the adviser mixes: all are worth the same then,
and what they are short of the best is what its search is off."""


class Adviser(Agent, Protocol):
    """An agent that can say what it would do and what for, as those of `_ADVISERS`."""

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses."""

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: expected utility of each action to the player; NaN where that is unknown."""


_ADVISERS: Final = (SearchAgent, TabularAgent, KeepingAgent, AlphaZeroAgent)


def as_adviser(agent: Agent | None) -> Adviser | None:
    """The agent as one that says what actions are worth; None if it cannot."""
    return agent if isinstance(agent, _ADVISERS) else None


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """A decision at which the player had more than one action."""

    number: int
    """Of the public event that it led to, from 0."""
    player: int
    state: Any
    """The public state."""
    infostate: int
    action: int
    """What he did."""
    legal: np.ndarray
    """[A] bool."""
    policy: np.ndarray
    """[A]: what the adviser would have done."""
    values: np.ndarray
    """[A]: what each action was worth to him, in utility units; NaN where that is unknown."""
    ranges: np.ndarray | None = None
    """[player, S]: of both, as the adviser had them; None for one who does not search."""

    @property
    def best_action(self) -> int:
        """The action of the largest value among those that the adviser would take.

        A search knows little of what it hardly tried. If no value is known, the likeliest.
        """
        taken = self.policy >= _LEAST_SHARE * self.policy.max()
        values = np.where(taken & ~np.isnan(self.values), self.values, -np.inf)
        likeliest = np.where(np.isinf(values).all(), self.policy, values)
        return int(np.argmax(likeliest))

    @property
    def value(self) -> float:
        """That of the best action; NaN if none is known."""
        return float(self.values[self.best_action])

    @property
    def loss(self) -> float:
        """What the choice lost, in utility units, at least 0; NaN if it is unknown."""
        return max(self.value - float(self.values[self.action]), 0.0)

    def grade(self, max_utility: float) -> str:
        """Of `GRADES`, or "best"; "unknown" where the loss is."""
        if self.is_best(self.action, max_utility):
            return "best"
        if math.isnan(self.loss):
            return "unknown"
        return next(word for word, share in GRADES if self.loss < share * max_utility)

    def is_best(self, action: int, max_utility: float) -> bool:
        """Whether it is the best action, worth as much, or one that the adviser mixes with it."""
        short = self.value - float(self.values[action])
        is_mixed = self.policy[action] >= _MIXED_SHARE * self.policy.max()
        is_good = short < GRADES[0][1] * max_utility
        return action == self.best_action or short <= 0 or bool(is_mixed and is_good)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Review:
    """The choices of both players, in their order, and what came out."""

    game: Game[Any]
    played: PlayedGame
    choices: tuple[Choice, ...]

    def of(self, player: int) -> tuple[Choice, ...]:
        """The choices of one player."""
        return tuple(choice for choice in self.choices if choice.player == player)

    def utility(self, player: int) -> float:
        """What he got."""
        return self.played.utility if player == PLAYER_0 else -self.played.utility

    def lost(self, player: int) -> float:
        """What his choices lost, as far as that is known."""
        return float(np.nansum([choice.loss for choice in self.of(player)]))

    def luck(self, player: int) -> float:
        """What he got beyond what was to be expected at his first choice, his losses apart; NaN if
        he had none, or it is unknown what was to be expected."""
        choices = self.of(player)
        if not choices:
            return math.nan
        return self.utility(player) - choices[0].value + self.lost(player)


def review(
    game: Game[Any],
    played: PlayedGame,
    advisers: Sequence[Adviser],
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Judges a game.

    advisers: one for each player, see `as_adviser`.
    progress: called with the choices judged and to judge. Raises ValueError for events that cannot
    be, and as the advisers.
    """
    for adviser in advisers:
        adviser.begin(None if played.beginning is None else played.beginning.state)
    asked, choices = list(_choices(game, played)), []
    told = 0
    for number, state, player, infostate, legal in asked:
        for outcome in played.outcomes[told:number]:
            for adviser in advisers:
                adviser.observe(outcome)
        told, adviser = number, advisers[player]
        action = played.actions[number]
        assert action is not None
        values = np.where(legal, adviser.action_values(infostate), np.nan)
        choice = Choice(
            number=number,
            player=player,
            state=state,
            infostate=infostate,
            action=action,
            legal=legal,
            policy=adviser.policy(infostate),
            values=values,
            ranges=adviser.ranges if isinstance(adviser, SearchAgent) else None,
        )
        choices.append(choice)
        if progress is not None:
            progress(len(choices), len(asked))
    return Review(game=game, played=played, choices=tuple(choices))


def _choices(
    game: Game[Any], played: PlayedGame
) -> Iterator[tuple[int, Any, int, int, np.ndarray]]:
    """Where somebody had a choice: (number, state, player, infostate, [A] legal)."""
    state = state_at_beginning(game, played.beginning)
    for number, outcome in enumerate(played.outcomes):
        now = situation(game, state)
        if now.actor in _BOTH:
            infostate = played.infostates[number][now.actor]
            legal = now.legal_actions[infostate]
            if legal.sum() > 1:
                yield number, state, now.actor, infostate, legal
        state = after(game, state, outcome)
