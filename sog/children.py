"""Programs that were started here, and that a process which ends at once takes with it.

`os._exit` calls nothing that was registered to be called at the end.
"""

import contextlib
import os
import signal
from typing import Final

GROUPS: Final[set[int]] = set()
"""The process groups of those that may still run."""


def kill_children() -> None:
    """Ends them, and what they have started, by force."""
    for group in tuple(GROUPS):
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
