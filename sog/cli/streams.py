"""stdin, stdout and stderr as a command needs them: there, and able to take any character."""

import codecs
import io
import os
import sys
from typing import Final, TextIO

_ASCII: Final = {"±": "+/-", "…": "...", "·": "-"}
"""What we and Rich print, in characters that every encoding has."""
_ERRORS: Final = "sog_as_ascii"
_STDOUT: Final = 1


def prepare_streams() -> None:
    """Opens those that were closed on nothing, and lets no result fail for its characters."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _open_on_nothing(number))
    codecs.register_error(_ERRORS, _as_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def _open_on_nothing(number: int) -> TextIO:
    """The null device under the number of a standard stream.

    Under that number, or the next file that is opened gets it, and what is written there. Results
    cannot be written to it, which a command is to fail of; what it tells on stderr just goes.
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
