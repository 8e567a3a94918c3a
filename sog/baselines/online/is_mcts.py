"""Information set Monte Carlo tree search: one tree over both players' infostates."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh

from gtcfr.mesh import batch_mesh, first_devices
from sog.baselines.grown.is_mcts import IsMctsTree
from sog.baselines.grown.search import TreeSearch
from sog.baselines.histories.arrays import ROOT, Histories, HistoryTree, Members
from sog.baselines.histories.tables import RegretTables, add_rows, empty_tables, row_policy
from sog.baselines.histories.walk import Place, Walk, walk
from sog.baselines.learners.learning import share
from sog.baselines.learners.smooth_uct import VisitTables, is_best_by_ucb
from sog.baselines.online.method import OnlineMethod, Searcher, on_device
from sog.baselines.plain.worlds import InfostateGame
from sog.games.core import draw, param
from sog.precision import in_32_bits
from sog.pytree import pytree


@pytree
class SearchTables:
    """The statistics of a search."""

    is_known: Array
    """[row + 1] bool: in the tree."""
    tables: Any
    """`VisitTables` or `RegretTables`."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class IsMcts(OnlineMethod):
    """IS-MCTS (Cowling, Powley, Whitehouse 2012), from nothing at every decision unless its tree is
    grown.

    Each simulation starts in a world that agrees with the infostate of the player to move, drawn as
    chance makes them, whatever the opponent may have meant. An infostate that is not in the tree
    joins it, and the rest of the game is random. selection=uct: UCB at every infostate. rm: regret
    matching (Lisy 2014), on regrets of which the chosen action's is weighted by 1 / probability; an
    action is drawn from the mean policy.
    """

    name = "ismcts"
    paper: ClassVar[str] = "Cowling et al. 2012; Lisy et al. 2015, section 4.1"

    selection: str = param("uct", "how an action is selected", choices=("uct", "rm"))
    c: float = param(2.0, "exploration of uct, as a share of the largest utility", minimum=0)
    gamma: float = param(0.2, "exploration of rm", minimum=0, maximum=1)
    final: str = param(
        "visits",
        "what uct plays: the action with most visits, any as often as it was visited, or the one "
        "with the largest mean value; rm plays its mean policy",
        choices=("visits", "mixed", "value"),
    )
    budget: int = param(1000, "simulations per move", minimum=1, maximum=2**31 - 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.selection == "rm" and self.final == "value":
            raise ValueError("ismcts: final=value needs selection=uct, which knows mean values.")

    def searcher(self, tree: HistoryTree) -> "IsMctsSearcher":
        """A searcher with its arrays on the device."""
        return IsMctsSearcher(self, tree)

    def grown(self, game: InfostateGame, seed: int = 0) -> TreeSearch[Any]:
        """A search with its own tree, which it keeps between moves."""
        return IsMctsTree(self, game, seed)

    def search(self, histories: Histories, members: Members, row: Array | None, key: Array) -> Any:
        """The tables after all simulations from a row, or from the deal; a pure function."""
        begin: Any = empty_tables(histories)
        if self.selection == "uct":
            begin = VisitTables(visits=begin.regret.astype(jnp.int32), value=begin.regret)
        known = jnp.zeros(histories.num_rows + 1, bool)
        if row is not None:
            known = known.at[row].set(True)

        def simulate(number: Array, state: SearchTables) -> SearchTables:
            start_key, walk_key = jax.random.split(jax.random.fold_in(key, number))
            start: Array | int = ROOT
            if row is not None:
                start = members.draw(row, jax.random.uniform(start_key, (2,)))
            choose = functools.partial(self._choose, histories, state)
            played = walk(histories, walk_key, choose, jnp.bool_(False), start)
            return self._update(histories, state, played)

        state = SearchTables(is_known=known, tables=begin)
        state = jax.lax.fori_loop(0, self.budget, simulate, state)
        return state.tables

    def final_policy(self, found: Any) -> np.ndarray:
        """[search, choice] from table lines of searches; illegal choices have no visits."""
        if self.selection == "rm":
            weight = found.policy_sum
        elif self.final == "value":
            weight = np.where(found.visits > 0, found.value, -np.inf)
        else:
            weight = found.visits
        if self.final != "mixed" and self.selection == "uct":
            weight = weight == weight.max(axis=-1, keepdims=True)
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))

    def _choose(
        self,
        histories: Histories,
        state: SearchTables,
        is_out: Array,
        place: Place,
        numbers: Array,
    ) -> tuple[Array, Array, tuple[Array, ...]]:
        """Records whether the infostate is in the tree, whether it joins, and probabilities."""
        legal = jnp.arange(histories.max_choices) < place.num_choices
        in_tree = place.is_decision & ~is_out & state.is_known[place.row]
        joins = place.is_decision & ~is_out & ~state.is_known[place.row]
        tables = state.tables
        if self.selection == "uct":
            visits, value = tables.visits[place.row], tables.value[place.row]
            policy = is_best_by_ucb(visits, value, legal, self.c * histories.max_utility)
            policy = policy.astype(value.dtype)
            weight = policy
        else:
            policy = row_policy(tables.regret[place.row], legal)
            uniform = legal / jnp.maximum(place.num_choices, 1)
            weight = (1 - self.gamma) * policy + self.gamma * uniform
        choice = draw(numbers[0], jnp.where(in_tree, weight, legal).astype(policy.dtype))
        return choice, is_out | joins, (in_tree, joins, policy, weight[choice])

    def _update(self, histories: Histories, state: SearchTables, played: Walk) -> SearchTables:
        in_tree, joins, policy, probability = played.record
        nowhere, tables = histories.num_rows, state.tables
        row = jnp.where(in_tree, played.place.row, nowhere)
        known = state.is_known.at[jnp.where(joins, played.place.row, nowhere)].set(True)
        gain = played.utility_to(played.place.actor)
        if self.selection == "uct":
            return SearchTables(is_known=known, tables=tables.add(row, played.choice, gain))
        taken = jax.nn.one_hot(played.choice, histories.max_choices, dtype=policy.dtype)
        legal = jnp.arange(histories.max_choices)[None, :] < played.place.num_choices[:, None]
        estimate = taken / jnp.where(in_tree, probability, 1)[:, None]
        regret = jnp.where(legal & in_tree[:, None], gain[:, None] * (estimate - 1), 0)
        changed = RegretTables(
            regret=add_rows(tables.regret, row, regret),
            policy_sum=add_rows(tables.policy_sum, row, policy * in_tree[:, None]),
        )
        return SearchTables(is_known=known, tables=changed)


class IsMctsSearcher(Searcher[Any]):
    """IS-MCTS on one game; its memory is the last search, which the next one does not use."""

    def __init__(self, method: IsMcts, tree: HistoryTree) -> None:
        self.method, self.tree = method, tree
        self._arrays = on_device((tree.histories, tree.members))

    def begin(self) -> Any:
        """Nothing."""
        return None

    def search(self, memory: Any, row: int, key: Array) -> tuple[Any, np.ndarray]:
        """Searches one row."""
        found = jax.tree.map(np.asarray, _search(self.method, self._arrays, np.int32(row), key))
        lines = jax.tree.map(lambda table: table[row : row + 1], found)
        return found, self.method.final_policy(lines)[0]

    def search_root(self, key: Array) -> Any:
        """Simulations from the deal."""
        return jax.tree.map(np.asarray, _search(self.method, self._arrays, None, key))

    def learned(self, memory: Any) -> np.ndarray:
        """Visits, or policy sums."""
        return np.asarray(memory.visits if self.method.selection == "uct" else memory.policy_sum)

    def search_rows(self, rows: np.ndarray, keys: Array, devices: int | None = None) -> Any:
        """Runs independent searches in one program; returns their tables' lines at their rows.

        devices: the maximum number of devices.
        """
        mesh = first_devices(batch_mesh(len(rows)), devices or len(rows))
        found = _search_rows(self.method, mesh, self._arrays, jnp.asarray(rows, "int32"), keys)
        return jax.tree.map(np.asarray, found)


@in_32_bits
@functools.partial(jax.jit, static_argnums=0)
def _search(
    method: IsMcts, arrays: tuple[Histories, Members], row: Array | None, key: Array
) -> Any:
    return method.search(*arrays, row, key)


@in_32_bits
@functools.partial(jax.jit, static_argnums=(0, 1))
def _search_rows(
    method: IsMcts, mesh: Mesh, arrays: tuple[Histories, Members], rows: Array, keys: Array
) -> Any:
    def search(arrays: tuple[Histories, Members], rows: Array, keys: Array) -> Any:
        def line(row: Array, key: Array) -> Any:
            return jax.tree.map(lambda table: table[row], method.search(*arrays, row, key))

        return jax.vmap(line)(rows, keys)

    return share(mesh, search, 2)(arrays, rows, keys)
