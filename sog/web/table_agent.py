"""The agent at a table: the same one in all its games, which it is told event by event."""

import copy
from typing import Any, Final

import numpy as np

from sog.play.assessments import Assessment, assess_all
from sog.play.game_in_progress import GameInProgress
from sog.play.match import Agent, check_plays_unseen, show_position
from sog.players.player import Player

_MOST_KEPT: Final = 8  # copies of an agent


class TableAgent:
    """An agent per seat, made when it is first sat in, and the one that plays now."""

    def __init__(self, opponent: Player, seed: int) -> None:
        self._opponent, self._seed = opponent, seed
        self._agents: dict[int, Agent] = {}
        self.agent: Agent | None = None
        """Who knows the game as it stands; None before `catch_up`."""
        # By the number of an event:
        self.assessments: dict[int, list[Assessment]] = {}
        """Before it, of the agent that moved."""
        self.ranges: dict[int, np.ndarray | None] = {}
        """[player, S]: the same where it has searched."""
        self._copies: dict[int, Agent] = {}
        """Of the agent before it, at the person's last choices, if it has a chain of searches."""

    def catch_up(self, ongoing: GameInProgress, player: int) -> None:
        """Begins anew, and is told the events so far."""
        if player not in self._agents:
            agent = self._opponent.make(player, (self._seed + 1 + player) % 2**32)
            check_plays_unseen(agent)
            self._agents[player] = agent
        agent = self._agents[player]
        show_position(agent, ongoing.position, None)
        self.agent = agent

    def choose(self, ongoing: GameInProgress) -> int:
        """Its action, where it is to move; records its assessments and its ranges."""
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
        """Copies the agent before an event, for when that is taken back.

        Telling it all anew would lose its chain of searches, but trees are large: few are kept.
        """
        if self.agent is not None and self.agent.is_copied:
            self._copies[number] = copy.copy(self.agent)
            if len(self._copies) > _MOST_KEPT:
                del self._copies[min(self._copies)]

    def forget(self, number: int) -> None:
        """Events from a number on are taken back; the agent is as it was there if that was kept."""
        self.agent = self._copies.get(number)
        notes: dict[int, Any]
        for notes in (self.assessments, self.ranges, self._copies):
            for later in [one for one in notes if one >= number]:
                del notes[later]

    def close(self) -> None:
        """Nobody plays here any more."""
        for agent in self._agents.values():
            agent.close()
