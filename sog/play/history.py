"""From a position that a user typed to the public state, and the events on the way there."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import jax
import numpy as np

from sog.games import Game
from sog.games.core import TERMINAL
from sog.play import rules


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Beginning:
    """A position of its own, where a game begins instead of at its root."""

    text: str
    """What it was read from by `Game.read_position`, perhaps with public events after it."""
    state: Any
    """The public state."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Opening:
    """How a game begins, whoever plays it."""

    beginning: Beginning | None = None
    """None for the root."""
    outcomes: tuple[int, ...] = ()
    """The public events after it; with perfect information they are the actions, too."""

    @property
    def start(self) -> Any | None:
        """The public state where it begins, if that is no root."""
        return None if self.beginning is None else self.beginning.state


AT_THE_ROOT: Final = Opening()


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class History(Opening):
    """Public events from the start of a game, or from a position of its own, and what they say."""

    events: tuple[str, ...]
    state: Any
    """The public state after them."""

    @property
    def path(self) -> np.ndarray:
        """[1, event] int32, as `gtcfr.root.SearchRoot.path`."""
        return np.asarray(self.outcomes, np.int32).reshape(1, -1)


def read_history(
    game: Game[Any], text: str, *, anywhere: bool = False, may_be_over: bool = False
) -> History:
    """The position that a text names, see `Game.parse`; the game must go on there, unless it
    may_be_over.

    anywhere: whether it may begin elsewhere than at the root, see `Game.read_position`. Raises
    ValueError that says what is wrong with the text.
    """
    opening = read_opening(game, text) if anywhere else Opening(outcomes=game.parse(text))
    began = state_at_beginning(game, opening.beginning)
    events, state = describe_path(game, began, opening.outcomes)
    if not may_be_over and rules.situation(game, state).actor == TERMINAL:
        raise ValueError(f"the game is over at '{game.describe_state(state)}'.")
    return History(
        beginning=opening.beginning,
        outcomes=opening.outcomes,
        events=events,
        state=state,
    )


def describe_path(
    game: Game[Any], state: Any, outcomes: Sequence[int]
) -> tuple[tuple[str, ...], Any]:
    """The texts of public events that follow a state one after the other, and the state then."""
    events = list[str]()
    for outcome in outcomes:
        events.append(game.describe_outcome(state, outcome))
        state = rules.after(game, state, outcome)
    return tuple(events), state


def state_at_beginning(game: Game[Any], beginning: Beginning | None) -> Any:
    """The public state that a game begins with."""
    return rules.first_state(game) if beginning is None else beginning.state


def read_beginning(game: Game[Any], text: str) -> Beginning:
    """Where a game of a file begins. Raises ValueError for a text that names no such position."""
    beginning = read_opening(game, text).beginning
    if beginning is None:
        raise ValueError("it is said to begin elsewhere, and begins at the start.")
    return beginning


def read_opening(game: Game[Any], text: str) -> Opening:
    """What a text says of how a game begins, which may be all of it. Raises ValueError."""
    begins, outcomes = game.read_position(text)
    if _is_same(begins, rules.first_state(game)):
        return Opening(outcomes=outcomes)
    check_begins_anywhere(game)
    beginning = Beginning(text=text, state=jax.device_get(begins))
    return Opening(beginning=beginning, outcomes=outcomes)


def _is_same(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


def check_begins_anywhere(game: Game[Any]) -> None:
    """Raises ValueError unless a game can begin at a later state as well as at its root.

    With hidden information who holds what there depends on how both have played, and that no text
    of public events tells; a search finds ranges on its way there.
    """
    if game.hides_information or game.has_chance or not game.has_public_actions:
        raise ValueError(
            f"only a game of perfect information can begin at a later state, which {game.name} is "
            f"not: who holds what there depends on how both have played; a search after these "
            f"events finds ranges there."
        )
