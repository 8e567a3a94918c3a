"""Lines that another program writes to us, which can be looked for without waiting."""

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Final

from sog.cli.errors import CommandError

_PIECE: Final = 2**16
_MOST_BYTES: Final = 2**20
"""Of a line: some 200,000 moves of chess."""


class LineInput:
    """Lines from a stream, read by a thread of its own; None is its end."""

    def __init__(self, stream: Iterable[str] | Iterable[bytes]) -> None:
        self._lines: queue.SimpleQueue[str | CommandError | None] = queue.SimpleQueue()
        self._ahead: list[str | None] = []
        self._has_ended = False
        thread = threading.Thread(target=self._read, args=[stream], daemon=True)
        thread.start()

    def next(self) -> str | None:
        """The next line, waited for; None when there will be no more. Raises CommandError for a
        line of more than a megabyte."""
        if self._ahead:
            return self._ahead.pop(0)
        if self._has_ended:
            return None
        line = self._lines.get()
        if isinstance(line, CommandError):
            raise line
        self._has_ended = line is None
        return line

    def is_waiting(self) -> bool:
        """Whether `next` returns at once: there is a line, or there will be none."""
        return bool(self._ahead) or self._has_ended or not self._lines.empty()

    def put_back(self, line: str | None) -> None:
        """Has `next` return this first."""
        self._ahead.insert(0, line)

    def _read(self, stream: Iterable[str] | Iterable[bytes]) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):  # it was closed
                for line in stream:
                    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
                    self._lines.put(text.rstrip("\r\n"))
        except CommandError as error:
            self._lines.put(error)
        self._lines.put(None)


def standard_input() -> LineInput:
    """What comes from whoever has started us; bytes that are no text become question marks."""
    try:
        number = sys.stdin.fileno()
    except (OSError, ValueError):  # no file
        return LineInput(sys.stdin)
    return LineInput(_lines_of(number))


def _lines_of(number: int) -> Iterator[bytes]:
    """Lines of an open file, past Python's buffer: a thread that waits in it when the process ends
    holds its lock, which is fatal."""
    rest = b""
    while piece := os.read(number, _PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > _MOST_BYTES:
            raise CommandError(f"stdin: a line may have at most {_MOST_BYTES:,} bytes.")
    if rest:
        yield rest
