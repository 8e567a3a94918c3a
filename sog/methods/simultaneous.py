"""Simultaneous-move Monte Carlo tree search: both players choose in one matrix of children."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_0, PLAYER_1, draw, param
from sog.methods.histories import ACTOR, FIRST_EDGE, NUM_EDGES, ROW, Histories
from sog.methods.learning import LearningMethod
from sog.methods.smooth_uct import is_best_by_ucb
from sog.methods.tables import add_rows, row_policy, table_policy
from sog.methods.walk import Place, walk
from sog.pytree import pytree

_NOT_PLANNED = -1


@pytree
class MatrixTables:
    """What is known. Rewards are utilities to player 0, scaled to [0, 1]."""

    visits: Array
    """[history] int32: of the children of joint actions; above 0 where one is in the tree."""
    reward: Array
    """[history]: the sum over these visits."""
    row_visits: Array
    """[row + 1, choice]."""
    row_sum: Array
    """[row + 1, choice]: rewards of duct, estimated rewards of exp3, regrets of rm."""
    policy_sum: Array
    """[row + 1, choice]: of rm."""
    scale: Array
    """The largest utility."""


@pytree
class _Choice:
    """One player's part of a joint action."""

    row: Array
    choice: Array
    probability: Array
    policy: Array  # [choice]


@pytree
class _Memory:
    """What is carried through a simulation."""

    is_out: Array
    """bool: of the tree."""
    planned: Array
    """int32: what player 1 has to choose, where an untried joint action was taken."""
    first: _Choice
    """Of player 0, where player 1 is to choose."""
    first_edge: Array
    """int32: player 0's first edge there."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimultaneousMcts(LearningMethod):
    """SM-MCTS (Lanctot, Lisy, Winands 2013, Algorithm 1), from the start of the game.

    Where a joint action was never tried, one such is, and the rest of the game is random. Else each
    player selects: duct by UCB on his own actions (section 3.1), exp3 by Exp3 (3.2), rm by regret
    matching on the matrix of mean rewards (3.3).
    """

    name = "sm_mcts"
    paper: ClassVar[str] = "Lanctot, Lisy, Winands 2013, Algorithm 1 and section 3"

    selection: str = param("rm", "how a player selects", choices=("duct", "exp3", "rm"))
    c: float = param(1.5, "exploration of duct; rewards are in [0, 1]", minimum=0)
    gamma: float = param(0.1, "exploration of exp3 and rm", minimum=0.000001, maximum=1)
    budget: int = param(100_000, "iterations", minimum=1, maximum=2**31 - 1)

    @property
    def episodes_per_iteration(self) -> int:
        """One."""
        return 1

    def check_histories(self, histories: Histories) -> None:
        """Needs every decision of player 0 to be followed by one of player 1, who cannot see it."""
        facts = histories.facts
        parent = np.repeat(np.arange(len(facts)), facts[:, NUM_EDGES])
        by_first = facts[parent, ACTOR] == PLAYER_0
        answers = facts[histories.child, ACTOR] == PLAYER_1
        # Player 1's row and the history before it must determine each other.
        pairs = np.unique(np.stack([parent, facts[histories.child, ROW]])[:, by_first], axis=1)
        is_one_to_one = all(len(np.unique(column)) == pairs.shape[1] for column in pairs)
        alone = np.bincount(facts[facts[:, ACTOR] == PLAYER_0, ROW]).max(initial=1) == 1
        if not (np.array_equal(by_first, answers) and is_one_to_one and alone):
            raise ValueError(
                "a game is needed in which both players always move at the same time, and nothing "
                "else is hidden, such as goofspiel."
            )

    def begin(self, histories: Histories, key: Array) -> MatrixTables:
        """Nothing is known."""
        rows = jnp.zeros((histories.num_rows + 1, histories.max_choices))
        reward = jnp.zeros(len(histories.facts))
        return MatrixTables(
            visits=reward.astype(jnp.int32),
            reward=reward,
            row_visits=rows,
            row_sum=rows,
            policy_sum=rows,
            scale=jnp.max(jnp.abs(jnp.asarray(histories.utility))),
        )

    def average_policy(self, histories: Histories, state: MatrixTables) -> Array:
        """duct(mix): visits; exp3: visits without those by exploration (equation 4); rm: sums."""
        if self.selection == "rm":
            return table_policy(histories, state.policy_sum)
        visits = state.row_visits
        if self.selection == "exp3":
            count = jnp.maximum(jnp.asarray(histories.row_choices), 1)[:, None]
            visits = jnp.maximum(visits - self.gamma / count * visits.sum(axis=1, keepdims=True), 0)
        return table_policy(histories, visits)

    def iterate(self, histories: Histories, state: MatrixTables, key: Array) -> MatrixTables:
        """One simulation, and UPDATE for all joint actions in the tree."""
        nothing = _Choice(
            row=jnp.int32(0),
            choice=jnp.int32(0),
            probability=jnp.zeros_like(state.scale),
            policy=jnp.zeros_like(state.row_sum[0]),
        )
        memory = _Memory(
            is_out=jnp.bool_(False),
            planned=jnp.int32(_NOT_PLANNED),
            first=nothing,
            first_edge=jnp.int32(0),
        )
        played = walk(histories, key, functools.partial(self._choose, histories, state), memory)
        learns, first, second, first_values, second_values = played.record
        reward = (played.utility / state.scale + 1) / 2
        here = jnp.where(learns, histories.child[played.edge], len(state.visits))
        row_visits, row_sum, policy_sum = state.row_visits, state.row_sum, state.policy_sum
        for own, values, gain in (
            (first, first_values, reward),
            (second, second_values, 1 - reward),
        ):
            row = jnp.where(learns, own.row, histories.num_rows)
            taken = jax.nn.one_hot(own.choice, histories.max_choices, dtype=row_sum.dtype)
            if self.selection == "duct":
                added = taken * gain
            elif self.selection == "exp3":
                added = taken * (gain / jnp.where(learns, own.probability, 1))[:, None]
            else:
                known = values if own is first else 1 - values
                added = jnp.where((values >= 0) & (taken == 0), known - gain, 0)
            row_visits = add_rows(row_visits, row, taken)
            row_sum = add_rows(row_sum, row, added)
            policy_sum = add_rows(policy_sum, row, own.policy)
        return MatrixTables(
            visits=state.visits.at[here].add(1, mode="drop"),
            reward=state.reward.at[here].add(reward, mode="drop"),
            row_visits=row_visits,
            row_sum=row_sum,
            policy_sum=policy_sum,
            scale=state.scale,
        )

    def _choose(
        self,
        histories: Histories,
        state: MatrixTables,
        memory: _Memory,
        place: Place,
        numbers: Array,
    ) -> tuple[Array, _Memory, tuple[Any, ...]]:
        """Player 0 selects or plans an untried joint action; player 1 completes it."""
        is_first, is_second = place.actor == PLAYER_0, place.actor == PLAYER_1
        choices = jnp.arange(histories.max_choices)
        legal = choices < place.num_choices
        policy, sampled = self._select(state, place.row, legal)
        untried = self._untried(histories, state, place) & is_first & ~memory.is_out
        joint = draw(numbers[2], untried.reshape(-1).astype(policy.dtype))
        expands = untried.any()
        weight = jnp.where(memory.is_out, legal, sampled).astype(policy.dtype)
        choice = draw(numbers[0], weight)
        choice = jnp.where(expands, joint // histories.max_choices, choice)
        planned = is_second & (memory.planned != _NOT_PLANNED)
        choice = jnp.where(planned, memory.planned, choice).astype(jnp.int32)
        own = _Choice(row=place.row, choice=choice, probability=sampled[choice], policy=policy)

        learns = is_second & ~memory.is_out
        # Of player 0's other actions against this one, and of player 1's against his.
        others = histories.child.at[memory.first_edge + choices].get(mode="clip")
        edges = histories.facts[others, FIRST_EDGE] + choice
        first_values = jnp.where(
            choices < histories.row_choices[memory.first.row], _mean(histories, state, edges), -1
        )
        second_values = jnp.where(legal, _mean(histories, state, place.first_edge + choices), -1)
        further = _Memory(
            is_out=memory.is_out | planned,
            planned=jnp.where(expands, joint % histories.max_choices, _NOT_PLANNED),
            first=jax.tree.map(lambda new, old: jnp.where(is_first, new, old), own, memory.first),
            first_edge=jnp.where(is_first, place.first_edge, memory.first_edge),
        )
        return choice, further, (learns, memory.first, own, first_values, second_values)

    def _select(self, state: MatrixTables, row: Array, legal: Array) -> tuple[Array, Array]:
        """[choice]: the policy of a row, and with exploration."""
        visits, total = state.row_visits[row], state.row_sum[row]
        count = jnp.maximum(legal.sum(), 1)
        if self.selection == "duct":
            best = is_best_by_ucb(visits, total / jnp.maximum(visits, 1), legal, self.c)
            policy = row_policy(best.astype(total.dtype), legal)
            return policy, policy
        if self.selection == "exp3":
            logits = jnp.where(legal, self.gamma / count * total, -np.inf)
            policy = jnp.where(legal, jax.nn.softmax(logits), 0)
        else:
            policy = row_policy(total, legal)
        explored = (1 - self.gamma) * policy + self.gamma * legal / count
        return policy, explored.astype(policy.dtype)

    def _untried(self, histories: Histories, state: MatrixTables, place: Place) -> Array:
        """[choice, choice] bool: joint actions without a visit, at a place of player 0."""
        choices = jnp.arange(histories.max_choices)
        answers = histories.child.at[place.first_edge + choices].get(mode="clip")
        facts = histories.facts[answers]
        edges = facts[:, FIRST_EDGE][:, None] + choices[None, :]
        children = histories.child.at[edges].get(mode="clip")
        is_first = choices < place.num_choices
        is_second = choices[None, :] < facts[:, NUM_EDGES][:, None]
        untried: Array = is_first[:, None] & is_second & (state.visits[children] == 0)
        return untried


def _mean(histories: Histories, state: MatrixTables, edges: Array) -> Array:
    """[choice]: the mean reward of children; -1 where there was no visit."""
    child = histories.child.at[edges].get(mode="clip")
    visits = state.visits[child]
    return jnp.where(visits > 0, state.reward[child] / jnp.maximum(visits, 1), -1)
