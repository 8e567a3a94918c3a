"""Benchmarks the rules of games against those of pgx, in batches of random games.

Example:
    python scripts/bench_games.py go9 go19 --batch 256

A step computes legal actions, a random one of them, the next state, whether it is terminal and who
has won, and replaces finished games. Network features are not computed. Both sides choose by the
same function, and are timed in turn; the best of some repetitions counts. If pgx is not installed,
or lacks the game, only ours is measured. Games of pgx differ in details: there a repeated position
ends a game of Go, here superko makes it illegal.
"""

import argparse
import importlib
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array
from shared import provenance

from sog.games import Game, make
from sog.games.core import TERMINAL, draw

TWINS: Final = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "go9": "go_9x9",
    "go19": "go_19x19",
    "chess": "chess",
    "gardner_chess": "gardner_chess",
}
"""Our games by name -> those of pgx."""
REPETITIONS: Final = 3

Step = Callable[[Any, Array], tuple[Any, Array]]
"""From a state and a key to the next state, and whether a game has ended."""


def choose(key: Array, legal: Array) -> Array:
    """int32: a uniformly random legal action; legal: [A]."""
    return draw(jax.random.uniform(key), legal.astype(jnp.float32))


def our_step(game: Game[Any]) -> tuple[Any, Step]:
    """The first state, and the step of one game."""

    def step(state: Any, key: Array) -> tuple[Any, Array]:
        infostates = jnp.zeros(2, jnp.int32)
        action = choose(key, game.world_actions(state, infostates))
        after = game.apply(state, action)
        is_over = game.actor(after) == TERMINAL
        won = jnp.where(is_over, game.world_utility(after, infostates), 0)
        start = jax.tree.map(lambda new, old: jnp.where(is_over, new, old), game.root(), after)
        return start, jnp.stack([is_over.astype(jnp.float32), won])

    return game.root(), step


def step_of_pgx(name: str) -> tuple[Any, Step]:
    """The same for a game of pgx."""
    env = importlib.import_module("pgx").make(name)
    first = env.init(jax.random.key(0))

    def step(state: Any, key: Array) -> tuple[Any, Array]:
        after = env.step(state, choose(key, state.legal_action_mask))
        is_over = after.terminated | after.truncated
        won = jnp.where(is_over, after.rewards[0], 0)
        start = jax.tree.map(lambda new, old: jnp.where(is_over, new, old), first, after)
        # XLA does not compute unused results.
        return start.replace(observation=state.observation), jnp.stack(
            [is_over.astype(jnp.float32), won]
        )

    return first, step


def stepper(first: Any, step: Step, batch: int, steps: int) -> Callable[[int], float]:
    """A function of a seed that plays and returns its seconds."""

    @jax.jit
    def run(key: Array) -> Array:
        states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (batch, *leaf.shape)), first)

        def once(carry: Any, key: Array) -> tuple[Any, None]:
            states, totals = carry
            states, found = jax.vmap(step)(states, jax.random.split(key, batch))
            return (states, totals + found.sum(axis=0)), None

        keys = jax.random.split(key, steps)
        (states, totals), _ = jax.lax.scan(once, (states, jnp.zeros(2, jnp.float32)), keys)
        # Uses all of the last states, or XLA would not compute them.
        sums = [leaf.astype(jnp.float32).sum() for leaf in jax.tree.leaves(states)]
        checksum: Array = totals.sum() + sum(sums)
        return checksum

    def timed(seed: int) -> float:
        key = jax.block_until_ready(jax.random.key(seed))
        began = time.perf_counter()
        jax.block_until_ready(run(key))
        return time.perf_counter() - began

    timed(0)  # compiles
    return timed


def measure(name: str, batch: int, steps: int) -> dict[str, Any]:
    """Steps per second of a game, and of its twin if there is one."""
    sides = {"ours": stepper(*our_step(make(name)), batch, steps)}
    twin = TWINS.get(name)
    if twin is not None and importlib.util.find_spec("pgx") is not None:
        sides["pgx"] = stepper(*step_of_pgx(twin), batch, steps)
    seconds = {side: float("inf") for side in sides}
    for seed in range(1, 1 + REPETITIONS):
        for side, timed in sides.items():
            seconds[side] = min(seconds[side], timed(seed))
    found: dict[str, Any] = {"game": name, "pgx_game": twin}
    found |= {f"{side}_steps_per_second": batch * steps / best for side, best in seconds.items()}
    if len(sides) > 1:
        found["ratio"] = seconds["pgx"] / seconds["ours"]
    return found


def main(argv: list[str] | None = None) -> int:
    """Measures the given games, one after another."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", default=["go9", "go19"], metavar="GAME")
    parser.add_argument("--batch", type=int, default=256, help="games at once")
    parser.add_argument("--steps", type=int, default=200, help="steps per game")
    parser.add_argument("--json", action="store_true", help="one JSON object, and nothing else")
    arguments = parser.parse_args(argv)
    if arguments.batch < 1 or arguments.steps < 1:
        parser.error("--batch and --steps must be at least 1.")
    if importlib.util.find_spec("pgx") is None:
        print("pgx is not installed (pip install pgx): only ours is measured.", file=sys.stderr)
    rows = []
    for name in arguments.games:
        try:
            rows.append(measure(name, arguments.batch, arguments.steps))
        except ValueError as error:
            parser.error(str(error))
        if not arguments.json:
            print(row_text(rows[-1]), flush=True)
    if arguments.json:
        settings = {"batch": arguments.batch, "steps": arguments.steps, "rows": rows}
        print(json.dumps(settings | provenance(), indent=1))
    return 0


def row_text(row: dict[str, Any]) -> str:
    """A line of the table."""
    text = f"{row['game']:14} {row['ours_steps_per_second']:12,.0f} steps/s"
    if "ratio" in row:
        text += f"   pgx {row['pgx_steps_per_second']:12,.0f} steps/s   {row['ratio']:6.2f} times"
    elif row["pgx_game"] is None:
        text += "   pgx: none known"
    return text


if __name__ == "__main__":
    sys.exit(main())
