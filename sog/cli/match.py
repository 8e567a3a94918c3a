"""`sog match`: two agents play many games with roles swapped; prints results with intervals."""

import argparse
import dataclasses
import functools
import math
from typing import Any, Final

from rich.table import Table

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.evaluators.exact import policy_evaluator
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes
from sog.cli.game_output import check_has_format, check_record_name
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_history
from sog.cli.players import check_even, check_searches, describe_search, host_of, seat_players
from sog.cli.saved_tournament import SavedTournament, write_games
from sog.drawing.outline import or_null
from sog.games import Game
from sog.memory import check_memory
from sog.play import Aivat
from sog.play.arena import Z_95, MatchResult, play_match
from sog.players.player import Host
from sog.players.seating import Seating
from sog.tabular import compile_game
from sog.tabular.enumerated_game import EnumeratedGame


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    check_even(arguments.games)
    check_record_name("--games-out", arguments.games_out)
    check_searches([arguments.first, arguments.second], arguments)
    start_jax()
    so_far: list[MatchResult] = []
    with display.working() as work:

        def conclude(why: str = "interrupted") -> None:
            if not so_far:
                work.report_interrupt()
                return
            (result,) = so_far
            of_all = f"{result.num_games:,} of {arguments.games:,} games"
            display.note(f"{why}: this is the result of {of_all}.")
            _report(seating, arguments, dataclasses.replace(result, interrupted=True), games)

        try:
            with mistakes(), concluding(conclude):
                seating = seat_players([arguments.first, arguments.second], arguments, work)
                check_has_format("--games-out", seating.game, arguments.games_out)
                games = SavedTournament(None, {}, seating.game, [])  # in memory
                result = _play(seating, arguments, work, so_far, games)
                if result.interrupted:
                    raise KeyboardInterrupt
        except CommandError:
            if so_far:  # games that were played are kept if an engine hangs or dies
                conclude("stopped by an error, see below")
            raise
    with holding_interrupts():
        _report(seating, arguments, result, games)
    return SUCCESS


def _report(
    seating: Seating, arguments: argparse.Namespace, result: MatchResult, games: SavedTournament
) -> None:
    if arguments.games_out is not None:
        write_games(arguments.games_out, seating.game, _names(seating), games)
    if arguments.json:
        display.print_json(_as_json(seating, arguments, result))
    else:
        _print(seating, arguments, result)


def _play(
    seating: Seating,
    arguments: argparse.Namespace,
    work: display.Work,
    so_far: list[MatchResult],
    games: SavedTournament,
) -> MatchResult:
    game, (first, second) = seating.game, seating.players

    def show(result: MatchResult) -> None:
        so_far[:] = [result]
        known = result.mean if result.corrected is None else result.corrected_mean
        mean = f"{first.name} {signed_milli(known)} {game.milli_unit}"
        done = f"{result.num_games:,} of {arguments.games:,} games"
        left = work.time_left(result.num_games, arguments.games)
        work.update(f"{done}, {mean}{left}", result.num_games)

    opening = load_history(game, arguments.history, begins=True)
    aivat = make_aivat(seating, arguments.aivat, host_of(arguments, work))
    work.begin(f"playing {game.name}", total=arguments.games)
    return play_match(
        game,
        first.make,
        second.make,
        arguments.games,
        arguments.seed,
        show,
        aivat=aivat,
        batch_size=seating.batch_size(arguments.batch),
        openings=[opening],
        record=functools.partial(games.add, (0, 1)),
    )


def _print(seating: Seating, arguments: argparse.Namespace, result: MatchResult) -> None:
    game, (first, second) = seating.game, seating.players
    pairs = result.num_games // 2
    searches = [
        f"{name} searches with {describe_search(player.search)}"
        for name, player in zip(_names(seating), seating.players, strict=True)
        if player.search is not None
    ]
    deals = f"{pairs:,} deal{'s' if pairs > 1 else ''}, played twice with roles swapped"
    if result.corrected is not None:
        values = f"AIVAT with {arguments.aivat} values"
        ratio = result.variance_ratio
        times = "" if math.isnan(ratio) else f", a variance {display.number(ratio)} times smaller"
        searches.append(values + times)
    start = f" from {arguments.history}" if arguments.history else ""
    facts = "; ".join([f"{result.num_games:,} games in {result.seconds:.3g} s: {deals}", *searches])
    display.print_table(
        _as_table(seating, result),
        f"{display.short_name(game)}{start}: {first.name} against {second.name}",
        f"mean: {game.milli_unit} per game, with its 95% interval.\n{facts}.",
    )


def _as_table(seating: Seating, result: MatchResult) -> Table:
    unit = seating.game.milli_unit
    has_aivat = result.corrected is not None
    columns = [f"mean ({unit})", "95%", "as player 0", "as player 1", "won", "drawn", "lost"]
    if has_aivat:
        columns[2:2] = ["AIVAT", "95%"]
    table = display.plain_table("player", right=columns)
    first, second = _names(seating)
    as_0, as_1 = result.mean_as
    interval = interval_of(result.standard_error)
    counts = [f"{count:,}" for count in (result.wins, result.draws, result.losses)]
    rows = (
        (first, 1, as_0, as_1, counts),
        (second, -1, -as_1, -as_0, counts[::-1]),
    )
    for name, sign, as_player_0, as_player_1, counted in rows:
        cells = [signed_milli(sign * result.mean), interval]
        if has_aivat:
            corrected = signed_milli(sign * result.corrected_mean)
            cells += [corrected, interval_of(result.corrected_standard_error)]
        cells += [signed_milli(as_player_0), signed_milli(as_player_1)]
        table.add_row(name, *cells, *counted)
    return table


def _names(seating: Seating) -> tuple[str, str]:
    first, second = (player.name for player in seating.players)
    return (first, second) if first != second else (f"{first} (A)", f"{second} (B)")


def interval_of(standard_error: float) -> str:
    """The 95% interval in thousandths; "-" if unknown."""
    if math.isnan(standard_error):
        return "-"
    return f"± {display.number(1000 * Z_95 * standard_error)}"


def signed_milli(value: float) -> str:
    """A value in thousandths, with its sign."""
    text = display.number(1000 * value)
    return f"+{text}" if value > 0 else text


def _as_json(
    seating: Seating, arguments: argparse.Namespace, result: MatchResult
) -> dict[str, Any]:
    aivat = None
    if result.corrected is not None:
        aivat = {
            "values": arguments.aivat,
            **mean_as_json(result.corrected_mean, result.corrected_standard_error),
            "variance_ratio": or_null(result.variance_ratio),
        }
    return {
        "game": str(seating.game),
        "history": arguments.history,
        "unit": seating.game.unit,
        "players": [player.as_json() for player in seating.players],
        "games": result.num_games,
        **display.values_of(result, "interrupted", "mean_as", "won_all_as"),
        **display.values_of(result, "wins", "draws", "losses", "seconds"),
        **mean_as_json(result.mean, result.standard_error),
        "aivat": aivat,
        "seed": arguments.seed,
    }


def mean_as_json(mean: float, standard_error: float) -> dict[str, Any]:
    """A mean with its standard error and 95% interval."""
    interval = interval_as_json(mean, Z_95 * standard_error)
    return {"mean": mean, "standard_error": or_null(standard_error), "interval": interval}


def interval_as_json(middle: float, half_width: float) -> list[float] | None:
    """An interval; None if it is unknown."""
    return None if math.isnan(half_width) else [middle - half_width, middle + half_width]


_ITERATIONS: Final = 1000  # of CFR+: their error is far below what a match can resolve
_TABLES: Final = 5  # float64 arrays [node, S, S] alive while the values are computed, about
_OTHERWISE: Final = "--aivat network and zero need less."


def make_aivat(seating: Seating, values: str | None, host: Host) -> Aivat | None:
    """AIVAT with these values, None for no values. Raises CommandError if there are none."""
    if values is None:
        return None
    if values == "exact":
        return _exact(seating.game, host)
    if values == "zero":
        return Aivat(seating.game, ZeroEvaluator())
    for player in seating.players:
        if player.network is not None:
            return Aivat(seating.game, player.network)
    names = ", ".join(dict.fromkeys(player.name for player in seating.players))
    raise CommandError(f"--aivat network needs a RUN or agent:GAME as a player, got {names}.")


def _exact(game: Game[Any], host: Host) -> Aivat:
    try:
        tree = host.enumerate(game)
        size = _TABLES * 8 * tree.num_nodes * game.num_infostates**2
        check_memory({f"the exact values of {game}": size})
    except ValueError as error:
        raise CommandError(f"--aivat exact: {error} {_OTHERWISE}") from None
    solution = host.solve(compile_game(tree), "cfr+", _ITERATIONS)
    enumerated = EnumeratedGame(tree=tree)
    return Aivat(enumerated, policy_evaluator(enumerated, solution.policy))
