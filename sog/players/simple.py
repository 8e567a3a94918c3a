"""Methods that need no file of their own: random play and the tabular solver."""

import dataclasses
from typing import Any, ClassVar, Final

from sog.games.core import Game, param
from sog.play.arena import AgentFactory
from sog.play.simple_agents import RandomAgent, TabularAgent
from sog.players.method import Method
from sog.players.player import Host
from sog.tabular import compile_game
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.solver import find_rule

_C_INT: Final = 2**31 - 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Random(Method):
    """Random play: no paper needed."""

    name = "random"
    paper: ClassVar[str] = ""

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that play at random."""
        return lambda player, seed: RandomAgent(game, player=player, seed=seed)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tabular(Method):
    """A member of the CFR family over the whole public tree, CFR+ (Tammelin 2014) by default."""

    name = "tabular"
    paper: ClassVar[str] = "Tammelin 2014, CFR+; the other rules: sog solve --help"

    rule: str = param("cfr+", "a member of the CFR family, see sog solve --help")
    budget: int = param(1000, "iterations", minimum=1, maximum=_C_INT)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            find_rule(self.rule)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that play the average policy; KeyboardInterrupt if solving was interrupted."""
        compiled = compile_game(host.enumerate(game))
        policy = host.solve(compiled, self.rule, self.budget).policy
        enumerated = EnumeratedGame(tree=compiled.tree)
        return lambda player, seed: TabularAgent(enumerated, policy, player=player, seed=seed)
