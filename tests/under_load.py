"""Runs tests on a busy machine: what fails there waits by the clock somewhere.

    python -m tests.under_load tests/cli tests/web    the arguments are pytest's
    python -m tests.under_load --load 16              all tests, beside 16 busy processes

Prints what failed, and ends as pytest does.
"""

import argparse
import contextlib
import subprocess
import sys


def main() -> int:
    """Runs pytest beside processes that do nothing, as fast as they can."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.under_load",
        description="Runs tests on a busy machine; other arguments are those of pytest.",
    )
    parser.add_argument("--load", type=int, default=8, help="busy processes (8)")
    options, rest = parser.parse_known_args()
    with contextlib.ExitStack() as stack:
        for _ in range(options.load):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.kill)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-rfE", *rest]
        return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
