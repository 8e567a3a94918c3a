"""Chess, and chess on smaller boards: Gardner's of 5 x 5 (1969), and that of Los Alamos (1956).

Gardner chess is a draw with best play (Mhalla and Prost 2013, arXiv 1307.7118).
"""

import abc
import dataclasses
import functools
from collections.abc import Sequence
from typing import ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards import chess_rules as rules
from sog.boards.chess_fen import (
    looks_like_fen,
    piece_letter,
    position_of,
    read_fen,
    start_position,
    state_of,
    write_fen,
)
from sog.boards.chess_notation import move_of, read_line, read_move
from sog.boards.chess_planes import num_channels, observe
from sog.boards.chess_rules import ChessState
from sog.boards.chess_variant import CHESS, GARDNER, LOS_ALAMOS, Variant
from sog.boards.chess_view import view
from sog.boards.pgn import is_pgn, read_game, write_game
from sog.boards.views import SquaresView
from sog.games.core import TERMINAL, param
from sog.games.encoding import Moves, Planes
from sog.games.notation import split_events
from sog.games.perfect_information import PerfectInformationGame
from sog.games.shown import Seen

_MOST_SEARCHED: Final = 64
"""Moves of a position that a search considers; more are legal in few positions."""
_COLORS: Final = ("White", "Black")
_ENDINGS: Final = {
    rules.STALEMATE: "stalemate",
    rules.TOO_FEW_PIECES: "too few pieces to mate",
    rules.FIFTH_TIME: "the same position for the fifth time",
    rules.SEVENTY_FIVE_MOVES: "seventy-five moves without a capture or a pawn's move",
    rules.REPETITION: "the same position for the third time",
    rules.QUIET_MOVES: "fifty moves without a capture or a pawn's move",
    rules.LENGTH: "max_moves half-moves without an end",
}
_RULES: Final = """\
The players move in turn, White first; who mates the other's king wins. A move is written as the
squares from and to, e2e4, with what a pawn becomes, e7e8q, or as in books: Nf3, exd8=Q. These
end a game as a draw without being claimed: stalemate, the third time of a position, fifty moves
of both without a capture or a pawn's move, too few pieces to mate, and max_moves half-moves from
where the game began. A game that is read may go on where a player had to claim the draw."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnyChess(PerfectInformationGame[ChessState], abc.ABC):
    """Chess of some variant; player 0 is White. An action is a move as `chess_variant` numbers it.

    Texts name events in UCI; what is read may also be in SAN or PGN, and begin with a FEN.
    """

    variant: ClassVar[Variant]
    uci_variant: ClassVar[str]
    """What engines call it, in the option UCI_Variant."""

    max_moves: int = param(
        512, "half-moves after which a game is a draw", minimum=1, maximum=10_000
    )

    @property
    def num_actions(self) -> int:
        return self.variant.num_cells * self.variant.num_planes

    @property
    def num_searched_actions(self) -> int:
        return min(_MOST_SEARCHED, self.num_actions)

    @property
    def num_decision_outcomes(self) -> int:
        return self.variant.most_moves

    @property
    def max_depth(self) -> int:
        return self.max_moves

    def root(self) -> ChessState:
        first: ChessState = jax.tree.map(jnp.asarray, _first_state(self.variant, self.max_moves))
        return first

    def actor(self, state: ChessState) -> Array:
        player = (state.num_moves % 2).astype(jnp.int32)
        return jnp.where(state.ending == rules.GOES_ON, player, TERMINAL)

    def legal_outcomes(self, state: ChessState) -> Array:
        legal: Array = rules.legal_actions(self.variant, state)
        return legal

    def apply(self, state: ChessState, outcome: Array) -> ChessState:
        later: ChessState = rules.after(self.variant, self.max_moves, state, outcome)
        return later

    def result(self, state: ChessState) -> Array:
        for_mated = jnp.where(state.num_moves % 2 == 0, -1.0, 1.0)
        return jnp.where(state.ending == rules.CHECKMATE, for_mated, 0.0).astype(jnp.float32)

    @property
    def encoding(self) -> Planes:
        return Planes(
            channels=num_channels(self.variant),
            rows=self.variant.rows,
            columns=self.variant.columns,
            moves=Moves(planes=self.variant.num_planes),
        )

    def observe(self, state: ChessState) -> Array:
        return observe(self.variant, self.max_moves, state)

    # Positions and moves as people and other programs write them.

    def from_fen(self, text: str) -> ChessState:
        """A game that begins with a position; of what was before it nothing is known.

        Raises ValueError, one line, for what is no FEN or cannot be.
        """
        return state_of(self.variant, read_fen(self.variant, text), self.max_moves)

    def fen(self, state: ChessState) -> str:
        """A state as FEN; the square en passant is in it where taking there is legal."""
        return write_fen(position_of(self.variant, state))

    def uci_of_action(self, state: ChessState, action: int) -> str:
        """A legal move as engines write it."""
        return move_of(self.variant, state, action).uci

    def read_action(self, state: ChessState, text: str) -> int:
        """A legal move from UCI or SAN; raises ValueError, one line, if it is none."""
        return read_move(self.variant, state, text)

    def parse(self, text: str) -> tuple[int, ...]:
        """Moves in UCI or SAN, e2e4 or Nf3, or the numbers of actions; or a PGN."""
        state, actions = self.read_position(text)
        if self.fen(state) != self.fen(self.root()):
            raise ValueError(f"no events lead to {self.fen(state)!r}, where this begins.")
        return actions

    def read_position(self, text: str) -> tuple[ChessState, tuple[int, ...]]:
        """Also a FEN, with moves after it if the word "moves" is between, as in UCI; or an EPD.

        A game may go on where a player could have claimed a draw, see `read_line`.
        """
        if is_pgn(text):
            record = read_game(self, text)
            return record.start, record.actions
        start, moves = self.root(), text
        if looks_like_fen(text):
            fen, _, moves = (text, "", "") if ";" in text else text.partition(" moves ")
            start = self.from_fen(fen)
        return read_line(self.variant, self.max_moves, start, split_events(moves))

    def play_on(self, state: ChessState) -> ChessState:
        """The same position of a game that goes on, if only a draw that a player can claim, or
        max_moves, has ended it here; else the state itself."""
        return rules.played_on(state)

    def pgn(
        self,
        actions: Sequence[int],
        *,
        names: tuple[str, str] = ("?", "?"),
        result: str = "",
        start: ChessState | None = None,
    ) -> str:
        """A game from its beginning, or from a position, as PGN.

        names: of White and of Black. result: as "1-0", where it is not what the board says. start:
        the position, None for that of a game.
        """
        tags = {"White": names[0], "Black": names[1], **({"Result": result} if result else {})}
        return write_game(self, actions, tags=tags, start=start)

    def ending(self, state: ChessState) -> str:
        """How a game has ended, for people; empty while it goes on."""
        if int(state.ending) == rules.GOES_ON:
            return ""
        if int(state.ending) == rules.CHECKMATE:
            return f"checkmate, {_COLORS[1 - int(state.num_moves) % 2]} has won"
        reason = _ENDINGS[int(state.ending)].replace("max_moves", f"{self.max_moves}")
        return f"draw, {reason}"

    def describe_seat(self, player: int) -> str:
        return f"your pieces are {_COLORS[player]}'s"

    def describe_state(self, state: ChessState) -> str:
        """The FEN, and how the game has ended."""
        ending = self.ending(state)
        return f"{self.fen(state)} ({ending})" if ending else self.fen(state)

    def describe_action(self, state: ChessState, infostate: int, action: int) -> str:
        return self.uci_of_action(state, action)

    def view(
        self,
        state: ChessState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> SquaresView:
        return view(
            self.variant,
            state,
            title=self.describe_state(state),
            status=self._status(state),
            choices=choices,
            from_black=infostates[0] is None and infostates[1] is not None,
        )

    def draw(self, state: ChessState, ranges: np.ndarray | None = None) -> str:
        """The board as White sees it, White's pieces in large letters, and who is to move."""
        position = position_of(self.variant, state)
        files = " ".join("abcdefgh"[: self.variant.columns])
        lines = [
            f"{rank + 1} {' '.join(piece_letter(int(piece)) for piece in row)}"
            for rank, row in reversed(list(enumerate(position.pieces)))
        ]
        return "\n".join([*lines, f"  {files}", self._status(state)])

    def _status(self, state: ChessState) -> str:
        return self.ending(state) or f"{_COLORS[int(state.num_moves) % 2]} to move"


@functools.cache
def _first_state(variant: Variant, max_moves: int) -> ChessState:
    """Of NumPy arrays: what asks for it in a program gets constants, and not how they are found."""
    with jax.ensure_compile_time_eval():
        state = state_of(variant, start_position(variant), max_moves)
        first: ChessState = jax.tree.map(np.asarray, state)
    return first


class Chess(AnyChess):
    """Chess."""

    name = "chess"
    summary = "Chess, with every rule of the game"
    rules = _RULES
    variant = CHESS
    uci_variant = "chess"


class GardnerChess(AnyChess):
    """Gardner's chess: the king's side without its knight's and bishop's file, on 5 x 5."""

    name = "gardner_chess"
    summary = "Chess on a board of 5 x 5, small enough to learn on two cores"
    rules = f"""\
Chess on a board of 5 x 5 by Gardner: no castling, and pawns go one step at a time.
{_RULES}"""
    variant = GARDNER
    uci_variant = "gardner"


class LosAlamosChess(AnyChess):
    """The chess that a computer first played."""

    name = "los_alamos_chess"
    summary = "Chess without bishops on a board of 6 x 6, the first that a computer played"
    rules = f"""\
Chess on a board of 6 x 6: no bishops, no castling, and pawns go one step at a time.
{_RULES}"""
    variant = LOS_ALAMOS
    uci_variant = "losalamos"
