"""The course of a game at a table: where it stands, and how it came there, event by event."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import Array

from sog.games.core import CHANCE, TERMINAL, Game
from sog.play import Agent, PlayedGame
from sog.play.match import outcome_of
from sog.play.rules import Situation, after, deal, first_state, situation, step
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

    @property
    def actor(self) -> int:
        """Who moved, as `Game.actor`."""
        return self.now.actor


class Course:
    """One game from the deal on; an event is added at a time, and may be taken back."""

    def __init__(self, game: Game[Any], key: Array, opening: Sequence[int] = ()) -> None:
        """Deals. opening: public events that it begins with, where information is perfect."""
        self.game, self.num_given = game, len(opening)
        self.resigned: int | None = None
        """The player who gave the game up."""
        self.steps: list[Step] = []
        self._key, deal_key = jax.random.split(key)
        self.state: Any = jax.device_get(first_state(game))
        self.now = situation(game, self.state)
        self.infostates = deal(game, deal_key)
        for outcome in opening:  # with perfect information it is the action, too
            self._go_to(outcome, self.infostates, outcome, None, [])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or was given up."""
        return self.now.actor == TERMINAL or self.resigned is not None

    @property
    def legal(self) -> list[int]:
        """The legal actions of the player who is to move; none where none is."""
        if self.is_over or self.now.actor == CHANCE:
            return []
        legal = self.now.legal_actions[int(self.infostates[self.now.actor])]
        return [int(action) for action in np.flatnonzero(legal)]

    def last_choice(self, player: int) -> int | None:
        """The number of the last event at which a player had a choice; None if there was none."""
        for number in range(len(self.steps) - 1, self.num_given - 1, -1):
            one = self.steps[number]
            if one.actor == player and one.now.legal_actions[one.infostates[player]].sum() > 1:
                return number
        return None

    def add(self, action: int | None, agent: Agent | None, thoughts: list[Thought]) -> int:
        """One event, which is returned. action: None at chance. agent: as of `Step`."""
        key = jax.random.fold_in(self._key, len(self.steps))
        outcome, infostates = step(self.game, key, self.state, self.infostates, action or 0)
        self._go_to(outcome, infostates, action, agent, thoughts)
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
        """The game, which is over."""
        pairs = [*(one.infostates for one in self.steps), self.infostates]
        return PlayedGame(
            utility=outcome_of(self.game, self.state, self.infostates, self.resigned),
            resigned=self.resigned,
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
            )
        )
        self.state = jax.device_get(after(self.game, self.state, outcome))
        self.now = situation(self.game, self.state)
        self.infostates = infostates
