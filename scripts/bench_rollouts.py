"""How fast are random games, and decisions of a search that values its leaves by them?

Example:
    python scripts/bench_rollouts.py --game london --search 10,1 --max-outcomes 26

Random games are played from the start, so many at once as each of --batches says. Decisions are
those of a game that `rollout` plays against itself; a search is compiled for each number of public
events between two of them that is new, so that the median is without compiling, the total with it.
Times are by the clock; beside other work look at those of the processor, of all its cores together.
Prints one JSON object.
"""

import dataclasses
import itertools
import json
import statistics
import sys
import time
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array
from script_arguments import game_text, script_parser

from gtcfr.settings import SearchSettings
from sog.cli.errors import CommandError
from sog.cli.search_numbers import read_search
from sog.games import Game, make
from sog.games.random_play import play_out
from sog.play.game_in_progress import GameInProgress
from sog.play.match import play_stepwise
from sog.players.leaf_search import LeafSearch
from sog.players.methods import make_method
from sog.players.searching import search_agents

REPETITIONS: Final = 5


def milliseconds_per_game(game: Game[Any], batch: int) -> float:
    """Of random games from the start; the best of some repetitions."""

    def play(key: Array) -> Array:
        deal_key, key = jax.random.split(key)
        end = play_out(game, game.root(), game.deal(deal_key), jnp.bool_(True), key)
        return game.world_utility(*end)

    run = jax.jit(jax.vmap(play))
    seconds = []
    for seed in range(1 + REPETITIONS):
        keys = jax.block_until_ready(jax.random.split(jax.random.key(seed), batch))
        began = time.perf_counter()
        jax.block_until_ready(run(keys))
        seconds.append(time.perf_counter() - began)
    return 1000 * min(seconds[1:]) / batch  # the first one was compiled


def seconds_per_decision(
    game: Game[Any], method: LeafSearch, settings: SearchSettings
) -> list[tuple[float, float]]:
    """By the clock and of the processor, in a game that a method plays against itself."""
    make_agent = search_agents(game, method.evaluator(game, 0), settings)
    agents = [make_agent(player, player) for player in (0, 1)]
    moments = [
        (time.perf_counter(), time.process_time())
        for _ in play_stepwise(GameInProgress.dealt(game, jax.random.key(0)), agents)
    ]
    return [(now[0] - before[0], now[1] - before[1]) for before, now in itertools.pairwise(moments)]


def main() -> None:
    """Measures, and prints."""
    parser = script_parser(__doc__)
    add = parser.add_argument
    add("--game", type=game_text, default="london", help="default: london")
    add("--method", default="rollout", help="a method that searches (default: rollout)")
    add("--search", default="10,1", metavar="S,C", help="SoG(s, c) (default: 10,1)")
    add("--max-outcomes", type=int, metavar="N", help="of chance, that a search keeps")
    add("--batches", nargs="+", type=int, default=[64, 512], metavar="N", help="default: 64 512")
    arguments = parser.parse_args()
    if min(arguments.batches) < 1:
        parser.error(f"--batches must be >= 1, got {min(arguments.batches)}")
    try:
        game, method = make(arguments.game), make_method(arguments.method)
        if not isinstance(method, LeafSearch) or method.needs_tree:
            raise ValueError(f"--method must be zero or rollout, got {arguments.method}.")
        settings = read_search(arguments.search)
        settings = dataclasses.replace(settings, max_outcomes=arguments.max_outcomes)
        settings.shape(game, 1)
    except (CommandError, ValueError) as error:
        sys.exit(f"error: {error}")
    games = {batch: milliseconds_per_game(game, batch) for batch in arguments.batches}
    decisions = seconds_per_decision(game, method, settings)
    if not decisions:
        sys.exit("error: the game was over after one decision.")
    by_clock, of_processor = zip(*decisions, strict=True)
    report = {
        "game": str(game),
        "milliseconds_per_game": games,
        "method": str(method),
        "search": arguments.search,
        "max_outcomes": arguments.max_outcomes,
        "decisions": len(decisions),
        "median_seconds": statistics.median(by_clock),
        "median_processor_seconds": statistics.median(of_processor),
        "total_seconds": sum(by_clock),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
