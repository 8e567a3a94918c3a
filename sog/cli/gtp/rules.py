"""The clock of a game by GTP, what KataGo adds to GTP for analysis, and its rules of Go.

`lz-analyze` counts shares in ten thousandths, `kata-analyze` in parts of 1; both are of the player
to move. https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md and
https://lightvector.github.io/KataGo/rules.html
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Final

from sog.cli.gtp.table import PLAYERS, Table, read_color, read_number
from sog.play.clock import seconds_for_move
from sog.play.principal import Lines

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


_PER_TEN_THOUSAND: Final = 10_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnalysisOrder:
    """What is to be told."""

    player: int
    """Who must be to move."""
    interval: float = 1.0
    """Seconds between lines."""
    most: int = 64
    """Moves in a line, at most."""


def read_order(words: Sequence[str], mover: int) -> AnalysisOrder:
    """From "[color] [centiseconds] [name value] ..."; ValueError for what is no number.

    mover: whose turn it is, where no color is said. Names of which we know nothing are passed over,
    as the extension wants.
    """
    left, order = list(words), AnalysisOrder(player=mover)
    if left and left[0].lower() in PLAYERS:
        order = dataclasses.replace(order, player=read_color(left.pop(0)))
    if left and left[0].isdecimal():
        order = dataclasses.replace(order, interval=int(left.pop(0)) / 100)
    for name, value in zip(left[::2], left[1::2], strict=False):
        if name == "interval":
            order = dataclasses.replace(order, interval=read_number(value, float) / 100)
        elif name == "maxmoves":
            order = dataclasses.replace(order, most=max(1, read_number(value, int)))
    return order


def analysis_line(
    lines: Lines,
    vertex: Callable[[int], str],
    *,
    max_utility: float,
    style: str,
    most: int,
    counts_points: bool = False,
) -> str:
    """One line about the best moves, at most so many. style: "kata" or "lz".

    A winning rate is what a value comes to where a draw is half a win. counts_points: whether
    values are points, from which nobody knows how far ahead a player is that only wins or loses.
    """
    told = []
    for order, action in enumerate(lines.actions[:most].tolist()):
        value = float(lines.values[order]) / max_utility
        rate, prior = min(max((1 + value) / 2, 0.0), 1.0), float(lines.prior[order])
        if style == "lz":
            worth = f"winrate {_share(rate)} prior {_share(prior)}"
        else:
            worth = f"utility {value:.6f} winrate {rate:.6f} prior {prior:.6f}"
            if counts_points:
                worth += f" scoreLead {float(lines.values[order]):.3f}"
        moves = " ".join(vertex(event) for event in lines.line(order))
        told.append(
            f"info move {vertex(action)} visits {lines.visits[order]} {worth} order {order} "
            f"pv {moves}"
        )
    return " ".join(told)


def _share(part: float) -> int:
    return round(_PER_TEN_THOUSAND * part)
