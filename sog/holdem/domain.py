"""What hold'em adds to the core: the game, programs that play poker, and its commands."""

from typing import Final

from sog.domain import Domain
from sog.players.entry import Entry

DOMAIN: Final = Domain(
    package="sog.holdem",
    games={
        "holdem": "sog.holdem.game:Holdem",
    },
    players={
        "always_call": Entry(
            method="sog.holdem.bots.bots:AlwaysCall",
            form="always_call",
            summary="in games of betting: calls any bet and makes none",
        ),
        "always_raise": Entry(
            method="sog.holdem.bots.bots:AlwaysRaise",
            form="always_raise",
            summary="in games of betting: raises when legal, by the smallest size; size=largest",
        ),
        "always_fold": Entry(
            method="sog.holdem.bots.bots:AlwaysFold",
            form="always_fold",
            summary="in games of betting: folds to any bet, else checks",
        ),
        "equity": Entry(
            method="sog.holdem.bots.bots:Equity",
            form="equity",
            summary="in games of betting: plays by equity against any hand, and pot odds",
        ),
        "lbr": Entry(
            method="sog.holdem.bots.local_best_response:LocalBestResponse",
            form="lbr",
            summary="local best response: sees the other's policy, to bound its exploitability",
        ),
        "blueprint": Entry(
            form="blueprint:FILE",
            summary="the average strategy in a file of sog blueprint, for the game it was made for",
            reader="sog.holdem.blueprint.policy:read_blueprint",
        ),
        "acpc": Entry(
            form="acpc:COMMAND",
            summary="a hold'em program by the ACPC protocol, started as COMMAND HOST PORT",
            reader="sog.holdem.acpc_engine:read_acpc",
            takes_overrides=False,
        ),
    },
    networks={"hands": "sog.holdem.hand_network:HandsCVPN"},
    modes={
        "solve": "sog.holdem.commands:SOLVE_SPOT",
        "policy": "sog.holdem.commands:SHOW_SPOT",
        "evaluate": "sog.holdem.commands:PLAY_LBR",
    },
    policies={".blueprint": "sog.holdem.blueprint.policy:read_policy"},
    commands={
        "push_fold": "sog.holdem.commands:PUSH_FOLD",
        "blueprint": "sog.holdem.commands:BLUEPRINT",
        "acpc": "sog.holdem.commands:ACPC",
    },
    pages={
        "spots": "sog.holdem.pages.spot_pages:SpotPages",
    },
)
