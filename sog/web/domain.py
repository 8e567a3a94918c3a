"""The browser domain: `sog serve`."""

from typing import Final

from sog.domain import Domain

DOMAIN: Final = Domain(
    package="sog.web",
    commands={
        "serve": "sog.web.commands:SERVE",
    },
)
