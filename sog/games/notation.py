"""From a text that a person wrote to the public events that it names."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import jax.numpy as jnp
import numpy as np

if TYPE_CHECKING:
    from sog.games.core import Game

_MOST_NAMED: Final = 20


def split_events(text: str) -> list[str]:
    """Words as for a shell, so that an event of several words is quoted. ValueError if unclosed."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}.") from None


def read_events(game: "Game[Any]", words: Sequence[str]) -> tuple[int, ...]:
    """The outcomes of events from the root, each by its text or its number.

    Raises ValueError that names the event and what is possible where it stands.
    """
    state, outcomes = game.root(), []
    for number, word in enumerate(words, start=1):
        possible = possible_events(game, state)
        if not possible:
            raise ValueError(f"{_name(number, word)} comes after the end of the game.")
        outcome = _find(possible, word)
        if outcome is None:
            raise ValueError(
                f"{_name(number, word)} cannot happen at "
                f"'{game.describe_state(state)}'; possible there: {_list(possible)}."
            )
        outcomes.append(outcome)
        state = game.apply(state, jnp.int32(outcome))
    return tuple(outcomes)


def possible_events(game: "Game[Any]", state: Any) -> dict[int, str]:
    """The texts of the events that may follow, by outcome; empty at the end of the game."""
    legal = np.flatnonzero(game.legal_outcomes(state))
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
