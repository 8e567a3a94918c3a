"""The `Method` contract: parameters, paper, what it needs of a game, and agents that play by it.

A method is a frozen keyword-only dataclass whose fields are its parameters, declared by
`sog.games.core.param` as those of a game are. One called `budget` is typed behind a colon: what it
may spend, simulations per move or iterations before the first game.
"""

import abc
import dataclasses
from typing import Any, ClassVar

from sog.games.core import Game
from sog.parameters import check_params, params_of, written_call
from sog.play.arena import AgentFactory
from sog.players.player import Host, Player, SearchChanges


@dataclasses.dataclass(frozen=True, kw_only=True)
class Method(abc.ABC):
    """A way to play a game; the docstring of a subclass names the paper and the section."""

    name: ClassVar[str]
    """As in `sog.players.methods.METHODS`."""
    paper: ClassVar[str]
    """Author, year and section."""
    game: ClassVar[Game[Any] | None] = None
    """A method plays any game that passes `check`."""

    def __post_init__(self) -> None:
        check_params(self.name, self)

    def check(self, game: Game[Any]) -> None:  # noqa: B027 (most play any game)
        """Raises ValueError that says what the method needs, if it cannot play the game."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """As of `sog.players.player.Candidate`; most methods are not told how to search."""
        self.check(game)
        return Player(name=name, game=game, make=self.agents(game, host))

    @abc.abstractmethod
    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Makes ready for a game that passed `check`, which may take long; returns what makes
        agents."""

    def params(self) -> dict[str, Any]:
        """The parameters and their values, in declaration order."""
        return params_of(self)

    def __str__(self) -> str:
        values = self.params()
        budget = values.pop("budget", None)
        text = written_call(self.name, values)
        return text if budget is None else f"{text}:{budget}"
