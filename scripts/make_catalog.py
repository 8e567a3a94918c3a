"""Writes the catalog of games that `sog games` lists: run it when a game was added or changed."""

import argparse
import json
from pathlib import Path

import sog.catalog
from sog.cli.game_facts import list_games


def main() -> None:
    """Asks all games, and counts their public states."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    file = Path(sog.catalog.__file__).with_name(sog.catalog.CATALOG)
    file.write_text(json.dumps(list_games(), indent=1) + "\n", encoding="utf-8")
    print(f"written: {file}")


if __name__ == "__main__":
    main()
