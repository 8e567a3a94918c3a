"""The parser of scripts and types of arguments: argparse says why it refuses one, with code 2."""

import argparse
import os
from pathlib import Path


def script_parser(text: str | None) -> argparse.ArgumentParser:
    """A parser whose help begins with a script's docstring, line by line."""
    return argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def game_text(text: str) -> str:
    """The text of a game."""
    from sog.games import make  # here, as some scripts choose a backend before JAX is imported

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
