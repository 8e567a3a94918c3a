"""`--history TEXT` of several commands: the position they begin from; imports nothing heavy."""

import argparse

_HOW = (
    "the public events that lead there, as a tree shows them or by number, or what players of the "
    "game write: 44353 in connect_four (columns), X.O/.X./... in tic_tac_toe"
)


def add_history_option(parser: argparse.ArgumentParser, what: str) -> None:
    """what: the command does with the position."""
    parser.add_argument(
        "--history", default="", metavar="TEXT", help=f"{what}: {_HOW} (default: the start)"
    )
