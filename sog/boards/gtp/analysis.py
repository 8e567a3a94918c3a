"""Lines of analysis as Leela Zero and KataGo write them, which Go programs draw.

`lz-analyze` gives win rates in ten thousandths, `kata-analyze` as fractions; both for the player to
move. https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final

from sog.boards.gtp.session import PLAYERS, read_color, read_number
from sog.play.principal_variation import Lines

_PER_TEN_THOUSAND: Final = 10_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnalysisRequest:
    """The arguments of an analysis command."""

    player: int
    """The player to analyze for."""
    interval: float = 1.0
    """Seconds between lines."""
    most: int = 64
    """The most moves to show."""


def read_request(words: Sequence[str], mover: int) -> AnalysisRequest:
    """Reads "[color] [centiseconds] [name value] ..."; ValueError for an invalid number.

    mover: the player if no color is given. Unknown names are ignored, as the extension asks.
    """
    left, order = list(words), AnalysisRequest(player=mover)
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
    """One line about the best moves, at most `most`. style: "kata" or "lz".

    A draw counts as half a win in the win rate. counts_points: whether values are points, so that
    scoreLead can be given.
    """
    infos = []
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
        infos.append(
            f"info move {vertex(action)} visits {lines.visits[order]} {worth} order {order} "
            f"pv {moves}"
        )
    return " ".join(infos)


def _share(part: float) -> int:
    return round(_PER_TEN_THOUSAND * part)
