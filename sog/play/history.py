"""Reads positions that users type: the public state, and the events that lead there."""

import dataclasses
from typing import Any, Final

import jax
import numpy as np

from sog.games import Game
from sog.games.core import TERMINAL
from sog.games.notation import describe_path
from sog.play import rules


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Beginning:
    """A custom position at which a game begins instead of its root."""

    text: str
    """The text for `Game.read_position`, perhaps with public events after it."""
    state: Any
    """The public state."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Opening:
    """How a game begins."""

    beginning: Beginning | None = None
    """None for the root."""
    outcomes: tuple[int, ...] = ()
    """The public events after it; with perfect information also the actions."""

    @property
    def start(self) -> Any | None:
        """The public state where it begins; None for the root."""
        return None if self.beginning is None else self.beginning.state


AT_THE_ROOT: Final = Opening()


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class History(Opening):
    """Public events from an opening's beginning, with their texts and the state after them."""

    events: tuple[str, ...]
    state: Any
    """The public state after them."""

    @property
    def path(self) -> np.ndarray:
        """[1, event] int32, for `gtcfr.root.SearchRoot.path`."""
        return np.asarray(self.outcomes, np.int32).reshape(1, -1)


def read_history(
    game: Game[Any], text: str, *, anywhere: bool = False, may_be_over: bool = False
) -> History:
    """Reads a position, see `Game.parse`; it must not be terminal unless it may_be_over.

    anywhere: whether the game may begin at a custom position, see `Game.read_position`. Raises
    ValueError for an invalid text.
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


def state_at_beginning(game: Game[Any], beginning: Beginning | None) -> Any:
    """The public state that a game begins with."""
    return rules.first_state(game) if beginning is None else beginning.state


def read_beginning(game: Game[Any], text: str) -> Beginning:
    """Reads where the game of a file begins. Raises ValueError for the start of the game."""
    beginning = read_opening(game, text).beginning
    if beginning is None:
        raise ValueError("it must be a later position, got the start of the game.")
    return beginning


def read_opening(game: Game[Any], text: str) -> Opening:
    """Reads how a game begins, perhaps to its end. Raises ValueError."""
    begins, outcomes = game.read_position(text)
    if begins is None or _is_same(begins, rules.first_state(game)):
        return Opening(outcomes=outcomes)
    check_begins_anywhere(game)
    beginning = Beginning(text=text, state=jax.device_get(begins))
    return Opening(beginning=beginning, outcomes=outcomes)


def _is_same(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


def check_begins_anywhere(game: Game[Any]) -> None:
    """Raises ValueError unless the game can begin at any state, which needs perfect information.

    With hidden information, ranges at a later state depend on both policies on the way there.
    """
    if game.hides_information or game.has_chance or not game.has_public_actions:
        raise ValueError(
            f"only a game of perfect information can begin at a later state, {game.name} is not "
            f"one: ranges there depend on how both players got there. Search after these events "
            f"instead."
        )
