"""Information set Monte Carlo tree search: one tree over both players' infostates."""

import dataclasses
import math
import random
from typing import ClassVar

from sog.baselines.online.method import OnlineMethod, TreeSearch
from sog.baselines.online.weights import draw, matched, normalized
from sog.baselines.plain.worlds import InfostateGame, Seen, World
from sog.games.core import TERMINAL, param


@dataclasses.dataclass(frozen=True, kw_only=True)
class IsMcts(OnlineMethod):
    """IS-MCTS (Cowling, Powley, Whitehouse 2012), from nothing at every decision unless its tree is
    grown.

    Each simulation starts in a world that agrees with the infostate of the player to move, sampled
    by chance's probabilities alone. An infostate that is not in the tree joins it, and the rest of
    the game is random. selection=uct: UCB at every infostate. rm: regret matching (Lisy 2014) on
    regrets that are weighted by 1 / probability for the chosen action.
    """

    name = "ismcts"
    paper: ClassVar[str] = "Cowling et al. 2012; Lisy et al. 2015, section 4.1"

    selection: str = param("uct", "selection rule", choices=("uct", "rm"))
    c: float = param(2.0, "exploration of uct, as a share of the largest utility", minimum=0)
    gamma: float = param(0.2, "exploration of rm", minimum=0, maximum=1)
    final: str = param(
        "visits",
        "what uct plays: the most visited action, actions in proportion to visits, or the action "
        "with the largest mean value; rm plays its average policy",
        choices=("visits", "mixed", "value"),
    )
    budget: int = param(1000, "simulations per move", minimum=1, maximum=2**31 - 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.selection == "rm" and self.final == "value":
            raise ValueError("ismcts: final=value needs selection=uct, which knows mean values.")

    def search(self, game: InfostateGame, seed: int = 0) -> "IsMctsTree":
        """A search with its tree."""
        return IsMctsTree(self, game, seed)


@dataclasses.dataclass(slots=True)
class IsMctsNode:
    """Statistics of an infostate: lists with a number per action; a selection uses two of them."""

    visits: list[int]
    value: list[float]
    """Mean gains of uct."""
    regret: list[float]
    policy_sum: list[float]

    @classmethod
    def of(cls, size: int) -> "IsMctsNode":
        """The node of an infostate with `size` actions."""
        return cls([0] * size, [0.0] * size, [0.0] * size, [0.0] * size)


class IsMctsTree(TreeSearch[IsMctsNode]):
    """Simulations start in a world sampled from the infostate to search."""

    def __init__(self, method: "IsMcts", game: InfostateGame, seed: int = 0) -> None:
        super().__init__(game, budget=method.budget, seconds=method.seconds, seed=seed)
        self._by_ucb, self._c = method.selection == "uct", method.c * game.max_utility
        self._gamma, self._final = method.gamma, method.final
        self._is_kept = method.tree == "grown"

    def search(self, seen: Seen, num_actions: int) -> list[float]:
        """Runs simulations; those of earlier searches count, too, if the tree is kept."""
        if not self._is_kept:
            self.tree = {}
        draw_world = self.game.worlds(seen)
        root = self.tree.setdefault(draw_world(self.source).key(), IsMctsNode.of(num_actions))
        for _ in self._simulations():
            self.simulate(draw_world(self.source))
        return self.policy(root)

    def search_game(self) -> None:
        """Runs simulations from the deal."""
        for _ in self._simulations():
            self.simulate(self.game.deal(self.source))

    def learned(self, node: IsMctsNode) -> list[float]:
        """Visits, or the sums of policies."""
        return [float(n) for n in node.visits] if self._by_ucb else node.policy_sum

    def policy(self, node: IsMctsNode) -> list[float]:
        """The policy to play at an infostate."""
        weights = self.learned(node)
        if self._by_ucb and self._final == "value":
            pairs = zip(node.visits, node.value, strict=True)
            weights = [value if n else -math.inf for n, value in pairs]
        if self._final != "mixed" and self._by_ucb:
            most = max(weights)
            weights = [float(weight == most) for weight in weights]
        return normalized(weights)

    def simulate(self, world: World) -> None:
        """Runs one simulation, which changes the world."""
        source, path = self.source, []
        while world.player != TERMINAL:
            actions = world.actions()
            size = len(actions)
            if size == 1:
                world.play(actions[0])
                continue
            key = world.key()
            node = self.tree.get(key)
            if node is None:  # joins the tree
                self.tree[key] = IsMctsNode.of(size)
                break
            if self._by_ucb:
                place, policy, probability = best_by_ucb(node, self._c, source), [], 1.0
            else:
                policy = matched(node.regret, 0)
                mixed = [(1 - self._gamma) * p + self._gamma / size for p in policy]
                place = draw(mixed, 1.0, source)
                probability = mixed[place]
            path.append((node, world.player, place, policy, probability))
            world.play(actions[place])
        utility = world.finish(source)
        for node, player, place, policy, probability in path:
            gain = utility if player == 0 else -utility
            if self._by_ucb:
                node.visits[place] += 1
                node.value[place] += (gain - node.value[place]) / node.visits[place]
            else:
                for action, chosen in enumerate(policy):
                    node.regret[action] -= gain
                    node.policy_sum[action] += chosen
                node.regret[place] += gain / probability


def best_by_ucb(node: IsMctsNode, c: float, source: random.Random) -> int:
    """The action that maximizes Q + c sqrt(log N / N_a), ties at random; unvisited ones first."""
    untried = [place for place, visits in enumerate(node.visits) if not visits]
    if untried:
        return untried[int(source.random() * len(untried))]
    log, best, places = math.log(sum(node.visits)), -math.inf, [0]
    for place, (visits, value) in enumerate(zip(node.visits, node.value, strict=True)):
        bound = value + c * math.sqrt(log / visits)
        if bound > best:
            best, places = bound, [place]
        elif bound == best:
            places.append(place)
    return places[int(source.random() * len(places))]
