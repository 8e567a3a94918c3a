"""Simultaneous-move Monte Carlo tree search at every move, with a tree that grows on demand."""

import dataclasses
import random
from typing import Any, ClassVar

import numpy as np

from sog.baselines.plain.goofspiel import GoofspielWorld, PlainGoofspiel
from sog.baselines.simultaneous.selection import SelectionOptions
from sog.baselines.simultaneous.tree import MatrixNode, MatrixSearch
from sog.games.core import Game, param
from sog.games.goofspiel import Goofspiel
from sog.play.arena import AgentFactory
from sog.play.plain_agent import PlainAgent, PlainSearch, Simulations, seconds_param
from sog.players.method import Method
from sog.players.player import Host


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimultaneousSearch(SelectionOptions, Method):
    """SM-MCTS on demand (Lanctot, Lisy, Winands 2013, Algorithm 1), for Goofspiel of any size.

    Where a joint action was never tried, one such is, and the rest of the game is random. Else each
    player selects on its own: by UCB (duct, section 3.1; max takes the best mean in the end, mix
    visits), Exp3 (3.2), regret matching on mean rewards (rm, 3.3), or by regret matching on
    sampled counterfactual regret (3.4): oos takes unsampled actions for nothing, which is unbiased,
    and does not try all joint actions first; sm_oos (Bosansky et al. 2016, Algorithm 4) does the
    same in each state as if the game began there; oos_plus has mean rewards. What was found below a
    move is kept for the next one.
    """

    name = "sm_search"
    paper: ClassVar[str] = (
        "Lanctot, Lisy, Winands 2013, Algorithm 1 and section 3; Bosansky et al. 2016, Algorithm 4"
    )

    seconds: float = seconds_param()
    budget: int = param(1000, "simulations per move", minimum=1, maximum=2**31 - 1)

    def check(self, game: Game[Any]) -> None:
        """Raises ValueError unless the game is Goofspiel with revealed bids."""
        if not isinstance(game, Goofspiel):
            raise ValueError(
                f"the game must be goofspiel, got {game.name}; sm_mcts learns any game of "
                f"simultaneous moves that is small enough to enumerate."
            )

    def tree_search(self, game: PlainGoofspiel, source: random.Random) -> MatrixSearch:
        """The search, which makes trees."""
        return MatrixSearch(game, selection=self.selection, constants=self.constants, source=source)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents, each with its own tree."""
        assert isinstance(game, Goofspiel)
        plain = PlainGoofspiel(game)
        return lambda player, seed: PlainAgent(game, KeptMatrices(self, plain, seed), player=player)


class KeptMatrices(PlainSearch):
    """Searches before each bid, and keeps the subtree below the moves played."""

    root: MatrixNode | None
    """The round of the last search."""

    def __init__(self, method: SimultaneousSearch, game: PlainGoofspiel, seed: int) -> None:
        self._method, self._game = method, game
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Forgets the tree."""
        if seed is not None:
            self.source, self._of_tree = random.Random(seed), random.Random(seed)
            self._search = self._method.tree_search(self._game, self._of_tree)
        self.root = None
        self._world: GoofspielWorld | None = None

    def at(self, state: Any, player: int, infostate: int, num_actions: int) -> list[float]:
        """The policy of a player; one search covers both players' bids of a round."""
        world = self._game.round(state, self._of_tree)
        root = self._kept(state, world) or self._search.node(world)
        for _ in Simulations(self._method.budget, self._method.seconds):
            self._search.simulate(root, world.copy())
        self.root, self._world = root, world
        return self._search.strategy(root, player)

    def _kept(self, state: Any, world: GoofspielWorld) -> MatrixNode | None:
        """The node of this round in the last tree."""
        root, before, played = self.root, self._world, int(state.round)
        if root is None or before is None:
            return None
        if world.hands == before.hands:
            return root
        bids = np.asarray(state.bids)[:, played - 1] - 1
        first, second = (before.hands[player].index(int(bids[player])) for player in (0, 1))
        return root.children.get((first * root.size + second, world.card))
