"""The Scotland Yard domain: games on any map, and PimBot."""

from typing import Final

from sog.domain import Domain
from sog.players.entry import Entry

DOMAIN: Final = Domain(
    package="sog.scotland_yard",
    games={
        "glasses": "sog.scotland_yard.game:Glasses",
        "quarter": "sog.scotland_yard.game:Quarter",
        "london": "sog.scotland_yard.game:London",
        "scotland_yard": "sog.scotland_yard.game:ScotlandYard",
    },
    players={
        "pimbot": Entry(
            method="sog.scotland_yard.pimbot:PimBot",
            form="pimbot:N",
            summary="determinized tree search for Scotland Yard, N simulations per move",
        ),
    },
)
