"""An object in a subprocess, whose end does not end this process.

Ray kills the process that is connected to it, without an exception, when one of its daemons dies.
So the learner's process is not connected to it.
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

_PROGRAM: Final = "import sys; from selfplay.remote_object import serve; serve(int(sys.argv[1]))"
_PATIENCE_SECONDS: Final = 60.0
"""How long the process may take to exit by itself."""


class ProcessEndedError(Exception):
    """The object's process has ended."""


class RemoteObject:
    """Calls the methods of an object in a subprocess, one at a time."""

    def __init__(
        self,
        make: Callable[..., contextlib.AbstractContextManager[Any]],
        *given: Any,
        environment: dict[str, str],
    ) -> None:
        """make: a function of a module, from `given` to a context with the object; the context is
        exited on `close` or when this process has ended. environment: added to this process's.

        Raises as `call` does.
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
                start_new_session=True,  # out of reach of Ctrl-C
            )
        self._connection = ours
        try:
            self._call(make, given)
        except BaseException:
            self.close()
            raise

    def call(self, name: str, *given: Any) -> Any:
        """Returns a copy of the result of a method of the object.

        Raises its ValueErrors and OSErrors, RuntimeError with the traceback of others, and
        ProcessEndedError if the process has ended.
        """
        return self._call(name, given)

    def _call(self, *question: Any) -> Any:
        try:
            self._connection.send(question)
            is_error, answer = self._connection.recv()
        except (EOFError, ConnectionError):
            raise ProcessEndedError from None
        if is_error:
            raise answer
        return answer

    def close(self) -> None:
        """Exits the object's context, and waits for its process."""
        self._connection.close()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(number: int) -> None:
    """The main loop of the subprocess; number: of its end of the pipe."""
    with Connection(number) as connection, contextlib.suppress(ConnectionError):
        try:
            make, given = connection.recv()
            with make(*given) as thing:
                connection.send((False, None))
                while True:
                    try:
                        name, given = connection.recv()
                    except EOFError:  # the parent has gone
                        return
                    connection.send((False, getattr(thing, name)(*given)))
        except (ValueError, OSError) as error:
            connection.send((True, error))
        except Exception:
            connection.send((True, RuntimeError(traceback.format_exc())))
