"""The file of `sog play --save`: finished games, told in words, and the one that was left."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any, Final

from sog.cli.errors import CommandError, writing
from sog.cli.numbers import MOST_SEED
from sog.cli.play.moves import Move
from sog.files import parse_json, read_bytes, replace_file

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

    def write(self, path: Path) -> None:
        """Replaces the file, which is whole at every moment. Raises CommandError."""
        fields = dataclasses.asdict(self)
        moves = [[move.player, move.action] for move in self.unfinished]
        left = {"human": self.human, "moves": moves}
        del fields["human"]
        begins = fields.pop("begins")
        fields["unfinished"] = {**left, **({"begins": begins} if begins else {})} if moves else None
        with writing(path):
            replace_file(path, json.dumps(fields, indent=1) + "\n")


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
            unfinished=[Move(player=int(one), action=int(two)) for one, two in left["moves"]],
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


def no_saved(path: Path) -> CommandError:
    """What to raise where the file is of another kind."""
    return CommandError(f"{path} is no file that `sog play --save` wrote.")
