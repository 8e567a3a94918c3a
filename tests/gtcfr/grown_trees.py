"""What the tests of the search share: searches compiled once, and their trees read on the host.

A grown tree is read by walking its edges from the root, beside the enumerated public tree of the
game, whose nodes give names to public states. Nothing else of how a search keeps its nodes is used.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.layout import NOT_LISTED
from gtcfr.root import SearchRoot, known_root, start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.tree import NO_PARENT, ROOT, SearchTree
from sog.games.core import PLAYER_1, Game
from sog.games.registry import make
from sog.pytree import pytree
from sog.tabular import PublicTree, Rule, compile_tree
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState
from sog.tabular.rules import Ramp
from tests.games.random_plays import state_after
from tests.tabular.small_games import tree_of

Array = np.ndarray
Path = tuple[int, ...]
NOT_THERE: Final = -1
_MOST_UPDATES: Final = 1000
_TICK: Final = 0.01  # how much a call of a `TableEvaluator` adds to its logits


LATE_TIC_TAC_TOE: Final = "tic_tac_toe after a3, b2, c1"


@functools.cache
def public_tree(text: str) -> PublicTree:
    """The public tree of a small game, or of LATE_TIC_TAC_TOE: six cells are empty."""
    if text == LATE_TIC_TAC_TOE:
        game = make("tic_tac_toe")
        return compile_tree(game, root=state_after(game, 0, 4, 8)).tree
    return tree_of(text)


@functools.cache
def enumerated(text: str) -> EnumeratedGame:
    """A small game whose states are the numbers of its nodes."""
    return EnumeratedGame(tree=public_tree(text))


@functools.cache
def compiled_search(game: Game[Any], settings: SearchSettings) -> Callable[..., SearchResult]:
    """The search, jitted once for all tests that ask for it."""
    return jax.jit(functools.partial(search, game, settings=settings))


def whole_game(updates: int, num_nodes: int, **others: Any) -> SearchSettings:
    """So many updates of a tree that holds the whole game."""
    return SearchSettings(
        num_simulations=updates, lookahead=WHOLE_GAME, grow=False, capacity=num_nodes, **others
    )


def run_search(
    game: Game[Any],
    settings: SearchSettings,
    *,
    root: SearchRoot | None = None,
    evaluator: Evaluator | None = None,
    seeds: tuple[int, ...] | None = None,
) -> SearchResult:
    """A batch of searches with arrays on the host. seeds: of the searches, 0, 1, ... if not given.

    root: one start of the game per seed, unless given.
    """
    if seeds is None:
        seeds = tuple(range(1 if root is None else len(root.ranges)))
    keys = jax.vmap(jax.random.key)(np.array(seeds, np.uint32))
    result = compiled_search(game, settings)(
        evaluator=evaluator or ZeroEvaluator(),
        root=root or start_of_game(game, batch_size=len(seeds)),
        key=keys,
    )
    on_host: SearchResult = jax.tree.map(np.asarray, result)
    return on_host


def uneven_root(text: str) -> SearchRoot:
    """The start of a game with uneven ranges: exact ties would be broken by rounding alone."""
    mask = tree_of(text).node_mask[0]
    weight = np.where(mask, np.random.default_rng(1).uniform(0.5, 1.5, mask.shape), 0)
    ranges = jnp.asarray((weight / weight.sum(axis=1, keepdims=True))[None], jnp.float32)
    return known_root(start_of_game(make(text)).state, ranges)


def tree_number(result: SearchResult, search: int = 0) -> SearchTree:
    """The tree of one search of a batch."""
    tree: SearchTree = jax.tree.map(lambda leaf: leaf[search], result.tree)
    return tree


def rows_by_path(tree: SearchTree) -> dict[Path, int]:
    """The row of every node, by the public events that lead to it from the root."""
    rows: dict[Path, int] = {}
    waiting: list[tuple[Path, int]] = [((), int(ROOT))]
    while waiting:
        path, row = waiting.pop()
        rows[path] = row
        if row < tree.shape.leaf_row:
            waiting += [((*path, event), child) for event, child in children_of(tree, row).items()]
    return rows


def children_of(tree: SearchTree, slot: int) -> dict[int, int]:
    """The rows of the children of an interior node, by public event."""
    outcomes, children = np.asarray(tree.outcomes)[slot], np.asarray(tree.interior.child)
    there = children[slot] != tree.shape.nothing
    assert (there == (outcomes != NOT_LISTED)).all()
    return dict(zip(outcomes[there].tolist(), children[slot][there].tolist(), strict=True))


def rows_of_nodes(public: PublicTree, tree: SearchTree, root: int = 0) -> Array:
    """[node] int: the row of each node of an enumerated game, or NOT_THERE.

    root: the node that the search started from.
    """
    rows = np.full(public.num_nodes, NOT_THERE)
    rows[root] = ROOT
    for node in range(root + 1, public.num_nodes):
        above = rows[public.node_parent[node]]
        if NOT_THERE < above < tree.shape.leaf_row:
            found = children_of(tree, int(above))
            rows[node] = found.get(int(public.node_outcome[node]), NOT_THERE)
    return rows


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sums:
    """What one search summed up, in the order of the enumerated tree; 0 where there is nothing."""

    is_there: Array  # [node] bool: in the tree, and not terminal
    is_interior: Array  # [node] bool
    regret: Array  # [node, S, A]
    policy: Array  # [node, S, A]
    cfv: Array  # [2, node, S]
    reach: Array  # [2, node, S]


def sums_of(public: PublicTree, tree: SearchTree) -> Sums:
    """Reads the tree of a search from the root of the game."""
    rows, shape = rows_of_nodes(public, tree), tree.shape
    is_there = (rows != NOT_THERE) & (rows < shape.terminal_row)
    # Rows of interior nodes come first, then those of leaves.
    row = np.where(is_there, rows, 0)
    is_interior = is_there & (rows < shape.leaf_row)
    decides, statistics = is_interior & (public.node_actor <= PLAYER_1), tree.interior_statistics

    def of_decisions(values: Any) -> Array:
        """[node, S, A] from [slot, A, S]."""
        taken = np.where(decides[:, None, None], np.asarray(values)[np.where(decides, rows, 0)], 0)
        return np.asarray(taken.transpose(0, 2, 1))

    def of_both(interior: Any, leaf: Any) -> Array:
        """[2, node, S] from [slot, 2, S]."""
        both = np.concatenate([interior, leaf])
        taken = np.where(is_there[:, None, None], both[row], 0)
        return np.asarray(taken.transpose(1, 0, 2))

    return Sums(
        is_there=is_there,
        is_interior=is_interior,
        regret=of_decisions(statistics.cumulative_regret),
        policy=of_decisions(statistics.policy_sum),
        cfv=of_both(statistics.cfv_sum, tree.leaf_statistics.cfv_sum),
        reach=of_both(statistics.reach_sum, tree.leaf_statistics.reach_sum),
    )


@pytree
class TableEvaluator(Evaluator):
    """Values that are linear in both ranges, with random coefficients for every node.

    So a value depends on the whole belief state, and a plain program can compute it too. Logits
    tell the number of the call, so that the prior of a node betrays when it was expanded.
    """

    coefficients: Any  # [node, player, S, 2 * S]
    leaves_per_call: int | None = dataclasses.field(default=None, metadata={"static": True})

    def encode(self, game: Game[Any], state: EnumeratedState) -> jax.Array:
        """The node's number."""
        return state.node

    def start(self, game: Game[Any], batch_size: int) -> jax.Array:
        return jnp.zeros(())

    def evaluate(self, game: Game[Any], memory: jax.Array, queries: LeafQueries) -> LeafEvaluation:
        batch, leaves, _, size = queries.ranges.shape
        ranges = queries.ranges.reshape(batch, leaves, 1, 1, 2 * size)
        values = jnp.sum(jnp.asarray(self.coefficients)[queries.encoded] * ranges, axis=-1)
        tick = _TICK * memory * jnp.arange(game.num_actions)
        logits = jnp.broadcast_to(tick, (batch, leaves, size, game.num_actions))
        return LeafEvaluation(values=values, policy_logits=logits, memory=memory + 1)


@functools.cache
def table_evaluator(text: str, leaves_per_call: int | None = None) -> TableEvaluator:
    """A `TableEvaluator` for an enumerated game."""
    public = public_tree(text)
    size, scale = public.game.num_infostates, public.game.max_utility
    rng = np.random.default_rng(0)
    table = scale * rng.uniform(-1, 1, (public.num_nodes, 2, size, 2 * size))
    return TableEvaluator(coefficients=table.astype(np.float32), leaves_per_call=leaves_per_call)


def expanded_after(
    public: PublicTree, tree: SearchTree, rule: Rule, asked_before: int = 1
) -> Array:
    """[node]: the update after which a node got its children, infinity where it has none.

    Of a search with a `TableEvaluator` and all children at once. A child that is no terminal state
    knows the weight of all updates before it was there, such as 1 + 2 + ... + t; a node with none
    but terminal children has a prior that knows how often the evaluator was asked: asked_before
    times before the first update.
    """
    passes = 2 if rule.alternating else 1
    power = rule.averaging_power
    assert not isinstance(power, Ramp)
    weights_so_far = np.cumsum(np.arange(_MOST_UPDATES, dtype=float) ** power)
    rows, shape = rows_of_nodes(public, tree), tree.shape
    since = np.concatenate([tree.interior.since, tree.leaf.since])
    after = np.full(public.num_nodes, np.inf)
    for node in np.flatnonzero((rows != NOT_THERE) & (rows < shape.leaf_row)).tolist():
        below = np.array(list(children_of(tree, int(rows[node])).values()))
        weights = since[below[below < shape.terminal_row]]
        if weights.size:
            assert len(np.unique(weights)) == 1
            after[node] = np.flatnonzero(weights_so_far == weights[0])[0]
        else:
            number = _call_number(public, node, np.asarray(tree.interior.prior[rows[node]]).T)
            after[node] = max(number + 1 - asked_before, 0) / passes
    assert np.allclose(after[np.isfinite(after)] % 1, 0)
    return after


def _call_number(public: PublicTree, node: int, prior: Array) -> int:
    """When the evaluator gave this prior [S, A]."""
    assert public.node_actor[node] <= PLAYER_1
    infostate = int(np.argmax(public.node_legal[node].sum(axis=-1)))
    first, second, *_ = np.flatnonzero(public.node_legal[node, infostate])
    difference = np.log(prior[infostate, second] / prior[infostate, first])
    exact = float(difference / (second - first) / _TICK)
    number = round(exact)
    assert abs(exact - number) < 0.1
    return number


def assert_is_a_tree(tree: SearchTree) -> None:
    """Every node is there once, knows its edge, and is counted; free leaf slots are free."""
    rows, shape = rows_by_path(tree), tree.shape
    assert len(set(rows.values())) == len(rows) == tree.num_nodes
    edges = np.concatenate([tree.interior.edge, tree.leaf.edge, tree.terminal.edge])
    for path, row in rows.items():
        if path:
            parent, number = divmod(int(edges[row]), shape.layout.num_children)
            assert rows[path[:-1]] == parent
            assert np.asarray(tree.interior.child)[parent, number] == row
    leaves = {row - shape.leaf_row for row in rows.values() if row >= shape.leaf_row}
    leaves = {leaf for leaf in leaves if leaf < shape.num_leaves}
    assert set(np.flatnonzero(tree.leaf.edge != NO_PARENT).tolist()) == leaves
    assert len(leaves) == tree.num_leaves
    free = np.asarray(tree.leaf.free)[int(tree.num_leaves) :]
    assert sorted([*free.tolist(), *leaves]) == list(range(shape.num_leaves))
