"""Prepares stdin, stdout and stderr: all open, and able to print any character."""

import codecs
import io
import os
import sys
from typing import Final, TextIO

_ASCII: Final = {"±": "+/-", "…": "...", "·": "-"}
"""ASCII replacements for characters that we and Rich print."""
_ERRORS: Final = "sog_as_ascii"
_STDOUT: Final = 1


def prepare_streams() -> None:
    """Opens closed streams on the null device, and makes encoding errors impossible."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _open_on_nothing(number))
    codecs.register_error(_ERRORS, _as_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def _open_on_nothing(number: int) -> TextIO:
    """Opens the null device as a standard stream.

    It takes the stream's file number: otherwise the next file opened would get it, and receive the
    output. A closed stdout rejects writes, so that the command fails; stderr discards them.
    """
    file = os.open(os.devnull, os.O_RDONLY if number == _STDOUT else os.O_RDWR)
    if file != number:
        os.dup2(file, number)
        os.close(file)
    return open(number, "w" if number else "r", encoding="utf-8", closefd=False)


def _as_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    escaped = (
        _ASCII.get(one) or one.encode("ascii", "backslashreplace").decode() for one in missing
    )
    return "".join(escaped), error.end
