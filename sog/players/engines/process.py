"""A subprocess that exchanges lines of text, with timeouts.

Whatever the program does, the user gets an answer or an error in one line. Every wait has a
timeout, for writing too, since the pipe of a program that does not read fills up.
"""

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from sog.child_processes import GROUPS
from sog.files import printable

_FOLDERS_OF_GAMES: Final = ("/usr/local/games", "/usr/games")
"""Where Unix systems install games, which is not always on PATH."""
_MOST_OF_A_LINE: Final = 2**20
_MOST_LINES: Final = 100_000  # not read yet
_PIECE: Final = 2**16
_MOST_SAID: Final = 200  # letters of stderr in a message
_GRACE_SECONDS: Final = 1.0
"""Time for a program to exit on request."""


class EngineError(ValueError):
    """A program's failure, in one line with its command."""


def split_command(command: str) -> list[str]:
    """Splits a command as a shell does; the first word becomes the path of a program.

    Searches PATH, then folders of games. Raises EngineError if not found, or for open quotes.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EngineError(f"engine {command!r}: {str(error).lower()}.") from None
    if not words:
        raise EngineError("an engine needs a command, got none.")
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *_FOLDERS_OF_GAMES])
    program = shutil.which(os.path.expanduser(words[0]), path=path)
    if program is None:
        raise EngineError(f"engine {command!r}: there is no program {words[0]!r}; is it installed?")
    return [program, *words[1:]]


class Deadline:
    """A timeout that starts now."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._end = seconds, time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left; negative when time is up."""
        return self._end - time.monotonic()


class LineProcess:
    """A running program, its stdin and stdout read as lines of text."""

    _line_end: ClassVar[bytes] = b"\n"

    def __init__(self, command: str, words: Sequence[str] | None = None) -> None:
        """Starts it without a shell, in a process group of its own, which Ctrl-C does not reach.

        command: as typed, for messages. words: what to start, by default those of the command.
        Raises EngineError on failure.
        """
        self.command = command
        self._lines: deque[str] = deque()
        self._rest, self._said, self._unsent = b"", b"", b""
        self._has_ended = False
        started = split_command(command) if words is None else list(words)
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                started, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise self.error(f"cannot be started: {why}") from None
        GROUPS.add(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        for pipe_end in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe_end.fileno(), False)
        self._reading = selectors.DefaultSelector()
        self._reading.register(self._stdout, selectors.EVENT_READ, self._read)
        self._reading.register(self._stderr, selectors.EVENT_READ, self._listen)
        # Runs even if `close` is never called.
        self._end = weakref.finalize(self, _end, process, self._reading)

    def send(self, line: str, deadline: Deadline) -> None:
        """Writes a line; EngineError if the program does not read it in time or has ended."""
        if "\n" in line or "\r" in line:
            raise self.error(f"cannot be sent a text of several lines: {line!r}")
        self._unsent += line.encode() + self._line_end
        self._reading.register(self._stdin, selectors.EVENT_WRITE, self._write)
        try:
            self._wait(lambda: not self._unsent, deadline, f"did not read {line!r}")
        finally:
            self._reading.unregister(self._stdin)
            self._unsent = b""

    def read_line(self, deadline: Deadline, failure: str) -> str:
        """The next line, without its end. EngineError on timeout or if the program has ended.

        failure: for the message, as "did not answer 'uci'".
        """
        self._wait(lambda: bool(self._lines), deadline, failure)
        return self._lines.popleft()

    def error(self, problem: str) -> EngineError:
        """An error with the command, the problem and its last output on stderr."""
        last = " ".join(self._said.decode("utf-8", "replace").split())[-_MOST_SAID:]
        said = f"; it said: {last.rstrip('.')}" if last else ""
        message = f"engine {self.command!r} {problem.rstrip('.')}{said}."
        return EngineError(" ".join(printable(message).split()))

    @property
    def is_running(self) -> bool:
        """Whether it is still running."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the program and its children: on request, else by force."""
        if self._end.alive and self.is_running:
            with contextlib.suppress(OSError):
                os.write(self._stdin.fileno(), b"quit\n")
        self._end()

    def _wait(self, is_done: Callable[[], bool], deadline: Deadline, failure: str) -> None:
        """Reads and writes until `is_done`, or until the deadline even if output keeps coming."""
        while deadline.left > 0:
            if is_done():
                return
            if self._has_ended:
                raise self.error(f"{failure}: it {self._how_it_ended()}")
            for key, _ in self._reading.select(max(deadline.left, 0)):
                key.data(key.fileobj)
        raise self.error(f"{failure} within {deadline.seconds:g} s")

    def _write(self, file: Any) -> None:
        try:
            count = os.write(file.fileno(), self._unsent)
        except BlockingIOError:
            return
        except OSError:  # the pipe is closed
            self._has_ended = True
            return
        self._unsent = self._unsent[count:]

    def _read(self, file: Any) -> None:
        piece = _piece(file.fileno())
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._lines += [line.decode("utf-8", "replace").rstrip("\r") for line in lines]
        if len(self._lines) > _MOST_LINES:
            raise self.error(f"wrote more than {_MOST_LINES:,} unread lines")
        if len(self._rest) > _MOST_OF_A_LINE:
            raise self.error(f"wrote a line of more than {_MOST_OF_A_LINE:,} bytes")
        if not piece:
            self._has_ended = True
            self._reading.unregister(file)

    def _listen(self, file: Any) -> bool:
        """Reads stderr; returns whether more may come."""
        piece = _piece(file.fileno())
        self._said = (self._said + piece)[-4 * _MOST_SAID :]
        if not piece:
            self._reading.unregister(file)
        return bool(piece)

    def _keeps_running(self) -> bool:
        """Whether it is still running after a moment."""
        try:
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return True
        return False

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        while piece := _piece(self._stderr.fileno()):  # the rest of stderr
            self._said = (self._said + piece)[-4 * _MOST_SAID :]
        if code < 0:
            return f"was ended by signal {-code} ({signal.strsignal(-code)})"
        return f"ended with exit code {code}"


def _piece(file: int) -> bytes:
    try:
        return os.read(file, _PIECE)
    except OSError:
        return b""


def _end(process: "subprocess.Popen[bytes]", reading: selectors.BaseSelector) -> None:
    reading.close()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    with contextlib.suppress(OSError):  # its children may still be running
        os.killpg(process.pid, signal.SIGKILL)
    GROUPS.discard(process.pid)
    process.wait()
