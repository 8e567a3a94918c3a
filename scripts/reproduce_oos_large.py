"""The large games of the OOS paper (Lisy, Lanctot, Bowling 2015, Figure 3d and e), head to head.

Examples:
    python scripts/reproduce_oos_large.py ii_goofspiel --simulations 2000 --games 200
    python scripts/reproduce_oos_large.py liars_dice --simulations 5000 --games 200

II-Goofspiel with 13 cards, liar's dice with two dice each; trees grow with the search and are kept
between moves. Every pairing plays each deal twice with seats swapped. Win percentages of the row
with 95% intervals, draws as half wins. Cores share the pairings. --out writes PREFIX.json, again
after each pairing.
"""

import concurrent.futures
import itertools
import json
import multiprocessing
import os
import random
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from shared import prefix, provenance, script_parser

from sog.baselines.grown.search import TreeSearch
from sog.baselines.online.is_mcts import IsMcts
from sog.baselines.online.online_outcome_sampling import OnlineOutcomeSampling
from sog.baselines.plain.games import infostate_game
from sog.baselines.plain.ii_goofspiel import PlainIIGoofspiel
from sog.baselines.plain.worlds import InfostateGame
from sog.games import make
from sog.games.core import TERMINAL
from sog.play.arena import Z_95

PLAYERS: Final = ("OOS", "UCT", "RM", "RND")
GAMES: Final = ("ii_goofspiel", "liars_dice")


def plain(name: str) -> InfostateGame:
    """A game of the paper."""
    if name == "ii_goofspiel":
        return PlainIIGoofspiel(cards=13, order="ascending", payoff="wl")
    game = infostate_game(make("liars_dice(dice=2)"))
    assert game is not None
    return game


def player(name: str, game: InfostateGame, budget: int, seed: int) -> TreeSearch[Any] | None:
    """A search with the paper's parameters; None for random play."""
    if name == "OOS":
        return OnlineOutcomeSampling(budget=budget).grown(game, seed)
    if name == "UCT":
        return IsMcts(c=2.0, budget=budget).grown(game, seed)
    if name == "RM":
        return IsMcts(selection="rm", budget=budget).grown(game, seed)
    return None


def play(game: InfostateGame, seats: list[TreeSearch[Any] | None], deal: int, luck: int) -> float:
    """Plays one game; returns the utility to the first seat. deal, luck: seeds."""
    world, source = game.deal(random.Random(deal)), random.Random(luck)
    for seat in seats:
        if seat is not None:
            seat.reset()
    while world.player != TERMINAL:
        actions, seat = world.actions(), seats[world.player]
        odds = [1.0] * len(actions)
        if seat is not None and len(actions) > 1:
            odds = seat.search(world.seen(), len(actions))
        world.play(source.choices(actions, odds)[0])
    return world.finish(source)


def match(task: tuple[str, str, str, int, int]) -> dict[str, Any]:
    """Plays a pairing; returns the first player's scores in pairs of games."""
    name, first, second, budget, games = task
    game, began, scores = plain(name), time.perf_counter(), []
    for number in range(games // 2):
        seeds = np.random.SeedSequence((1, number)).generate_state(4).tolist()
        both = [player(first, game, budget, seeds[0]), player(second, game, budget, seeds[1])]
        as_0 = play(game, both, seeds[2], seeds[3])
        as_1 = -play(game, both[::-1], seeds[2], seeds[3] + 1)
        scores.append(sum(0.5 + 0.5 * np.sign(gain) for gain in (as_0, as_1)) / 2)
    return {
        "first": first,
        "second": second,
        "percent": 100 * float(np.mean(scores)),
        "half_width": 100 * Z_95 * float(np.std(scores, ddof=1)) / len(scores) ** 0.5,
        "seconds": time.perf_counter() - began,
    }


def main() -> None:
    """Plays all pairings, and prints a table."""
    parser = script_parser(__doc__)
    add = parser.add_argument
    add("game", choices=GAMES)
    add("--simulations", type=int, default=2000, metavar="N", help="per move (default: 2000)")
    add("--games", type=int, default=200, metavar="N", help="per pairing (default: 200)")
    add("--processes", type=int, default=os.cpu_count(), metavar="N", help="(default: all cores)")
    add("--out", type=prefix, metavar="PREFIX", help="write PREFIX.json")
    arguments = parser.parse_args()
    if arguments.games < 4 or arguments.games % 2:
        parser.error(f"--games must be even and >= 4, got {arguments.games}")
    least = min(arguments.simulations, arguments.processes)
    if least < 1:
        parser.error(f"--simulations and --processes must be >= 1, got {least}")
    facts: dict[str, Any] = {**provenance(), "pairings": []}
    tasks = [
        (arguments.game, first, second, arguments.simulations, arguments.games)
        for first, second in itertools.combinations(PLAYERS, 2)
    ]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(arguments.processes, context) as pool:
        for found in pool.map(match, tasks):
            facts["pairings"].append(found)
            line = "{first} against {second}: {percent:.1f} ± {half_width:.1f}, {seconds:.0f} s"
            print(line.format(**found), file=sys.stderr, flush=True)
            if arguments.out:
                Path(f"{arguments.out}.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(f"| | {' | '.join(PLAYERS[1:])} |")
    print("|---" * len(PLAYERS) + "|")
    for first in PLAYERS[:-1]:
        cells = {f["second"]: f for f in facts["pairings"] if f["first"] == first}
        texts = [
            f"{cells[who]['percent']:.0f} ± {cells[who]['half_width']:.0f}" if who in cells else ""
            for who in PLAYERS[1:]
        ]
        print(f"| {first} | {' | '.join(texts)} |")


if __name__ == "__main__":
    main()
