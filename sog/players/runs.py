"""Locates trained networks: the run folder RUN or RUN@STEP, or the shipped agent:NAME.

Imports next to nothing, so that commands can inspect arguments quickly.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sog.players.agents import AGENT_PREFIX

if TYPE_CHECKING:
    from sog.players.trained import Trained

_RUNS: Final = Path("runs")
"""Where `sog train` writes runs."""


def is_run(path: Path) -> bool:
    """Whether a path is a run folder."""
    return (path / "config.toml").is_file()


def split_step(text: str) -> tuple[Path, int | None]:
    """Splits RUN or RUN@STEP into path and step."""
    match = re.fullmatch(r"(.+)@([0-9]{1,18})", text)
    if match is None or Path(text).exists():
        return Path(text), None
    return Path(match[1]), int(match[2])


def near_run(text: str) -> str | None:
    """A suggestion: the run of this name where `sog train` writes them."""
    path, step = split_step(text)
    near = _RUNS / path.name
    return f"{near}{'' if step is None else f'@{step}'}" if path != near and is_run(near) else None


def names_run(text: str) -> bool:
    """Whether the text of a game names a run folder.

    Raises ValueError if it looks like one that does not exist.
    """
    from sog.games.registry import is_game  # heavy

    if text.startswith(AGENT_PREFIX):
        return True
    path, _ = split_step(text)
    if is_run(path):
        return True
    is_path = len(path.parts) > 1 and not re.search(r"[(:]", text)
    is_known = is_game(text)
    near = None if is_known else near_run(text)
    if near is not None:
        raise ValueError(f"{text} is neither a game nor a run folder: did you mean {near}?")
    # A folder named like a game does not count.
    if path.is_dir() and (is_path or not is_known):
        raise ValueError(f"{path} is not a run folder: it has no config.toml.")
    if is_path:
        raise ValueError(f"there is not a run folder {path}; `sog train` makes one.")
    return False


def load_run(text: str) -> "Trained":
    """Loads the network of RUN (the newest), RUN@STEP or agent:NAME. Raises ValueError."""
    from sog.players import shipped, trained

    if text.startswith(AGENT_PREFIX):
        return shipped.load_agent(text.removeprefix(AGENT_PREFIX))
    return trained.load_trained(*split_step(text))
