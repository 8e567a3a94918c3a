"""Who thinks for a program that shows a board: a search, or any other agent.

`Analyst` searches, and goes on with the tree below what was played; `Follower` has any other agent
answer, who can be asked for a move and nothing else.
"""

from typing import Any, Protocol

from sog.games.core import Game
from sog.play.analyst import Analyst, NextSlice
from sog.play.arena import AgentFactory
from sog.play.chained_search import Searching
from sog.play.game_in_progress import Position
from sog.play.match import Agent, show_position
from sog.play.principal_variation import Lines
from sog.play.rules import situation


class Thinker(Protocol):
    """Who is asked about positions."""

    def prepare(self) -> None:
        """Compiles what is not compiled yet."""

    def forget(self) -> None:
        """Another game begins."""

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        """Thinks about a position until there were so many simulations, or it is told to end.

        simulations: None for as many as there is room for. Raises ValueError.
        """

    def close(self) -> None:
        """Nobody asks any more."""

    def best(self) -> int:
        """The action to take where it has thought."""

    def lines(self) -> Lines | None:
        """What it found; None for one who knows a move only."""

    @property
    def num_simulations(self) -> int:
        """Made since `think` was called last, those before it that were kept not counted."""

    @property
    def usual_simulations(self) -> int | None:
        """Of a move, where nothing is said about it; None for one who does not count."""

    @property
    def most_simulations(self) -> int | None:
        """For which there is room; None for one who does not count."""


class Follower:
    """Has agents answer, one for each player, who are told what is played."""

    usual_simulations = most_simulations = None
    num_simulations = 0

    def __init__(self, game: Game[Any], make: AgentFactory, *, seed: int = 0) -> None:
        self.game, self._make, self._seed = game, make, seed
        self._agents: dict[int, tuple[Agent, Position | None]] = {}
        self._action = 0

    def prepare(self) -> None:
        """There is nothing to compile before it is known who moves."""

    def forget(self) -> None:
        """The agents will begin anew, with other random numbers than before."""
        self._agents = {player: (agent, None) for player, (agent, _) in self._agents.items()}

    def close(self) -> None:
        """The agents are closed, too."""
        for agent, _ in self._agents.values():
            agent.close()
        self._agents = {}

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        """As of `Thinker`; an agent takes the time that it takes."""
        player = situation(self.game, position.state).actor
        agent, known = self._agents.get(player, (None, None))
        if agent is None:
            agent = self._make(player, (self._seed + player) % 2**32)
        show_position(agent, position, known)
        self._agents[player] = agent, position
        self._action = agent.act(0)

    def best(self) -> int:
        """What the agent chose."""
        return self._action

    def lines(self) -> None:
        """It tells no more."""
        return


def thinker_of(game: Game[Any], make: AgentFactory, *, most: int, seed: int = 0) -> Thinker:
    """Who answers for a player, whose agents `make` makes: a search, if that is how he plays."""
    agent = make(0, seed)
    how = getattr(agent, "how_it_searches", None)
    if isinstance(how, Searching):
        return Analyst(how.game, how.evaluator, how.settings, most=most, seed=seed)
    agent.close()
    return Follower(game, make, seed=seed)
