"""The catalog of games: their descriptions and sizes, without importing them.

`python scripts/package_data.py catalog` writes it, see `game_facts.list_games`; a test compares
the two.
"""

import importlib.resources
import json
from typing import Any, Final

from sog.domain import domains
from sog.files import read_shipped

CATALOG: Final = "catalog.json"


def read_catalog() -> list[dict[str, Any]]:
    """The list that `sog games --json` prints: the core's games, then those of domains."""
    packages = ["sog", *(domain.package for domain in domains())]
    return [
        game
        for package in packages
        if (importlib.resources.files(package) / CATALOG).is_file()
        for game in read_shipped(package, CATALOG, json.loads)
    ]


def game_parameters() -> set[str]:
    """The names of all parameters of games."""
    return {one["name"] for game in read_catalog() for one in game["parameters"]}


def size_texts(game: dict[str, Any]) -> tuple[str, str]:
    """The number of public states of a listed game, and of infostates of each player."""
    if game["num_public_states"] is not None:
        first, second = game["num_infostates"]
        return f"{game['num_public_states']:,}", f"{first:,} + {second:,}"
    limit = game["more_public_states_than"]
    return ("not counted" if limit is None else f"> {limit:,}"), ""
