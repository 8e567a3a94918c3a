"""The course of a game at a table: where it stands, and how it came there, event by event."""

import dataclasses
import math
from typing import Any

import jax
import numpy as np
from jax import Array

from sog.games.core import CHANCE, TERMINAL, Game
from sog.play import Agent, PlayedGame
from sog.play.history import AT_THE_ROOT, Opening, state_at_beginning
from sog.play.match import outcome_of
from sog.play.rules import Situation, after, deal, key_of_event, situation, step
from sog.play.thoughts import Thought


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """A public event of a game, and what it came from."""

    state: Any
    """Before it."""
    now: Situation
    infostates: np.ndarray
    """[2], before it."""
    outcome: int
    action: int | None
    """None where chance moved."""
    agent: Agent | None
    """The agent before it, at the person's last choices, if it has a chain of searches."""
    thoughts: list[Thought]
    ranges: np.ndarray | None = None
    """[player, S]: before it, where the agent that moved had just searched."""

    @property
    def actor(self) -> int:
        """Who moved, as `Game.actor`."""
        return self.now.actor

    @property
    def was_a_choice(self) -> bool:
        """Whether a player moved, and could have done something else."""
        is_players = self.actor < CHANCE
        return is_players and self.now.legal_actions[self.infostates[self.actor]].sum() > 1


class Course:
    """One game from the deal on; an event is added at a time, and may be taken back."""

    def __init__(self, game: Game[Any], key: Array, opening: Opening = AT_THE_ROOT) -> None:
        """Deals. opening: how it begins, where information is perfect."""
        self.game, self.num_given = game, len(opening.outcomes)
        self.beginning = opening.beginning
        self.resigned: int | None = None
        """The player who gave the game up."""
        self.agreed = False
        """Whether it was agreed drawn."""
        self.steps: list[Step] = []
        self._key, deal_key = jax.random.split(key)
        self.state: Any = jax.device_get(state_at_beginning(game, opening.beginning))
        self.now = situation(game, self.state)
        self.infostates = deal(game, deal_key)
        for outcome in opening.outcomes:  # with perfect information it is the action, too
            self._go_to(outcome, self.infostates, outcome, None, [], None)

    @staticmethod
    def of(game: Game[Any], played: PlayedGame) -> "Course":
        """That of a game that was played elsewhere; none of it is taken back."""
        course = Course(game, jax.random.key(0), Opening(beginning=played.beginning))
        course.infostates = np.asarray(played.infostates[0], np.int32)
        for number, (outcome, action) in enumerate(
            zip(played.outcomes, played.actions, strict=True), start=1
        ):
            held = np.asarray(played.infostates[number], np.int32)
            course._go_to(outcome, held, action, None, [], None)
        course.resigned, course.agreed = played.resigned, played.agreed
        course.num_given = len(course.steps)
        return course

    def opening(self, number: int) -> Opening:
        """A game that begins as this one did, up to an event."""
        outcomes = tuple(one.outcome for one in self.steps[:number])
        return Opening(beginning=self.beginning, outcomes=outcomes)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or was given up."""
        return self.now.actor == TERMINAL or self.resigned is not None or self.agreed

    @property
    def legal(self) -> list[int]:
        """The legal actions of the player who is to move; none where none is."""
        if self.is_over or self.now.actor == CHANCE:
            return []
        legal = self.now.legal_actions[int(self.infostates[self.now.actor])]
        return [int(action) for action in np.flatnonzero(legal)]

    @property
    def num_choices(self) -> int:
        """Events at which a player had a choice."""
        return sum(one.was_a_choice for one in self.steps)

    def last_choice(self, player: int) -> int | None:
        """The number of the last event at which a player had a choice; None if there was none."""
        for number in range(len(self.steps) - 1, self.num_given - 1, -1):
            one = self.steps[number]
            if one.actor == player and one.was_a_choice:
                return number
        return None

    def add(
        self,
        action: int | None,
        agent: Agent | None,
        thoughts: list[Thought],
        ranges: np.ndarray | None,
    ) -> int:
        """One event, which is returned. action: None at chance. agent, ranges: as of `Step`."""
        actions = [one.action for one in self.steps]
        key = key_of_event(self._key, actions, is_chance=action is None)
        outcome, infostates = step(self.game, key, self.state, self.infostates, action or 0)
        self._go_to(outcome, infostates, action, agent, thoughts, ranges)
        return outcome

    def go_back(self, number: int) -> Step:
        """To before an event, which is returned."""
        at = self.steps[number]
        del self.steps[number:]
        self.state, self.now, self.infostates = at.state, at.now, at.infostates
        self.resigned = None
        return at

    def forget_agents(self, most: int) -> None:
        """Drops the oldest copies of agents, but for `most` of them."""
        kept = [number for number, one in enumerate(self.steps) if one.agent is not None]
        for number in kept[: max(len(kept) - most, 0)]:
            self.steps[number] = dataclasses.replace(self.steps[number], agent=None)

    def played(self) -> PlayedGame:
        """The game so far; while it goes on its utility is NaN."""
        pairs = [*(one.infostates for one in self.steps), self.infostates]
        utility = math.nan
        if self.is_over:
            utility = outcome_of(
                self.game, self.state, self.infostates, self.resigned, agreed=self.agreed
            )
        return PlayedGame(
            utility=utility,
            resigned=self.resigned,
            agreed=self.agreed,
            beginning=self.beginning,
            outcomes=tuple(one.outcome for one in self.steps),
            actions=tuple(one.action for one in self.steps),
            infostates=tuple((int(first), int(second)) for first, second in pairs),
        )

    def _go_to(
        self,
        outcome: int,
        infostates: np.ndarray,
        action: int | None,
        agent: Agent | None,
        thoughts: list[Thought],
        ranges: np.ndarray | None,
    ) -> None:
        self.steps.append(
            Step(
                state=self.state,
                now=self.now,
                infostates=self.infostates,
                outcome=outcome,
                action=action,
                agent=agent,
                thoughts=thoughts,
                ranges=ranges,
            )
        )
        self.state = jax.device_get(after(self.game, self.state, outcome))
        self.now = situation(self.game, self.state)
        self.infostates = infostates
