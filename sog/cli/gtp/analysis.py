"""Lines of analysis as Leela Zero and KataGo write them, which Go boards draw.

`lz-analyze` counts shares in ten thousandths, `kata-analyze` in parts of 1; both are of the player
to move. https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
"""

from collections.abc import Callable

from sog.play.principal import Lines

_PER_TEN_THOUSAND = 10_000


def analysis_line(
    lines: Lines, vertex: Callable[[int], str], *, max_utility: float, style: str, most: int
) -> str:
    """One line about the best moves, at most so many. style: "kata" or "lz".

    A winning rate is what a value comes to where a draw is half a win.
    """
    told = []
    for order, action in enumerate(lines.actions[:most].tolist()):
        value = float(lines.values[order]) / max_utility
        rate, prior = min(max((1 + value) / 2, 0.0), 1.0), float(lines.prior[order])
        if style == "lz":
            worth = f"winrate {_share(rate)} prior {_share(prior)}"
        else:
            worth = f"utility {value:.6f} winrate {rate:.6f} prior {prior:.6f}"
        moves = " ".join(vertex(event) for event in lines.line(order))
        told.append(
            f"info move {vertex(action)} visits {lines.visits[order]} {worth} order {order} "
            f"pv {moves}"
        )
    return " ".join(told)


def _share(part: float) -> int:
    return round(_PER_TEN_THOUSAND * part)
