"""Entry point of the command line: runs a command and turns errors into exit codes.

Imports next to nothing, so that `sog --help` is fast.
"""

import codecs
import contextlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn, TextIO

from sog.child_processes import kill_children
from sog.cli.errors import INTERRUPTED, MISTAKE, CommandError, is_out_of_memory, reason
from sog.cli.interrupts import STOPPING, Concluded, exit_code, holding_interrupts, listening
from sog.cli.lines import print_note
from sog.domain import DomainError, domains

_INTERRUPTED: Final = tuple(map(exit_code, STOPPING))
_NO_MEMORY: Final = "out of memory; try a smaller game, fewer simulations, or smaller batches."
_NUM_DEVICES: Final = "JAX_NUM_CPU_DEVICES"
_LOG_LEVEL: Final = "TF_CPP_MIN_LOG_LEVEL"
_FATAL_ONLY: Final = "3"
_LEAST_BYTES: Final = 2 * 2**30
"""Address space: libraries take half of it, and every thread takes some."""
_BROKEN_PIPE: Final = 141  # 128 + SIGPIPE, which Windows does not have
_ASCII: Final = {"±": "+/-", "…": "...", "·": "-"}
"""ASCII replacements for characters that we and Rich print."""
_ERRORS: Final = "sog_as_ascii"
_STDOUT: Final = 1


def entry() -> NoReturn:
    """Runs `sog` as a process, and exits."""
    prepare_streams()
    code = main()
    if code in _INTERRUPTED:
        # Exit at once: JAX would wait for pending computations.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        kill_children()
        os._exit(code)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while Python shuts down
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `sog` with these arguments (those of the process unless given); returns its exit code.

    0: done. 2: an error of the user, printed as one line. 130 (SIGINT), 143 (SIGTERM): interrupted.
    """
    with listening() as received:
        try:
            code = _run(argv)
            sys.stdout.flush()
        except CommandError as error:
            code = _fail(str(error))
        except Concluded:
            code = INTERRUPTED
        except KeyboardInterrupt:
            with holding_interrupts():
                print("sog: interrupted.", file=sys.stderr)
            code = INTERRUPTED
        except BrokenPipeError:
            _abandon_stdout()
            code = _BROKEN_PIPE
        except OSError as error:
            _abandon_stdout()
            where = error.filename or "the output cannot be written"
            code = _fail(f"{where}: {reason(error)}.")
        except MemoryError:
            code = _fail(_NO_MEMORY)
        except RuntimeError as error:
            if program := _program_of(error):
                code = _fail(f"{program}: {error}")
            elif is_out_of_memory(error):
                code = _fail(_NO_MEMORY)
            else:
                raise
    return exit_code(received[0]) if received and code == INTERRUPTED else code


def _run(argv: Sequence[str] | None) -> int:
    try:
        from sog.cli.arguments import (  # an interrupt while it is imported is handled
            COMMANDS,
            make_parser,
        )
    except DomainError as error:
        raise CommandError(str(error)) from error
    try:
        arguments = make_parser().parse_args(argv)
    except SystemExit as stop:  # after --help and --version
        return int(stop.code or 0)
    _check_devices()
    _silence_xla()
    code: int = COMMANDS[arguments.command].execute(arguments)
    return code


def _fail(message: str) -> int:
    print_note(f"error: {' '.join(message.split())}")
    return MISTAKE


def _program_of(error: RuntimeError) -> str:
    """The external program of a domain that raised the error; "" for other errors."""
    module = type(error).__module__
    return next((one.errors[module] for one in domains() if module in one.errors), "")


def _abandon_stdout() -> None:
    """Redirects stdout to the null device: the flush at exit would fail again with a traceback."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


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


def _check_devices() -> None:
    """Raises CommandError for a number of devices that JAX would reject when it is imported, and
    for a memory limit under which its threads would abort the process."""
    requested = os.environ.get(_NUM_DEVICES, "1")
    if not requested.isdecimal() or int(requested) < 1:
        raise CommandError(f"{_NUM_DEVICES} must be an integer >= 1, got '{requested}'.")
    with contextlib.suppress(ImportError):  # Windows
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if 0 <= most < _LEAST_BYTES:  # infinity is negative
            raise CommandError(
                f"JAX needs {_LEAST_BYTES // 1024:,} kB of memory, and this process may take "
                f"{most // 1024:,}: raise the limit, `ulimit -v`."
            )


def _silence_xla() -> None:
    """Keeps XLA's log, such as warnings of slow compilation, out of our output.

    Call it before JAX is imported. Errors still arrive as exceptions, and a level that the user
    has set stays.
    """
    os.environ.setdefault(_LOG_LEVEL, _FATAL_ONLY)


if __name__ == "__main__":
    entry()
