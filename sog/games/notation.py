"""Parses texts of public events."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sog.games.on_host import call_rules

if TYPE_CHECKING:
    from sog.games.core import Game

_MOST_NAMED: Final = 20
_MOST_LETTERS: Final = 100_000


def split_events(text: str) -> list[str]:
    """Splits into words as a shell does: quotation marks may group the words of an event, and are
    literal if unpaired. Raises ValueError for a text longer than any game needs."""
    if len(text) > _MOST_LETTERS:
        raise ValueError(f"events must have at most {_MOST_LETTERS:,} letters, got {len(text):,}.")
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def read_events(game: "Game[Any]", words: Sequence[str]) -> tuple[int, ...]:
    """The outcomes of events from the root, each by its text, possibly of several words, or its
    number.

    Raises ValueError that names the event and the possible ones at its state.
    """
    left, outcomes = list(words), list[int]()
    state = call_rules(game, "root")[0] if left else None
    while left:
        possible, number = possible_events(game, state), len(outcomes) + 1
        if not possible:
            raise ValueError(f"{_name(number, left[0])} comes after the end of the game.")
        outcome, used = _find(possible, left)
        if outcome is None:
            raise ValueError(
                f"{_name(number, left[0])} cannot happen at "
                f"'{game.describe_state(state)}'; possible there: {_list(possible)}."
            )
        outcomes.append(outcome)
        state, left = call_rules(game, "apply", state, np.int32(outcome))[0], left[used:]
    return tuple(outcomes)


def describe_path(
    game: "Game[Any]", state: Any, outcomes: Sequence[int]
) -> tuple[tuple[str, ...], Any]:
    """The texts of a sequence of public events from a state, and the state after them."""
    events = list[str]()
    for outcome in outcomes:
        events.append(game.describe_outcome(state, outcome))
        (state,) = call_rules(game, "apply", state, np.int32(outcome))
    return tuple(events), state


def possible_events(game: "Game[Any]", state: Any) -> dict[int, str]:
    """The texts of the possible next events, by outcome; empty at a terminal state."""
    legal = np.flatnonzero(call_rules(game, "legal_outcomes", state)[0])
    return {outcome: game.describe_outcome(state, outcome) for outcome in legal.tolist()}


def _find(possible: dict[int, str], words: list[str]) -> tuple[int | None, int]:
    """The event at the start of `words`, and its number of words; the longest match.

    Texts come first: some look like numbers.
    """
    longest = max(event.count(" ") + 1 for event in possible.values())
    for used in range(min(longest, len(words)), 0, -1):
        text = " ".join(words[:used])
        for outcome, event in possible.items():
            if event == text:
                return outcome, used
    return next((outcome for outcome in possible if str(outcome) == words[0]), None), 1


def _name(number: int, word: str) -> str:
    return f"event {number}, {word!r},"


def _list(possible: dict[int, str]) -> str:
    more = len(possible) - _MOST_NAMED
    listed = ", ".join(list(possible.values())[:_MOST_NAMED])
    return listed + (f" ... and {more} more" if more > 0 else "")
