"""Analyzes a policy profile at every public state: ranges, values and losses.

`sog.tabular.best_response` has the numbers at the root, this has them at every node, in 64 bits on
the host. Reach flows down and cfvs flow up along the flows of the public tree, level by level.
"""

import dataclasses
import functools
from typing import Any, Final

import jax
import numpy as np
from jax import Array

from sog.chunks import in_chunks
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, Game
from sog.memory import check_memory
from sog.tabular.linear_maps import Flow
from sog.tabular.policy import check_policy
from sog.tabular.public_tree import PublicTree

_CHUNK: Final = 4096  # nodes per call of the game
_BYTES_PER_ACTION: Final = 32  # a policy and two kinds of values, with room to compute them


def check_analysis(tree: PublicTree) -> None:
    """Raises ValueError if there is no memory for `analyze_profile`."""
    check_memory({"policies and values of all actions": _BYTES_PER_ACTION * tree.node_legal.size})


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Cfvs:
    """Counterfactual values in utility units: of infostates, and of the actor's actions."""

    of_infostates: np.ndarray
    """[node, 2, S]."""
    of_actions: np.ndarray
    """[node, S, A]; 0 where illegal or where no player acts."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class ProfileAnalysis:
    """A policy profile analyzed at every node; undefined values are NaN."""

    tree: PublicTree
    policy: np.ndarray
    """[node, S, A]."""
    reach: np.ndarray
    """[node, 2, S]: each player's own contribution."""
    compatible_reach: np.ndarray
    """[node, 2, S]: the opponent's and chance's contribution, see `Game.compatible_reach`."""
    cfvs: Cfvs
    """If both players follow the profile, also after the action."""
    best_cfvs: Cfvs
    """If the player whose cfvs they are plays a best response from there on."""

    @functools.cached_property
    def probability(self) -> np.ndarray:
        """[node, 2, S]: the probability of node and infostate, from chance and both players.

        Its sum over the infostates of either player is the probability of the public state.
        """
        return np.asarray(self.reach * self.compatible_reach)

    @functools.cached_property
    def ranges(self) -> np.ndarray:
        """[node, 2, S]: the probability of each infostate given the public state, by both policies.

        Rows sum to 1; NaN where the profile never arrives.
        """
        return _divide(self.probability, self.probability.sum(axis=-1, keepdims=True))

    @functools.cached_property
    def values(self) -> np.ndarray:
        """[node, 2, S]: expected utility to the infostate's player, in the game's unit."""
        return _divide(self.cfvs.of_infostates, self.compatible_reach)

    def action_values(self, node: int) -> np.ndarray:
        """[S, A]: expected utility of the actor's actions if both then follow the profile.

        NaN where illegal, and where the other player's policy excludes the infostate.
        """
        weight = self.compatible_reach[node, self.tree.node_actor[node]][:, None]
        values = _divide(self.cfvs.of_actions[node], np.broadcast_to(weight, self.policy[0].shape))
        return np.where(self.tree.node_legal[node], values, np.nan)

    def value(self, node: int) -> float:
        """Expected utility to player 0 at a public state; NaN where the profile never arrives."""
        weight = self.probability[node, PLAYER_0]
        total = float(weight.sum())
        earned = float((self.reach[node, PLAYER_0] * self.cfvs.of_infostates[node, PLAYER_0]).sum())
        return earned / total if total > 0 else float("nan")

    @functools.cached_property
    def losses(self) -> np.ndarray:
        """[node, S]: the contribution of an infostate's decision to the exploitability.

            loss(n, s) = reach_i(s) (max_a Q*(s, a) - sum_a policy(s, a) Q*(s, a)) / 2

        i acts at n; reach_i is its own contribution; Q*(s, a) is the cfv of a followed by a best
        response, so it includes the opponent's and chance's contribution. This is the cost of this
        one decision if the player played perfectly from then on. Losses are never negative, and
        their sum is the exploitability: with V* = max Q*, and Q and V those of the profile, V* - V
        = (V* - sum policy Q*) + sum policy (Q* - Q), whose last term is the same sum at the next
        decisions, so by induction only losses remain. It is the performance difference lemma
        (Kakade and Langford 2002) for the best response.
        """
        acts = (self.tree.node_actor < CHANCE)[:, None]
        best = np.take_along_axis(
            self.best_cfvs.of_infostates, _actor_or_first(self.tree)[:, None, None], axis=1
        )[:, 0]
        own = np.take_along_axis(self.reach, _actor_or_first(self.tree)[:, None, None], axis=1)
        played = (self.policy * self.best_cfvs.of_actions).sum(axis=-1)
        return np.where(acts, own[:, 0] * (best - played) / 2, 0.0)

    @property
    def gains(self) -> np.ndarray:
        """[2]: the gain of each player's best response over the profile, in the game's unit."""
        gains = (self.best_cfvs.of_infostates - self.cfvs.of_infostates)[0]
        return np.asarray((self.reach[0] * gains).sum(axis=-1))

    @property
    def exploitability(self) -> float:
        """Half of NashConv, in the game's unit."""
        return float(self.gains.sum() / 2)


def analyze_profile(tree: PublicTree, policy: np.ndarray) -> ProfileAnalysis:
    """Analyzes a profile [node, S, A] of a whole game; raises as `check_policy` does."""
    policy = check_policy(tree, policy).astype(np.float64, copy=False)
    reach = np.zeros(tree.node_mask.shape)
    reach[0] = tree.node_mask[0]
    for level in range(1, int(tree.node_depth[-1]) + 1):
        push_reach(tree, policy, reach, level)
    ends = _terminal_cfvs(tree, reach)
    return ProfileAnalysis(
        tree=tree,
        policy=policy,
        reach=reach,
        compatible_reach=_weigh(tree, reach),
        cfvs=_back_up(tree, ends, policy),
        best_cfvs=_back_up(tree, ends, None),
    )


def push_reach(tree: PublicTree, policy: np.ndarray, reach: np.ndarray, level: int) -> None:
    """Adds the reach at the nodes of a level, in place, from that one level above.

    policy: [node, S, A]; reach: [node, 2, S], each player's own contribution.
    """
    for player in (PLAYER_0, PLAYER_1):
        flow, parent = _into_level(tree, player, level)
        arriving = reach[parent, player, flow.parent_infostate]
        acts = tree.node_actor[parent] == player
        action = np.where(acts, flow.action, 0)
        played = np.where(acts, policy[parent, flow.parent_infostate, action], 1)
        np.add.at(reach[:, player], (flow.node, flow.infostate), arriving * played)


def _into_level(tree: PublicTree, player: int, level: int) -> tuple[Flow, np.ndarray]:
    """A player's flows into the nodes of a level, and the parents of these nodes."""
    flow = tree.flows[player]
    nodes = np.searchsorted(tree.node_depth, (level, level + 1))
    rows = slice(*np.searchsorted(flow.node, nodes))
    part = Flow(**{name: array[rows] for name, array in vars(flow).items()})
    return part, tree.node_parent[part.node]


def _terminal_cfvs(tree: PublicTree, reach: np.ndarray) -> np.ndarray:
    """[node, 2, S]: cfvs of terminal nodes; 0 elsewhere."""
    cfvs = np.zeros(tree.node_mask.shape)
    node, first, second = tree.payoff_node, *tree.payoff_infostates.T
    np.add.at(cfvs[:, PLAYER_0], (node, first), tree.payoff * reach[node, PLAYER_1, second])
    np.add.at(cfvs[:, PLAYER_1], (node, second), -tree.payoff * reach[node, PLAYER_0, first])
    return cfvs


def _back_up(tree: PublicTree, ends: np.ndarray, policy: np.ndarray | None) -> Cfvs:
    """Backs cfvs up the tree by the policy, or by the best action if it is None."""
    cfvs, actions = ends.copy(), np.zeros(tree.node_legal.shape)
    for player in (PLAYER_0, PLAYER_1):
        for level in range(int(tree.node_depth[-1]), 0, -1):
            flow, parent = _into_level(tree, player, level)
            arriving = cfvs[flow.node, player, flow.infostate]
            acts = tree.node_actor[parent] == player
            chosen = parent[acts], flow.parent_infostate[acts], flow.action[acts]
            np.add.at(actions, chosen, arriving[acts])
            passed = parent[~acts], flow.parent_infostate[~acts]
            np.add.at(cfvs[:, player], passed, arriving[~acts])
            here = np.unique(parent[acts])
            cfvs[here, player] = _choose(tree.node_legal[here], actions[here], policy, here)
    return Cfvs(of_infostates=cfvs, of_actions=actions)


def _choose(
    legal: np.ndarray, actions: np.ndarray, policy: np.ndarray | None, nodes: np.ndarray
) -> np.ndarray:
    """[node, S]: cfvs of infostates from those of their actions [node, S, A]."""
    if policy is not None:
        return np.asarray((policy[nodes] * actions).sum(axis=-1))
    best = np.where(legal, actions, -np.inf).max(axis=-1)
    return np.where(legal.any(axis=-1), best, 0.0)


def _actor_or_first(tree: PublicTree) -> np.ndarray:
    """[node]: the acting player; player 0 where no player acts."""
    return np.where(tree.node_actor < CHANCE, tree.node_actor, PLAYER_0)


def _weigh(tree: PublicTree, reach: np.ndarray) -> np.ndarray:
    """[node, 2, S]: `Game.compatible_reach` at every node, in chunks of one size."""
    weigh = functools.partial(_compatible_reach, tree.game)
    with jax.enable_x64(True):
        batch, size = (tree.node_state, reach), min(_CHUNK, tree.num_nodes)
        return np.asarray(in_chunks(weigh, batch, size))


@functools.partial(jax.jit, static_argnums=0)
def _compatible_reach(game: Game[Any], at: tuple[Any, Array]) -> Array:
    found: Array = jax.vmap(game.compatible_reach)(*at)
    return found


def _divide(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The quotient; NaN where the whole is 0."""
    whole = np.broadcast_to(whole, part.shape)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))
