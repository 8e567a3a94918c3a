"""Writes the catalog of games that `sog games` lists: run it after adding or changing a game."""

import argparse
import importlib.resources
import json
from pathlib import Path

from sog.catalog import CATALOG
from sog.cli.game_facts import list_games
from sog.domain import domains


def main() -> None:
    """Collects facts of all games, and counts their public states."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    games = list_games()
    package_of = {name: domain.package for domain in domains() for name in domain.games}
    for package in ("sog", *sorted(set(package_of.values()))):
        listed = [game for game in games if package_of.get(game["name"], "sog") == package]
        file = Path(str(importlib.resources.files(package))) / CATALOG
        file.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
        print(f"written: {file}")


if __name__ == "__main__":
    main()
