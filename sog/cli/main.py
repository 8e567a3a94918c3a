"""Entry point of the command line: runs a command and turns errors into exit codes.

Imports next to nothing, so that `sog --help` is fast.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from sog.child_processes import kill_children
from sog.cli.errors import INTERRUPTED, MISTAKE, CommandError, is_out_of_memory, mistakes, reason
from sog.cli.interrupts import STOPPING, Concluded, exit_code, holding_interrupts, listening
from sog.cli.lines import print_note
from sog.cli.streams import prepare_streams
from sog.devices import check_devices, silence_xla
from sog.domain import DomainError, domains

_INTERRUPTED: Final = tuple(map(exit_code, STOPPING))
_NO_MEMORY: Final = "out of memory; try a smaller game, fewer simulations, or smaller batches."
_BROKEN_PIPE: Final = 141  # 128 + SIGPIPE, which Windows does not have


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
    with mistakes():
        check_devices()
    silence_xla()
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


if __name__ == "__main__":
    entry()
