"""`sog tournament`: each of several agents plays each other one; a table of who wins how often."""

import argparse
import dataclasses
import math
from typing import Any

from rich.table import Table

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError, mistakes
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.players import check_searches, seat_players
from sog.play.arena import MatchResult
from sog.play.tournament import Pairing, Results, is_whole, pairings, play_tournament, ranking
from sog.players.seating import Seating


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    if len(arguments.players) < 2:
        raise CommandError(f"two or more players are needed, got {len(arguments.players)}.")
    twice = {text for text in arguments.players if arguments.players.count(text) > 1}
    if twice:
        raise CommandError(f"players must differ, got {sorted(twice)[0]} more than once.")
    if arguments.games % 2:
        raise CommandError(
            f"--games must be even, since every deal is played twice, got {arguments.games}."
        )
    check_searches(arguments.players, arguments)
    start_jax()
    with display.working() as work, concluding(work.tell_interrupted), mistakes():
        seating = seat_players(arguments.players, arguments, work)
        results = _play(seating, arguments, work)
    interrupted = not is_whole(results, len(seating.players))
    with holding_interrupts():
        if interrupted:
            display.note("interrupted: this is the result of the games that were finished.")
        if arguments.json:
            display.print_json(_as_json(seating, arguments, results, interrupted))
        else:
            _print(seating, results, arguments.show)
    return INTERRUPTED if interrupted else SUCCESS


def _play(seating: Seating, arguments: argparse.Namespace, work: display.Work) -> Results:
    game, players = seating.game, seating.players
    order = pairings(len(players))
    total = len(order) * arguments.games
    work.begin(f"playing {game.name}", total=total)

    def show(pairing: Pairing, result: MatchResult) -> None:
        done = order.index(pairing) * arguments.games + result.num_games
        names = " against ".join(players[number].name for number in pairing)
        rate = f"{100 * result.win_rate:.0f}%"
        work.update(f"{names} {rate}{work.time_left(done, total)}", done)

    factories = [player.make for player in players]
    batch = seating.batch_size(arguments.batch)
    return play_tournament(game, factories, arguments.games, arguments.seed, show, batch)


def _print(seating: Seating, results: Results, show: str) -> None:
    game, players = seating.game, seating.players
    ranked = ranking(results, by_wins=show == "wins")
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("player")
    for column in (*map(str, range(1, len(ranked) + 1)), "all"):
        table.add_column(column, justify="right", no_wrap=True)
    for place, rank in enumerate(ranked, start=1):
        cells = [_cell(rank.player, other.player, results, show) for other in ranked]
        average = _number(rank.win_rate if show == "wins" else rank.mean, show)
        table.add_row(f"{place} {players[rank.player].name}", *cells, average)
    seconds = sum(result.seconds for result in results.values())
    games = sum(result.num_games for result in results.values())
    what = (
        "percent of games won, draws as half" if show == "wins" else f"{game.milli_unit} per game"
    )
    display.print_table(
        table,
        f"{display.short_name(game)}: each against each",
        f"{what}, of the row against the column, with the 95% interval.\n{games:,} games in "
        f"{seconds:.3g} s; every deal was played twice with roles swapped.",
    )


def _cell(player: int, other: int, results: Results, show: str) -> str:
    result = results.get((min(player, other), max(player, other)))
    if result is None:
        return "-"
    if show == "wins":
        value = result.win_rate if player < other else 1 - result.win_rate
        width = result.win_rate_half_width
    else:
        value = result.mean if player < other else -result.mean
        width = result.half_width
    interval = "" if math.isnan(width) else f" ± {_number(width, show)}"
    return f"{_number(value, show)}{interval}"


def _number(value: float, show: str) -> str:
    return f"{100 * value:.1f}" if show == "wins" else display.number(1000 * value)


def _as_json(
    seating: Seating, arguments: argparse.Namespace, results: Results, interrupted: bool
) -> dict[str, Any]:
    return {
        "game": str(seating.game),
        "unit": seating.game.unit,
        "players": [player.as_json() for player in seating.players],
        "games": arguments.games,
        "interrupted": interrupted,
        "pairings": [
            {
                "first": first,
                "second": second,
                "games": result.num_games,
                "win_rate": result.win_rate,
                "win_interval": _interval(result.win_rate, result.win_rate_half_width),
                "mean": result.mean,
                "interval": _interval(result.mean, result.half_width),
                "wins": result.wins,
                "draws": result.draws,
                "losses": result.losses,
                "seconds": result.seconds,
            }
            for (first, second), result in results.items()
        ],
        "ranking": [
            dataclasses.asdict(rank) for rank in ranking(results, by_wins=arguments.show == "wins")
        ],
        "seed": arguments.seed,
        "seconds": sum(result.seconds for result in results.values()),
    }


def _interval(middle: float, half_width: float) -> list[float] | None:
    return None if math.isnan(half_width) else [middle - half_width, middle + half_width]
