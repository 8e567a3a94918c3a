"""What thinks for a program that shows a board: a search, or any other agent.

`Analyst` searches, and keeps the tree below the moves played; `AgentThinker` wraps any other agent,
which gives a move and nothing else.
"""

from typing import Any

from sog.games.core import Game
from sog.play.analyst import Analyst, NextSlice
from sog.play.arena import AgentFactory
from sog.play.chained_search import Searching
from sog.play.game_in_progress import Position
from sog.play.match import Agent, show_position
from sog.play.rules import situation


class AgentThinker:
    """Asks agents, one for each player, which observe every move played."""

    usual_simulations = most_simulations = None
    num_simulations = 0
    is_draft = False

    def __init__(self, game: Game[Any], make: AgentFactory, *, seed: int = 0) -> None:
        self.game, self._make, self._seed = game, make, seed
        self._agents: dict[int, tuple[Agent, Position | None]] = {}
        self._action = 0

    def prepare(self) -> None:
        """Does nothing: agents are made when their player first moves."""

    def forget(self) -> None:
        """Restarts the agents; their random numbers continue."""
        self._agents = {player: (agent, None) for player, (agent, _) in self._agents.items()}

    def close(self) -> None:
        """Closes the agents."""
        for agent, _ in self._agents.values():
            agent.close()
        self._agents = {}

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        """Has the agent act; limits do not apply to it."""
        player = situation(self.game, position.state).actor
        agent, known = self._agents.get(player, (None, None))
        if agent is None:
            agent = self._make(player, (self._seed + player) % 2**32)
        show_position(agent, position, known)
        self._agents[player] = agent, position
        self._action = agent.act(0)

    def best(self) -> int:
        """The action that the agent chose."""
        return self._action

    def lines(self) -> None:
        """An agent gives only a move."""
        return


Thinker = Analyst | AgentThinker
"""Only an `Analyst` counts simulations, and knows lines."""


def thinker_of(game: Game[Any], make: AgentFactory, *, most: int, seed: int = 0) -> Thinker:
    """The thinker for a player whose agents `make` makes: an `Analyst` if they search."""
    agent = make(0, seed)
    how = getattr(agent, "how_it_searches", None)
    if isinstance(how, Searching):
        return Analyst(how.game, how.evaluator, how.settings, most=most, seed=seed)
    agent.close()
    return AgentThinker(game, make, seed=seed)
