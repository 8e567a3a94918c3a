"""Chess, and chess on smaller boards: Gardner's on 5 x 5 (1969), and Los Alamos chess (1956).

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
"""The most moves of a position that a search considers; few positions have more."""
_COLORS: Final = ("White", "Black")
_ENDINGS: Final = {
    rules.STALEMATE: "stalemate",
    rules.TOO_FEW_PIECES: "insufficient material",
    rules.FIFTH_TIME: "fivefold repetition",
    rules.SEVENTY_FIVE_MOVES: "seventy-five moves without a capture or pawn move",
    rules.REPETITION: "threefold repetition",
    rules.QUIET_MOVES: "fifty moves without a capture or pawn move",
    rules.LENGTH: "max_moves half-moves played",
}
_RULES: Final = """\
The players move in turn, White first; checkmate wins. A move is written in UCI (its two squares,
e2e4, with the promotion piece, e7e8q) or in SAN: Nf3, exd8=Q. A game is drawn, without a claim, by
stalemate, threefold repetition, fifty moves of both players without a capture or pawn move,
insufficient material, or max_moves half-moves from where the game began. A game read from a file
may continue where a player would have had to claim the draw."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnyChess(PerfectInformationGame[ChessState], abc.ABC):
    """A chess variant; player 0 is White. An action is a move as `chess_variant` numbers it.

    Events are written in UCI; SAN and PGN can also be read, and positions as FEN.
    """

    variant: ClassVar[Variant]
    uci_variant: ClassVar[str]
    """Its name in the engine option UCI_Variant."""

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

    # Notation.

    def from_fen(self, text: str) -> ChessState:
        """A game that begins with a position, without a history.

        Raises ValueError, one line, for an invalid FEN or an impossible position.
        """
        return state_of(self.variant, read_fen(self.variant, text), self.max_moves)

    def fen(self, state: ChessState) -> str:
        """A state as FEN, with the en passant square only where a capture is legal."""
        return write_fen(position_of(self.variant, state))

    def uci_of_action(self, state: ChessState, action: int) -> str:
        """A legal move in UCI."""
        return move_of(self.variant, state, action).uci

    def read_action(self, state: ChessState, text: str) -> int:
        """A legal move from UCI or SAN; raises ValueError, one line, for any other text."""
        return read_move(self.variant, state, text)

    def parse(self, text: str) -> tuple[int, ...]:
        """Moves in UCI or SAN, e2e4 or Nf3, or the numbers of actions; or a PGN."""
        state, actions = self.read_position(text)
        if self.fen(state) != self.fen(_first_state(self.variant, self.max_moves)):
            raise ValueError(f"a list of events cannot begin at {self.fen(state)!r}.")
        return actions

    def read_position(self, text: str) -> tuple[ChessState, tuple[int, ...]]:
        """Also reads a FEN, with moves after the word "moves" as in UCI; or an EPD.

        A game may continue where a player could have claimed a draw, see `read_line`.
        """
        if is_pgn(text):
            record = read_game(self, text)
            return record.start, record.actions
        if looks_like_fen(text):
            fen, _, moves = (text, "", "") if ";" in text else text.partition(" moves ")
            start = self.from_fen(fen)
        else:
            start, moves = _first_state(self.variant, self.max_moves), text
        return read_line(self.variant, self.max_moves, start, split_events(moves))

    def play_on(self, state: ChessState) -> ChessState:
        """The position with the game continued, if only a claimable draw or max_moves ended it;
        else the state itself."""
        return rules.played_on(state)

    def pgn(
        self,
        actions: Sequence[int],
        *,
        names: tuple[str, str] = ("?", "?"),
        result: str = "",
        start: ChessState | None = None,
    ) -> str:
        """A game from the root, or from a position, as PGN.

        names: of White and of Black. result: such as "1-0", if it does not follow from the board.
        start: the position; None for the root.
        """
        tags = {"White": names[0], "Black": names[1], **({"Result": result} if result else {})}
        return write_game(self, actions, tags=tags, start=start)

    def ending(self, state: ChessState) -> str:
        """How a game ended, for people; empty while it is in progress."""
        if int(state.ending) == rules.GOES_ON:
            return ""
        if int(state.ending) == rules.CHECKMATE:
            return f"checkmate, {_COLORS[1 - int(state.num_moves) % 2]} has won"
        reason = _ENDINGS[int(state.ending)].replace("max_moves", f"{self.max_moves}")
        return f"draw, {reason}"

    def describe_seat(self, player: int) -> str:
        return f"your pieces are {_COLORS[player]}'s"

    def describe_state(self, state: ChessState) -> str:
        """The FEN, and how the game ended."""
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
        """The board from White's side, White's pieces in capitals, and the player to move."""
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
    """Cached as NumPy arrays, so that programs embed it as constants."""
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
    """Gardner's minichess on 5 x 5."""

    name = "gardner_chess"
    summary = "Chess on a board of 5 x 5, small enough to learn on two cores"
    rules = f"""\
Chess on a board of 5 x 5 by Gardner: no castling, and pawns go one step at a time.
{_RULES}"""
    variant = GARDNER
    uci_variant = "gardner"


class LosAlamosChess(AnyChess):
    """The chess variant that a computer played first."""

    name = "los_alamos_chess"
    summary = "Chess without bishops on a board of 6 x 6, the first that a computer played"
    rules = f"""\
Chess on a board of 6 x 6: no bishops, no castling, and pawns go one step at a time.
{_RULES}"""
    variant = LOS_ALAMOS
    uci_variant = "losalamos"
