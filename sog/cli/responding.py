"""Modes of `sog evaluate` that play a best response against a trained player, as `--cdbr`.

What it wins, averaged over both seats, is a lower bound on the player's exploitability.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reject
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.match import interval_of, mean_as_json, signed_milli
from sog.cli.players import check_even, seat_players
from sog.games import Game
from sog.games.registry import is_game
from sog.parameters import split_call
from sog.play import Aivat
from sog.play.arena import MatchResult, play_match
from sog.players.cdbr import DepthLimitedResponse
from sog.players.runs import names_run

_GAMES: Final = 1000
_BATCH: Final = 16
_NO_EFFECT: Final = ("seeds", "whole_game", "evaluator", "noise", "plot", "max_nodes")


class Responder(NamedTuple):
    """A player that approximates a best response."""

    player: str
    """As it is typed."""
    parameters: Mapping[str, Any]
    """For JSON."""
    meaning: str
    """For its row in the table."""


def takes_cdbr(arguments: argparse.Namespace) -> bool:
    """Whether --cdbr is set; CommandError for --depth without it."""
    if not arguments.cdbr:
        reject(arguments, ["depth"], "without --cdbr")
    return bool(arguments.cdbr)


def run_cdbr(arguments: argparse.Namespace) -> int:
    """Runs the command with --cdbr; returns the exit code."""
    depth = arguments.depth or DepthLimitedResponse.depth
    tried = Responder(f"cdbr(depth={depth})", {"depth": depth}, f"{depth} events")
    return measure(arguments, "cdbr", "best response looks ahead", lambda game: [tried])


def measure(
    arguments: argparse.Namespace,
    name: str,
    title: str,
    responders: Callable[[Game[Any]], Sequence[Responder]],
) -> int:
    """Runs the command with the option of that name; returns the exit code.

    title: of the column with the meanings of the responders, which may depend on the game. All
    finished results are printed.
    """
    player, games = _check(arguments, name), arguments.games or _GAMES
    start_jax()
    tried: Sequence[Responder] = ()
    results: list[MatchResult] = []  # of the first ones, perhaps so far
    with display.working() as work:

        def conclude() -> None:
            work.report_interrupt(f"{len(results)} results" if results else "")
            if results:
                _report(arguments, name, title, player, tried, results)

        with mistakes(), concluding(conclude):
            seating = seat_players([player], arguments, work)
            game, (measured,) = seating.game, seating.players
            assert measured.network is not None
            tried = responders(game)
            made = seat_players([one.player for one in tried], arguments, work, game=game).players
            for number, responding in enumerate(made):
                work.begin(f"{name}: {tried[number].meaning}", total=games)

                def show(result: MatchResult, number: int = number) -> None:
                    results[number:] = [result]
                    wins = f"{signed_milli(result.corrected_mean)} {game.milli_unit}"
                    left = work.time_left(result.num_games, games)
                    count = f"{result.num_games:,} of {games:,} games"
                    work.update(f"{count}, {wins}{left}", result.num_games)

                result = play_match(
                    game,
                    responding.make,
                    measured.make,
                    games,
                    arguments.seed,
                    show,
                    aivat=Aivat(game, measured.network),
                    batch_size=seating.batch_size(arguments.batch_size or _BATCH),
                )
                show(result)
                if result.interrupted:
                    raise KeyboardInterrupt
    with holding_interrupts():
        _report(arguments, name, title, player, tried, results)
    return SUCCESS


def _check(arguments: argparse.Namespace, name: str) -> str:
    """The player; raises for options without effect. Turns `arguments` into those of a match."""
    reject(arguments, _NO_EFFECT, f"with --{name}, which plays games")
    with mistakes():
        is_run = names_run(arguments.game)
    if not is_run:
        text = arguments.game
        call = split_call(text)
        is_of_game = call is not None and is_game(call[0])
        player, game = ("PLAYER", text) if is_of_game else (text, "GAME")
        raise CommandError(
            f"--{name} needs a run folder or agent:NAME, got {text}; of other players it is "
            f"sog match {name} {player} --game {game} --aivat zero."
        )
    check_even(arguments.games)
    if len(arguments.search) > 1:
        raise CommandError(f"--search must be given once with --{name}.")
    player = str(arguments.game)
    arguments.search = arguments.search[0] if arguments.search else None
    arguments.game = None
    return player


def _report(
    arguments: argparse.Namespace,
    name: str,
    title: str,
    player: str,
    tried: Sequence[Responder],
    results: Sequence[MatchResult],
) -> None:
    """Prints the results of the first responders, perhaps not of all."""
    game, measured = results[0].game, list(zip(tried, results, strict=False))
    if arguments.json:
        shown = [
            {
                **responder.parameters,
                "games": result.num_games,
                "interrupted": result.num_games < (arguments.games or _GAMES),
                **mean_as_json(result.corrected_mean, result.corrected_standard_error),
                "without_aivat": mean_as_json(result.mean, result.standard_error),
                "seconds": result.seconds,
            }
            for responder, result in measured
        ]
        head = {"game": str(game), "unit": game.unit, "player": player, "seed": arguments.seed}
        display.print_json({**head, name: shown})
        return
    wins = f"wins ({game.milli_unit})"
    table = display.plain_table(
        title, right=(wins, "95%", "without AIVAT", "95%", "games", "seconds")
    )
    for responder, result in measured:
        table.add_row(
            responder.meaning,
            signed_milli(result.corrected_mean),
            interval_of(result.corrected_standard_error),
            signed_milli(result.mean),
            interval_of(result.standard_error),
            f"{result.num_games:,}",
            display.number(result.seconds),
        )
    display.print_table(
        table,
        f"{display.short_name(game)}: {name.upper()} against {player}",
        f"wins: {game.milli_unit} per game, with its 95% interval; AIVAT with the network's "
        f"values.\nA best response wins at least as much.",
    )
