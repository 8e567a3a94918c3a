"""From the public events that a user typed to the public state that they lead to."""

import dataclasses
import shlex
from typing import Any, Final

import numpy as np

from sog.games import Game
from sog.play import rules

_MOST_NAMED: Final = 20


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class History:
    """Public events from the start of a game."""

    outcomes: tuple[int, ...]
    events: tuple[str, ...]
    state: Any
    """The public state after them."""

    @property
    def path(self) -> np.ndarray:
        """[1, event] int32, as `gtcfr.root.SearchRoot.path`."""
        return np.asarray(self.outcomes, np.int32).reshape(1, -1)


def read_history(game: Game[Any], text: str) -> History:
    """Finds events by their text or their number; the game must go on after the last one.

    text: words as for a shell, so that an event of several words is quoted. Raises ValueError that
    names the event and what is possible where it stands.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}.") from None
    state, outcomes, events = rules.first_state(game), [], []
    for number, word in enumerate(words, start=1):
        possible = _possible_events(game, state)
        if not possible:
            raise ValueError(f"{_name(number, word)} comes after the end of the game.")
        outcome = _find(possible, word)
        if outcome is None:
            raise ValueError(
                f"{_name(number, word)} cannot happen at "
                f"'{game.describe_state(state)}'; possible there: {_list(possible)}."
            )
        outcomes.append(outcome)
        events.append(possible[outcome])
        state = rules.after(game, state, outcome)
    if not _possible_events(game, state):
        raise ValueError(f"the game is over at '{game.describe_state(state)}'.")
    return History(outcomes=tuple(outcomes), events=tuple(events), state=state)


def _possible_events(game: Game[Any], state: Any) -> dict[int, str]:
    legal = np.flatnonzero(rules.situation(game, state).legal_outcomes)
    return {outcome: game.describe_outcome(state, outcome) for outcome in legal.tolist()}


def _find(possible: dict[int, str], word: str) -> int | None:
    """Texts come first: what looks like a number may be one."""
    for outcome, event in possible.items():
        if event == word:
            return outcome
    return next((outcome for outcome in possible if str(outcome) == word), None)


def _name(number: int, word: str) -> str:
    return f"event {number}, {word!r},"


def _list(possible: dict[int, str]) -> str:
    quoted = [shlex.quote(event) if " " in event else event for event in possible.values()]
    more = len(quoted) - _MOST_NAMED
    return ", ".join(quoted[:_MOST_NAMED]) + (f" ... and {more} more" if more > 0 else "")
