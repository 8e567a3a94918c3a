"""The parser of scripts, and argument types with messages for argparse."""

import argparse
import os
from pathlib import Path


def script_parser(text: str | None) -> argparse.ArgumentParser:
    """A parser whose help starts with a script's docstring, lines unchanged."""
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
    """A path prefix of files to write, in an existing folder."""
    folder = Path(text).parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise argparse.ArgumentTypeError(f"{folder} must be a folder to write in.")
    return text
