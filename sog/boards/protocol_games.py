"""Interfaces of games that can be played by UCI and GTP: moves and positions as these write them.

A game that has these methods can be played by the protocol; nothing depends on its name. All run on
the host.
"""

from collections.abc import Mapping
from typing import Any, Protocol, cast

from sog.games.core import Game


class UciGame(Protocol):
    """A game for the Universal Chess Interface (Huber and Meyer-Kahlen 2000)."""

    @property
    def name(self) -> str:
        """As of `Game`."""

    @property
    def uci_variant(self) -> str:
        """The value of the option UCI_Variant; "chess" needs no such option."""

    def uci_of_action(self, state: Any, action: int) -> str:
        """A legal action, as "e2e4" or "e7e8q"."""

    def read_action(self, state: Any, text: str) -> int:
        """The legal action of a text as `uci_of_action` writes it, perhaps of other notations too;
        ValueError, one line, for any other text."""

    def fen(self, state: Any) -> str:
        """The position in Forsyth-Edwards notation."""

    def from_fen(self, text: str) -> Any:
        """The position of a FEN; ValueError, one line, if it is invalid."""

    def play_on(self, state: Any) -> Any:
        """The position with the game continued, if it ended by a draw that other programs leave to
        the players to claim; else the state itself."""


class GtpGame(Protocol):
    """A game for the Go Text Protocol (Farneback 2002, draft 2 of version 2)."""

    @property
    def name(self) -> str:
        """As of `Game`."""

    @property
    def size(self) -> int:
        """Rows of the square board."""

    def vertex_of_action(self, action: int) -> str:
        """A vertex as "D4", or "pass"."""

    def action_of_vertex(self, text: str) -> int:
        """The action of a vertex in either case; ValueError for any other text."""


class SetUpGame(GtpGame, Protocol):
    """A game that may begin with stones on the board, and where a color may play twice in a row."""

    def stones_of(self, state: Any) -> Mapping[int, int]:
        """The owner of each stone, by action."""

    def set_up(self, stones: Mapping[int, int], first: int) -> Any:
        """The position with these stones and a player to move; ValueError if it is illegal."""

    def with_turn(self, state: Any, player: int) -> Any:
        """The position with the given player to move; a finished game is resumed.

        The history still counts for ko, but earlier passes no longer bring the end nearer.
        """

    @property
    def most_handicap(self) -> int:
        """The largest handicap with fixed points."""

    def handicap(self, number: int) -> tuple[int, ...]:
        """The fixed points of the first player's handicap of so many stones, from 2 on;
        ValueError, one line, for another number."""


def uci_game(game: Game[Any]) -> UciGame:
    """The game, if it can be played by UCI; else ValueError."""
    if not hasattr(game, "uci_variant"):
        raise ValueError(f"{game.name} cannot be played by UCI: it does not write moves that way.")
    return cast(UciGame, game)


def gtp_game(game: Game[Any]) -> GtpGame:
    """The game, if it can be played by GTP; else ValueError."""
    if not hasattr(game, "action_of_vertex"):
        raise ValueError(f"{game.name} cannot be played by GTP: it does not write moves that way.")
    return cast(GtpGame, game)


def set_up_game(game: Game[Any]) -> SetUpGame | None:
    """The game, if its board can be set up by GTP; else None."""
    return cast(SetUpGame, game) if hasattr(game, "with_turn") else None
