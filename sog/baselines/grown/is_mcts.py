"""IS-MCTS with a tree that grows on demand; `sog.baselines.online.is_mcts` explains the method."""

import dataclasses
import math
import random
from typing import TYPE_CHECKING

from sog.baselines.grown.search import TreeSearch
from sog.baselines.grown.weights import draw, matched, normalized
from sog.baselines.plain.worlds import InfostateGame, InfostateWorld, Seen
from sog.games.core import TERMINAL

if TYPE_CHECKING:
    from sog.baselines.online.is_mcts import IsMcts


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

    def search(self, seen: Seen, num_actions: int) -> list[float]:
        """Runs simulations; those of earlier searches count, too."""
        draw_world = self.game.worlds(seen)
        root = self.tree.setdefault(draw_world(self.source).key(), IsMctsNode.of(num_actions))
        for _ in self._simulations():
            self.simulate(draw_world(self.source))
        return self.policy(root)

    def policy(self, node: IsMctsNode) -> list[float]:
        """The policy to play at an infostate."""
        weights: list[float]
        if not self._by_ucb:
            weights = node.policy_sum
        elif self._final == "value":
            pairs = zip(node.visits, node.value, strict=True)
            weights = [value if n else -math.inf for n, value in pairs]
        else:
            weights = [float(n) for n in node.visits]
        if self._final != "mixed" and self._by_ucb:
            most = max(weights)
            weights = [float(weight == most) for weight in weights]
        return normalized(weights)

    def simulate(self, world: InfostateWorld) -> None:
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
