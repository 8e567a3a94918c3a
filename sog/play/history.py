"""From a position that a user typed to the public state, and the events on the way there."""

import dataclasses
from typing import Any

import jax
import numpy as np

from sog.games import Game
from sog.games.core import TERMINAL
from sog.play import rules


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class History:
    """Public events from the start of a game, or from a position of its own."""

    start: Any
    """The public state where they begin."""
    is_from_root: bool
    outcomes: tuple[int, ...]
    events: tuple[str, ...]
    state: Any
    """The public state after them."""

    @property
    def beginning(self) -> Any | None:
        """Where they begin, if that is no root."""
        return None if self.is_from_root else self.start

    @property
    def path(self) -> np.ndarray:
        """[1, event] int32, as `gtcfr.root.SearchRoot.path`."""
        return np.asarray(self.outcomes, np.int32).reshape(1, -1)


def read_history(game: Game[Any], text: str, *, anywhere: bool = False) -> History:
    """The position that a text names, see `Game.parse`; the game must go on there.

    anywhere: whether it may begin elsewhere than at the root, see `Game.read_position`. Raises
    ValueError that says what is wrong with the text.
    """
    start, events = rules.first_state(game), []
    is_from_root = True
    if anywhere:
        begins, outcomes = game.read_position(text)
        is_from_root = _is_same(begins, start)
        start = start if is_from_root else begins
    else:
        outcomes = game.parse(text)
    state = start
    for outcome in outcomes:
        events.append(game.describe_outcome(state, outcome))
        state = rules.after(game, state, outcome)
    if rules.situation(game, state).actor == TERMINAL:
        raise ValueError(f"the game is over at '{game.describe_state(state)}'.")
    return History(
        start=start,
        is_from_root=is_from_root,
        outcomes=outcomes,
        events=tuple(events),
        state=state,
    )


def _is_same(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


def check_begins_anywhere(game: Game[Any]) -> None:
    """Raises ValueError unless a game can begin at a later state as well as at its root.

    With hidden information who holds what there depends on how both have played, and that no text
    of public events tells; a search finds ranges on its way there.
    """
    if game.num_infostates > 1 or game.has_chance or not game.has_public_actions:
        raise ValueError(
            f"only a game of perfect information can begin at a later state, which {game.name} is "
            f"not."
        )
