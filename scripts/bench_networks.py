"""How long a search takes with one network or another, whose weights are random.

Example:
    python scripts/bench_networks.py london mlp,192,3 graph,16,1 --simulations 20 --max-outcomes 26

A network is its torso, width and depth. All searches of a batch size are compiled first and then
run in turn, so that work beside them slows all down alike. Prints medians of nine runs.
"""

import functools
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
from script_arguments import game_text, script_parser

from gtcfr.root import start_of_game
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.recipe import make_evaluator
from sog.games import Game, make

RUNS: Final = 9


def network(text: str) -> NetworkSettings:
    """From torso,width,depth."""
    torso, width, depth = text.split(",")
    return NetworkSettings(torso=torso, width=int(width), depth=int(depth))


def compiled(
    game: Game[Any], settings: NetworkSettings, how: SearchSettings, batch: int
) -> Callable[[Any], Any]:
    """From a key to the policies of a batch of searches from the start of the game."""
    inputs = {
        "evaluator": make_evaluator(*make_network(game, settings)),
        "root": start_of_game(game, batch_size=batch),
    }
    run = jax.jit(functools.partial(search, game, settings=how))
    program = run.lower(**inputs, key=jax.random.key(0)).compile()
    return lambda key: program(**inputs, key=key).policy


def seconds_of(programs: Sequence[Callable[[Any], Any]]) -> list[float]:
    """Of each, the median of `RUNS` runs, after one to warm up."""
    seconds: list[list[float]] = [[] for _ in programs]
    for number in range(RUNS + 1):
        for program, times in zip(programs, seconds, strict=True):
            began = time.perf_counter()
            jax.block_until_ready(program(jax.random.key(number)))
            times.append(time.perf_counter() - began)
    return [statistics.median(times[1:]) for times in seconds]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = script_parser(__doc__)
    parser.add_argument("game", type=game_text)
    parser.add_argument("networks", nargs="+", metavar="TORSO,WIDTH,DEPTH", type=network)
    parser.add_argument("--simulations", type=int, default=20)
    parser.add_argument("--max-outcomes", type=int)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16])
    options = parser.parse_args(arguments)
    how = SearchSettings(num_simulations=options.simulations, max_outcomes=options.max_outcomes)
    for batch in options.batches:
        programs = [compiled(make(options.game), one, how, batch) for one in options.networks]
        seconds = seconds_of(programs)
        for one, each in zip(options.networks, seconds, strict=True):
            name = f"{one.torso} {one.width} x {one.depth}"
            print(f"batch {batch:4}  {name:14}  {each:.3f} s  {each / seconds[0]:.2f} x the first")


if __name__ == "__main__":
    main()
