"""Child processes to kill before this process calls `os._exit`, which runs no exit handlers."""

import contextlib
import os
import signal
from typing import Final

GROUPS: Final[set[int]] = set()
"""The process groups of children that may still run."""


def kill_children() -> None:
    """Kills them with all their descendants."""
    for group in tuple(GROUPS):
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
