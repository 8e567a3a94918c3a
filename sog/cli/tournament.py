"""`sog tournament`: a round robin between several agents, and its cross table."""

import argparse
import contextlib
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError, check_target, mistakes, reason
from sog.cli.game_output import check_has_format, check_record_name
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_history
from sog.cli.players import check_even, check_searches, seat_players
from sog.cli.saved_tournament import SavedTournament, write_games
from sog.cli.tournament_report import print_report, report_as_json
from sog.files import read_any_text
from sog.games import Game
from sog.play.arena import MatchResult
from sog.play.game_in_progress import PlayedGame
from sog.play.history import Opening, check_begins_anywhere, read_history
from sog.play.tournament import (
    Pairing,
    Results,
    is_whole,
    pairings,
    play_tournament,
    random_openings,
)
from sog.players.player import Player
from sog.players.seating import Seating

_USUAL_GAMES: Final = 100
_RANDOM: Final = "random:"
_MOST_BYTES: Final = 2**24
_MOST_OPENINGS: Final = 100_000
_COMMENT: Final = "#"
Openings = list[Opening]


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    _check(arguments)
    start_jax()
    with display.working() as work, concluding(work.report_interrupt), mistakes():
        seating = seat_players(arguments.players, arguments, work)
        check_has_format("--games-out", seating.game, arguments.games_out)
        openings = make_openings(
            seating.game,
            arguments.openings,
            arguments.history,
            arguments.games or _USUAL_GAMES,
            arguments.seed,
        )
        if arguments.games is None:
            is_listed = arguments.openings is not None and len(openings) > 1
            arguments.games = 2 * len(openings) if is_listed else _USUAL_GAMES
        saved = SavedTournament(
            arguments.save, _setup(seating, arguments, openings), seating.game, openings
        )
        with contextlib.closing(saved):
            results = _play(seating, arguments, work, openings, saved)
    interrupted = not is_whole(results, len(seating.players))
    with holding_interrupts():
        if arguments.games_out is not None:
            names = [player.name for player in seating.players]
            write_games(arguments.games_out, seating.game, names, saved)
        if saved.path is not None:
            display.note(f"wrote {saved.num_games:,} games to {saved.path}.")
        if interrupted:
            display.note("interrupted: this is the result of the finished games.")
        if arguments.json:
            given = display.values_of(arguments, "history", "openings", "games", "seed")
            report = report_as_json(seating, results, arguments.show)
            display.print_json({**given, "interrupted": interrupted, **report})
        else:
            print_report(seating, results, arguments.show)
    return INTERRUPTED if interrupted else SUCCESS


def _check(arguments: argparse.Namespace) -> None:
    """Checks options before the work begins."""
    if len(arguments.players) < 2:
        raise CommandError(f"two or more players are needed, got {len(arguments.players)}.")
    twice = {text for text in arguments.players if arguments.players.count(text) > 1}
    if twice:
        raise CommandError(f"players must differ, got {sorted(twice)[0]} more than once.")
    check_even(arguments.games)
    check_openings(arguments.openings, arguments.history)
    check_record_name("--games-out", arguments.games_out)
    if arguments.save is not None:
        check_target("--save", arguments.save, (".jsonl",))
    check_searches(arguments.players, arguments)


def _setup(seating: Seating, arguments: argparse.Namespace, openings: Openings) -> dict[str, Any]:
    """What must be equal for games to belong to one tournament; their number may grow."""
    from_file = arguments.openings is not None and Path(arguments.openings).exists()
    text = json.dumps([_as_json(opening) for opening in openings])
    digest = hashlib.sha256(text.encode()).hexdigest() if from_file else None
    return {
        "game": str(seating.game),
        "players": arguments.players,
        **{
            f"{name} of {player.name}": value
            for player in seating.players
            for name, value in _searching(player)
        },
        "set": arguments.set,
        "seed": arguments.seed,
        "history": arguments.history,
        "openings": arguments.openings,
        "openings_digest": digest,
    }


def _searching(player: Player) -> Iterator[tuple[str, Any]]:
    """What the player's search depends on, by name."""
    yield "seconds", player.seconds
    if player.search is not None:
        yield from dataclasses.asdict(player.search).items()


def _as_json(opening: Opening) -> list[Any]:
    """An opening as JSON, for a digest."""
    begins = opening.beginning
    return [*([] if begins is None else [begins.text]), *opening.outcomes]


def _play(
    seating: Seating,
    arguments: argparse.Namespace,
    work: display.Work,
    openings: Openings,
    saved: SavedTournament,
) -> Results:
    game, players = seating.game, seating.players
    order = pairings(len(players))
    total = len(order) * arguments.games
    if saved.num_games:
        display.note(f"continuing {saved.path} with {saved.num_games:,} games.")
    work.begin(f"playing {game.name}", total=total)

    def show(pairing: Pairing, result: MatchResult) -> None:
        done = order.index(pairing) * arguments.games + result.num_games
        names = " against ".join(players[number].name for number in pairing)
        rate = f"{100 * result.win_rate:.0f}%"
        work.update(f"{names} {rate}{work.time_left(done, total)}", done)

    def record(pairing: Pairing, number: int, first: PlayedGame, second: PlayedGame) -> None:
        with holding_interrupts():
            saved.add(pairing, number, first, second)

    return play_tournament(
        game,
        [player.make for player in players],
        arguments.games,
        arguments.seed,
        show,
        seating.batch_size(arguments.batch),
        openings,
        saved.finished,
        record,
    )


def check_openings(text: str | None, history: str) -> None:
    """Checks options before the work begins. Raises CommandError."""
    if text is None or re.fullmatch(rf"{_RANDOM}[1-9]\d{{0,5}}", text):
        return
    if text.startswith(_RANDOM) and not Path(text).exists():
        raise CommandError(
            f"--openings: random:PLIES needs a number of moves from 1 on, got {text!r}."
        )
    if history:
        raise CommandError(f"--history: the lines of {text} are whole positions; omit one option.")
    _read_lines(text)


def make_openings(
    game: Game[Any], text: str | None, history: str, num_games: int | None, seed: int
) -> Openings:
    """Makes the openings. num_games: of a pairing, None for as many as needed.

    Raises CommandError for invalid positions.
    """
    start = load_history(game, history, begins=True)
    if text is None:
        return [start]
    try:
        check_begins_anywhere(game)
        if not Path(text).exists():
            plies = int(text.removeprefix(_RANDOM))
            count = (num_games or 2) // 2
            return random_openings(game, count, plies, seed=seed, after_opening=start)
    except ValueError as error:
        raise CommandError(f"--openings: {error}") from None
    openings: Openings = []
    for number, line in _read_lines(text):
        try:
            openings.append(read_history(game, line, anywhere=True))
        except ValueError as error:
            raise CommandError(f"{text}: line {number}: {error}") from None
    return openings


def _read_lines(text: str) -> list[tuple[int, str]]:
    """The lines of the file with positions, and their numbers."""
    try:
        content = read_any_text(text, _MOST_BYTES)
    except OSError as error:
        raise CommandError(f"--openings: cannot read {text}: {reason(error)}.") from None
    numbered = [(number, line.strip()) for number, line in enumerate(content.splitlines(), 1)]
    lines = [(number, line) for number, line in numbered if line and line[0] != _COMMENT]
    if not 0 < len(lines) <= _MOST_OPENINGS:
        raise CommandError(
            f"--openings: {text} must have 1 to {_MOST_OPENINGS:,} lines, a position each, got "
            f"{len(lines):,}."
        )
    return lines
