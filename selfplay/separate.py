"""An object in a process of its own: what ends that process does not end this one.

Ray ends the process that is connected to it, at once and not by an exception, when it finds one of
its daemons dead. So it is not the learner's process that is.
"""

import contextlib
import multiprocessing
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Final

_PROGRAM: Final = "import sys; from selfplay.separate import serve; serve(int(sys.argv[1]))"
_PATIENCE_SECONDS: Final = 60.0
"""How long the process may take to end by itself."""


class EndedError(Exception):
    """The process of the object has ended."""


class Separate:
    """Calls the methods of an object that lives elsewhere, one at a time."""

    def __init__(
        self,
        make: Callable[..., contextlib.AbstractContextManager[Any]],
        *given: Any,
        environment: dict[str, str],
    ) -> None:
        """make: a function of a module; with what is given it makes the object, which is left when
        `close` is called, or when this process has ended. environment: added to this process's.

        Raises as `call`.
        """
        ours, theirs = multiprocessing.Pipe()
        path = os.pathsep.join(part or os.getcwd() for part in sys.path)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=os.environ | {"PYTHONPATH": path} | environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # where Ctrl-C does not come to
            )
        self._connection = ours
        try:
            self._ask(make, given)
        except BaseException:
            self.close()
            raise

    def call(self, name: str, *given: Any) -> Any:
        """What a method of the object returns, as a copy.

        Raises ValueErrors and OSErrors as it does, RuntimeError with the traceback of others, and
        EndedError if there is no such process any more.
        """
        return self._ask(name, given)

    def _ask(self, *question: Any) -> Any:
        try:
            self._connection.send(question)
            is_error, answer = self._connection.recv()
        except (EOFError, ConnectionError):
            raise EndedError from None
        if is_error:
            raise answer
        return answer

    def close(self) -> None:
        """Leaves the object, and waits for its process."""
        self._connection.close()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(number: int) -> None:
    """What the process does; number: of its end of the pipe."""
    with Connection(number) as connection, contextlib.suppress(ConnectionError):
        try:
            make, given = connection.recv()
            with make(*given) as thing:
                connection.send((False, None))
                while True:
                    try:
                        name, given = connection.recv()
                    except EOFError:  # nobody asks any more
                        return
                    connection.send((False, getattr(thing, name)(*given)))
        except (ValueError, OSError) as error:
            connection.send((True, error))
        except Exception:
            connection.send((True, RuntimeError(traceback.format_exc())))
