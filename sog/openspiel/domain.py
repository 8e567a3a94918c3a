"""What OpenSpiel adds to the core: its search for perfect information."""

from typing import Final

from sog.domain import Domain
from sog.players.entry import Entry

DOMAIN: Final = Domain(
    package="sog.openspiel",
    players={
        "uct": Entry(
            method="sog.openspiel.uct:Uct",
            form="uct:N",
            summary="UCT with random rollouts, N simulations per move; needs OpenSpiel",
        ),
    },
)
