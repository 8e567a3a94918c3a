"""Lines of analysis as Leela Zero and KataGo write them, which Go boards draw.

`lz-analyze` counts shares in ten thousandths, `kata-analyze` in parts of 1; both are of the player
to move. https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final

from sog.boards.gtp.session import PLAYERS, read_color, read_number
from sog.play.principal import Lines

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
