"""Table 2 of the paper on simultaneous-move MCTS (Lanctot, Lisy, Winands 2013).

Example:
    python scripts/reproduce_sm_mcts_table2.py --cards 8 --simulations 10000 --searches 10

Depth-limited exploitability in Goofspiel for points: a player's loss in the first round (Ex_2; a
round is a decision and a chance event) or the first two (Ex_4) to an opponent who knows its
strategy, if both play optimally afterwards. The strategy is that of one search at the first
decision, with the lowest card where it has no simulation. A mean over all first point cards
and both players, with its 95% interval. Constants are those that the paper tuned for points, and
SM-OOS is the journal's.
"""

import random
import time
from typing import Any, Final

import numpy as np
from goofspiel_values import Cards, PointValues
from shared import script_parser, write_results

from sog.baselines.plain.goofspiel import GoofspielWorld, PlainGoofspiel
from sog.baselines.simultaneous.search import SimultaneousSearch
from sog.baselines.simultaneous.tree import MatrixNode, MatrixSearch
from sog.games.core import PLAYER_0
from sog.games.goofspiel import Goofspiel
from sog.play.arena import Z_95

METHODS: Final = {
    "DUCT(max)": SimultaneousSearch(selection="duct_max", tuned="points"),
    "DUCT(mix)": SimultaneousSearch(selection="duct_mix", tuned="points"),
    "Exp3": SimultaneousSearch(selection="exp3", tuned="points"),
    "Exp3 as for wins": SimultaneousSearch(selection="exp3"),
    "OOS": SimultaneousSearch(selection="oos", tuned="points"),
    "OOS+": SimultaneousSearch(selection="oos_plus", tuned="points"),
    "RM": SimultaneousSearch(selection="rm", tuned="points"),
    "SM-OOS": SimultaneousSearch(selection="sm_oos", tuned="points"),
}


def exploitability(
    values: PointValues,
    search: MatrixSearch,
    node: MatrixNode | None,
    place: tuple[Cards, Cards, Cards, int],
    player: int,
    rounds: int,
) -> float:
    """Ex_2 for one round, Ex_4 for two: the largest gain of a player's opponent.

    place: both hands, the point cards left, and the one shown.
    """
    first, second, points, shown = place
    worth = values.matrix(first, second, points, shown)
    left = tuple(card for card in points if card != shown)
    if rounds > 1 and len(left) > 1:
        for i, own in enumerate(first):
            for j, other in enumerate(second):
                hands = tuple(c for c in first if c != own), tuple(c for c in second if c != other)
                below = [
                    exploitability(
                        values,
                        search,
                        None if node is None else node.children.get((i * len(second) + j, card)),
                        (*hands, left, card),
                        player,
                        rounds - 1,
                    )
                    for card in left
                ]
                won = shown * ((own > other) - (own < other))
                worth[i, j] = won + (-1 if player == 0 else 1) * sum(below) / len(below)
    strategy = np.eye(len(first))[0]
    if node is not None and any(node.mean_n):
        strategy = np.array(search.strategy(node, player))
    answers = -(strategy @ worth) if player == 0 else worth @ strategy
    return float(answers.max())


def measure(
    values: PointValues, game: Goofspiel, method: SimultaneousSearch, simulations: int, seed: int
) -> list[tuple[float, float]]:
    """(Ex_2, Ex_4) of both players for each first point card."""
    cards = tuple(range(1, game.cards + 1))
    found = []
    for shown in cards:
        source = random.Random(game.cards * seed + shown)
        search = method.tree_search(PlainGoofspiel(game), source)
        left, hand = [card for card in cards if card != shown], list(range(game.cards))
        world = GoofspielWorld(PLAYER_0, (hand, hand), shown, left, source, counts_points=True)
        root = search.node(world)
        for _ in range(simulations):
            search.simulate(root, world.copy())
        place = (cards, cards, cards, shown)
        for player in (0, 1):
            one, two = (
                exploitability(values, search, root, place, player, rounds) for rounds in (1, 2)
            )
            found.append((one, two))
    return found


def main() -> None:
    """Measures, and prints a line for each selection."""
    parser = script_parser(__doc__)
    add = parser.add_argument
    add("--cards", type=int, default=6, metavar="N", help="3 to 10 (default: 6)")
    add("--simulations", type=int, default=10_000, metavar="N", help="(default: 10000)")
    add("--searches", type=int, default=10, metavar="N", help="per card (default: 10)")
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="NAME")
    add("--out", metavar="FILE.json", help="write all figures")
    arguments = parser.parse_args()
    if not 3 <= arguments.cards <= 10:
        parser.error(f"--cards must be 3 to 10, got {arguments.cards}")
    if min(arguments.simulations, arguments.searches) < 1:
        parser.error("--simulations and --searches must be >= 1")
    game, values = Goofspiel(cards=arguments.cards, order="random", payoff="diff"), PointValues()
    results: dict[str, Any] = {}
    print("| selection | Ex_2 | Ex_4 |\n|---|---|---|")
    for name in arguments.methods:
        method = METHODS[name]
        began = time.perf_counter()
        found = np.array(
            [
                measure(values, game, method, arguments.simulations, seed)
                for seed in range(arguments.searches)
            ]
        )
        of_seed = found.mean(axis=1)
        width = Z_95 * of_seed.std(axis=0, ddof=min(1, len(found) - 1)) / np.sqrt(len(found))
        cells = [
            f"{mean:.2f} ± {error:.2f}"
            for mean, error in zip(of_seed.mean(axis=0), width, strict=True)
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        results[name] = {
            "method": str(method),
            "exploitability": of_seed.tolist(),
            "seconds": time.perf_counter() - began,
        }
        if arguments.out:
            counts = {"simulations": arguments.simulations, "searches": arguments.searches}
            write_results(arguments.out, game=str(game), **counts, results=results)


if __name__ == "__main__":
    main()
