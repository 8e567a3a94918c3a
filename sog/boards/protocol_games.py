"""What a game offers to programs of others: moves and positions as UCI and GTP write them.

A game that has these functions can be played through the protocol, whatever it is called: nothing
asks which game it is. All of them run on the host.
"""

from collections.abc import Mapping
from typing import Any, Protocol, cast

from sog.games.core import Game


class UciGame(Protocol):
    """A game as the Universal Chess Interface speaks of it (Huber and Meyer-Kahlen 2000)."""

    @property
    def name(self) -> str:
        """As of `Game`."""

    @property
    def uci_variant(self) -> str:
        """As the option UCI_Variant names it; "chess" for the game that needs no such option."""

    def uci_of_action(self, state: Any, action: int) -> str:
        """A legal action, as "e2e4" or "e7e8q"."""

    def read_action(self, state: Any, text: str) -> int:
        """The legal action of a text as `uci_of_action` writes it, and perhaps of others, too;
        ValueError, in one line, if it is none."""

    def fen(self, state: Any) -> str:
        """The position in Forsyth-Edwards notation."""

    def from_fen(self, text: str) -> Any:
        """The position of a FEN; ValueError, in one line, if it cannot be."""

    def play_on(self, state: Any) -> Any:
        """The same position of a game that goes on, where it was over by a draw that other programs
        leave to the players to claim; else the state itself."""


class GtpGame(Protocol):
    """A game as the Go Text Protocol speaks of it (Farneback 2002, draft 2 of version 2)."""

    @property
    def name(self) -> str:
        """As of `Game`."""

    @property
    def size(self) -> int:
        """Rows of the square board."""

    def vertex_of_action(self, action: int) -> str:
        """A vertex as "D4", or "pass"."""

    def action_of_vertex(self, text: str) -> int:
        """The action of such a text, in letters of either case; ValueError if it is none."""


class SetUpGame(GtpGame, Protocol):
    """A game of GTP that may begin with stones on the board, and where one color may play twice."""

    def stones_of(self, state: Any) -> Mapping[int, int]:
        """By action the player whose stone is there."""

    def set_up(self, stones: Mapping[int, int], first: int) -> Any:
        """The position with such stones and a player to move; ValueError if it cannot be."""

    def with_turn(self, state: Any, player: int) -> Any:
        """The same position, of a game that goes on, where it is a player's turn.

        What was before still counts, as far as the rules ask; no pass does, which could end it. A
        game that is over is resumed.
        """

    @property
    def most_handicap(self) -> int:
        """How many stones of a handicap have fixed points."""

    def handicap(self, number: int) -> tuple[int, ...]:
        """The fixed actions of so many stones that the first player has as a handicap, from 2 on;
        ValueError, in one line, for another number."""


def uci_game(game: Game[Any]) -> UciGame:
    """The game, as one that can be played by UCI; ValueError if it cannot."""
    if not hasattr(game, "uci_variant"):
        raise ValueError(f"{game.name} is no game of UCI, it does not write its moves that way.")
    return cast(UciGame, game)


def gtp_game(game: Game[Any]) -> GtpGame:
    """The game, as one that can be played by GTP; ValueError if it cannot."""
    if not hasattr(game, "action_of_vertex"):
        raise ValueError(f"{game.name} is no game of GTP, it does not write its moves that way.")
    return cast(GtpGame, game)


def set_up_game(game: Game[Any]) -> SetUpGame | None:
    """The game, as one whose boards can be set up by GTP; None if they cannot."""
    return cast(SetUpGame, game) if hasattr(game, "with_turn") else None
