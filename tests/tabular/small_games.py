"""What the tests of this room share: games compiled once, random policies, and plain evaluation.

`push_reach` and `expected_utility` walk the public tree by the game's own functions, a node at a
time. They know nothing of sequences or layers, so they are a second opinion on the compiled form.
"""

import functools
from typing import Any, Final

import jax
import numpy as np

from sog.games.core import PLAYER_1, TERMINAL, Game
from sog.games.registry import make
from sog.tabular import CompiledGame, PublicTree, compile_tree

Array = np.ndarray


VARIOUS_GAMES: Final = (
    "kuhn",
    "leduc(suit_isomorphism=true)",  # a public card
    "liars_dice(dice=2,dice1=1,faces=2)",  # hands of different kinds
    "ii_goofspiel(cards=3,order=random)",  # hidden moves, with chance between them
    "goofspiel(cards=4,order=descending)",  # hidden moves that are shown later
    "glasses",  # hidden moves, after which infostates merge
)


@functools.cache
def compiled_game(text: str) -> CompiledGame:
    """A game from its name and parameters, enumerated and compiled."""
    return compile_tree(make(text))


def tree_of(text: str) -> PublicTree:
    """The public tree of such a game."""
    return compiled_game(text).tree


def node_after(tree: PublicTree, *outcomes: int) -> int:
    """The public state that follows the root by these public events."""
    return tree.node_after(outcomes)


def random_policy(tree: PublicTree, seed: int) -> Array:
    """[node, S, A]: random probabilities, three in ten of them 0."""
    rng = np.random.default_rng(seed)
    legal = tree.decisions
    weight = rng.exponential(size=legal.shape) * legal
    thinned = weight * (rng.random(legal.shape) > 0.3)
    weight = np.where(thinned.any(axis=-1, keepdims=True), thinned, weight)
    total = weight.sum(axis=-1, keepdims=True)
    return np.asarray(weight / np.where(total > 0, total, 1))


def random_ranges(compiled: CompiledGame, seed: int, batch: int = 1) -> Array:
    """[2, S, batch]: random reach at the root, not normalized, some of it 0."""
    rng = np.random.default_rng(seed)
    mask = compiled.tree.node_mask[0][:, :, None]
    reach = rng.exponential(size=(*mask.shape[:2], batch)) * (rng.random(mask.shape) > 0.2)
    return np.asarray(np.where(reach.any(axis=1, keepdims=True), reach, 1) * mask)


def push_reach(tree: PublicTree, policy: Array, root_reach: Array | None = None) -> Array:
    """[node, 2, S]: the players' reach everywhere, from `Game.advance` at one node after another.

    policy: [node, S, A]. root_reach: [2, S], by default 1 for everything that can be dealt.
    """
    reach = np.zeros(tree.node_mask.shape)
    reach[0] = tree.node_mask[0] if root_reach is None else root_reach
    with jax.enable_x64(True):
        for node in range(1, tree.num_nodes):
            parent = int(tree.node_parent[node])
            actor = 1 if tree.node_actor[parent] == PLAYER_1 else 0
            chosen = policy if tree.node_actor[parent] <= PLAYER_1 else tree.node_legal
            action_reach = reach[parent, actor][:, None] * chosen[parent]
            other_reach = reach[parent, 1 - actor]
            outcome = tree.node_outcome[node]
            reach[node] = _advance(
                tree.game, tree.state(parent), outcome, action_reach, other_reach
            )
    return reach


def terminal_cfvs(tree: PublicTree, reach: Array) -> Array:
    """[node, 2, S]: cfvs of the terminal nodes from `Game.utilities`, 0 elsewhere."""
    cfvs = np.zeros(reach.shape)
    with jax.enable_x64(True):
        for node in np.flatnonzero(tree.node_actor == TERMINAL).tolist():
            cfvs[node] = _utilities(tree.game, tree.state(node), reach[node])
    return np.where(tree.node_mask, cfvs, 0)


def expected_utility(tree: PublicTree, policy: Array, root_reach: Array | None = None) -> float:
    """Player 0's, weighted by the root reach: both players' reach meets at every end."""
    reach = push_reach(tree, policy, root_reach)
    return float((reach[:, 0] * terminal_cfvs(tree, reach)[:, 0]).sum())


def is_below(tree: PublicTree, top: int) -> Array:
    """[node] bool: the nodes of the subtree of `top`."""
    below = np.asarray(np.arange(tree.num_nodes) == top)
    for node in range(top + 1, tree.num_nodes):
        below[node] = below[tree.node_parent[node]]
    return below


@functools.partial(jax.jit, static_argnums=0)
def _advance(
    game: Game[Any],
    state: Any,
    outcome: jax.Array,
    action_reach: jax.Array,
    other_reach: jax.Array,
) -> jax.Array:
    return game.advance(state, outcome, action_reach, other_reach)


@functools.partial(jax.jit, static_argnums=0)
def _utilities(game: Game[Any], state: Any, reach: jax.Array) -> jax.Array:
    return game.utilities(state, reach)
