"""The tree of simultaneous-move tree search: selection and updates."""

import math
import random
from typing import NamedTuple

from sog.baselines.online.weights import normalized
from sog.baselines.plain.goofspiel import GoofspielWorld, PlainGoofspiel
from sog.baselines.simultaneous.selection import Constants
from sog.games.core import TERMINAL


class _Move(NamedTuple):
    """A joint action of a simulation; lists are [player][card]."""

    chosen: tuple[int, int]
    policies: list[list[float]]
    mixed: list[list[float]]
    """The policy with exploration."""
    sampled: float
    """The probability that the explorer's choices led here; 1 of sm_oos."""


class MatrixNode:
    """A round; both players' k cards are numbered in ascending order."""

    __slots__ = ("children", "mean_n", "mean_x", "policy", "size", "total", "untried", "visits")

    def __init__(self, size: int, tries_all: bool) -> None:
        self.size = size
        self.visits, self.total, self.policy = (
            ([0.0] * size, [0.0] * size) for _ in range(3)
        )  # [player][card]: as `MatrixTables` of sm_mcts
        self.mean_n, self.mean_x = [0] * size**2, [0.0] * size**2  # of joint actions
        self.children: dict[tuple[int, int], MatrixNode] = {}  # by joint action and next point card
        self.untried = list(range(size**2)) if tries_all else []

    def try_one(self, source: random.Random) -> int:
        """Samples an untried joint action uniformly."""
        place = int(source.random() * len(self.untried))
        self.untried[place], self.untried[-1] = self.untried[-1], self.untried[place]
        return self.untried.pop()

    def mean(self, joint: int) -> float:
        """The mean reward of player 0; 0.5 if unvisited."""
        return self.mean_x[joint] / self.mean_n[joint] if self.mean_n[joint] else 0.5


class MatrixSearch:
    """A tree and its simulations. Rewards are those of player 0, scaled to [0, 1]."""

    def __init__(
        self,
        game: PlainGoofspiel,
        *,
        selection: str,
        constants: Constants,
        source: random.Random,
    ) -> None:
        """Arguments as in `SelectionOptions`."""
        self._selection = selection
        self._c, self._gamma, self._eta = constants
        self._random = source
        self._scale = 0.5 / game.max_utility
        self._explorer = 0  # the player who explores, in oos, sm_oos and oos_plus

    def node(self, world: GoofspielWorld) -> MatrixNode:
        """A new node."""
        return MatrixNode(len(world.hands[0]), self._selection not in ("oos", "sm_oos"))

    def simulate(self, root: MatrixNode, world: GoofspielWorld) -> None:
        """Runs one simulation, which changes the world."""
        self._explorer = 1 - self._explorer
        self._visit(root, world, 1.0)

    def strategy(self, node: MatrixNode, player: int) -> list[float]:
        """The final strategy of a player."""
        visits, size = node.visits[player], node.size
        if self._selection == "duct_max":
            means = [x / n if n else -1.0 for x, n in zip(node.total[player], visits, strict=True)]
            return [float(card == means.index(max(means))) for card in range(size)]
        if self._selection == "duct_mix":
            return normalized(visits)
        if self._selection == "exp3":
            explored = self._gamma / size * sum(visits)
            return normalized([max(n - explored, 0.0) for n in visits])
        return normalized(node.policy[player])

    def _visit(
        self, node: MatrixNode, world: GoofspielWorld, sampled: float, is_leaf: bool = False
    ) -> float:
        """is_leaf: no child joins the tree. Returns the reward; for oos and sm_oos an unbiased
        estimate of the strategies' value."""
        policies = [self._policy(node, player) for player in (0, 1)]
        mixed = [self._explored(policies[player], player) for player in (0, 1)]
        is_new = bool(node.untried)
        if is_new:
            joint = node.try_one(self._random)
        else:
            first, second = (
                self._random.choices(range(node.size), weights)[0] for weights in mixed
            )
            joint = first * node.size + second
        chosen = divmod(joint, node.size)
        explorer = self._explorer
        for place in chosen:
            world.play(world.actions()[place])
        key = (joint, world.card)
        child = node.children.get(key)
        begins_here = self._selection == "sm_oos"  # in each state, and updates states that join
        joins = child is None and world.player != TERMINAL and not is_leaf
        if joins:
            grown = node.children[key] = self.node(world)
            child = grown if begins_here else None
        if child is None or is_new:
            reward = 0.5 + self._scale * world.finish(self._random)
        else:
            further = 1.0 if begins_here else sampled * mixed[explorer][chosen[explorer]]
            reward = self._visit(child, world, further, is_leaf=joins)
        move = _Move(chosen, policies, mixed, sampled)
        if self._selection in ("oos", "sm_oos"):
            reward = self._learn_by_outcome(node, move, reward)
        elif self._selection == "oos_plus":
            if not is_new:
                self._learn_by_means(node, move, reward)
        else:
            self._learn(node, move, reward)
        node.mean_n[joint] += 1
        node.mean_x[joint] += reward
        return reward

    def _policy(self, node: MatrixNode, player: int) -> list[float]:
        """The selection policy of a player, without exploration."""
        visits, total = node.visits[player], node.total[player]
        if self._selection.startswith("duct"):
            if node.untried:
                return [1 / node.size] * node.size
            log = math.log(sum(visits))
            bounds = [
                x / n + self._c * math.sqrt(log / n) for x, n in zip(total, visits, strict=True)
            ]
            best = max(bounds)
            return normalized([float(bound == best) for bound in bounds])
        if self._selection == "exp3":
            most, eta = max(total), self._eta / node.size
            return normalized([math.exp(eta * (x - most)) for x in total])
        return normalized([max(regret, 0.0) for regret in total])

    def _explored(self, policy: list[float], player: int) -> list[float]:
        gamma, is_oos = self._gamma, "oos" in self._selection
        if not gamma or (is_oos and player != self._explorer):
            return policy
        return [(1 - gamma) * p + gamma / len(policy) for p in policy]

    def _learn(self, node: MatrixNode, move: _Move, reward: float) -> None:
        """Equations 2, 3 and the regrets of section 3.3."""
        for player, card in enumerate(move.chosen):
            gain = reward if player == 0 else 1 - reward
            node.visits[player][card] += 1
            total = node.total[player]
            if self._selection.startswith("duct"):
                total[card] += gain
            elif self._selection == "exp3":
                total[card] += gain / move.mixed[player][card]
            else:
                for other in range(node.size):
                    joint = _joint(node, move.chosen, player, other)
                    if other != card and node.mean_n[joint]:
                        known = node.mean(joint)
                        total[other] += (known if player == 0 else 1 - known) - gain
                _add(node.policy[player], move.policies[player], 1.0)

    def _learn_by_means(self, node: MatrixNode, move: _Move, reward: float) -> None:
        """OOS+: actions not selected are worth their mean reward."""
        explorer, size = self._explorer, node.size
        policies, others = move.policies, move.policies[1 - explorer]
        values = []
        for card in range(size):
            value = 0.0
            for other, probability in enumerate(others):
                if probability:
                    pair = (card, other) if explorer == 0 else (other, card)
                    known = reward if pair == move.chosen else node.mean(pair[0] * size + pair[1])
                    value += probability * (known if explorer == 0 else 1 - known)
            values.append(value)
        expected = sum(p * v for p, v in zip(policies[explorer], values, strict=True))
        _add(node.total[explorer], [value - expected for value in values], 1 / move.sampled)
        _add(node.policy[1 - explorer], others, 1 / move.sampled)

    def _learn_by_outcome(self, node: MatrixNode, move: _Move, reward: float) -> float:
        """OOS and SM-OOS: importance sampling; actions not selected are worth nothing.

        Rewards, and the result, are relative to a draw.
        """
        explorer, card = self._explorer, move.chosen[self._explorer]
        sign = 1 if explorer == 0 else -1
        value = sign * (reward - 0.5) / move.mixed[explorer][card]
        expected = move.policies[explorer][card] * value
        regrets = [-expected] * node.size
        regrets[card] += value
        _add(node.total[explorer], regrets, 1 / move.sampled)
        _add(node.policy[1 - explorer], move.policies[1 - explorer], 1 / move.sampled)
        return 0.5 + sign * expected


def _joint(node: MatrixNode, chosen: tuple[int, int], player: int, card: int) -> int:
    """The joint action with another card of a player."""
    first, second = (card, chosen[1]) if player == 0 else (chosen[0], card)
    return first * node.size + second


def _add(table: list[float], values: list[float], weight: float) -> None:
    for card, value in enumerate(values):
        table[card] += weight * value
