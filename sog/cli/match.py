"""`sog match`: two agents play many games with roles swapped; who wins, and how sure that is."""

import argparse
import dataclasses
import math
from typing import Any

from rich.table import Table

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.players import Seating, check_searches, seat_players
from sog.cli.search_numbers import describe_search
from sog.play.arena import MatchResult, play_match


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    if arguments.games % 2:
        raise CommandError(
            f"--games must be even, since every deal is played twice, got {arguments.games}."
        )
    check_searches([arguments.first, arguments.second], arguments)
    start_jax()
    so_far: list[tuple[Seating, MatchResult]] = []
    with display.working() as work:

        def conclude() -> None:
            if not so_far:
                work.tell_interrupted()
                return
            ((seating, result),) = so_far
            of_all = f"{result.num_games:,} of {arguments.games:,} games"
            display.note(f"interrupted: this is the result of {of_all}.")
            _report(seating, arguments, dataclasses.replace(result, interrupted=True))

        try:
            with concluding(conclude):
                seating = seat_players([arguments.first, arguments.second], arguments, work)
                result = _play(seating, arguments, work, so_far)
                if result.interrupted:
                    raise KeyboardInterrupt
        except ValueError as error:
            raise CommandError(str(error)) from None
    with holding_interrupts():
        _report(seating, arguments, result)
    return SUCCESS


def _report(seating: Seating, arguments: argparse.Namespace, result: MatchResult) -> None:
    if arguments.json:
        display.print_json(_as_json(seating, arguments, result))
    else:
        _print(seating, result)


def _play(
    seating: Seating,
    arguments: argparse.Namespace,
    work: display.Work,
    so_far: list[tuple[Seating, MatchResult]],
) -> MatchResult:
    game, (first, second) = seating.game, seating.players

    def show(result: MatchResult) -> None:
        so_far[:] = [(seating, result)]
        mean = f"{first.name} {_signed_milli(result.mean)} {game.milli_unit}"
        games = f"{result.num_games:,} of {arguments.games:,} games"
        left = work.time_left(result.num_games, arguments.games)
        work.update(f"{games}, {mean}{left}", result.num_games)

    work.begin(f"playing {game.name}", total=arguments.games)
    return play_match(game, first.make, second.make, arguments.games, arguments.seed, show)


def _print(seating: Seating, result: MatchResult) -> None:
    game, (first, second) = seating.game, seating.players
    pairs = result.num_games // 2
    searches = [
        f"{name} searches with {describe_search(player.search)}"
        for name, player in zip(_names(seating), seating.players, strict=True)
        if player.search is not None
    ]
    deals = f"{pairs:,} deal{'s' if pairs > 1 else ''}, played twice with roles swapped"
    facts = "; ".join([f"{result.num_games:,} games in {result.seconds:.3g} s: {deals}", *searches])
    display.print_table(
        _as_table(seating, result),
        f"{display.short_name(game)}: {first.name} against {second.name}",
        f"mean: {game.milli_unit} per game, with its 95% interval.\n{facts}.",
    )


def _as_table(seating: Seating, result: MatchResult) -> Table:
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    table.add_column("player", no_wrap=True)
    unit = seating.game.milli_unit
    columns = (f"mean ({unit})", "95%", "as player 0", "as player 1", "won", "drawn", "lost")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    first, second = _names(seating)
    as_0, as_1 = result.mean_as
    width = result.half_width
    interval = "-" if math.isnan(width) else f"± {display.number(1000 * width)}"
    counts = [f"{count:,}" for count in (result.wins, result.draws, result.losses)]
    rows = (
        (first, result.mean, as_0, as_1, counts),
        (second, -result.mean, -as_1, -as_0, counts[::-1]),
    )
    for name, mean, as_player_0, as_player_1, counted in rows:
        means = (_signed_milli(as_player_0), _signed_milli(as_player_1))
        table.add_row(name, _signed_milli(mean), interval, *means, *counted)
    return table


def _names(seating: Seating) -> tuple[str, str]:
    first, second = (player.name for player in seating.players)
    return (first, second) if first != second else (f"{first} (A)", f"{second} (B)")


def _signed_milli(value: float) -> str:
    text = display.number(1000 * value)
    return f"+{text}" if value > 0 else text


def _as_json(
    seating: Seating, arguments: argparse.Namespace, result: MatchResult
) -> dict[str, Any]:
    mean, width = result.mean, result.half_width
    return {
        "game": str(seating.game),
        "unit": seating.game.unit,
        "players": [player.as_json() for player in seating.players],
        "games": result.num_games,
        "interrupted": result.interrupted,
        "mean": mean,
        "interval": None if math.isnan(width) else [mean - width, mean + width],
        "mean_as": list(result.mean_as),
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "seed": arguments.seed,
        "seconds": result.seconds,
    }
