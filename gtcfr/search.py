"""Growing-tree CFR (Student of Games, Algorithm 1), for a batch of searches at once.

    root = start_of_game(game, batch_size=64)
    run = jax.jit(functools.partial(search, game, settings=SearchSettings(num_simulations=100)))
    result = run(evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0))
    result.policy    # [batch, infostate, action]

`search` is `begin`, `advance` to the end and `read`; called separately, they show a search while it
grows, and stop it when time is up. It alternates between the regret update phase (`gtcfr.update`)
and the expansion phase (`gtcfr.expansion`). All functions are pure; the caller compiles them.
"""

import contextlib
import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator, Fault
from gtcfr.expansion import expansion_phase, repeat
from gtcfr.flow import normalize
from gtcfr.gadget import Gadget
from gtcfr.initial_state import initial_state
from gtcfr.locks import HeldPolicies, hold_rows
from gtcfr.mesh import on_all, split_batch
from gtcfr.packing import unpack
from gtcfr.query import QuerySample
from gtcfr.root import SearchRoot
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.tree import SearchTree
from gtcfr.update import regret_update
from sog.games.core import Game
from sog.precision import in_32_bits
from sog.pytree import pytree
from sog.tabular.rules import Step


@pytree
class SearchResult:
    """The results of a batch of searches; every array has the batch axis first."""

    policy: Array
    """[batch, S, A]: the average policy of the acting player at the searched state; rows of
    possible infostates sum to 1. `tree.is_pruned` says whether some legal action, there or below,
    was not considered, see `SearchSettings.max_actions`."""
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
    """The first leaf whose value was not finite, see `check_result`."""
    num_updates: Array
    """[batch] int32: regret updates made."""

    @property
    def has_arrived(self) -> Array:
        """[batch] bool: whether the tree had room for the path to the searched state; if not, the
        result is undefined."""
        return self.slot < self.tree.shape.num_interior

    @property
    def is_full(self) -> Array:
        """[batch] bool: the tree ran out of room, so some node was not added."""
        return self.tree.is_full


@in_32_bits
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

    root: where each of them starts. key: one key, or one for each search, so that a search does not
    depend on its batch; from `jax.random.key` or `PRNGKey`. mesh: the devices that share the batch,
    in equal parts, see `gtcfr.mesh`; up to rounding, results do not depend on them (except that
    every device draws the playouts of a `RolloutEvaluator` for itself). Raises ValueError for
    impossible sizes and invalid keys.
    """

    def run(evaluator: Evaluator, root: SearchRoot, keys: Array) -> SearchResult:
        state = initial_state(game, evaluator, settings, root, keys)
        return read(game, _all_phases(game, evaluator, settings, state))

    result: SearchResult = _on_devices(mesh, run, evaluator, root, keys_of(len(root.path), key))
    return result


@in_32_bits
def begin(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    root: SearchRoot,
    key: Array,
    settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    mesh: Mesh | None = None,
) -> SearchState:
    """The same searches before their first update, for `advance`; arguments as in `search`."""

    def start(evaluator: Evaluator, root: SearchRoot, keys: Array) -> SearchState:
        return initial_state(game, evaluator, settings, root, keys)

    state: SearchState = _on_devices(mesh, start, evaluator, root, keys_of(len(root.path), key))
    return state


@in_32_bits
def advance(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    state: SearchState,
    count: Array | int,
    settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    mesh: Mesh | None = None,
) -> SearchState:
    """Continues for `count` regret updates, or until `settings.num_updates` are done.

    evaluator, settings and mesh are those of `begin`; count may be traced, so that one compiled
    program serves all. Results do not depend on how a search is split into calls.
    """

    def run(evaluator: Evaluator, state: SearchState, count: Array) -> SearchState:
        first = state.num_updates[0]
        last = first + jnp.minimum(count[0], settings.num_updates - first)
        return _part(game, evaluator, settings, state, first, last)

    # A count per search, since the devices share arrays with a batch axis.
    counts = jnp.broadcast_to(jnp.asarray(count, jnp.int32), state.num_updates.shape)
    advanced: SearchState = _on_devices(mesh, run, evaluator, state, counts)
    return advanced


@in_32_bits
def read(game: Game[Any], state: SearchState) -> SearchResult:
    """The results so far; undefined before the first update."""
    read_one = jax.vmap(functools.partial(_read_result, game))
    policy, values, ranges = read_one(state.tree, state.slot, state.held)
    return SearchResult(
        policy=policy,
        values=values,
        ranges=ranges,
        slot=state.slot,
        tree=state.tree,
        gadget=state.gadget,
        queries=state.queries,
        fault=state.fault,
        num_updates=state.num_updates,
    )


def keys_of(batch_size: int, key: Array) -> Array:
    """[batch]: a key for each search. key: one, or one for each; ValueError for anything else."""
    dtype = getattr(key, "dtype", None)
    given = key if dtype is None else f"{dtype}{list(key.shape)}"
    if dtype == jnp.uint32 and key.ndim:  # of `jax.random.PRNGKey`
        with contextlib.suppress(TypeError):  # of a wrong size
            key = jax.random.wrap_key_data(key)
            dtype = key.dtype
    is_key = dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key)
    if not is_key or key.shape not in ((), (batch_size,)):
        raise ValueError(
            f"key must be one of jax.random.key, or one for each of {batch_size} searches, "
            f"got {given}."
        )
    if key.ndim:
        return key
    fold: Callable[..., Array] = functools.partial(jax.random.fold_in, key)
    return jax.vmap(fold)(jnp.arange(batch_size))


def _on_devices(
    mesh: Mesh | None, run: Callable[..., Any], evaluator: Evaluator, batch: Any, others: Array
) -> Any:
    """Runs `body` on each device with its part of the batch and a copy of the evaluator."""
    if mesh is None:
        return run(evaluator, batch, others)
    if len(others) % mesh.size:
        raise ValueError(
            f"a batch must be a multiple of the {mesh.size} devices of the mesh, got {len(others)}."
        )
    split = split_batch(mesh).spec
    specs = (on_all(mesh).spec, split, split)
    # The check would require loops to declare the devices that their initial constants vary on.
    shared = jax.shard_map(run, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
    return shared(evaluator, batch, others)


def _all_phases(
    game: Game[Any], evaluator: Evaluator, settings: SearchSettings, state: SearchState
) -> SearchState:
    """The whole search; the result is that of `_part`, whose condition would cost a third of the
    speed with small batches and trees."""
    per_phase = settings.updates_per_phase
    update = functools.partial(_update, game, evaluator, settings)

    def phase(number: Array, state: SearchState) -> SearchState:
        first = number * per_phase
        state = repeat(per_phase, lambda count, state: update(first + count, state), state)
        if settings.grow:
            state = expansion_phase(game, evaluator, settings, state, number)
        return state

    state = jax.lax.fori_loop(0, settings.num_phases, phase, state)
    if settings.num_final_updates > 0:
        first = settings.num_updates - settings.num_final_updates
        state = jax.lax.fori_loop(first, settings.num_updates, update, state)
    return replace(state, num_updates=jnp.full_like(state.num_updates, settings.num_updates))


def _part(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    first: Array,
    last: Array,
) -> SearchState:
    """The updates `first`, ..., `last - 1` (from 0), and the simulations between."""
    per_phase = settings.updates_per_phase
    update = functools.partial(_update, game, evaluator, settings)
    grow = functools.partial(expansion_phase, game, evaluator, settings)

    def is_unfinished(carry: tuple[Array, SearchState]) -> Array:
        return carry[0] < last

    def phase(carry: tuple[Array, SearchState]) -> tuple[Array, SearchState]:
        done, state = carry
        number = done // per_phase
        end = number * per_phase + per_phase  # which may be after this part
        grows = number < settings.num_phases
        stop = jnp.minimum(last, end)
        state = jax.lax.fori_loop(done, stop, update, state)
        if settings.grow:
            # A loop that runs once or not at all: XLA would copy tables for a condition.
            times = (grows & (stop == end)).astype(jnp.int32)
            state = jax.lax.fori_loop(0, times, lambda _, state: grow(state, number), state)
        return stop, state

    state = jax.lax.while_loop(is_unfinished, phase, (first, state))[1]
    return replace(state, num_updates=jnp.full_like(state.num_updates, last))


def _update(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    number: Array,
    state: SearchState,
) -> SearchState:
    before = state.num_before[0]
    counts = before + number + 1, before + settings.num_updates
    step = Step(*(count.astype(jnp.float32) for count in counts))
    in_phase = number % settings.updates_per_phase
    if settings.num_final_updates > 0:
        since_growth = number - (settings.num_updates - settings.num_final_updates)
        in_phase = jnp.where(since_growth < 0, in_phase, since_growth)
    return regret_update(game, evaluator, settings, state, step, in_phase)


def _read_result(
    game: Game[Any], tree: SearchTree, slot: Array, held: HeldPolicies | None
) -> tuple[Array, Array, Array]:
    """Policy [S, A], values [player, S] and ranges [player, S] at an interior node."""
    state = unpack(game, tree.interior.state[slot])
    statistics = jax.tree.map(lambda leaf: leaf[slot], tree.interior_statistics)
    policy = normalize(statistics.policy_sum, tree.interior.takeable[slot], axis=0)
    compatible = game.compatible_reach(state, statistics.reach_sum)
    values = jnp.where(
        compatible > 0, statistics.cfv_sum / jnp.where(compatible > 0, compatible, 1), 0
    )
    if held is not None and held.state.shape[-2] > 0:  # also where the player never arrives
        node = jax.tree.map(lambda leaf: leaf[slot][None], tree.interior)
        policy = hold_rows(tree.shape.layout, held, node, policy[None])[0]
    policy = tree.shape.layout.over_all_actions(game, tree.interior.listed[slot], policy).T
    return policy, values, normalize(statistics.reach_sum, game.infostate_mask(state))


def check_result(game: Game[Any], result: SearchResult) -> None:
    """Raises ValueError if the evaluator returned NaN or infinity; not under jit.

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
