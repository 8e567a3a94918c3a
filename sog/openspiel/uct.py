"""OpenSpiel's UCT as a player."""

import dataclasses
from typing import Any, ClassVar, Final

from sog.games.core import Game, param
from sog.play.arena import AgentFactory
from sog.players.method import Method
from sog.players.player import Host

_C_INT: Final = 2**31 - 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Uct(Method):
    """UCT (Kocsis and Szepesvari 2006) of perfect information: OpenSpiel's, in C++."""

    name = "uct"
    paper: ClassVar[str] = "Kocsis and Szepesvari 2006"

    budget: int = param(1000, "simulations per move", minimum=1, maximum=_C_INT)

    def check(self, game: Game[Any]) -> None:
        """Needs OpenSpiel, and a game of perfect information that it has, too."""
        try:
            from sog.openspiel.uct_agent import UctAgent
        except ImportError as error:
            raise ValueError(str(error)) from None
        UctAgent(game, self.budget, player=0)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents with independent searches."""
        from sog.openspiel.uct_agent import UctAgent

        return lambda player, seed: UctAgent(game, self.budget, player=player, seed=seed)
