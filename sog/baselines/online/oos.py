"""Online outcome sampling: Monte Carlo CFR targeted at the current position of the match.

Line numbers are those of Algorithm 1 (Lisy, Lanctot, Bowling 2015).
"""

import dataclasses
from collections.abc import Hashable, Sequence
from typing import ClassVar

from sog.baselines.online.method import OnlineMethod, TreeSearch
from sog.baselines.online.weights import draw, matched, normalized
from sog.baselines.plain.worlds import InfostateGame, Seen, Target
from sog.games.core import TERMINAL, param


@dataclasses.dataclass(frozen=True, kw_only=True)
class OnlineOutcomeSampling(OnlineMethod):
    """OOS (Lisy, Lanctot, Bowling 2015, Algorithm 1): sound search in games that hide things.

    Every simulation starts at the root. A share delta of them is targeted: sampled so that it
    reaches the infostate of the player to move (targeting=ist), or the public state (pst). All are
    weighted by 1 / sampling probability. What is learned stays for the rest of the match.
    """

    name = "oos"
    paper: ClassVar[str] = "Lisy, Lanctot, Bowling 2015, Algorithm 1"

    targeting: str = param(
        "ist", "target of simulations: infostate or public state", choices=("ist", "pst")
    )
    delta: float = param(0.9, "share of targeted simulations", minimum=0, maximum=0.999999)
    epsilon: float = param(0.4, "exploration of the learning player", minimum=0, maximum=1)
    gamma: float = param(0.01, "uniform play mixed into regret matching", minimum=0, maximum=1)
    budget: int = param(1000, "simulations per move", minimum=1, maximum=2**31 - 1)

    def search(self, game: InfostateGame, seed: int = 0) -> "OosTree":
        """A search with its tree, which lasts for a match."""
        return OosTree(self, game, seed)


@dataclasses.dataclass(slots=True)
class OosNode:
    """An infostate in memory: a number per action in each list."""

    regret: list[float]
    policy_sum: list[float]

    @classmethod
    def of(cls, size: int) -> "OosNode":
        """The node of an infostate with `size` actions."""
        return cls([0.0] * size, [0.0] * size)


@dataclasses.dataclass(slots=True)
class _Step:
    """A decision of a simulation, with the probabilities of reaching it."""

    node: OosNode
    player: int
    place: int
    policy: list[float]
    others: float
    """Of all but the learning player; chance, which cancels, is left out here and in sampling
    probabilities."""
    targeted: float
    """Of sampling it in a targeted simulation."""
    untargeted: float
    """Of sampling it in an untargeted simulation."""


class OosTree(TreeSearch[OosNode]):
    """Simulations start at the root, with the deal."""

    def __init__(self, method: "OnlineOutcomeSampling", game: InfostateGame, seed: int = 0) -> None:
        super().__init__(game, budget=method.budget, seconds=method.seconds, seed=seed)
        self._public = method.targeting == "pst"
        self._delta, self._epsilon, self._gamma = method.delta, method.epsilon, method.gamma

    def search(self, seen: Seen, num_actions: int) -> list[float]:
        """Targets a share of the simulations at the infostate or its public state."""
        target = self.game.target(seen, public=self._public)
        weight = self.weight(target)
        for number in self._simulations():
            self.simulate(target, weight, number % 2)
        key = self.game.worlds(seen)(self.source).key()
        found = self.average_policy(key)
        return [1 / num_actions] * num_actions if found is None else list(found)

    def search_game(self) -> None:
        """Runs simulations of the whole game."""
        for number in self._simulations():
            self.simulate(None, 1.0, number % 2)

    def learned(self, node: OosNode) -> list[float]:
        """The sums of policies."""
        return node.policy_sum

    def weight(self, target: Target) -> float:
        """w_T: makes updates at the target weigh as much as those of untargeted simulations.

        It is how much more often targeting reaches the target, (1 - delta) + delta / p, where p is
        the probability of reaching it by the mean policy. (This is the text of section 3.3 of the
        paper; its formula, whose denominator is the target's own probability, would be 1 for an
        information set.)
        """
        probability = max(target.probability(self.average_policy), 1e-6)
        return 1 - self._delta + self._delta / probability

    def average_policy(self, key: Hashable) -> Sequence[float] | None:
        """The average policy of an infostate, None if it is not in memory."""
        node = self.tree.get(key)
        return None if node is None else normalized(node.policy_sum)

    def simulate(self, target: Target | None, weight: float, learner: int) -> None:
        """Runs one simulation: updates the learner's regrets and the other's average policy."""
        source, delta, epsilon = self.source, self._delta, self._epsilon
        is_targeted = source.random() < delta
        if target is None:
            world = self.game.deal(source)
        else:
            world = target.deal(source, is_directed=is_targeted)
        untargeted, others, steps = 1.0, 1.0, []
        is_out = False
        while world.player != TERMINAL and not is_out:
            actions = world.actions()
            size = len(actions)
            if size == 1:
                world.play(actions[0])
                continue
            key, player = world.key(), world.player
            node = self.tree.get(key)
            if node is None:
                node = self.tree[key] = OosNode.of(size)
                is_out = True
                policy = mixed = [1 / size] * size
                place, odds = int(source.random() * size), 1 / size
            else:
                policy = matched(node.regret, self._gamma)
                mixed = policy
                if player == learner:
                    mixed = [(1 - epsilon) * p + epsilon / size for p in policy]
                leads = target is None or (world.directed > 0 and target.leads(world))
                place, odds = self._sample(mixed, leads, is_targeted)
            steps.append(_Step(node, player, place, policy, others, world.directed, untargeted))
            world.directed *= odds
            untargeted *= mixed[place]
            if player != learner:
                others *= policy[place]
            world.play(actions[place])
        # The rest of the game is random; its probability is in the tail and in the walk.
        utility = world.finish(source)
        gain = utility if learner == 0 else -utility
        scale = gain * weight / (delta * world.directed + (1 - delta) * untargeted)
        self._update(steps, scale, weight, learner)

    def _sample(
        self, mixed: list[float], leads: bool | Sequence[bool], is_targeted: bool
    ) -> tuple[int, float]:
        """Sample of line 9: an action, and its probability in targeted simulations."""
        if isinstance(leads, bool):
            place = draw(mixed, 1.0, self.source)
            return place, mixed[place] if leads else 0.0
        leading = [p if leads_on else 0.0 for p, leads_on in zip(mixed, leads, strict=True)]
        total = sum(leading)
        if total <= 0:  # only if gamma and epsilon are 0: any action towards the target
            leading = [float(leads_on) for leads_on in leads]
            total = sum(leading)
        place = draw(leading if is_targeted else mixed, total if is_targeted else 1.0, self.source)
        return place, leading[place] / total

    def _update(self, steps: list[_Step], scale: float, weight: float, learner: int) -> None:
        """Lines 19 to 29. scale: the utility divided by the probability of the walk."""
        delta, tail = self._delta, 1.0
        for step in reversed(steps):
            node, policy = step.node, step.policy
            if step.player == learner:
                change = scale * step.others * tail
                loss = change * policy[step.place]
                regret = node.regret
                for action in range(len(regret)):
                    regret[action] -= loss
                regret[step.place] += change
            else:
                to_here = delta * step.targeted + (1 - delta) * step.untargeted
                share = weight * step.others / to_here
                sums = node.policy_sum
                for action, chosen in enumerate(policy):
                    sums[action] += share * chosen
            tail *= policy[step.place]
