"""How long compiling took last time, so that who waits knows what to expect."""

import contextlib
import json
from typing import Any, Final

from sog import kept_programs
from sog.cli.display import duration
from sog.games import Game

_FILE: Final = "seconds.json"
_MOST_BYTES: Final = 2**20
_MOST_NAMES: Final = 500


def last_time(game: Game[Any], what: str) -> str:
    """What is added to "compiling ...": " (24 s last time)", or nothing where that is not known."""
    seconds = _read().get(f"{game}: {what}")
    return "" if seconds is None else f" ({duration(seconds)} last time)"


def keep_time(game: Game[Any], what: str, seconds: float) -> None:
    """For the next process; a folder that cannot be written does without."""
    folder = kept_programs.folder()
    if folder is None:
        return
    times = _read()
    times.pop(f"{game}: {what}", None)
    times[f"{game}: {what}"] = round(seconds, 1)
    newest = dict([*times.items()][-_MOST_NAMES:])
    with contextlib.suppress(OSError):
        kept_programs.write_whole(folder / _FILE, json.dumps(newest).encode())


def _read() -> dict[str, float]:
    folder = kept_programs.folder()
    if folder is None:
        return {}
    try:
        found = json.loads(kept_programs.read_own(folder / _FILE, _MOST_BYTES))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, float)}
