"""`sog replay`: games that `sog play --save` wrote, told move by move.

The file says everything in words; the game is asked how each play ends, where it is an installed
one. Otherwise nothing is imported.
"""

import argparse
from typing import Any

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes
from sog.cli.loading import load_game
from sog.cli.play.saved import Saved, no_saved, read_saved
from sog.games import CHANCE, Game
from sog.games.registry import game_class, is_game
from sog.games.scotland_yard.station_map import SHIPPED_MAPS
from sog.parameters import read_parameters, split_call
from sog.play.replay import ReplayError, played_of


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    saved = read_saved(arguments.file)
    games = saved.games
    if arguments.number is not None and arguments.number > len(games):
        raise CommandError(
            f"--number must be from 1 to {len(games)}, the games in {arguments.file}, "
            f"got {arguments.number}."
        )
    start_jax()
    game = installed_game(saved.game)
    if game is None:
        display.note(f"{saved.game} is no installed game: nothing is compared with its rules.")
    try:
        if game is not None:
            for number, played in enumerate(games, 1):
                _check(game, played, f"{arguments.file}: game {number}")
        shown = [
            _told(saved, number, played)
            for number, played in enumerate(games, 1)
            if arguments.number in (None, number)
        ]
    except (KeyError, IndexError, TypeError, ValueError):
        raise no_saved(arguments.file) from None
    if saved.unfinished:
        shown.append("A game was left unfinished: `sog play ... --resume` goes on with it.")
    print(f"{saved.game} against {saved.agent.get('name')}\n\n" + "\n\n".join(shown))
    return SUCCESS


def installed_game(text: str) -> Game[Any] | None:
    """The game, unless a file would choose thereby what is imported or read."""
    call = split_call(text)
    if call is None or not is_game(call[0]):
        return None
    cls = game_class(call[0])
    with mistakes():
        if read_parameters(cls, *call).get("map", SHIPPED_MAPS[0]) not in SHIPPED_MAPS:
            return None
        return load_game(text)


def _check(game: Game[Any], record: dict[str, Any], where: str) -> None:
    """Raises CommandError if the rules deny the moves of a game, or what they led to."""
    try:
        played_of(game, record)
    except ReplayError as error:
        raise CommandError(f"{where}: {error}") from None


def _told(saved: Saved, number: int, game: dict[str, Any]) -> str:
    """One game: who knew what, every move and event, and the end."""
    human = int(game["human"])
    who = {human: "You", 1 - human: "Agent", CHANCE: "Chance"}
    lines = [f"Game {number}: you were player {human}."]
    known: dict[int, str] = {}
    for move, names in zip(game["moves"], game["names"], strict=False):
        lines += _news(who, known, names)
        actor = int(move["actor"])
        text, event = move["text"], str(move["event"])
        public = event if text is None or event.startswith(text) else f"{text} ({event})"
        lines.append(f"  {move['state']}\n    {who[actor]}: {public}")
    lines += _news(who, known, game["names"][-1])
    gain = float(game["utility"]) * (1 if human == 0 else -1)
    result = f"won {gain:g}" if gain > 0 else f"lost {-gain:g}" if gain < 0 else "drew"
    unit = saved.unit.removesuffix("s") if abs(gain) == 1 else saved.unit
    unit = f" {unit}" if gain else ""
    return "\n".join([*lines, f"  You {result}{unit}."])


def _news(who: dict[int, str], known: dict[int, str], names: list[str]) -> list[str]:
    """What the players know now and did not before."""
    lines = []
    for player in (0, 1):
        name = str(names[player])
        if known.get(player) != name and name != "everything is public":
            lines.append(f"    [{who[player]}: {name}]")
        known[player] = name
    return lines
