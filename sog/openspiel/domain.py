"""What OpenSpiel adds to the core: its games, tables of policies and a search."""

from typing import Final

from sog.domain import Domain, PolicyTable
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
    loaders={"openspiel": "sog.openspiel.game:load_openspiel"},
    policy_tables={
        "openspiel": PolicyTable(
            program="OpenSpiel",
            column="information_state",
            reader="sog.openspiel.policy_tables:read_openspiel_table",
            writer="sog.openspiel.policy_tables:write_openspiel_table",
        ),
    },
    errors={"pyspiel": "OpenSpiel"},
)
