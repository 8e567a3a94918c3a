"""Methods that search at every decision, with a budget of simulations per move."""

import abc
import dataclasses
from typing import Any

from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.online.search import TreeSearch
from sog.baselines.plain.liars_dice import PlainLiarsDice
from sog.baselines.plain.poker import PlainPoker
from sog.baselines.plain.worlds import InfostateGame
from sog.games.cards.poker import BettingGame
from sog.games.core import Game, param
from sog.games.liars_dice import LiarsDice
from sog.play.arena import AgentFactory
from sog.play.match import only_at_the_start
from sog.play.plain_agent import PlainAgent, seconds_param
from sog.players.method import Method
from sog.players.player import Host
from sog.tabular.enumerated_game import EnumeratedGame


@dataclasses.dataclass(frozen=True, kw_only=True)
class OnlineMethod(Method):
    """A method that searches at every decision."""

    tree: str = param(
        "whole",
        "whole: search the enumerated game; grown: search liars_dice and poker with one private "
        "card without enumerating them",
        choices=("whole", "grown"),
    )
    seconds: float = seconds_param()
    budget: int  # declared by each method, with a default of its own

    @abc.abstractmethod
    def search(self, game: InfostateGame, seed: int = 0) -> TreeSearch[Any]:
        """A search with its own tree."""

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that search worlds of the game in plain Python, with a tree each."""
        plain = infostate_game(game) if self.tree == "grown" else None
        if plain is not None:
            return lambda player, seed: PlainAgent(game, self.search(plain, seed), player=player)
        tree = host.enumerate(game)
        host.begin(f"laying out the histories of {game.name}")
        enumerated, histories = EnumeratedGame(tree=tree), HistoryGame(lay_out_histories(tree))
        return lambda player, seed: _EnumeratedAgent(
            enumerated, self.search(histories, seed), player=player
        )


class _EnumeratedAgent(PlainAgent):
    """Plays an enumerated game, from its start."""

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        only_at_the_start(state)
        super().begin(None, seed)


def infostate_game(game: Game[Any]) -> InfostateGame | None:
    """The game in plain Python, for trees that grow; None if there is no such version."""
    if isinstance(game, LiarsDice):
        return PlainLiarsDice(game)
    if isinstance(game, BettingGame) and game.most_public_cards <= 1:
        return PlainPoker(game)
    return None
