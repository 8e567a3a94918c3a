"""The agent at a table: the same one in all its games, which it is told event by event."""

import copy
from typing import Any, Final

import numpy as np

from sog.play import Agent, SearchAgent
from sog.play.match import check_plays_unseen
from sog.play.thoughts import Thought, thoughts_of
from sog.players.player import Player
from sog.web.course import Course

_MOST_KEPT: Final = 8  # copies of an agent


class TableAgent:
    """An agent per seat, made when it is first sat in, and the one that plays now."""

    def __init__(self, opponent: Player, seed: int) -> None:
        self._opponent, self._seed = opponent, seed
        self._agents: dict[int, Agent] = {}
        self.agent: Agent | None = None
        """Who knows the game as it stands; None before `catch_up`."""

    def catch_up(self, course: Course, player: int) -> None:
        """Begins anew, and is told the events so far."""
        if player not in self._agents:
            agent = self._opponent.make(player, (self._seed + 1 + player) % 2**32)
            check_plays_unseen(agent)
            self._agents[player] = agent
        agent = self._agents[player]
        agent.begin(None if course.beginning is None else course.beginning.state)
        for one in course.steps:
            agent.observe(one.outcome)
        self.agent = agent

    def choose(self, course: Course) -> tuple[int, list[Thought], np.ndarray | None]:
        """Its action, where it is to move, what it thought, and what it found of both's ranges
        ([player, S]) if it has searched."""
        agent: Any = self.agent
        actor = course.now.actor
        held = int(course.infostates[actor])
        thoughts = thoughts_of(course.game, course.state, agent, actor, held)
        action = int(agent.act(held))
        has_ranges = thoughts and isinstance(agent, SearchAgent)
        return action, thoughts, agent.ranges if has_ranges else None

    def kept(self, course: Course) -> Agent | None:
        """A copy of the agent, for when a choice of the person's is taken back.

        Telling it all anew would lose its chain of searches, but trees are large: few are kept.
        """
        if not isinstance(self.agent, SearchAgent):
            return None
        course.forget_agents(_MOST_KEPT - 1)
        return copy.copy(self.agent)

    def close(self) -> None:
        """Nobody plays here any more."""
        for agent in self._agents.values():
            agent.close()
