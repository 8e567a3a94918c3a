"""External sampling: Monte Carlo CFR that takes all own actions and samples all others."""

import dataclasses
import itertools
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, Histories
from sog.baselines.histories.tables import RegretTables, add_rows, row_policy
from sog.baselines.learners.learning import LearningMethod
from sog.games.core import CHANCE, draw, param
from sog.pytree import pytree


@pytree
class _Level:
    """The histories reached after some steps, as a list."""

    facts: Array
    """[place, 4]: as `Histories.facts`."""
    row: Array
    """[place] int32."""
    legal: Array
    """[place, choice] bool; all False at unused places of the list."""
    policy: Array
    """[place, choice]."""
    is_own: Array
    """[place] bool: the learning player takes every action here."""
    is_others: Array
    """[place] bool: the other player chooses here."""
    upto: Array
    """[place] int32: the end of its children in the next list."""
    first_child: Array
    """[place] int32: the start of its children there."""
    utility: Array
    """[place]: to player 0, at an end; else 0."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExternalSampling(LearningMethod):
    """External sampling (Lanctot et al. 2009, section 3): in turns the players learn.

    An iteration has one traversal for each player. His opponent's average policy is updated where
    the traversal passes, which is right since it passes there as often as the opponent goes there.
    """

    name = "external_sampling"
    paper: ClassVar[str] = "Lanctot et al. 2009, section 3; Lanctot 2013, chapter 4"

    budget: int = param(10_000, "iterations", minimum=1, maximum=2**31 - 1)

    def iterate(self, histories: Histories, state: RegretTables, key: Array) -> RegretTables:
        """Traverses the game once for each player."""
        for player, one_key in enumerate(jax.random.split(key)):
            state = self.learn(histories, state, one_key, player)
        return state

    def learn(
        self, histories: Histories, state: RegretTables, key: Array, player: int
    ) -> RegretTables:
        """Traverses the game: down level by level, and back up with values of the sampled part."""
        widths = histories.widths[player]
        numbers = jax.random.uniform(key, (2 * sum(widths),)).reshape(-1, 2)
        start = jnp.array([ROOT], jnp.int32), jnp.array([True])
        levels = [_look(histories, state.regret, *start, player)]
        for width, upto in zip(widths[1:], itertools.accumulate(widths), strict=False):
            drawn = numbers[upto - len(levels[-1].row) : upto]
            reached = _descend(histories, levels[-1], drawn, width)
            levels.append(_look(histories, state.regret, *reached, player))

        sign = 1 if player == 0 else -1
        below = jnp.zeros(1, state.regret.dtype)
        rows, regrets, sums = [], [], []
        for level in reversed(levels):
            choices = jnp.arange(histories.max_choices)
            child = jnp.minimum(level.first_child[:, None] + choices[None, :], len(below) - 1)
            action_values = below[child]
            value = jnp.sum(level.policy * action_values, axis=1)
            regret = jnp.where(level.legal, action_values - value[:, None], 0)
            sampled = jnp.where(level.upto > level.first_child, action_values[:, 0], 0)
            below = jnp.where(level.is_own, value, sampled + sign * level.utility)
            rows.append(level.row)
            regrets.append(regret * level.is_own[:, None])
            sums.append(level.policy * level.is_others[:, None])
        row = jnp.concatenate(rows)
        return RegretTables(
            regret=add_rows(state.regret, row, jnp.concatenate(regrets)),
            policy_sum=add_rows(state.policy_sum, row, jnp.concatenate(sums)),
        )


def _look(
    histories: Histories, regret: Array, history: Array, exists: Array, player: int
) -> _Level:
    """The facts of a list of histories."""
    facts = histories.facts[history]
    actor, count = facts[:, ACTOR], jnp.where(exists, facts[:, NUM_EDGES], 0)
    legal = jnp.arange(histories.max_choices)[None, :] < count[:, None]
    row = jnp.where(exists, facts[:, ROW], histories.num_rows)
    is_own = (count > 0) & (actor == player)
    children = jnp.where(is_own, count, jnp.minimum(count, 1))
    return _Level(
        facts=facts,
        row=row,
        legal=legal,
        policy=row_policy(regret[row], legal),
        is_own=is_own,
        is_others=(count > 0) & (actor == 1 - player),
        upto=jnp.cumsum(children),
        first_child=jnp.cumsum(children) - children,
        utility=jnp.where(count > 0, 0, histories.utility[history]),
    )


def _descend(
    histories: Histories, level: _Level, numbers: Array, width: int
) -> tuple[Array, Array]:
    """The next list, of length `width`, and which of its places are used; numbers: [place, 2]."""
    first, count = level.facts[:, FIRST_EDGE], level.facts[:, NUM_EDGES]
    by_player = jax.vmap(draw)(numbers[:, 0], level.policy)
    by_chance = jnp.minimum((numbers[:, 0] * count).astype(jnp.int32), jnp.maximum(count - 1, 0))
    event = jnp.where(level.facts[:, ACTOR] == CHANCE, by_chance, by_player)
    edge = jnp.minimum(first + event, len(histories.child) - 1)
    edge = jnp.where(numbers[:, 1] < histories.threshold[edge], edge, histories.alias[edge])
    edge = jnp.where(level.is_own, first, edge)

    place = jnp.arange(width)
    # The parent of a place: the number of places whose children all come before it.
    parent = jnp.sum(level.upto[None, :] <= place[:, None], axis=1, dtype=jnp.int32)
    parent = jnp.minimum(parent, len(count) - 1)
    edge = (edge - level.first_child)[parent] + place
    exists = place < level.upto[-1]
    child = histories.child[jnp.clip(edge, 0, len(histories.child) - 1)]
    return jnp.where(exists, child, ROOT), exists
