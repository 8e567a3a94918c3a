"""The `Method` contract: parameters, paper, requirements and agents.

A method is a frozen keyword-only dataclass whose fields are its parameters, declared by
`sog.games.core.param` like those of a game. The parameter `budget` is typed after a colon:
simulations per move, or iterations before the first game.
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
    """Its name in `sog.players.methods.METHODS`."""
    paper: ClassVar[str]
    """Author, year and section."""
    game: ClassVar[Game[Any] | None] = None
    """A method plays any game that passes `check`."""

    def __post_init__(self) -> None:
        check_params(self.name, self)

    def check(self, game: Game[Any]) -> None:  # noqa: B027 (most play any game)
        """Raises ValueError if the method cannot play the game."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `sog.players.player.Candidate`; most methods ignore `search`."""
        self.check(game)
        return Player(name=name, game=game, make=self.agents(game, host))

    @abc.abstractmethod
    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Prepares for a game that passed `check`, perhaps for long. Returns an agent factory."""

    def params(self) -> dict[str, Any]:
        """The parameters and their values, in declaration order."""
        return params_of(self)

    def __str__(self) -> str:
        values = self.params()
        budget = values.pop("budget", None)
        text = written_call(self.name, values)
        return text if budget is None else f"{text}:{budget}"
