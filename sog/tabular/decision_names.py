"""Looks up infostates and actions of a public state by number or text."""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from sog.games.core import CHANCE, Game
from sog.quoting import quoted

_MOST_LISTED: Final = 12  # names in a message


class DecisionNames:
    """The infostates and actions at a public state; texts are cached."""

    def __init__(self, game: Game[Any], state: Any, actor: int, legal: np.ndarray) -> None:
        """actor, legal: `Game.actor` and `Game.legal_actions` of the state."""
        if actor >= CHANCE:
            raise ValueError(f"no player acts at '{game.describe_state(state)}'.")
        self.actor = actor
        self._game, self._state, self._legal = game, state, legal
        self.infostates = {
            infostate: game.describe_infostate(state, actor, infostate)
            for infostate in np.flatnonzero(legal.any(axis=-1)).tolist()
        }
        """The acting player's possible infostates."""
        self._actions: dict[int, dict[int, str]] = {}

    def infostate(self, number: str, name: str) -> int:
        """The infostate with a number, a text or both; empty ones are ignored. Or ValueError."""
        return _named(self.infostates, "infostate", number, name)

    def find_infostate(self, text: str) -> int:
        """The infostate with this text, or else this number, as events of a history."""
        return self.infostate(*_number_or_name(self.infostates, text))

    def actions(self, infostate: int) -> dict[int, str]:
        """The legal actions of an infostate."""
        if infostate not in self._actions:
            self._actions[infostate] = {
                action: self._game.describe_action(self._state, infostate, action)
                for action in np.flatnonzero(self._legal[infostate]).tolist()
            }
        return self._actions[infostate]

    def action(self, infostate: int, number: str, name: str) -> int:
        """As `infostate`, for a legal action."""
        return _named(self.actions(infostate), "action", number, name)

    def find_action(self, infostate: int, text: str) -> int:
        """As `find_infostate`."""
        return self.action(infostate, *_number_or_name(self.actions(infostate), text))


def _number_or_name(there: dict[int, str], text: str) -> tuple[str, str]:
    is_number = text not in there.values() and text in map(str, there)
    return (text, "") if is_number else ("", text)


def list_names(names: Iterable[str]) -> str:
    """A shortened list for a message."""
    listed = list(names)
    more = len(listed) - _MOST_LISTED
    return ", ".join(listed[:_MOST_LISTED]) + (f" ... and {more} more" if more > 0 else "")


def _named(there: dict[int, str], what: str, number: str, name: str) -> int:
    number, name = number.strip(), name.strip()
    fits = [
        key
        for key, text in there.items()
        if (number or name)
        and (not number or str(key) == number)
        and (not name or text.strip() == name)
    ]
    if len(fits) == 1:
        return fits[0]
    given = " ".join(part for part in (number, name) if part)
    known = list_names(f"{key} {text}" for key, text in there.items())
    several = "more than one" if fits else "none"
    raise ValueError(f"{what} {quoted(given)} is {several} of those there: {known}.")
