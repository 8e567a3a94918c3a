"""The clock of a game by GTP, and the rules of Go as KataGo names them: kata-set-rules.

https://lightvector.github.io/KataGo/rules.html
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Final

from sog.cli.gtp.table import Table
from sog.play.clock import seconds_for_move

_KO: Final = {"positional": "POSITIONAL", "simple": "SIMPLE"}
"""By the parameter `superko` of our games."""
_SUPERKO: Final = {
    **dict.fromkeys(("tromp-taylor", "chinese-ogs", "chinese-kgs"), "positional"),
    "chinese": "simple",
}
"""By the names of rules that are ours but for suicide, which we never allow, and a compensation for
handicap stones, which White never gets."""


class Rules:
    """The rules of a table, where they have a choice of ko."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @property
    def commands(self) -> dict[str, Callable[[Sequence[str]], str]]:
        """Those of KataGo, for a game with a rule of ko; else none."""
        if not hasattr(self._table.game, "superko"):
            return {}
        return {"kata-set-rules": self._set, "kata-get-rules": self._tell}

    def _set(self, words: Sequence[str]) -> str:
        name = words[0].lower()
        if name not in _SUPERKO:
            raise ValueError(f"unsupported rules: they must be one of {', '.join(_SUPERKO)}")
        self._table.change(self._table.variant({"superko": _SUPERKO[name]}))
        return ""

    def _tell(self, words: Sequence[str]) -> str:
        rules = {
            "ko": _KO[self._table.game.superko],  # type: ignore[attr-defined]
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": False,
            "hasButton": False,
            "whiteHandicapBonus": "0",
            "friendlyPassOk": False,
        }
        return json.dumps(rules)


@dataclasses.dataclass(kw_only=True)
class Clock:
    """Time of both players, in seconds; None where no time was set."""

    overhead: float
    """Of each move, see `seconds_for_move`."""
    main: float | None = None
    byo: float = 0.0
    stones: int = 0
    left: dict[int, tuple[float, int]] = dataclasses.field(default_factory=dict)
    """By player: seconds, and the stones to put in them; 0 stones in the main time."""

    def seconds(self, player: int, moves_left: int) -> float | None:
        """For the next move."""
        if self.main is None or (self.byo > 0 and self.stones == 0):  # no limit, by the protocol
            return None
        left, stones = self.left.get(player, (self.main, 0))
        if stones == 0 and left <= 0:
            left, stones = self.byo, self.stones
        return seconds_for_move(left, moves=stones or moves_left, overhead=self.overhead)

    def took(self, player: int, seconds: float) -> None:
        """A move took so long; a controller may say later what is left."""
        if self.main is None:
            return
        left, stones = self.left.get(player, (self.main, 0))
        left -= seconds
        if stones > 1 and left > 0:
            self.left[player] = left, stones - 1
        elif (stones or left <= 0) and self.stones:
            self.left[player] = self.byo, self.stones
        else:
            self.left[player] = left, 0
