"""Many searches of IS-MCTS with UCB at once: one compiled program, on the arrays of a game.

A search here is fifty times as fast as one alone; `sog.baselines.online.is_mcts` explains the
method.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh

from gtcfr.mesh import batch_mesh, first_devices
from sog.baselines.histories.arrays import Histories, HistoryTree, Members
from sog.baselines.histories.walk import Place, Walk, walk
from sog.baselines.learners.learning import convert, share
from sog.baselines.learners.smooth_uct import VisitTables, is_best_by_ucb
from sog.baselines.online.is_mcts import IsMcts
from sog.games.core import draw
from sog.precision import in_32_bits

_State = tuple[Array, VisitTables]
"""[row + 1] bool: which rows are in the tree; and their statistics."""


class ManySearches:
    """Independent searches of one game by a method with selection=uct."""

    @in_32_bits
    def __init__(self, method: IsMcts, tree: HistoryTree) -> None:
        self._method, on_device = method, functools.partial(convert, "float32")
        self._arrays = jax.tree.map(on_device, (tree.histories, tree.members))

    def search(self, rows: np.ndarray, keys: Array, devices: int | None = None) -> VisitTables:
        """The lines [search, choice] of the searches' tables at their rows.

        devices: the maximum number of devices.
        """
        mesh = first_devices(batch_mesh(len(rows)), devices or len(rows))
        found = _search_rows(self._method, mesh, self._arrays, jnp.asarray(rows, "int32"), keys)
        lines: VisitTables = jax.tree.map(np.asarray, found)
        return lines


def final_policy(final: str, found: VisitTables) -> np.ndarray:
    """[search, choice] from table lines of searches; illegal choices have no visits."""
    weight = np.asarray(found.visits)
    if final == "value":
        weight = np.where(found.visits > 0, found.value, -np.inf)
    if final != "mixed":
        weight = weight == weight.max(axis=-1, keepdims=True)
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


@in_32_bits
@functools.partial(jax.jit, static_argnums=(0, 1))
def _search_rows(
    method: IsMcts, mesh: Mesh, arrays: tuple[Histories, Members], rows: Array, keys: Array
) -> Any:
    def search(arrays: tuple[Histories, Members], rows: Array, keys: Array) -> Any:
        def line(row: Array, key: Array) -> Any:
            return jax.tree.map(lambda table: table[row], _search(method, *arrays, row, key))

        return jax.vmap(line)(rows, keys)

    return share(mesh, search, 2)(arrays, rows, keys)


def _search(
    method: IsMcts, histories: Histories, members: Members, row: Array, key: Array
) -> VisitTables:
    """The tables after all simulations from a row."""

    def simulate(number: Array, state: _State) -> _State:
        start_key, walk_key = jax.random.split(jax.random.fold_in(key, number))
        start = members.draw(row, jax.random.uniform(start_key, (2,)))
        choose = functools.partial(_choose, method, histories, state)
        return _update(histories, state, walk(histories, walk_key, choose, jnp.bool_(False), start))

    known = jnp.zeros(histories.num_rows + 1, bool).at[row].set(True)
    start = known, VisitTables.empty(histories)
    last: _State = jax.lax.fori_loop(0, method.budget, simulate, start)
    return last[1]


def _choose(
    method: IsMcts,
    histories: Histories,
    state: _State,
    is_out: Array,
    place: Place,
    numbers: Array,
) -> tuple[Array, Array, tuple[Array, Array]]:
    """Records whether the infostate is in the tree, and whether it joins."""
    legal = jnp.arange(histories.max_choices) < place.num_choices
    known, tables = state
    in_tree = place.is_decision & ~is_out & known[place.row]
    joins = place.is_decision & ~is_out & ~known[place.row]
    visits, value = tables.visits[place.row], tables.value[place.row]
    best = is_best_by_ucb(visits, value, legal, method.c * histories.max_utility)
    choice = draw(numbers[0], jnp.where(in_tree, best, legal).astype(value.dtype))
    return choice, is_out | joins, (in_tree, joins)


def _update(histories: Histories, state: _State, played: Walk) -> _State:
    (known, tables), (in_tree, joins) = state, played.record
    row = jnp.where(in_tree, played.place.row, histories.num_rows)
    known = known.at[jnp.where(joins, played.place.row, histories.num_rows)].set(True)
    return known, tables.add(row, played.choice, played.utility_to(played.place.actor))
