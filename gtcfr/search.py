"""Growing-tree CFR (Student of Games, Algorithm 1), for a batch of searches at once.

    root = start_of_game(game, batch_size=64)
    run = jax.jit(functools.partial(search, game, settings=SearchSettings(num_simulations=100)))
    result = run(evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0))
    result.policy    # [batch, infostate, action]

A search alternates between the regret update phase (`gtcfr.update`) and the expansion phase
(`gtcfr.simulation`, `gtcfr.growth`). It is pure, and the caller compiles it.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator, Fault, encode_to_keep
from gtcfr.expansion import evaluate_new, expand_down_to, expand_leaves, expansion_phase, repeat
from gtcfr.flow import normalize
from gtcfr.gadget import Gadget, make_gadget
from gtcfr.growth import NewLeaves, plant
from gtcfr.leaves import no_answers, value_leaves
from gtcfr.mesh import on_all, split_batch
from gtcfr.packing import pack, packed_width, unpack
from gtcfr.query import QuerySample, no_queries
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search_state import SearchState
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.tree import NO_PARENT, ROOT, SearchTree, empty_tree
from gtcfr.update import push_ranges, regret_update
from sog.games.core import Game
from sog.pytree import pytree


@pytree
class SearchResult:
    """What a batch of searches found; every array has the batch axis first."""

    policy: Array
    """[batch, S, A]: the average policy of the acting player at the state that was searched; rows
    of infostates he can have sum to 1."""
    values: Array
    """[batch, player, S]: average values there, in utility units; 0 where they are undefined."""
    ranges: Array
    """[batch, player, S]: average ranges there."""
    slot: Array
    """[batch] int32: the interior slot of that state in the tree."""
    tree: SearchTree
    gadget: Gadget
    queries: QuerySample
    fault: Fault
    """A leaf that the evaluator gave a value that is not finite, see `check_result`."""

    @property
    def is_full(self) -> Array:
        """[batch] bool: the tree ran out of room, so something was not added."""
        return self.tree.is_full


def search(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    root: SearchRoot,
    key: Array,
    settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    mesh: Mesh | None = None,
) -> SearchResult:
    """Runs a batch of searches.

    root: where each of them starts. key: one key, or one for each search, so that a search does
    not depend on its batch. mesh: the devices that share the batch, in equal parts, see
    `gtcfr.mesh`; rounding apart, what is found does not depend on them (but every device numbers
    the random playouts of a `RolloutEvaluator` anew). Raises ValueError for sizes that cannot be.
    """
    batch_size = len(root.path)
    keys = (
        key
        if key.ndim
        else jax.vmap(functools.partial(jax.random.fold_in, key))(jnp.arange(batch_size))
    )
    run = functools.partial(_search, game, settings)
    if mesh is not None:
        if batch_size % mesh.size:
            raise ValueError(
                f"a batch must be a multiple of the {mesh.size} devices of the mesh, "
                f"got {batch_size}."
            )
        split = split_batch(mesh).spec
        specs = (on_all(mesh).spec, split, split)
        # The check wants loops to say of constants they begin with which devices they differ on.
        run = jax.shard_map(run, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
    result: SearchResult = run(evaluator, root, keys)
    return result


def _search(
    game: Game[Any], settings: SearchSettings, evaluator: Evaluator, root: SearchRoot, keys: Array
) -> SearchResult:
    """The searches of one device."""
    path_length = root.path.shape[1]
    shape = settings.shape(game, path_length)
    state, slot = _initial_state(game, evaluator, settings, shape, root, keys)

    def phase(number: Array, state: SearchState) -> SearchState:
        def update(count: Array, state: SearchState) -> SearchState:
            step = number * settings.updates_per_phase + count + 1
            return regret_update(game, evaluator, settings, state, step.astype(jnp.float32))

        state = repeat(settings.updates_per_phase, update, state)
        if settings.grow:
            state = expansion_phase(game, evaluator, settings, state, slot, number)
        return state

    state = jax.lax.fori_loop(0, settings.num_phases, phase, state)
    read = functools.partial(_read_result, game)
    policy, values, ranges = jax.vmap(read)(state.tree, slot)
    return SearchResult(
        policy=policy,
        values=values,
        ranges=ranges,
        slot=slot,
        tree=state.tree,
        gadget=state.gadget,
        queries=state.queries,
        fault=state.fault,
    )


def _initial_state(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    shape: Any,
    root: SearchRoot,
    keys: Array,
) -> tuple[SearchState, Array]:
    """The trees before the first update, and the interior slot that growth starts from.

    A tree holds the branch from the root to that state, all children of the states on it, and
    `lookahead` levels below.
    """
    batch_size, path_length = root.path.shape
    predictive = settings.cfr_rule.predictive
    encoded = jax.eval_shape(lambda: encode_to_keep(game, evaluator, game.root()))
    empty = empty_tree(game, shape, encoded, predictive=predictive)
    depth = -jnp.sum(root.path != NO_EVENT, axis=1, dtype=jnp.int32)
    planted = jax.vmap(functools.partial(plant, game, evaluator, empty))(root.state, depth)
    state = SearchState(
        tree=planted,
        gadget=jax.vmap(make_gadget)(root.opponent, root.terminate_cfvs),
        root_state=jax.vmap(pack)(root.state),
        ranges=root.ranges,
        memory=evaluator.start(game, batch_size),
        fault=Fault(
            found=jnp.zeros(batch_size, bool),
            state=jnp.zeros((batch_size, packed_width(game)), jnp.int32),
        ),
        queries=no_queries(game, batch_size, settings.num_queries),
        keys=keys,
        answers=no_answers(game, evaluator, batch_size, shape.num_leaves),
    )
    root_leaf = NewLeaves(
        first=jnp.zeros(batch_size, jnp.int32), count=jnp.ones(batch_size, jnp.int32)
    )
    state = evaluate_new(game, evaluator, state, root_leaf)

    def follow(number: Array, carry: tuple[SearchState, Array]) -> tuple[SearchState, Array]:
        state, edge = carry
        outcome = root.path[:, number]
        here = jnp.where(outcome == NO_EVENT, NO_PARENT, edge)
        state = expand_leaves(game, evaluator, settings, state, here, number, outcome)
        return state, jax.vmap(_edge_to)(state.tree, edge, outcome)

    edge = jnp.full(batch_size, shape.root_edge, jnp.int32)
    if path_length > 0:
        state, edge = jax.lax.fori_loop(0, path_length, follow, (state, edge))
    state = _ask_for_priors(game, evaluator, state, settings)
    state = expand_leaves(game, evaluator, settings, state, edge, path_length)
    slot = jax.vmap(_slot_below)(state.tree, edge)
    if settings.lookahead == WHOLE_GAME:
        return expand_down_to(game, evaluator, settings, state, WHOLE_GAME), slot
    for level in range(2, settings.lookahead + 1):
        state = _ask_for_priors(game, evaluator, state, settings)
        state = expand_down_to(game, evaluator, settings, state, level)
    return state, slot


def _ask_for_priors(
    game: Game[Any], evaluator: Evaluator, state: SearchState, settings: SearchSettings
) -> SearchState:
    """Puts all leaves to the evaluator without an update, for the policies of those to expand."""
    if game.num_infostates == 1:
        return state  # they were evaluated when they were added
    state = push_ranges(game, state, settings.alpha)
    return value_leaves(game, evaluator, state, None, settings.leaf_averaging)


def _edge_to(tree: SearchTree, edge: Array, outcome: Array) -> Array:
    """The edge that an outcome leads along from the interior node below `edge`; or `edge` itself
    where there is no outcome."""
    slot = _slot_below(tree, edge)
    number = jnp.argmax(tree.interior.outcome[slot] == outcome).astype(jnp.int32)
    return jnp.where(outcome == NO_EVENT, edge, slot * tree.shape.num_children + number)


def _slot_below(tree: SearchTree, edge: Array) -> Array:
    """The interior slot that an edge leads to."""
    children = tree.shape.num_children
    row = tree.interior.child[edge // children, edge % children]
    return jnp.where(edge == tree.shape.root_edge, ROOT, row)


def _read_result(game: Game[Any], tree: SearchTree, slot: Array) -> tuple[Array, Array, Array]:
    """Policy [S, A], values [player, S] and ranges [player, S] at an interior node."""
    state = unpack(game, tree.interior.state[slot])
    statistics = jax.tree.map(lambda leaf: leaf[slot], tree.interior_statistics)
    policy = normalize(statistics.policy_sum, tree.interior.uniform[slot] > 0, axis=0).T
    compatible = game.compatible_reach(state, statistics.reach_sum)
    values = jnp.where(
        compatible > 0, statistics.cfv_sum / jnp.where(compatible > 0, compatible, 1), 0
    )
    return policy, values, normalize(statistics.reach_sum, game.infostate_mask(state))


def check_result(game: Game[Any], result: SearchResult) -> None:
    """Raises ValueError if the evaluator answered with NaN or infinity; not under jit.

    The error names the search and the public state.
    """
    found = np.asarray(result.fault.found)
    if not found.any():
        return
    number = int(np.argmax(found))
    row = result.fault.state[number]
    raise ValueError(
        f"the evaluator gave a value that is not finite in search {number}, at the public state "
        f"'{game.describe_state(unpack(game, row))}'."
    )
