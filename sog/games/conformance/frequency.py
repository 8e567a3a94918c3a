"""Checks that `deal` and `transition` sample with the probabilities of the joint weights."""

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.finding import RELATIVE_TOLERANCE, broken
from sog.games.conformance.outcomes import of_all_outcomes
from sog.games.conformance.sample import compiled, states_per_call
from sog.games.conformance.world_laws import (
    WorldProbe,
    follow_world,
    is_within,
    joint_weight,
)
from sog.games.core import Game
from sog.pytree import pytree

NUM_DEALS: Final = 20_000
NUM_STEPS: Final = 64
FEWEST_STEPS: Final = 2
MOST_ENTRIES: Final = 2**32
"""Bounds the numbers in all: fewer steps are sampled with wide chance and many infostates."""
SAMPLES_PER_STEP: Final = 4000
NUM_EVENS: Final = 16
SURE: Final = 1e-9
LOG_FALSE_ALARMS: Final = 18.0
"""A correct sampler fails one comparison in exp(18) / 2, some 30 million."""


def surprise(observed: Any, expected: Any, variance: Any) -> np.ndarray:
    """The deviations of sums from their expectations over the allowed ones; above 1 is a fault.

    Bernstein's inequality: a sum of independent numbers within 1 of their means, of variance v in
    all, is further than t from its mean with probability at most 2 exp(-t^2 / (2 v + 2 t / 3)).
    """
    third = LOG_FALSE_ALARMS / 3
    variance = np.maximum(variance, 0)  # rounding can leave -1e-17
    allowed = third + np.sqrt(third**2 + 2 * LOG_FALSE_ALARMS * variance)
    return np.asarray(np.abs(observed - expected) / allowed)


@pytree
class RandomStep:
    """A world and an action with more than one possible result."""

    state: Any
    infostates: Array  # int32[2]
    action: Array  # int32


def random_steps(state: Any, worlds: WorldProbe) -> list[RandomStep]:
    """The random steps among the worlds of a state."""
    is_random = worlds.is_not_over & (worlds.sampled_probability < 1 - SURE).any(axis=1)
    return [
        RandomStep(state=state, infostates=worlds.infostates[world], action=worlds.action[world])
        for world in np.flatnonzero(is_random)
    ]


def check_transitions(game: Game[Any], steps: list[RandomStep], seed: int) -> None:
    """Samples some random steps many times, and compares frequencies with probabilities.

    Compares the counts of each outcome, and some random parities: every outcome and infostate gets
    a random bit, and a sample (outcome, s0, s1) is even if its three bits sum to an even number. So
    a wrong distribution of infostates shows too.
    """
    if not steps:
        return
    rng = np.random.default_rng(seed)
    entries = 2 * game.num_infostates * game.num_outcomes * NUM_EVENS
    count = max(FEWEST_STEPS, min(NUM_STEPS, MOST_ENTRIES // entries))
    order = np.concatenate([rng.permutation(len(steps)) for _ in range(count)])[:count]
    chosen = jax.tree.map(lambda *leaves: np.stack(leaves), *[steps[index] for index in order])
    size = states_per_call(entries)
    sample = compiled(
        lambda steps: jax.lax.map(
            lambda step: _sample(game, seed, *step), steps, batch_size=min(size, count)
        )
    )
    is_fine, counts, p = jax.device_get(sample((chosen, np.arange(count))))
    excess = surprise(counts, SAMPLES_PER_STEP * p, SAMPLES_PER_STEP * p * (1 - p))
    excess = np.where(is_fine[:, None], excess, np.inf)
    row, column = (int(index) for index in np.unravel_index(np.argmax(excess), excess.shape))
    text = "transition samples with the probabilities that the joint weights say"
    names = [f"outcome {k}" for k in range(game.num_outcomes)] + ["an even sample"] * NUM_EVENS
    if excess[row, column] > 1:
        step = jax.tree.map(lambda leaf: leaf[row], chosen)
        world = f"infostates {step.infostates[0]} and {step.infostates[1]}, action {step.action}"
        rates = f"{names[column]} of probability {p[row, column]:.6g} has frequency"
        numbers = f"{world}, {rates} {counts[row, column] / SAMPLES_PER_STEP:.6g}"
        if not is_fine[row]:
            numbers = f"{world}, something of probability 0 was sampled"
        raise broken(game, text, step.state, numbers)
    num_samples = count * SAMPLES_PER_STEP
    variance = SAMPLES_PER_STEP * (p * (1 - p)).sum(axis=0)
    excess = surprise(counts.sum(axis=0), SAMPLES_PER_STEP * p.sum(axis=0), variance)
    at = int(np.argmax(excess))
    if excess[at] > 1:
        rates = f"{names[at]} of mean probability {p[:, at].mean():.6g} has frequency"
        numbers = f"over many states, {rates} {counts[:, at].sum() / num_samples:.6g}"
        raise broken(game, text, numbers=numbers)


def _sample(
    game: Game[Any], seed: int, step: RandomStep, index: Array
) -> tuple[Array, Array, Array]:
    """Whether all samples are possible, counts [K + NUM_EVENS], and their probabilities."""
    size, num_outcomes = game.num_infostates, game.num_outcomes
    key_parity, key = jax.random.split(jax.random.fold_in(jax.random.key(seed), index))
    signs = jax.random.rademacher(key_parity, (NUM_EVENS, num_outcomes + 2 * size), float)
    of_outcome, of_infostate = signs[:, :num_outcomes], signs[:, num_outcomes:]
    of_infostate = of_infostate.reshape(NUM_EVENS, 2, size)

    reach_of = follow_world(game, step.state, step.infostates, step.action)
    outcomes = game.legal_outcomes(step.state)
    every_sign = jnp.concatenate([jnp.ones((1, 2, size)), of_infostate])

    def masses(outcome: Array) -> Array:
        signed = reach_of(outcome)[None] * every_sign
        child = game.apply(step.state, outcome)
        compatible = jax.vmap(game.compatible_reach, (None, 0))(child, signed)
        return jnp.where(outcomes[outcome], (signed[:, 0] * compatible[:, 0]).sum(axis=1), 0)

    weight = joint_weight(game, step.state, step.infostates)
    p, *signed = of_all_outcomes(game, step.state, masses, copies=len(every_sign)).T / weight
    mean_sign = (jnp.stack(signed) * of_outcome).sum(axis=1)

    keys = jax.random.split(key, SAMPLES_PER_STEP)
    outcome, moved = jax.vmap(game.transition, (0, None, None, None))(
        keys, step.state, step.infostates, step.action
    )
    is_fine = is_within(game, outcome, moved) & (p[outcome] > 0)
    sign = (
        of_outcome[:, outcome] * of_infostate[:, 0, moved[:, 0]] * of_infostate[:, 1, moved[:, 1]]
    )
    counts = jnp.zeros(num_outcomes).at[outcome].add(1)
    evens = ((1 + sign) / 2).sum(axis=1)
    return (
        is_fine.all(),
        jnp.concatenate([counts, evens]),
        jnp.concatenate([p, (1 + mean_sign) / 2]),
    )


def check_deals(game: Game[Any], seed: int) -> None:
    """Checks that the root's joint weights sum to 1, and `deal` against them."""

    def measure() -> tuple[Array, Array, Array]:
        root, reach = game.root(), game.root_reach()

        def row(one_hot: Array) -> Array:
            return game.compatible_reach(root, jnp.stack([one_hot, jnp.zeros_like(one_hot)]))[1]

        weight = jax.vmap(row)(jnp.eye(game.num_infostates)) * reach[0][:, None] * reach[1][None]
        keys = jax.random.split(jax.random.key(seed), NUM_DEALS)
        return reach - game.infostate_mask(root), weight, jax.vmap(game.deal)(keys)

    excess, weight, deals = jax.device_get(compiled(measure)())
    plain = game.deal(jax.random.split(jax.random.key(seed), NUM_DEALS)[0])
    if (deals[0] != plain).any():
        text = "deal gives in a plain call what it gives under jit and vmap"
        raise broken(game, text, numbers=f"expected {plain}, got {deals[0]}")
    if excess.any():
        raise broken(game, "root_reach is 1 in infostate_mask and 0 elsewhere", game.root())
    text = "the joint weights of the root add up to 1"
    if not abs(weight.sum() - 1) <= RELATIVE_TOLERANCE:
        raise broken(game, text, game.root(), f"got {weight.sum():.12g}")
    text = "deal returns two infostates below num_infostates"
    if deals.min() < 0 or deals.max() >= game.num_infostates:
        raise broken(game, text, numbers=f"got {deals.min()} to {deals.max()}")
    counts = np.zeros_like(weight)
    np.add.at(counts, tuple(deals.T), 1)
    text = "deal samples pairs of infostates with their joint weights at the root"
    for shares, seen in (
        (weight, counts),
        (weight.sum(axis=0, keepdims=True), counts.sum(axis=0, keepdims=True)),
        (weight.sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)),
    ):
        excess = surprise(seen, NUM_DEALS * shares, NUM_DEALS * shares * (1 - shares))
        excess = np.where((shares <= 0) & (seen > 0), np.inf, excess)
        if excess.max() <= 1:
            continue
        pair = np.unravel_index(np.argmax(excess), excess.shape)
        numbers = f"expected about {NUM_DEALS * shares[pair]:.1f}, got {seen[pair]:.0f}"
        raise broken(game, text, numbers=f"pair {int(pair[0])}, {int(pair[1])}: {numbers}")
