"""Types of arguments of scripts: argparse says why it refuses one, with exit code 2."""

import argparse
import os
from pathlib import Path

from sog.games import make


def game_text(text: str) -> str:
    """The text of a game."""
    try:
        make(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def prefix(text: str) -> str:
    """What the names of files to write begin with, in a folder that is there."""
    folder = Path(text).parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise argparse.ArgumentTypeError(f"{folder} must be a folder to write in.")
    return text
