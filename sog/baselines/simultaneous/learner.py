"""Simultaneous-move Monte Carlo tree search: both players choose in one matrix of children."""

import contextlib
import dataclasses
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.baselines.histories.arrays import FIRST_EDGE, NUM_EDGES, Histories
from sog.baselines.histories.tables import add_rows, row_policy, table_policy
from sog.baselines.histories.walk import Place, walk
from sog.baselines.learners.learning import LearningMethod
from sog.baselines.learners.smooth_uct import is_best_by_ucb
from sog.baselines.simultaneous.selection import SELECTIONS, SelectionOptions
from sog.baselines.simultaneous.stages import NO_ROW, Stages
from sog.games.core import PLAYER_0, PLAYER_1, draw, param
from sog.pytree import pytree

_NOT_PLANNED = -1


@pytree
class MatrixTables:
    """The statistics. Rewards are utilities to player 0, scaled to [0, 1]."""

    visits: Array
    """[history] int32: visits of children of joint actions; above 0 if in the tree."""
    reward: Array
    """[history]: the sum of rewards over these visits."""
    row_visits: Array
    """[row + 1, choice]."""
    row_sum: Array
    """[row + 1, choice]: rewards of duct, estimated rewards of exp3, regrets of rm and oos_plus."""
    policy_sum: Array
    """[row + 1, choice]: policy sums of rm and oos_plus."""
    scale: Array
    """The largest utility."""
    explorer: Array
    """int32: the player who explores and learns in oos_plus; they take turns."""


@pytree
class _Choice:
    """One player's part of a joint action."""

    row: Array
    choice: Array
    probability: Array
    policy: Array  # [choice]


@pytree
class _Memory:
    """The memory of a simulation."""

    is_out: Array
    """bool: whether it has left the tree."""
    planned: Array
    """int32: the choice forced on player 1 by an untried joint action."""
    first: _Choice
    """The choice of player 0, where player 1 is to choose."""
    first_edge: Array
    """int32: player 0's first edge there."""
    sampled: Array
    """The probability that the explorer's choices led here."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimultaneousMcts(SelectionOptions, LearningMethod):
    """SM-MCTS (Lanctot, Lisy, Winands 2013, Algorithm 1), from the start of the game.

    Where a joint action was never tried, one such is, and the rest of the game is random. Else each
    player selects: duct by UCB on its own actions (section 3.1; max takes the best mean in the end,
    mix visits), exp3 by Exp3 (3.2), rm by regret matching on the matrix of mean rewards (3.3),
    oos_plus by regret matching on counterfactual regret in that matrix (3.4). OOS and SM-OOS, which
    take unsampled actions for nothing, are `outcome_sampling`, by its `values`.
    """

    name = "sm_mcts"
    paper: ClassVar[str] = "Lanctot, Lisy, Winands 2013, Algorithm 1 and section 3"
    episodes: ClassVar[int] = 1

    selection: str = param(
        "rm",
        "selection rule of each player",
        choices=tuple(name for name in SELECTIONS if name not in ("oos", "sm_oos")),
    )
    budget: int = param(100_000, "iterations", minimum=1, maximum=2**31 - 1)

    def check_histories(self, histories: Histories) -> None:
        """Raises ValueError unless both players choose at every stage, and all else is public."""
        with contextlib.suppress(ValueError):
            stages = [stage for stage in Stages(histories).stage if stage and not stage.odds]
            if not any(NO_ROW in stage.rows for stage in stages):
                return
        raise ValueError(
            "the game must have only simultaneous moves of both players, and hide nothing else, "
            "as goofspiel."
        )

    def begin(self, histories: Histories, key: Array) -> MatrixTables:
        """Empty statistics."""
        rows = jnp.zeros((histories.num_rows + 1, histories.max_choices))
        reward = jnp.zeros(len(histories.facts))
        return MatrixTables(
            visits=reward.astype(jnp.int32),
            reward=reward,
            row_visits=rows,
            row_sum=rows,
            policy_sum=rows,
            scale=jnp.max(jnp.abs(jnp.asarray(histories.utility))),
            explorer=jnp.int32(PLAYER_0),
        )

    def average_policy(self, histories: Histories, state: MatrixTables) -> Array:
        """duct_max: best mean; duct_mix: visits; exp3: visits without exploration (equation 4);
        rm and oos_plus: policy sums."""
        if self.selection in ("rm", "oos_plus"):
            return table_policy(histories, state.policy_sum)
        visits = state.row_visits
        if self.selection == "duct_max":
            means = jnp.where(visits > 0, state.row_sum / jnp.maximum(visits, 1), -1)
            best = jax.nn.one_hot(means.argmax(axis=1), histories.max_choices, dtype=visits.dtype)
            return table_policy(histories, jnp.where(means >= 0, best, 0))
        if self.selection == "exp3":
            count = jnp.maximum(jnp.asarray(histories.row_choices), 1)[:, None]
            explored = self.constants.gamma / count * visits.sum(axis=1, keepdims=True)
            visits = jnp.maximum(visits - explored, 0)
        return table_policy(histories, visits)

    def iterate(self, histories: Histories, state: MatrixTables, key: Array) -> MatrixTables:
        """Runs one simulation, and UPDATE for all joint actions in the tree."""
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
            sampled=jnp.ones_like(state.scale),
        )
        played = walk(histories, key, functools.partial(self._choose, histories, state), memory)
        learns, selects, sampled, means, first, second = played.record
        reward = (played.utility / state.scale + 1) / 2
        here = jnp.where(learns, histories.child[played.edge], len(state.visits))
        row_visits, row_sum, policy_sum = state.row_visits, state.row_sum, state.policy_sum
        # For player 1: its rewards, with its actions as first axis.
        answers = jnp.where(means >= 0, 1 - means, -1).swapaxes(-2, -1)
        for player, own, other, known, gain in (
            (PLAYER_0, first, second, means, reward),
            (PLAYER_1, second, first, answers, 1 - reward),
        ):
            row = jnp.where(learns, own.row, histories.num_rows)
            taken = jax.nn.one_hot(own.choice, histories.max_choices, dtype=row_sum.dtype)
            weight = jnp.ones_like(sampled)
            if self.selection.startswith("duct"):
                added = taken * gain
            elif self.selection == "exp3":
                added = taken * (gain / jnp.where(learns, own.probability, 1))[:, None]
            elif self.selection == "rm":
                of_others = jnp.take_along_axis(known, other.choice[:, None, None], axis=2)[..., 0]
                added = jnp.where((of_others >= 0) & (taken == 0), of_others - gain, 0)
            else:
                weight = jnp.where(selects, 1 / sampled, 0)
                values = _values(known, own, other, gain)
                expected = (own.policy * values).sum(axis=-1, keepdims=True)
                legal = (
                    jnp.arange(histories.max_choices)[None] < histories.row_choices[row][:, None]
                )
                is_own = state.explorer == player
                added = jnp.where(legal & is_own, weight[:, None] * (values - expected), 0)
                weight = jnp.where(is_own, 0, weight)
            row_visits = add_rows(row_visits, row, taken)
            row_sum = add_rows(row_sum, row, added)
            policy_sum = add_rows(policy_sum, row, weight[:, None] * own.policy)
        return MatrixTables(
            visits=state.visits.at[here].add(1, mode="drop"),
            reward=state.reward.at[here].add(reward, mode="drop"),
            row_visits=row_visits,
            row_sum=row_sum,
            policy_sum=policy_sum,
            scale=state.scale,
            explorer=1 - state.explorer,
        )

    def _choose(
        self,
        histories: Histories,
        state: MatrixTables,
        memory: _Memory,
        place: Place,
        numbers: Array,
    ) -> tuple[Array, _Memory, tuple[Any, ...]]:
        """Player 0 selects, or picks an untried joint action that player 1 completes."""
        is_first, is_second = place.actor == PLAYER_0, place.actor == PLAYER_1
        choices = jnp.arange(histories.max_choices)
        legal = choices < place.num_choices
        policy, sampled = self._select(state, place, legal)
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
        by_first, by_second = memory.first.probability, own.probability
        by_explorer = jnp.where(state.explorer == PLAYER_0, by_first, by_second)
        means = self._means(histories, state, memory.first_edge, memory.first.row)
        further = _Memory(
            is_out=memory.is_out | planned,
            planned=jnp.where(expands, joint % histories.max_choices, _NOT_PLANNED),
            first=jax.tree.map(lambda new, old: jnp.where(is_first, new, old), own, memory.first),
            first_edge=jnp.where(is_first, place.first_edge, memory.first_edge),
            sampled=jnp.where(is_second, memory.sampled * by_explorer, memory.sampled),
        )
        selects = learns & ~planned
        return choice, further, (learns, selects, memory.sampled, means, memory.first, own)

    def _select(self, state: MatrixTables, place: Place, legal: Array) -> tuple[Array, Array]:
        """[choice]: the policy of a row, without and with exploration."""
        visits, total = state.row_visits[place.row], state.row_sum[place.row]
        count = jnp.maximum(legal.sum(), 1)
        c, gamma, eta = self.constants
        if self.selection.startswith("duct"):
            best = is_best_by_ucb(visits, total / jnp.maximum(visits, 1), legal, c)
            policy = row_policy(best.astype(total.dtype), legal)
            return policy, policy
        if self.selection == "exp3":
            logits = jnp.where(legal, eta / count * total, -np.inf)
            policy = jnp.where(legal, jax.nn.softmax(logits), 0)
        else:
            policy = row_policy(total, legal)
        explored = (1 - gamma) * policy + gamma * legal / count
        if self.selection == "oos_plus":
            explored = jnp.where(place.actor == state.explorer, explored, policy)
        return policy, explored.astype(policy.dtype)

    def _untried(self, histories: Histories, state: MatrixTables, place: Place) -> Array:
        """[choice, choice] bool: unvisited joint actions at a decision of player 0."""
        children, is_legal = _matrix(histories, place.first_edge, place.num_choices)
        untried: Array = is_legal & (state.visits[children] == 0)
        return untried

    def _means(
        self, histories: Histories, state: MatrixTables, first_edge: Array, row: Array
    ) -> Array:
        """[choice, choice]: the mean rewards of player 0; -1 if unvisited."""
        if self.selection not in ("rm", "oos_plus"):
            return jnp.zeros((1, 1), state.reward.dtype)
        children, is_legal = _matrix(histories, first_edge, histories.row_choices[row])
        visits = state.visits[children]
        known = is_legal & (visits > 0)
        return jnp.where(known, state.reward[children] / jnp.maximum(visits, 1), -1)


def _matrix(histories: Histories, first_edge: Array, num_choices: Array) -> tuple[Array, Array]:
    """[choice, choice]: children of joint actions, by player 0's edges, and which exist."""
    choices = jnp.arange(histories.max_choices)
    answers = histories.child.at[first_edge + choices].get(mode="clip")
    facts = histories.facts[answers]
    edges = facts[:, FIRST_EDGE][:, None] + choices[None, :]
    children = histories.child.at[edges].get(mode="clip")
    return children, (choices < num_choices)[:, None] & (
        choices[None, :] < facts[:, NUM_EDGES][:, None]
    )


def _values(known: Array, own: _Choice, other: _Choice, gain: Array) -> Array:
    """[step, choice]: values of a player's actions against the other's policy (section 3.4): the
    gain for the selected action, means for the rest.

    known: [step, choice, choice], with the player's own actions as first axis.
    """
    values = (known * other.policy[:, None, :]).sum(axis=-1)
    of_other = jnp.take_along_axis(known, other.choice[:, None, None], axis=2)[..., 0]
    mean = jnp.take_along_axis(of_other, own.choice[:, None], axis=1)
    share = jnp.take_along_axis(other.policy, other.choice[:, None], axis=1)
    taken = jax.nn.one_hot(own.choice, known.shape[-1], dtype=known.dtype)
    return values + taken * share * (gain - mean)
