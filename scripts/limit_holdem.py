"""UCT and Smooth UCT in limit hold'em for two or three players, over E[HS^2] grids.

Section 4.3 of Heinrich and Silver (2015). Both methods learn from the same deals, and their greedy
policies play each other. Many games run at once, and update the trees together;
the paper plays one after another. Everything else is theirs: the grids 169/1000/500/200
and 169/1000/100/20, the mixing of their equation 2 with gamma = 0.1, eta = 0.9 and d = 1/20000, and
the exploration of their equation 3 with k = 0.5 and C = 24 big blinds, 36 with three players. A
match plays every deal in all orders of seats, on deals not used for learning.

Examples:
    python scripts/limit_holdem.py --out limit_holdem.json
    python scripts/limit_holdem.py --players 3      the same with three, in 8 GB of memory
    python scripts/limit_holdem.py --draw docs/results/data/limit_holdem/two_*.json --out two.png

--draw makes a picture of results with several seeds: winnings against the number of games learned
from, a line for each pairing through the means of the trainings, and a band from minimum to
maximum. The axis of winnings is linear from -100 to 100 and logarithmic beyond.
"""

import argparse
import dataclasses
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from jax import Array
from shared import picture, prefix, provenance, script_parser

from sog.drawing.figure import COLORS, Curve, draw_curve, finish_axes, new_figure, write_figure
from sog.files import parse_json, read_bytes
from sog.holdem.blueprint.buckets import Buckets, cards_of, make_buckets
from sog.holdem.blueprint.limit_betting import Limit, make_betting
from sog.holdem.blueprint.limit_learning import (
    SIMPLE,
    Rules,
    deal,
    empty_tree,
    greedy_policy,
    learn,
    make_rules,
    match,
    simple_policies,
)
from sog.holdem.game import Holdem
from sog.numbers import positive_integer
from sog.numbers import seed as seed_number

SIZES: Final = {2: (169, 1000, 500, 200), 3: (169, 1000, 100, 20)}
GAMES: Final = 4096
"""Games played at once."""
METHODS: Final = {"UCT": False, "Smooth UCT": True}
_POINTS: Final = 5
_LINEAR: Final = 100
_MOST_BYTES: Final = 2**20
_SECONDS_BETWEEN_LINES: Final = 10.0


def play_match(
    rules: Rules, buckets: Buckets, policy: Array, others: Sequence[Array], calls: int
) -> tuple[float, float]:
    """The winnings of a policy against the others, in mb/h, with standard error, over `calls` times
    GAMES deals, each in all orders of seats."""
    random, players = np.random.default_rng(2**32), 1 + len(others)
    every = []
    for _ in range(calls):
        deals = deal(buckets, random, players, GAMES)
        played: dict[tuple[int, ...], np.ndarray] = {}  # by seating: some are the same
        results = []
        for order in itertools.permutations(range(players)):  # order[seat]: the player
            seated = [(policy, *others)[who] for who in order]
            table = tuple(map(id, seated))
            if table not in played:
                played[table] = np.asarray(match(rules, seated, deals))
            results.append(played[table][order.index(0)])
        every.append(1000 * np.mean(results, axis=0, dtype=np.float64))
    found = np.concatenate(every)
    return float(found.mean()), float(found.std() / np.sqrt(len(found)))


def pairs_of(players: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields a method and its opponents: the other method in all seats, or those of `SIMPLE`.

    The opponents win what one loses in equal parts, so no other pairing is needed.
    """
    for first, second in itertools.permutations(METHODS):
        if players > 2 or first == "Smooth UCT":
            yield first, (second,) * (players - 1)
        for other in SIMPLE:
            yield first, (other,) * (players - 1)


def run(players: int, episodes: int, calls: int, seed: int, path: Path | None) -> None:
    """Both methods learn from the same deals; then their policies after 1/16, 1/8, ... of the deals
    play matches."""
    began = time.perf_counter()
    buckets = make_buckets(cards_of(Holdem()), SIZES[players], "grid", _note, most_kept=2**28)
    rules = make_rules(make_betting(Limit(players)), buckets.sizes)
    seconds = {"buckets": time.perf_counter() - began}
    _note(f"{rules.betting.num_decisions:,} decisions, {rules.num_rows:,} rows")
    begin, random = time.perf_counter(), np.random.default_rng(seed)
    batches = [
        jax.device_get(deal(buckets, random, players, GAMES))
        for _ in _counting("dealing", -(-episodes // GAMES))
    ]
    seconds["dealing"] = time.perf_counter() - begin
    ends = [max(len(batches) >> halving, 1) for halving in range(_POINTS - 1, -1, -1)]
    known: dict[str, list[Array]] = {}
    for name, smooth in METHODS.items():
        tree, known[name] = empty_tree(rules), []
        key = jax.random.fold_in(jax.random.key(seed), smooth)
        begin = time.perf_counter()
        for number in _counting(name, len(batches)):
            now = jax.random.fold_in(key, number)
            tree = jax.block_until_ready(learn(rules, smooth, tree, batches[number], now))
            if number + 1 in ends:
                known[name] += [greedy_policy(tree)] * ends.count(number + 1)
        seconds[name] = time.perf_counter() - begin
        del tree  # the next one needs its memory
    points: list[dict[str, Any]] = []
    for number, end in enumerate(ends):
        policies = simple_policies(rules) | {name: known[name][number] for name in METHODS}
        points.append({"episodes": end * GAMES, "matches": []})
        for name, others in pairs_of(players):
            at_table = [policies[other] for other in others]
            mean, error = play_match(rules, buckets, policies[name], at_table, calls)
            result = {"player": name, "others": others, "mb": mean, "standard_error": error}
            points[-1]["matches"].append(result)
            against = f"{name} against {' and '.join(others)}"
            print(f"{end * GAMES:12,} {against:40} {mean:8.1f} ± {1.96 * error:.1f} mb/h")
        if path is not None:
            _write(path, rules, points, seconds, seed, calls)


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _counting(doing: str, count: int) -> Iterator[int]:
    """Yields 0, 1, ..., and prints progress now and then."""
    last = time.monotonic()
    for number in range(count):
        yield number
        if time.monotonic() - last > _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            _note(f"{doing}: {(number + 1) * GAMES:,} of {count * GAMES:,} games")


def _write(
    path: Path,
    rules: Rules,
    points: list[dict[str, Any]],
    seconds: dict[str, float],
    seed: int,
    calls: int,
) -> None:
    content = {
        "rules": dataclasses.asdict(rules.betting.rules),
        "decisions": rules.betting.num_decisions,
        "sizes": rules.sizes,
        "games_at_once": GAMES,
        "seed": seed,
        "deals_of_a_match": calls * GAMES,
        "seconds": seconds,
        **provenance(),
        "points": points,
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


Winnings = dict[tuple[str, ...], dict[float, float]]
"""By player and opponents: mb a hand after numbers of games."""


def read_training(path: Path) -> tuple[dict[str, Any], Winnings]:
    """The rules of an output, and its winnings."""
    won: Winnings = {}
    try:
        found = parse_json(read_bytes(path, _MOST_BYTES))
        rules = {**found["rules"], "players": int(found["rules"]["players"])}
        for point in found["points"]:
            for match in point["matches"]:
                who = str(match["player"]), *map(str, match["others"])
                won.setdefault(who, {})[float(point["episodes"])] = float(match["mb"])
        if not won:
            raise ValueError("it has no matches")
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{path} is not an output of limit_holdem.py: {error}.") from None
    return rules, won


def draw(files: Sequence[Path], path: Path) -> None:
    """Draws trainings of one game."""
    found = [read_training(file) for file in files]
    played = [(rules, {who: [*by_games] for who, by_games in won.items()}) for rules, won in found]
    if any(one != played[0] for one in played):
        raise ValueError(
            "files must be of the same rules and the same matches after as many games."
        )
    rules, first = found[0]
    figure, axes = new_figure(f"limit hold'em, {rules['players']} players, {len(found)} trainings")
    learned = "those who learn"
    colors = {learned: COLORS[0]}
    for who, by_games in first.items():
        player, *others = who
        kind = learned if "UCT" in others[0] else others[0]
        color = colors.setdefault(kind, COLORS[len(colors) % len(COLORS)])
        samples = [[won[who][games] for _, won in found] for games in by_games]
        label = f"{player} against {'two ' * (len(others) == 2)}{others[0]}"
        style = "--" if player.startswith("Smooth") else "-"
        millions = [games / 1e6 for games in by_games]
        draw_curve(axes, Curve.of_samples(label, millions, samples), color, style)
    finish_axes(axes, x_label="millions of games", y_label="mb a hand", has_logarithms=False)
    axes.set_yscale("symlog", linthresh=_LINEAR)
    axes.axhline(0, color="0.35", linewidth=0.8)
    axes.legend(fontsize=7, frameon=False, handlelength=4)
    write_figure(path, figure)


def main() -> None:
    """Reads the options."""
    parser = script_parser(__doc__)
    parser.add_argument("--players", type=int, choices=(2, 3), default=2)
    parser.add_argument("--episodes", type=positive_integer, default=8_000_000, metavar="N")
    parser.add_argument(
        "--calls", type=positive_integer, default=25, help=f"times {GAMES} deals of a match"
    )
    parser.add_argument("--seed", type=seed_number, default=0)
    parser.add_argument("--out", type=prefix, metavar="FILE")
    parser.add_argument("--draw", type=Path, nargs="+", metavar="FILE", help="draw these outputs")
    given = parser.parse_args()
    try:
        if given.draw:
            draw(given.draw, picture(given.out or "limit_holdem.png"))
            return
    except (ValueError, argparse.ArgumentTypeError) as error:
        parser.error(str(error))
    run(given.players, given.episodes, given.calls, given.seed, given.out and Path(given.out))


if __name__ == "__main__":
    main()
