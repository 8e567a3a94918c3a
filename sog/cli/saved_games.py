"""The file of `sog play --save`: finished games, and an unfinished one.

That of `sog match --games-out` has the names of both players with each game instead of an agent.
"""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any, Final

from sog.cli.errors import CommandError, mistakes, write_file
from sog.cli.game_output import is_record_name
from sog.cli.play_table import Move
from sog.files import parse_json, read_bytes
from sog.games import Game
from sog.numbers import MOST_SEED
from sog.play.history import Opening, read_beginning
from sog.play.replay import as_records
from sog.players.player import Player

_MOST_BYTES: Final = 2**26


@dataclasses.dataclass(kw_only=True)
class Saved:
    """The games of a session; the help of `sog play` describes the file."""

    game: str
    unit: str
    agent: dict[str, Any]
    seed: int
    games: list[dict[str, Any]]
    """Made by `sog.play.replay.replay_of`."""
    human: int = 0
    """The person's player in the unfinished game."""
    unfinished: list[Move] = dataclasses.field(default_factory=list)
    """Moves of the unfinished game; empty if there is none."""
    begins: str = ""
    """Where it began, see `replay_of`; empty for the start of the game."""

    def write(self, path: Path, game: Game[Any]) -> None:
        """Replaces the file atomically. Raises CommandError.

        game: the game played, which writes its own records.
        """
        text = self._as_records(path.suffix.lower(), game) if is_record_name(path) else self._json()
        write_file(path, text)

    def _json(self) -> str:
        fields = dataclasses.asdict(self)
        left = {"human": fields.pop("human"), "moves": self.unfinished}
        begins = fields.pop("begins")
        left |= {"begins": begins} if begins else {}
        fields["unfinished"] = left if self.unfinished else None
        return json.dumps(fields, indent=1) + "\n"

    def _as_records(self, ending: str, game: Game[Any]) -> str:
        """The unfinished game is the last one, without a result."""
        games = list(self.games)
        if self.unfinished:
            moves = [{"outcome": action} for _, action in self.unfinished]
            games.append({"human": self.human, "begins": self.begins or None, "moves": moves})
        return as_records(game, ending, games, str(self.agent.get("name")))


def read_saved(path: Path) -> Saved:
    """Reads such a file. Raises CommandError if it is invalid, OSError if it cannot be read.

    Its texts are printable; games are not checked against any rules.
    """
    try:
        fields: Any = parse_json(read_bytes(path, _MOST_BYTES))
        left = fields.get("unfinished") or {"human": 0, "moves": []}
        saved = Saved(
            game=str(fields["game"]),
            unit=str(fields["unit"]),
            agent=dict(fields.get("agent", {})),
            seed=int(fields.get("seed", 0)),
            games=[_read_game(game) for game in fields["games"]],
            human=int(left["human"]),
            unfinished=[(int(player), int(action)) for player, action in left["moves"]],
            begins=str(left.get("begins", "")),
        )
    except (ValueError, AttributeError, KeyError, TypeError, OverflowError):
        raise no_saved(path) from None
    if saved.human not in (0, 1) or not 0 <= saved.seed <= MOST_SEED:
        raise no_saved(path)
    return saved


def _read_game(fields: Any) -> dict[str, Any]:
    """A finished game; ValueError and others if invalid."""
    human, utility = int(fields.get("human", 0)), float(fields["utility"])
    if human not in (0, 1) or not math.isfinite(utility):
        raise ValueError
    return {**fields, "human": human, "utility": utility}


def check_resumed(saved: Saved, game: Game[Any], player: Player, path: Path) -> None:
    """Raises CommandError unless the games of --resume are of this game and agent."""
    if not saved.agent:  # of others
        raise no_saved(path)
    expected = ((saved.game, str(game)), (str(saved.agent.get("name")), player.name))
    for what, (was, now) in zip(("of", "against"), expected, strict=True):
        if was != now:
            raise CommandError(f"--resume: the games in {path} are {what} {was}, not {what} {now}.")


def left_game(saved: Saved, game: Game[Any]) -> Opening | None:
    """The opening of the unfinished game of --resume, if there is one."""
    if not saved.begins:
        return Opening() if saved.unfinished else None
    with mistakes("--resume: where the unfinished game begins: "):
        return Opening(beginning=read_beginning(game, saved.begins))


def no_saved(path: Path) -> CommandError:
    """The error for a file of another kind."""
    return CommandError(f"{path} is not a file of `sog play --save`.")
