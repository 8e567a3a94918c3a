"""A program that is spoken to in lines: started, asked, waited for no longer than so, and ended.

Whatever such a program does, its user gets an answer or one line that says what was wrong: every
wait has an end, for writing too, since a program that does not read lets its pipe fill up.
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
"""Where Unix systems install games, which is not on everybody's PATH."""
_MOST_OF_A_LINE: Final = 2**20
_MOST_LINES: Final = 100_000  # that nobody has read yet
_PIECE: Final = 2**16
_MOST_SAID: Final = 200  # letters of stderr in a message
_GRACE_SECONDS: Final = 1.0
"""How long a program may take to end when it is asked to."""


class EngineError(ValueError):
    """What a program did wrong, in one line that names its command."""


def split_command(command: str) -> list[str]:
    """The words of a command, as a shell would split them; the first is the path of a program.

    Looked for on PATH, then among games. Raises EngineError if there is none, or quotes are open.
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
    """When patience ends that began now."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._end = seconds, time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds; below 0 when time is up."""
        return self._end - time.monotonic()


class LineProcess:
    """A running program, its stdin and stdout read as lines of text."""

    _line_end: ClassVar[bytes] = b"\n"

    def __init__(self, command: str, words: Sequence[str] | None = None) -> None:
        """Starts it, without a shell and in a process group of its own, out of reach of Ctrl-C.

        command: as its user typed it, for messages. words: what is started, else those of the
        command. Raises EngineError if that cannot be.
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
            told = getattr(error, "strerror", None) or error
            raise self.error(f"cannot be started: {told}") from None
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
        # Also where nobody closes it.
        self._end = weakref.finalize(self, _end, process, self._reading)

    def send(self, line: str, deadline: Deadline) -> None:
        """Writes a line; EngineError if it does not read that in time, or is gone."""
        if "\n" in line or "\r" in line:
            raise self.error(f"cannot be told a text of several lines: {line!r}")
        self._unsent += line.encode() + self._line_end
        self._reading.register(self._stdin, selectors.EVENT_WRITE, self._write)
        try:
            self._wait(lambda: not self._unsent, deadline, f"did not read {line!r}")
        finally:
            self._reading.unregister(self._stdin)
            self._unsent = b""

    def read_line(self, deadline: Deadline, failure: str) -> str:
        """The next line, without its end. EngineError when time is up, or where none comes.

        failure: what is told then, as "did not answer 'uci'".
        """
        self._wait(lambda: bool(self._lines), deadline, failure)
        return self._lines.popleft()

    def error(self, problem: str) -> EngineError:
        """What is to be raised: the command, what was wrong, and its last words on stderr."""
        last = " ".join(self._said.decode("utf-8", "replace").split())[-_MOST_SAID:]
        said = f"; it said: {last.rstrip('.')}" if last else ""
        told = f"engine {self.command!r} {problem.rstrip('.')}{said}."
        return EngineError(" ".join(printable(told).split()))

    @property
    def is_running(self) -> bool:
        """Whether it has not ended so far."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the program, and what it has started: by its own word, else by force."""
        if self._end.alive and self.is_running:
            with contextlib.suppress(OSError):
                os.write(self._stdin.fileno(), b"quit\n")
        self._end()

    def _wait(self, is_done: Callable[[], bool], deadline: Deadline, failure: str) -> None:
        """Reads and writes until then. Time is up for a program, too, that writes without end."""
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
        except OSError:  # nobody reads any more
            self._has_ended = True
            return
        self._unsent = self._unsent[count:]

    def _read(self, file: Any) -> None:
        piece = _piece(file.fileno())
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._lines += [line.decode("utf-8", "replace").rstrip("\r") for line in lines]
        if len(self._lines) > _MOST_LINES:
            raise self.error(f"wrote more than {_MOST_LINES:,} lines that nobody has asked for")
        if len(self._rest) > _MOST_OF_A_LINE:
            raise self.error(f"wrote a line of more than {_MOST_OF_A_LINE:,} bytes")
        if not piece:
            self._has_ended = True
            self._reading.unregister(file)

    def _listen(self, file: Any) -> bool:
        """Reads what it says beside the talk; whether more may come."""
        piece = _piece(file.fileno())
        self._said = (self._said + piece)[-4 * _MOST_SAID :]
        if not piece:
            self._reading.unregister(file)
        return bool(piece)

    def _goes_on(self) -> bool:
        """Whether it is still there after a moment."""
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
        while piece := _piece(self._stderr.fileno()):  # its last words
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
    with contextlib.suppress(OSError):  # what it has started may still be there
        os.killpg(process.pid, signal.SIGKILL)
    GROUPS.discard(process.pid)
    process.wait()
