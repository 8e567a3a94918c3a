"""The agent at a table, which follows its games event by event."""

import copy
from typing import Any, Final

import numpy as np

from sog.play.assessments import Assessment, assess_all
from sog.play.game_in_progress import GameInProgress
from sog.play.match import Agent, check_plays_unseen, show_position
from sog.players.player import Player

_MOST_KEPT: Final = 8  # copies of an agent


class TableAgent:
    """One agent per seat, made on first use; `agent` is the current one."""

    def __init__(self, opponent: Player, seed: int) -> None:
        self._opponent, self._seed = opponent, seed
        self._agents: dict[int, Agent] = {}
        self.agent: Agent | None = None
        """The current one, in sync with the game; None before `catch_up`."""
        # By the number of an event:
        self.assessments: dict[int, list[Assessment]] = {}
        """The mover's assessments before the event."""
        self.ranges: dict[int, np.ndarray | None] = {}
        """[player, S]: its ranges before the event; None without a search."""
        self._copies: dict[int, Agent] = {}
        """Copies of the agent before the person's last choices, if it has a chain of searches."""

    def seat(self, player: int) -> Agent:
        """The agent of a seat."""
        if player not in self._agents:
            agent = self._opponent.make(player, (self._seed + 1 + player) % 2**32)
            check_plays_unseen(agent)
            self._agents[player] = agent
        return self._agents[player]

    def catch_up(self, ongoing: GameInProgress, player: int) -> None:
        """Begins the game and observes the events so far."""
        agent = self.seat(player)
        show_position(agent, ongoing.position, None)
        self.agent = agent

    def choose(self, ongoing: GameInProgress) -> int:
        """Chooses its action and records its assessments and ranges."""
        agent: Any = self.agent
        number, actor = len(ongoing.steps), ongoing.now.actor
        held = int(ongoing.infostates[actor])
        assessments = assess_all(ongoing.game, ongoing.state, agent, actor, held)
        action = int(agent.act(held))
        self.assessments[number] = assessments
        if assessments:
            self.ranges[number] = agent.ranges
        return action

    def keep(self, number: int) -> None:
        """Copies the agent before an event that may be undone.

        Replaying events would lose its chain of searches. Only a few copies are kept, since trees
        are large.
        """
        if self.agent is not None and self.agent.is_copied:
            self._copies[number] = copy.copy(self.agent)
            if len(self._copies) > _MOST_KEPT:
                del self._copies[min(self._copies)]

    def forget(self, number: int) -> None:
        """Undoes events from a number on; restores the agent's copy if there is one."""
        self.agent = self._copies.get(number)
        notes: dict[int, Any]
        for notes in (self.assessments, self.ranges, self._copies):
            for later in [one for one in notes if one >= number]:
                del notes[later]

    def close(self) -> None:
        """Releases the agents."""
        for agent in self._agents.values():
            agent.close()
