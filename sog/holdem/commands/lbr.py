"""`sog evaluate RUN --lbr`: what local best response wins against a trained player."""

import argparse
import dataclasses
from typing import Any, Final

from rich.table import Table

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reject
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.match import interval_of, mean_as_json, signed_milli
from sog.cli.players import check_even, seat_players
from sog.games import Game
from sog.games.registry import is_game
from sog.holdem.acpc import is_limit
from sog.holdem.game import Holdem
from sog.parameters import split_call
from sog.play import Aivat
from sog.play.arena import MatchResult, play_match
from sog.players.runs import names_run

_GAMES: Final = 1000
_BATCH: Final = 16
_NO_EFFECT: Final = (
    *("seeds", "whole_game", "evaluator", "noise", "plot", "batch_size", "max_nodes"),
)
_MEANINGS: Final = {
    "none": "fold and call",
    "pot": "fold, call, and with cards on the table bet the pot or all-in",
    "all": "fold, call, and all bets of the menu",
}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """The result with one set of bets."""

    game: Game[Any]
    bets: str
    result: MatchResult


def takes(arguments: argparse.Namespace) -> bool:
    """Whether --lbr is set; CommandError for one of its options without it."""
    if not arguments.lbr:
        reject(arguments, ["games"], "without --lbr")
    return bool(arguments.lbr)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command with --lbr; prints all finished results; returns the exit code."""
    player, games = _check(arguments), arguments.games or _GAMES
    start_jax()
    done: list[Measured] = []
    with display.working() as work:

        def conclude() -> None:
            work.report_interrupt(f"{len(done)} results" if done else "")
            if done:
                _report(arguments, player, done)

        with mistakes(), concluding(conclude):
            todo = ["none"]
            while todo:
                bets = todo.pop(0)
                seating = seat_players([f"lbr(bets={bets})", player], arguments, work)
                game = seating.game
                if bets == "none":
                    todo.append("pot" if isinstance(game, Holdem) and not is_limit(game) else "all")
                lbr, measured = seating.players
                assert measured.network is not None
                work.begin(f"local best response: {_MEANINGS[bets]}", total=games)

                def show(result: MatchResult, bets: str = bets, game: Game[Any] = game) -> None:
                    done[:] = [one for one in done if one.bets != bets]
                    done.append(Measured(game=game, bets=bets, result=result))
                    wins = f"{signed_milli(result.corrected_mean)} {game.milli_unit}"
                    left = work.time_left(result.num_games, games)
                    count = f"{result.num_games:,} of {games:,} games"
                    work.update(f"{count}, {wins}{left}", result.num_games)

                result = play_match(
                    game,
                    lbr.make,
                    measured.make,
                    games,
                    arguments.seed,
                    show,
                    aivat=Aivat(game, measured.network),
                    batch_size=seating.batch_size(_BATCH),
                )
                show(result)
                if result.interrupted:
                    raise KeyboardInterrupt
    with holding_interrupts():
        _report(arguments, player, done)
    return SUCCESS


def _check(arguments: argparse.Namespace) -> str:
    """The player; raises for options without effect. Turns `arguments` into those of a match."""
    reject(arguments, _NO_EFFECT, "with --lbr, which plays games")
    with mistakes():
        is_run = names_run(arguments.game)
    if not is_run:
        text = arguments.game
        call = split_call(text)
        is_of_game = call is not None and is_game(call[0])
        player, game = ("PLAYER", text) if is_of_game else (text, "GAME")
        raise CommandError(
            f"--lbr needs a run folder or agent:NAME, got {text}; of other players it is "
            f"sog match lbr {player} --game {game} --aivat zero."
        )
    check_even(arguments.games)
    if len(arguments.search) > 1:
        raise CommandError("--search must be given once with --lbr.")
    player = str(arguments.game)
    arguments.search = arguments.search[0] if arguments.search else None
    arguments.game = None
    return player


def _report(arguments: argparse.Namespace, player: str, done: list[Measured]) -> None:
    game = done[0].game
    if arguments.json:
        results = [
            {
                "bets": one.bets,
                "games": one.result.num_games,
                "interrupted": one.result.interrupted,
                **mean_as_json(one.result.corrected_mean, one.result.corrected_standard_error),
                "without_aivat": mean_as_json(one.result.mean, one.result.standard_error),
                "seconds": one.result.seconds,
            }
            for one in done
        ]
        head = {"game": str(game), "unit": game.unit, "player": player, "seed": arguments.seed}
        display.print_json({**head, "lbr": results})
        return
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    table.add_column("local best response may", no_wrap=True)
    for column in (f"wins ({game.milli_unit})", "95%", "without AIVAT", "95%", "games", "seconds"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in done:
        result = one.result
        table.add_row(
            _MEANINGS[one.bets],
            signed_milli(result.corrected_mean),
            interval_of(result.corrected_standard_error),
            signed_milli(result.mean),
            interval_of(result.standard_error),
            f"{result.num_games:,}",
            display.number(result.seconds),
        )
    display.print_table(
        table,
        f"{display.short_name(game)}: local best response against {player}",
        f"wins: {game.milli_unit} per game, with its 95% interval; AIVAT with the network's "
        f"values.\nA best response wins at least as much.",
    )
