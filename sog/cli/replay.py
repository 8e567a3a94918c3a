"""`sog replay`: games that `sog play --save` wrote, told move by move.

The file says everything in words, so the game itself is not needed, and nothing is imported.
"""

import argparse
from typing import Any, Final

from sog.cli.errors import SUCCESS, CommandError
from sog.cli.play.saved import Saved, no_saved, read_saved

_CHANCE: Final = 2  # as in `sog.games`


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    saved = read_saved(arguments.file)
    games = saved.games
    if arguments.number is not None and arguments.number > len(games):
        raise CommandError(
            f"--number must be from 1 to {len(games)}, the games in {arguments.file}, "
            f"got {arguments.number}."
        )
    try:
        shown = [
            _told(saved, number, game)
            for number, game in enumerate(games, 1)
            if arguments.number in (None, number)
        ]
    except (KeyError, IndexError, TypeError, ValueError):
        raise no_saved(arguments.file) from None
    if saved.unfinished:
        shown.append("A game was left unfinished: `sog play ... --resume` goes on with it.")
    print(f"{saved.game} against {saved.agent.get('name')}\n\n" + "\n\n".join(shown))
    return SUCCESS


def _told(saved: Saved, number: int, game: dict[str, Any]) -> str:
    """One game: who knew what, every move and event, and the end."""
    human = int(game["human"])
    who = {human: "You", 1 - human: "Agent", _CHANCE: "Chance"}
    lines = [f"Game {number}: you were player {human}."]
    known: dict[int, str] = {}
    for move, names in zip(game["moves"], game["names"], strict=False):
        lines += _news(who, known, names)
        actor = int(move["actor"])
        text, event = move["text"], str(move["event"])
        public = event if text is None or event.startswith(text) else f"{text} ({event})"
        lines.append(f"  {move['state']}\n    {who[actor]}: {public}")
    lines += _news(who, known, game["names"][-1])
    utility = float(game["utility"]) * (1 if human == 0 else -1)
    result = f"won {utility:g}" if utility > 0 else f"lost {-utility:g}" if utility < 0 else "drew"
    unit = f" {saved.unit}" if utility else ""
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
