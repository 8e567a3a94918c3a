"""Growing-tree CFR and continual re-solving in plain NumPy, on an enumerated public tree.

An oracle: 64-bit numbers, no JAX in the algorithm, nothing shared with `gtcfr`. A search is given
the set of interior nodes from outside, in every update, so that it can follow any expansion. Its
arrays have a row per node of the enumerated tree; nodes outside the search stay zero.

"Student of Games" in these files: both players update from the same profile, regret matching+,
linear averages. See `PlainSearch.update`, `Gadget` and `compose`.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import PLAYER_1, TERMINAL, Game
from sog.tabular import RULES, PublicTree
from sog.tabular.rules import Ramp, Rule

Array = np.ndarray
LeafValues = Callable[[int, Array], Array]
"""Values [2, S] in utility units from a node and both players' ranges [2, S]."""

FOLLOW: Final = 0
TERMINATE: Final = 1


def normalized(weights: Array, allowed: Array) -> Array:
    """Probabilities along the last axis in proportion to weights; uniform if all of them are 0."""
    total = weights.sum(axis=-1, keepdims=True)
    uniform = allowed / np.maximum(allowed.sum(axis=-1, keepdims=True), 1)
    return np.asarray(np.where(total > 0, weights / np.where(total > 0, total, 1), uniform))


@dataclasses.dataclass
class Gadget:
    """The re-solved player's opponent at the root: each of his infostates follows or terminates."""

    opponent: int
    prior: Array
    """[S]: his normalized range in the search before."""
    terminate_cfvs: Array
    """[S]: what terminating pays, for the re-solved player's reach at this root."""
    alpha: float
    """The share of the gadget's own range in his range; the rest is the prior."""
    rule: Rule = RULES["sog"]
    regrets: Array = dataclasses.field(init=False)  # [S, FOLLOW | TERMINATE]

    def __post_init__(self) -> None:
        self.regrets = np.zeros((len(self.prior), 2))

    def root_range(self, mask: Array) -> Array:
        """[S]: the opponent's range in this update."""
        follow = self.follow_probability * mask / mask.sum()
        return np.asarray(self.alpha * follow + (1 - self.alpha) * self.prior)

    @property
    def follow_probability(self) -> Array:
        """[S]: regret matching."""
        positive = np.maximum(self.regrets, 0)
        return normalized(positive, np.ones_like(positive))[:, FOLLOW]

    def update(self, root_cfvs: Array, number: int = 1) -> None:
        """Regret matching on what following [S] and terminating pay, in update 1, 2, ..."""
        follow = self.follow_probability
        pays = np.stack([root_cfvs, self.terminate_cfvs], axis=-1)
        expected = follow * pays[:, FOLLOW] + (1 - follow) * pays[:, TERMINATE]
        self.regrets = accumulated(self.rule, self.regrets, pays - expected[:, None], number)


def accumulated(rule: Rule, regrets: Array, instant: Array, number: int) -> Array:
    """Cumulative regrets after update 1, 2, ... (Brown and Sandholm 2019, section 3)."""

    def factor(power: float | Ramp) -> float:
        assert not isinstance(power, Ramp)
        before = float(number - 1)
        return 1.0 if np.isinf(power) else before**power / (before**power + 1)

    positive, negative = factor(rule.positive_power), factor(rule.negative_power)
    regrets = np.where(regrets > 0, positive, negative) * regrets + instant
    return np.asarray(np.maximum(regrets, 0) if rule.floor else regrets)


class _Rows(NamedTuple):
    """How one player's reach flows between two levels: flat indices, all of the same length."""

    source: Array  # into [node, S]
    target: Array  # into [node, S]
    choice: Array  # into [node, S, A]
    acts: Array  # bool: he chooses, so that his probability of `choice` multiplies the reach


class _Plan(NamedTuple):
    """What an update needs to know of a set of interior nodes."""

    decisions: Array  # interior nodes where a player acts
    leaves: Array  # nodes to be valued from outside
    payoffs: Array  # entries of the tree's payoffs
    levels: list[tuple[_Rows, _Rows]]  # from the root down, a pair of players' rows per level


class PlainSearch:
    """The sums of one search. Regrets and averages of a node begin when it joins the search."""

    def __init__(
        self,
        tree: PublicTree,
        *,
        root: int = 0,
        ranges: Array,
        gadget: Gadget | None = None,
        leaf_averaging: float = 0.0,
        leaf_smoothing: float = 0.0,
        leaf_interval: int = 1,
        rule: Rule = RULES["sog"],
    ) -> None:
        """ranges: [2, S] at the root; with a gadget the opponent's row is ignored."""
        assert not rule.prediction
        nodes, infostates, actions = tree.node_legal.shape
        self.tree, self.root, self.ranges, self.gadget = tree, root, ranges, gadget
        self.leaf_averaging, self.leaf_interval, self.rule = leaf_averaging, leaf_interval, rule
        self.leaf_smoothing = leaf_smoothing
        self.num_updates = 0
        self.regrets = np.zeros((nodes, infostates, actions))
        self.policy_sum = np.zeros((nodes, infostates, actions))
        self.cfv_sum = np.zeros((2, nodes, infostates))
        self.reach_sum = np.zeros((2, nodes, infostates))
        self._interior: Array | None = None
        self._plan: _Plan
        self._passes = 0  # since the tree has grown
        self._answers: dict[int, Array] = {}
        self._smoothed: set[int] = set()

    def update(
        self, interior: Array, leaf_values: LeafValues | None = None, *, can_reuse: bool = True
    ) -> None:
        """One CFR update, number t = 1, 2, ... of this search: of both players at once, or of one
        after the other, as the rule says. All averages are of the policies before it; the second
        player's pass finds them in the averages already.

        interior: [node] bool, the root among them. Leaves are the other children of interior nodes.
        can_reuse: since the update before, or might have.
        """
        self._passes = 0 if can_reuse else self._passes
        if self._interior is None or (interior != self._interior).any():
            self._interior, self._plan = interior.copy(), _plan(self.tree, self.root, interior)
        self.num_updates += 1
        power = self.rule.averaging_power
        assert not isinstance(power, Ramp)
        weight = self.num_updates**power
        averages = self._pass((0,) if self.rule.alternating else (0, 1), leaf_values)
        for total, one in zip(
            (self.policy_sum, self.reach_sum, self.cfv_sum), averages, strict=True
        ):
            total += weight * one
        if self.rule.alternating:
            self._pass((1,), leaf_values)
        self._smoothed |= set(self._answers)

    def _pass(
        self, players: tuple[int, ...], leaf_values: LeafValues | None
    ) -> tuple[Array, Array, Array]:
        """Updates the regrets of some players; returns own reach times policy [node, S, A], reach
        and cfvs [2, node, S] of the policies before."""
        nodes, legal = self._plan.decisions, self.tree.node_legal[self._plan.decisions]
        policy = np.zeros_like(self.regrets)
        policy[nodes] = normalized(np.maximum(self.regrets[nodes], 0), legal)
        reach = self._push_reach(policy)
        cfvs, action_cfvs = self._pull_cfvs(policy, self._end_cfvs(reach, leaf_values))
        if self.gadget is not None and self.gadget.opponent in players:
            self.gadget.update(cfvs[self.gadget.opponent, self.root], self.num_updates)
        actor = self.tree.node_actor[nodes]
        instant = np.where(legal, action_cfvs[nodes] - cfvs[actor, nodes][:, :, None], 0)
        regrets = accumulated(self.rule, self.regrets[nodes], instant, self.num_updates)
        learns = np.isin(actor, players)[:, None, None]
        self.regrets[nodes] = np.where(learns, regrets, self.regrets[nodes])
        played = np.zeros_like(policy)
        played[nodes] = reach[actor, nodes][:, :, None] * policy[nodes]
        return played, reach, cfvs

    @property
    def average_policy(self) -> Array:
        """[node, S, A]: uniform where the actor never came."""
        decides = (self.tree.node_actor <= PLAYER_1)[:, None, None]
        return normalized(self.policy_sum, self.tree.node_legal & decides)

    def _push_reach(self, policy: Array) -> Array:
        """[2, node, S] from the root ranges."""
        reach = np.zeros_like(self.reach_sum)
        reach[:, self.root] = self.ranges
        if self.gadget is not None:
            opponent = self.gadget.opponent
            mask = self.tree.node_mask[self.root, opponent]
            reach[opponent, self.root] = self.gadget.root_range(mask)
        for level in self._plan.levels:
            for rows, flat in zip(level, reach.reshape(2, -1), strict=True):
                np.add.at(flat, rows.target, flat[rows.source] * _factor(rows, policy))
        return reach

    def _end_cfvs(self, reach: Array, leaf_values: LeafValues | None) -> Array:
        """[2, node, S]: cfvs of terminal states and leaves, 0 elsewhere."""
        tree, cfvs = self.tree, np.zeros_like(reach)
        node, weighted = tree.payoff_node[self._plan.payoffs], tree.payoff[self._plan.payoffs]
        first, second = tree.payoff_infostates[self._plan.payoffs].T
        np.add.at(cfvs[0], (node, first), weighted * reach[1][node, second])
        np.add.at(cfvs[1], (node, second), -weighted * reach[0][node, first])
        asks = self._passes % self.leaf_interval == 0
        self._passes += 1
        for leaf in self._plan.leaves.tolist():
            assert leaf_values is not None
            if asks:
                ranges = normalized(self._mixed(reach[:, leaf], leaf), tree.node_mask[leaf])
                answer = leaf_values(leaf, ranges)
                if leaf in self._smoothed:  # in an update before
                    answer = (1 - self.leaf_smoothing) * answer
                    answer = answer + self.leaf_smoothing * self._answers[leaf]
                self._answers[leaf] = answer
            joint = joint_weights(tree)[leaf]
            compatible = np.stack([joint @ reach[1, leaf], reach[0, leaf] @ joint])
            cfvs[:, leaf] = self._answers[leaf] * compatible
        return cfvs

    def _mixed(self, reach: Array, leaf: int) -> Array:
        """[2, S]: this update's range of each player and his average range before it, if any."""
        if self.leaf_averaging == 0:
            return reach
        average = self.reach_sum[:, leaf] + 1e-6 * reach  # that of the update where there is none
        now, before = (normalized(one, np.zeros_like(one)) for one in (reach, average))
        return np.asarray((1 - self.leaf_averaging) * now + self.leaf_averaging * before)

    def _pull_cfvs(self, policy: Array, cfvs: Array) -> tuple[Array, Array]:
        """Cfvs [2, node, S] everywhere and the actors' action cfvs [node, S, A]."""
        action_cfvs = np.zeros_like(policy)
        for level in reversed(self._plan.levels):
            for rows, flat in zip(level, cfvs.reshape(2, -1), strict=True):
                below, acts = flat[rows.target], rows.acts
                np.add.at(flat, rows.source, below * _factor(rows, policy))
                np.add.at(action_cfvs.reshape(-1), rows.choice[acts], below[acts])
        return cfvs, action_cfvs


def _factor(rows: _Rows, policy: Array) -> Array:
    return np.asarray(np.where(rows.acts, policy.reshape(-1)[rows.choice], 1))


def whole_game(tree: PublicTree) -> Array:
    """[node] bool: everything is interior, so that there is no leaf to value."""
    return np.asarray(tree.node_actor != TERMINAL)


def _plan(tree: PublicTree, root: int, interior: Array) -> _Plan:
    inside = np.arange(tree.num_nodes) == root
    for node in range(root + 1, tree.num_nodes):
        parent = tree.node_parent[node]
        inside[node] = inside[parent] and interior[parent]
    below = inside & (np.arange(tree.num_nodes) != root)
    is_end = tree.node_actor == TERMINAL
    return _Plan(
        decisions=np.flatnonzero(inside & interior & (tree.node_actor <= PLAYER_1)),
        leaves=np.flatnonzero(inside & ~interior & ~is_end),
        payoffs=np.flatnonzero(inside[tree.payoff_node]),
        levels=[
            (_rows(tree, 0, below & level), _rows(tree, 1, below & level))
            for level in tree.node_depth == np.unique(tree.node_depth[below])[:, None]
        ],
    )


def _rows(tree: PublicTree, player: int, children: Array) -> _Rows:
    flow = tree.flows[player]
    taken = children[flow.node]
    child, parent = flow.node[taken], tree.node_parent[flow.node[taken]]
    _, infostates, actions = tree.node_legal.shape
    source = parent * infostates + flow.parent_infostate[taken]
    return _Rows(
        source=source,
        target=child * infostates + flow.infostate[taken],
        choice=source * actions + flow.action[taken],
        acts=tree.node_actor[parent] == player,
    )


@functools.cache  # trees are equal only to themselves
def joint_weights(tree: PublicTree) -> Array:
    """[node, S, S] float64: w(s0, s1), read off `Game.compatible_reach` with one-hot reach."""
    with jax.enable_x64(True):
        return np.asarray(_joint_weights(tree.game, tree.node_state))


@functools.partial(jax.jit, static_argnums=0)
def _joint_weights(game: Game[Any], states: Any) -> jax.Array:
    basis = jnp.eye(game.num_infostates)
    reach = jnp.stack([jnp.zeros_like(basis), basis], axis=1)  # [s1, 2, S]

    def one(state: Any) -> jax.Array:
        return jax.vmap(lambda pair: game.compatible_reach(state, pair)[0])(reach).T

    return jax.vmap(one)(states)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Resolving:
    """How continual re-solving is done, with the whole rest of the game in every search."""

    num_updates: int
    alpha: float = 0.5
    has_gadget: bool = True
    """Without it, the opponent's range is simply what the search before says: unsafe."""
    at_every_decision: bool = True
    """A player searches, as himself, also where his opponent decides."""
    rule: Rule = RULES["sog"]
    from_first_child: bool = False
    """A re-solve starts right after the decision that was searched last, not at its own: before
    chance, if that moved in between."""
    resolves_first_decision: bool = True
    """A player whose first decision is not the start of the game re-solves there too, from the
    search of the whole game; otherwise he plays what that search says."""


def compose(tree: PublicTree, how: Resolving) -> Array:
    """[node, S, A]: the policies that players with a chain of searches each play everywhere."""
    start = normalized(tree.node_mask[0], tree.node_mask[0])
    first = _run(PlainSearch(tree, ranges=start, rule=how.rule), how)
    policy = np.zeros(tree.node_legal.shape)
    # Per player and node, the nearest node above where he searched, and what he found.
    chains: tuple[dict[int, tuple[int, PlainSearch]], ...] = ({}, {})
    for node in range(tree.num_nodes):
        actor = int(tree.node_actor[node])
        for player, chain in enumerate(chains):
            before = chain.get(int(tree.node_parent[node]))
            searches = actor == player or (how.at_every_decision and actor <= PLAYER_1)
            if before is None and (searches or how.resolves_first_decision):
                chain[node] = node, first
            elif before is not None:
                chain[node] = before
                if searches:
                    above = _child_towards(tree, before[0], node) if how.from_first_child else node
                    chain[node] = node, resolve(before[1], above, player, how)
            if actor == player:
                policy[node] = chain[node][1].average_policy[node]
    return policy


def _child_towards(tree: PublicTree, above: int, node: int) -> int:
    """The child of a node on the way to one below it."""
    while tree.node_parent[node] != above:
        node = int(tree.node_parent[node])
    return node


def resolve(before: PlainSearch, node: int, player: int, how: Resolving) -> PlainSearch:
    """Re-solves the game below a node as a player, from his search before."""
    tree, opponent = before.tree, 1 - player
    ranges = normalized(before.reach_sum[:, node], tree.node_mask[node])
    mass = before.reach_sum[player, node].sum()
    assert mass > 0  # every search begins with uniform play of the whole game
    gadget = Gadget(
        opponent=opponent,
        prior=ranges[opponent],
        terminate_cfvs=before.cfv_sum[opponent, node] / mass,
        alpha=how.alpha,
        rule=how.rule,
    )
    after = PlainSearch(
        tree,
        root=node,
        ranges=ranges,
        gadget=gadget if how.has_gadget else None,
        rule=how.rule,
    )
    return _run(after, how)


def _run(search: PlainSearch, how: Resolving) -> PlainSearch:
    for _ in range(how.num_updates):
        search.update(whole_game(search.tree))
    return search
