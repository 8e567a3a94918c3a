"""Measures the gain of a value loss relative to the pot: two networks learn from the same rivers.

    python scripts/relative_values.py
    python scripts/relative_values.py --rivers 256 --steps 100 --seeds 1

Rivers of hold'em are random lines of bets, boards and ranges, solved to the end; a quarter of them
is held out. Network, optimizer and batch size are those of `configs/holdem_small.toml`. One network
learns values as shares of the largest utility, the other as shares of the stakes
(`learner.relative_values`), and Huber's delta likewise. Rows by pot, in big blinds; columns:
    rivers    held out.
    utility   mean over hands of the error of values in percent of the pot, of the first network:
              mean over seeds (least to most).
    stake     of the second.
"""

import argparse
import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from machine import processor, versions
from script_arguments import game_text

from gtcfr.packing import unpack
from networks.cvpn import make_network
from selfplay.examples import StoredExample, load_example, take
from selfplay.learner import Learner
from selfplay.runs.config import load_config
from selfplay.settings import Config
from selfplay.sources import check_source
from sog.cli.numbers import positive_integer
from sog.games import Game, make
from sog.games.encoding import at_stake
from sog.holdem.spots.training_examples import solve_spots

_CONFIG: Final = "holdem_small"
_HELD_OUT: Final = 4  # one in four
_STEPS: Final = 25  # per call


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rivers", type=positive_integer, default=2048, help="(default: 2048)")
    parser.add_argument(
        "--steps", type=positive_integer, default=1000, help="of the learner (default: 1000)"
    )
    parser.add_argument("--seeds", type=positive_integer, default=3, help="(default: 3)")
    parser.add_argument("--game", type=game_text, help="another game of hold'em")
    arguments = parser.parse_args(argv)
    config = load_config(_CONFIG)
    game = make(arguments.game or config.game)
    try:
        check_source(game, selfplay=arguments.rivers)
    except ValueError:
        parser.error(f"--game must be hold'em with rivers to bet on, got {game}.")
    print(f"{game}, {arguments.steps:,} steps\n{processor()}; {versions(['jax', 'jaxlib'])}")
    rivers = _solve(game, arguments.rivers)
    held_out = np.arange(arguments.rivers) % _HELD_OUT == 0
    found = {
        relative: [
            _errors(game, config, rivers, held_out, relative, arguments.steps, seed)
            for seed in range(arguments.seeds)
        ]
        for relative in (False, True)
    }
    pots = found[True][0]
    print(f"{'pot':>6}{'rivers':>8} {'utility':>26} {'stake':>26}")
    for pot in pots:
        columns = [[errors[pot] for errors in found[relative]] for relative in (False, True)]
        texts = [
            f"{100 * np.mean(column):.2f}% ({100 * min(column):.2f} to {100 * max(column):.2f})"
            for column in np.array(columns)[:, :, 0]
        ]
        print(f"{pot:6.1f}{pots[pot][1]:8} {texts[0]:>26} {texts[1]:>26}")


def _solve(game: Game[Any], count: int) -> StoredExample:
    """Solves `count` rivers, of shuffled lines."""
    parts = [
        work.examples for work in solve_spots(game, count, np.random.default_rng(0), later=False)
    ]
    every: StoredExample = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    return take(every, np.random.default_rng(1).permutation(count))


def _errors(
    game: Game[Any],
    config: Config,
    rivers: StoredExample,
    held_out: np.ndarray,
    relative: bool,
    steps: int,
    seed: int,
) -> dict[float, tuple[float, int]]:
    """By pot: the mean error after training, as a share of the pot, and the number of rivers."""
    apply_fn, params = make_network(game, config.network, seed=seed)
    load = jax.jit(jax.vmap(functools.partial(load_example, game, apply_fn)))
    asked, weight = load(take(rivers, np.flatnonzero(held_out))), config.learner.value_weight
    if not relative:  # scales gradients to a similar norm
        packed = jnp.asarray(rivers.state[~held_out])
        states = jax.vmap(functools.partial(unpack, game))(packed)
        stakes = jax.vmap(functools.partial(at_stake, game.encoding))(states)
        weight /= float(jnp.mean(stakes**2))
    settings = dataclasses.replace(
        config.learner, relative_values=relative, value_weight=weight, policy_weight=0.0
    )
    learner, random = Learner(game, apply_fn, settings, params), np.random.default_rng(seed)
    while learner.step < steps:
        rows = random.choice(
            np.flatnonzero(~held_out), (min(_STEPS, steps - learner.step), settings.batch_size)
        )
        learner.train(take(rivers, rows))
    ask: Any = jax.jit(apply_fn)
    values = ask(learner.state.average, asked.features, asked.ranges)[0]
    off = jnp.sum(jnp.where(asked.value_mask, jnp.abs(values - asked.values), 0), axis=(1, 2))
    of_pot = np.asarray(off / jnp.sum(asked.value_mask, axis=(1, 2)) / (2 * asked.at_stake))
    pots = np.round(2 * np.asarray(asked.at_stake) * game.max_utility, 1)
    return {
        float(pot): (float(of_pot[pots == pot].mean()), int(np.sum(pots == pot)))
        for pot in np.unique(pots)
    }


if __name__ == "__main__":
    main()
