"""What a game shows people: texts, boards and maps; runs on the host.

Half of the contract; `sog.games.core` is the other half, and explains its words.
"""

import abc
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

import numpy as np

from sog.games.views import View

State = TypeVar("State")
Seen = tuple[int | None, int | None]
"""Infostates of both players, None for one that is not to be seen."""


class Shown(abc.ABC, Generic[State]):
    """How public states, infostates, actions and outcomes are told to people."""

    name: ClassVar[str]
    """The name used on the command line."""
    counts_actions: ClassVar[bool] = False
    """Whether people call an action by its number, from 1, as a column of a board."""

    @property
    def no_picture(self) -> str:
        """Why `view` shows nothing, for whoever asks for a picture."""
        return f"there is no picture of {self.name}, only text."

    def view(
        self,
        state: State,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> View | None:
        """What a picture of a public state shows; None for a game without pictures.

        infostates: what of them may be seen. choices: legal actions of the one to be seen, which a
        page may let one click. ranges: as for `draw`.
        """
        return None

    def describe_seat(self, player: int) -> str:
        """What sets a player apart on the board, as "your stones are X"; empty if nothing does."""
        return ""

    @abc.abstractmethod
    def describe_state(self, state: State) -> str:
        """A public state in one line."""

    def draw(self, state: State, ranges: np.ndarray | None = None) -> str:
        """A public state as those who play want to see it: a board, a map, what is left to whom.

        ranges: [2, S], each player's range given what is public, where a search has found it.
        Several lines of at most 76 letters where they will do; here, without a board, the
        description.
        """
        return self.describe_state(state)

    @abc.abstractmethod
    def describe_infostate(self, state: State, player: int, infostate: int) -> str:
        """What one infostate of a player means at this public state."""

    def draw_infostate(self, state: State, player: int, infostate: int) -> str:
        """An infostate as its player wants to see it, beside what `draw` shows to everybody.

        Several lines where it is a board of his own; here the description. Nothing may be in it
        that differs between worlds of the infostate.
        """
        return self.describe_infostate(state, player, infostate)

    def describe_kind(self, state: State, player: int, infostate: int) -> str:
        """What people call infostates that differ by a mere name, as "Q" for both queens."""
        return self.describe_infostate(state, player, infostate)

    @abc.abstractmethod
    def describe_action(self, state: State, infostate: int, action: int) -> str:
        """A legal action of the acting player."""

    @abc.abstractmethod
    def describe_outcome(self, state: State, outcome: int) -> str:
        """A public event that may follow this state."""
