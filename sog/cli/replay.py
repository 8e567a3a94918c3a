"""`sog replay`: prints games of a file, move by move.

A file of `sog play --save` has all states and moves as text; it is checked against the rules if the
game is installed, and nothing else is imported. PGN and SGF are replayed by the rules.
"""

import argparse
import math

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS
from sog.cli.games_file import GamesFile, OneGame, installed_game, open_games
from sog.cli.saved_games import no_saved
from sog.games import CHANCE


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    file = open_games(arguments.file, arguments.game)
    if arguments.number is not None:
        file.number(arguments.number)
    start_jax()
    display.print_text("\n\n".join(_texts(file, arguments.number)))
    return SUCCESS


def _texts(file: GamesFile, wanted: int | None) -> list[str]:
    """The games, and what else the file has."""
    numbers, saved = range(1, file.num_games + 1), file.saved
    if saved is None:
        return [_game_text(file.get(one), one) for one in numbers if wanted in (None, one)]
    if installed_game(saved.game) is None:
        display.note(f"{saved.game} is not installed, so its rules are not checked.")
    games = {number: file.get(number) for number in numbers}  # checks all against the rules
    try:
        shown = [
            _game_text(one, number, saved.unit)
            for number, one in games.items()
            if wanted in (None, number)
        ]
    except (KeyError, IndexError, TypeError, ValueError):
        raise no_saved(file.path) from None
    if saved.unfinished:
        shown.append("A game is unfinished: `sog play ... --resume` continues it.")
    return [f"{saved.game} against {saved.agent.get('name')}", *shown]


def _game_text(one: OneGame, number: int, unit: str = "") -> str:
    """One game: what players learned, every move and event, and the result."""
    game = one.record
    who = {**dict(enumerate(one.names)), CHANCE: "Chance"}
    if one.human is None:
        assert one.game is not None
        unit = one.game.unit
        lines = [f"Game {number}, {one.name}: {one.names[0]} against {one.names[1]}."]
    else:
        lines = [f"Game {number}: you were player {one.human}."]
    known: dict[int, str] = {}
    for move, names in zip(game["moves"], game["names"], strict=False):
        lines += _news(who, known, names)
        actor = int(move["actor"])
        text, event = move["text"], str(move["event"])
        public = event if text is None or event.startswith(text) else f"{text} ({event})"
        lines.append(f"  {move['state']}\n    {who[actor]}: {public}")
    lines += _news(who, known, game["names"][-1])
    lines.append(f"  {_end(one, unit)}")
    return "\n".join(lines)


def _end(one: OneGame, unit: str) -> str:
    player = one.human or 0
    gain = float(one.record["utility"]) * (1 if player == 0 else -1)
    if math.isnan(gain):
        return "The game was left here."
    result = f"won {gain:g}" if gain > 0 else f"lost {-gain:g}" if gain < 0 else "drew"
    unit = unit.removesuffix("s") if abs(gain) == 1 else unit
    unit = f" {unit}" if gain else ""
    return f"{one.names[player]} {result}{unit}{_reason(one)}."


def _reason(one: OneGame) -> str:
    """How the game ended if the final state does not show it."""
    resigned = one.record.get("resigned")
    if one.record.get("agreed"):
        return f": the players agreed on {'a draw' if resigned is None else 'the score'}"
    if resigned is None:
        return ""
    gave_up = f"{one.names[int(resigned)]} gave up"
    return f": {gave_up}" if one.human is not None else f": {gave_up}, or lost on time"


def _news(who: dict[int, str], known: dict[int, str], names: list[str]) -> list[str]:
    """What players have learned since the last move."""
    lines = []
    for player in (0, 1):
        name = str(names[player])
        if known.get(player) != name and name != "everything is public":
            lines.append(f"    [{who[player]}: {name}]")
        known[player] = name
    return lines
