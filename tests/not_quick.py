"""Writes which tests `make test-quick` leaves out, from what all of them took.

make test CHOSEN=--durations=0 | tee log
python -m tests.not_quick log
"""

import argparse
import collections
import re
from pathlib import Path
from typing import Final

from tests.conftest import NOT_QUICK

_TIMED: Final = re.compile(r"^([\d.]+)s (?:call|setup|teardown) +(\S+?)(?:\[.*)?$", re.MULTILINE)
_QUICK_SECONDS: Final = 0.2


def main() -> None:
    """Reads the output of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path, help="output of pytest with --durations=0")
    parser.add_argument(
        "--seconds", type=float, default=_QUICK_SECONDS, help="that are quick (default: 0.2)"
    )
    arguments = parser.parse_args()
    taken = collections.defaultdict[str, float](float)
    for seconds, name in _TIMED.findall(arguments.log.read_text()):
        taken[name] = max(taken[name], float(seconds))
    slow = sorted(name for name, seconds in taken.items() if seconds > arguments.seconds)
    NOT_QUICK.write_text("".join(f"{name}\n" for name in slow))
    print(f"{len(slow)} tests are left out of {NOT_QUICK}")


if __name__ == "__main__":
    main()
