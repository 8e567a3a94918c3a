"""Settings after the command of an engine: "stockfish?nodes=2000&Skill Level=0"."""

import re
from collections.abc import Mapping
from typing import Final

from sog.players.engines.process import EngineError

PATIENCE: Final = "timeout"
PATIENCE_SECONDS: Final = 60.0
"""Timeout of any response, in addition to an engine's time for a move."""


def split_text(text: str, kind: str) -> tuple[str, dict[str, str]]:
    """Splits "KIND:COMMAND?name=value&name=value" into command and settings. EngineError."""
    command, values = text.removeprefix(f"{kind}:").strip(), dict[str, str]()
    match = re.fullmatch(r"([^?]*)\?(.*=.*)", command, re.DOTALL)
    if match is not None:
        command = match[1].strip()
        for part in match[2].split("&"):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not name or not equals:
                raise EngineError(f"{kind}:{command}: write settings as name=value, got {part!r}.")
            if name in values:
                raise EngineError(f"{kind}:{command}: {name} is given twice.")
            values[name] = value
    if not command:
        raise EngineError(f"{kind}: must be followed by the command of an engine, got {text!r}.")
    return command, values


def take_number(
    values: dict[str, str], name: str, where: str, *, whole: bool = False
) -> float | None:
    """Removes a positive number from settings; None if it is not set. EngineError."""
    if name not in values:
        return None
    text = values.pop(name)
    kind = "an integer" if whole else "a number"
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        raise EngineError(f"{where}: {name} must be {kind}, got {text!r}.") from None
    if not 0 < value < 2**31:
        raise EngineError(f"{where}: {name} must be {kind} > 0 and < 2**31, got {text}.")
    return value


def patience_in(values: dict[str, str], where: str) -> float:
    """Removes `timeout`, in seconds."""
    return take_number(values, PATIENCE, where) or PATIENCE_SECONDS


def nothing_left(values: Mapping[str, str], where: str, known: str) -> None:
    """Raises EngineError for unknown settings."""
    for name in values:
        raise EngineError(f"{where}: unknown setting {name!r}; known: {known}.")
