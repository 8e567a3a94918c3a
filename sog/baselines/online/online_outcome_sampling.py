"""Online outcome sampling: Monte Carlo CFR targeted at the current position of the match."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.baselines.grown.oos import OosTree
from sog.baselines.grown.search import TreeSearch
from sog.baselines.histories.arrays import ROW, Histories, HistoryTree
from sog.baselines.histories.tables import RegretTables, add_rows, row_policy, table_policy
from sog.baselines.histories.walk import Chance, Place, Walk, after, before, walk
from sog.baselines.online.method import OnlineMethod, Searcher, on_device
from sog.baselines.online.target import Target, leads_of, make_target, public_subgame
from sog.baselines.plain.worlds import InfostateGame
from sog.games.core import CHANCE, draw, param
from sog.precision import in_32_bits
from sog.pytree import pytree


@pytree
class OosTables(RegretTables):
    """The memory of a match."""

    is_known: Array
    """[row + 1] bool: in memory."""


@pytree
class _Step:
    """The record of a step."""

    learns: Array
    """bool: the infostate is in memory, or joins it."""
    policy: Array
    """[choice]: regret matching with some uniform play."""
    chosen: Array
    """The policy's probability of the choice, 1 elsewhere."""
    targeted: Array
    """The choice's sampling probability in targeted simulations, 1 elsewhere."""
    untargeted: Array
    """The same in untargeted simulations."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class OnlineOutcomeSampling(OnlineMethod):
    """OOS (Lisy, Lanctot, Bowling 2015, Algorithm 1): sound search in games that hide things.

    Every simulation starts at the root. A share of delta of them is made to get to the infostate of
    the player to move (targeting=ist), or to the public state (pst); all count with what was the
    probability of their being sampled. What is learned stays for the rest of the match.
    """

    name = "oos"
    paper: ClassVar[str] = "Lisy, Lanctot, Bowling 2015, Algorithm 1"

    targeting: str = param("ist", "what simulations are directed at", choices=("ist", "pst"))
    delta: float = param(0.9, "share of simulations that are directed", minimum=0, maximum=0.999999)
    epsilon: float = param(0.4, "exploration of the player who learns", minimum=0, maximum=1)
    gamma: float = param(0.01, "uniform play mixed into regret matching", minimum=0, maximum=1)
    budget: int = param(1000, "simulations per move", minimum=1, maximum=2**31 - 1)

    def searcher(self, tree: HistoryTree) -> "OosSearcher":
        """A searcher with its arrays on the device."""
        return OosSearcher(self, tree)

    def grown(self, game: InfostateGame, seed: int = 0) -> TreeSearch[Any]:
        """A search with its own tree."""
        return OosTree(self, game, seed)

    def simulate(
        self, histories: Histories, target: Target, state: OosTables, key: Array, player: Array
    ) -> OosTables:
        """Runs one simulation: updates the learner's regrets and the other's average policy."""
        scenario_key, walk_key = jax.random.split(key)
        is_targeted = jax.random.uniform(scenario_key) < self.delta
        edges = len(histories.child)
        chance = Chance(
            threshold=target.threshold,
            alias=target.alias,
            offset=jnp.where(is_targeted, edges, 0),
        )
        choose = functools.partial(self._choose, histories, target, state, is_targeted, player)
        played = walk(histories, walk_key, choose, jnp.bool_(False), chance=chance)
        return self._update(histories, target, state, played, player)

    def _choose(
        self,
        histories: Histories,
        target: Target,
        state: OosTables,
        is_targeted: Array,
        player: Array,
        is_out: Array,
        place: Place,
        numbers: Array,
    ) -> tuple[Array, Array, _Step]:
        """Sample of Algorithm 1; below the infostates in memory, play is random."""
        choices = jnp.arange(histories.max_choices)
        legal = choices < place.num_choices
        uniform = legal / jnp.maximum(place.num_choices, 1)
        learns = place.is_decision & ~is_out
        in_memory = learns & state.is_known[place.row]
        matched = row_policy(state.regret[place.row], legal)
        policy = jnp.where(in_memory, (1 - self.gamma) * matched + self.gamma * uniform, uniform)
        explored = (1 - self.epsilon) * policy + self.epsilon * uniform
        untargeted = jnp.where(place.actor == player, explored, policy)
        leading = jnp.where(leads_of(target, place.first_edge, choices), untargeted, 0)
        total = leading.sum()
        targeted = leading / jnp.where(total > 0, total, 1)
        targeted = jnp.where(in_memory, targeted, uniform)
        choice = draw(numbers[0], jnp.where(is_targeted & in_memory, targeted, untargeted))

        def at_choice(probabilities: Array) -> Array:
            return jnp.where(place.is_decision, probabilities[choice], jnp.ones_like(total))

        step = _Step(
            learns=learns,
            policy=policy,
            chosen=at_choice(policy),
            targeted=at_choice(targeted),
            untargeted=at_choice(untargeted),
        )
        return choice, is_out | (learns & ~in_memory), step

    def _update(
        self,
        histories: Histories,
        target: Target,
        state: OosTables,
        played: Walk,
        player: Array,
    ) -> OosTables:
        """Lines 19 to 29 of Algorithm 1, for all steps at once."""
        place, step = played.place, played.record
        actor, by_chance = place.actor, place.actor == CHANCE
        luck = jnp.where(by_chance, histories.probability[played.edge], 1)
        directed = jnp.where(by_chance, target.probability[played.edge], 1)
        targeted, untargeted = step.targeted * directed, step.untargeted * luck

        def sampled(first: Array, second: Array) -> Any:
            return (self.delta * first + (1 - self.delta) * second) / target.weight

        of_walk = sampled(jnp.prod(targeted), jnp.prod(untargeted))
        to_here = sampled(before(targeted), before(untargeted))
        others = before(jnp.where(actor == player, 1, step.chosen * luck))
        tail = after(step.chosen * luck)
        weight = played.utility_to(player) * others * tail / of_walk
        taken = jax.nn.one_hot(played.choice, histories.max_choices, dtype=step.policy.dtype)
        legal = jnp.arange(histories.max_choices)[None, :] < place.num_choices[:, None]
        regret = jnp.where(legal, weight[:, None] * (taken - step.chosen[:, None]), 0)
        share = others / to_here
        row = jnp.where(step.learns, place.row, histories.num_rows)
        is_own = (actor == player)[:, None]
        return OosTables(
            regret=add_rows(state.regret, row, jnp.where(is_own, regret, 0)),
            policy_sum=add_rows(
                state.policy_sum, row, jnp.where(is_own, 0, share[:, None] * step.policy)
            ),
            is_known=state.is_known.at[row].set(True),
        )


class OosSearcher(Searcher[OosTables]):
    """OOS on one game."""

    def __init__(self, method: OnlineOutcomeSampling, tree: HistoryTree) -> None:
        self.method, self.tree = method, tree
        self._histories = on_device(tree.histories)

    @in_32_bits
    def begin(self) -> OosTables:
        """An empty memory."""
        rows, choices = self.tree.histories.num_rows + 1, self.tree.histories.max_choices
        return OosTables(
            regret=jnp.zeros((rows, choices), "float32"),
            policy_sum=jnp.zeros((rows, choices), "float32"),
            is_known=jnp.zeros(rows, bool),
        )

    def search(self, memory: OosTables, row: int, key: Array) -> tuple[OosTables, np.ndarray]:
        """Targets simulations at one row, and continues with the memory."""
        memory = self._simulate(self.target(memory, row), memory, key)
        return memory, self.policy(memory)[row]

    def search_root(self, key: Array) -> OosTables:
        """Runs untargeted simulations of the whole game."""
        memory, everything = self.begin(), np.ones(len(self.tree.histories.facts), bool)
        target = make_target(self.tree, everything, self.policy(memory), self.method.delta)
        return self._simulate(target, memory, key)

    def _simulate(self, target: Target, memory: OosTables, key: Array) -> OosTables:
        found: OosTables = _search(self.method, self._histories, on_device(target), memory, key)
        return found

    def learned(self, memory: OosTables) -> np.ndarray:
        """The policy sums."""
        return np.asarray(memory.policy_sum)

    def policy(self, memory: OosTables) -> np.ndarray:
        """[row + 1, choice]: the average policy so far."""
        return np.asarray(_policy(self._histories, memory.policy_sum))

    def target(self, memory: OosTables, row: int) -> Target:
        """The target of simulations for a decision at a row."""
        tree = self.tree
        if self.method.targeting == "ist":
            inside = tree.histories.facts[:, ROW] == row
        else:
            inside = public_subgame(tree.tree, int(tree.row_node[row]))[tree.node]
            inside[tree.node < 0] = False
        return make_target(tree, inside, self.policy(memory), self.method.delta)


@in_32_bits
@functools.partial(jax.jit, static_argnums=0)
def _search(
    method: OnlineOutcomeSampling,
    histories: Histories,
    target: Target,
    start: OosTables,
    key: Array,
) -> OosTables:
    def simulate(number: Array, state: OosTables) -> OosTables:
        one_key = jax.random.fold_in(key, number)
        return method.simulate(histories, target, state, one_key, number % 2)

    last: OosTables = jax.lax.fori_loop(0, method.budget, simulate, start)
    return last


@in_32_bits
@jax.jit
def _policy(histories: Histories, policy_sum: Array) -> Array:
    return table_policy(histories, policy_sum)
