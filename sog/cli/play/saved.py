"""The file of `sog play --save`: finished games, told in words, and the one that was left."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any, Final

from sog.cli.errors import CommandError, mistakes, writing
from sog.cli.numbers import MOST_SEED
from sog.cli.play.moves import Move
from sog.cli.records import is_record_name
from sog.files import parse_json, read_bytes, replace_file
from sog.games import Game
from sog.play.history import Opening, read_beginning
from sog.play.replay import as_records
from sog.players.player import Player

_MOST_BYTES: Final = 2**26


@dataclasses.dataclass(kw_only=True)
class Saved:
    """What a session leaves behind; the help of `sog play` describes the file."""

    game: str
    unit: str
    agent: dict[str, Any]
    seed: int
    games: list[dict[str, Any]]
    """As `sog.play.replay.replay_of` makes them."""
    human: int = 0
    """The person's player in the unfinished game."""
    unfinished: list[Move] = dataclasses.field(default_factory=list)
    """Its moves; empty if there is none."""
    begins: str = ""
    """Where it began, as of `replay_of`; empty for the start of the game."""

    def write(self, path: Path, game: Game[Any]) -> None:
        """Replaces the file, which is whole at every moment. Raises CommandError.

        game: that of the games, which writes its records itself.
        """
        text = self._as_records(path.suffix.lower(), game) if is_record_name(path) else self._json()
        with writing(path):
            replace_file(path, text)

    def _json(self) -> str:
        fields = dataclasses.asdict(self)
        left = {"human": fields.pop("human"), "moves": self.unfinished}
        begins = fields.pop("begins")
        left |= {"begins": begins} if begins else {}
        fields["unfinished"] = left if self.unfinished else None
        return json.dumps(fields, indent=1) + "\n"

    def _as_records(self, ending: str, game: Game[Any]) -> str:
        """The game that was left is the last one, without a result."""
        games = list(self.games)
        if self.unfinished:
            moves = [{"outcome": action} for _, action in self.unfinished]
            games.append({"human": self.human, "begins": self.begins or None, "moves": moves})
        return as_records(game, ending, games, str(self.agent.get("name")))


def read_saved(path: Path) -> Saved:
    """Reads such a file. Raises CommandError if it is none, OSError if it cannot be read.

    Its texts are printable; what it tells of the games is not compared with any rules.
    """
    try:
        fields: Any = parse_json(read_bytes(path, _MOST_BYTES))
        left = fields.get("unfinished") or {"human": 0, "moves": []}
        saved = Saved(
            game=str(fields["game"]),
            unit=str(fields["unit"]),
            agent=dict(fields["agent"]),
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
    """A finished game; ValueError and others if it is none."""
    human, utility = int(fields["human"]), float(fields["utility"])
    if human not in (0, 1) or not math.isfinite(utility):
        raise ValueError
    return {**fields, "human": human, "utility": utility}


def check_resumed(path: Path, game: Game[Any], player: Player) -> None:
    """Makes sure that the games of --resume are of this game and against this agent."""
    saved = read_saved(path)
    told = ((saved.game, str(game)), (str(saved.agent.get("name")), player.name))
    for what, (was, now) in zip(("of", "against"), told, strict=True):
        if was != now:
            raise CommandError(f"--resume: the games in {path} are {what} {was}, not {what} {now}.")


def left_game(path: Path, game: Game[Any]) -> Opening | None:
    """Where the game of --resume that was left began, if one was."""
    saved = read_saved(path)
    if not saved.begins:
        return Opening() if saved.unfinished else None
    with mistakes("--resume: where the game that was left begins: "):
        return Opening(beginning=read_beginning(game, saved.begins))


def no_saved(path: Path) -> CommandError:
    """What to raise where the file is of another kind."""
    return CommandError(f"{path} is no file that `sog play --save` wrote.")
