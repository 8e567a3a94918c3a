"""How a game is displayed: texts, boards and maps; runs on the host.

Half of the contract; `sog.games.core` is the other half, with the glossary.
"""

import abc
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

import numpy as np

from sog.games.views import View

State = TypeVar("State")
Seen = tuple[int | None, int | None]
"""Infostates of both players, None for a hidden one."""


class Shown(abc.ABC, Generic[State]):
    """Texts and pictures of public states, infostates, actions and outcomes."""

    name: ClassVar[str]
    """The name used on the command line."""
    counts_actions: ClassVar[bool] = False
    """Whether players call an action by its number, from 1, as a column of a board."""

    @property
    def no_picture(self) -> str:
        """The reason why `view` returns None, for users."""
        return f"there is no picture of {self.name}, only text."

    def view(
        self,
        state: State,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> View | None:
        """The data of a public state's picture; None for a game without pictures.

        infostates: the visible ones. choices: legal actions of the visible player, for a page to
        make clickable. ranges: as for `draw`.
        """
        return None

    def describe_seat(self, player: int) -> str:
        """A player's marks on the board, as "your stones are X"; empty if there are none."""
        return ""

    @abc.abstractmethod
    def describe_state(self, state: State) -> str:
        """A public state in one line."""

    def draw(self, state: State, ranges: np.ndarray | None = None) -> str:
        """A public state as players want to see it: a board, a map, remaining cards.

        ranges: [2, S], each player's range given the public state, if a search has found it. Lines
        of at most 76 characters if possible; here, without a board, the description.
        """
        return self.describe_state(state)

    @abc.abstractmethod
    def describe_infostate(self, state: State, player: int, infostate: int) -> str:
        """One infostate of a player at this public state."""

    def draw_infostate(self, state: State, player: int, infostate: int) -> str:
        """An infostate as its player wants to see it, in addition to `draw`.

        Several lines for a board of the player's own; here the description. It must not differ
        between worlds of the infostate.
        """
        return self.describe_infostate(state, player, infostate)

    def describe_kind(self, state: State, player: int, infostate: int) -> str:
        """The common name of equivalent infostates, as "Q" for both queens."""
        return self.describe_infostate(state, player, infostate)

    @abc.abstractmethod
    def describe_action(self, state: State, infostate: int, action: int) -> str:
        """A legal action of the acting player."""

    @abc.abstractmethod
    def describe_outcome(self, state: State, outcome: int) -> str:
        """A public event that may follow this state."""
