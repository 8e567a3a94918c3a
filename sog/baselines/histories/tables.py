"""Tables of regrets and policy sums, a line per row of `Histories`."""

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.baselines.histories.arrays import Histories
from sog.pytree import pytree


@pytree
class RegretTables:
    """The tables of Monte Carlo CFR. The last line belongs to no row."""

    regret: Array
    """[row + 1, choice]: cumulative sampled counterfactual regret."""
    policy_sum: Array
    """[row + 1, choice]."""


def empty_tables(histories: Histories) -> RegretTables:
    """Zeros."""
    zeros = jnp.zeros((histories.num_rows + 1, histories.max_choices))
    return RegretTables(regret=zeros, policy_sum=zeros)


def row_policy(weight: Array, legal: Array) -> Array:
    """[..., choice] in proportion to positive weights; uniform over `legal` if there are none."""
    positive = jnp.where(legal, jnp.maximum(weight, 0), 0)
    total = positive.sum(axis=-1, keepdims=True)
    has_any = total >= np.finfo(weight.dtype).tiny  # 1 / less may be infinite
    uniform = legal / jnp.maximum(legal.sum(axis=-1, keepdims=True), 1).astype(weight.dtype)
    return jnp.where(has_any, positive / jnp.where(has_any, total, 1), uniform)


def table_policy(histories: Histories, weight: Array) -> Array:
    """[row + 1, choice] in proportion to non-negative weights; uniform if all are 0."""
    return row_policy(weight, histories.legal)


def add_rows(table: Array, rows: Array, values: Array) -> Array:
    """Adds values [step, choice] to a table [row + 1, choice] at rows [step]."""
    return table.at[rows].add(values.astype(table.dtype))
