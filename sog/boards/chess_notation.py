"""Notation of chess moves: UCI (e2e4, e7e8q) and SAN (Nf3, exd8=Q+)."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from sog.boards.chess_bits import FILES
from sog.boards.chess_fen import position_of, square_name
from sog.boards.chess_moves import KING_HOME, KING_ROOK, QUEEN_ROOK
from sog.boards.chess_rules import (
    CHECKMATE,
    REPETITION,
    ChessState,
    after,
    is_check,
    legal_actions,
    played_on,
    unclaimed_at,
)
from sog.boards.chess_variant import KING, LETTERS, PAWN, QUEEN, Variant
from sog.kept_programs import HostProgram
from sog.quoting import quoted

_MOST_NAMED: Final = 20
_SAN: Final = re.compile(
    r"(?P<piece>[NBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?[x:-]?(?P<end>[a-h][1-8])"
    r"(?:=?\(?(?P<promotion>[NBRQnbrq])\)?)?"
)
_CASTLING: Final = {"O-O": FILES - 2, "O-O-O": 2}
"""Files that the king castles to."""
_MARKS: Final = "+#!?=~/-\N{MINUS SIGN}±∓∞⩲⩱□↑→⇆⟳⨀"
"""Annotations after a move."""


_legal_actions: Final = HostProgram(legal_actions, static_argnames="variant")
_after: Final = HostProgram(after, static_argnames=("variant", "max_moves"))


class ChessMove(NamedTuple):
    """A move from White's perspective: squares are 8 * rank + file."""

    action: int
    piece: int
    """Its kind, without color."""
    start: int
    end: int
    promotion: int
    """The promotion piece; 0 if there is none."""
    takes: bool

    @property
    def uci(self) -> str:
        """The move in UCI notation."""
        letter = LETTERS[self.promotion].lower() if self.promotion else ""
        return f"{square_name(self.start)}{square_name(self.end)}{letter}"

    @property
    def names(self) -> tuple[str, ...]:
        """Its texts: UCI, the action number, and castling also as king takes rook (Chess960)."""
        if not self.castles:
            return self.uci, str(self.action)
        rook = self.start - KING_HOME + (KING_ROOK if self.end > self.start else QUEEN_ROOK)
        return self.uci, str(self.action), f"{square_name(self.start)}{square_name(rook)}"

    @property
    def castles(self) -> bool:
        """Whether it is castling."""
        return self.piece == KING and abs(self.end - self.start) == 2


def move_of(variant: Variant, state: ChessState, action: int) -> ChessMove:
    """The move of an action."""
    return moves_at(variant, state, [action])[0]


def moves_of(variant: Variant, state: ChessState) -> list[ChessMove]:
    """All legal moves."""
    return moves_at(variant, state, np.flatnonzero(_legal_actions(variant, state)).tolist())


def moves_at(variant: Variant, state: ChessState, actions: Sequence[int]) -> list[ChessMove]:
    """The moves of some actions."""
    position, found = position_of(variant, state), []
    pieces, is_white = position.pieces, position.is_white
    for action in actions:
        cell, plane = divmod(action, variant.num_planes)
        row, file = divmod(cell, variant.columns)
        up, right = variant.deltas[plane].tolist()
        rank = variant.rows - 1 - row
        to_rank, to_file = rank + up, file + right
        if not is_white:
            rank, to_rank = row, variant.rows - 1 - to_rank
        piece = abs(int(pieces[rank, file]))
        becomes = 0
        if piece == PAWN and to_rank in (0, variant.rows - 1):
            becomes = int(variant.promotes_to[plane]) or QUEEN
        on_board = 0 <= to_rank < variant.rows and 0 <= to_file < variant.columns
        taken = on_board and pieces[to_rank, to_file] != 0
        found.append(
            ChessMove(
                action=action,
                piece=piece,
                start=rank * FILES + file,
                end=to_rank * FILES + to_file,
                promotion=becomes,
                takes=bool(taken) or (piece == PAWN and file != to_file),
            )
        )
    return found


def read_move(variant: Variant, state: ChessState, text: str) -> int:
    """The action of a legal move in UCI or SAN, or of its number. Raises ValueError, one line."""
    moves = moves_of(variant, state)
    for move in moves:
        if text in move.names:
            return move.action
    word = text.rstrip(_MARKS).removesuffix("e.p.").rstrip()
    chosen = _matches(variant, moves, word)
    if len(chosen) == 1:
        return chosen[0].action
    names = ", ".join(move.uci for move in (chosen or moves)[:_MOST_NAMED])
    if chosen:
        raise ValueError(f"{quoted(text)} is ambiguous: it may be any of {names}.")
    if not moves:
        raise ValueError(f"{quoted(text)} comes after the end of the game.")
    more = len(moves) - _MOST_NAMED
    rest = f" ... and {more} more" if more > 0 else ""
    raise ValueError(f"{quoted(text)} is not a legal move; possible: {names}{rest}.")


def read_line(
    variant: Variant,
    max_moves: int,
    start: ChessState,
    words: Sequence[str],
    *,
    ends_drawn: bool = False,
) -> tuple[ChessState, tuple[int, ...]]:
    """The actions of a sequence of moves, and the beginning from which they can be played.

    The beginning differs from `start` if the game continued where a player could have claimed a
    draw. ends_drawn: whether a claimable draw in the last position ends the game. Raises
    ValueError, one line, that names the move.
    """
    state, actions, unclaimed = start, list[int](), list[int]()
    for number in range(len(words) + 1):
        if int(state.ending) >= REPETITION and not (ends_drawn and number == len(words)):
            unclaimed.append(int(state.num_moves))
            state = played_on(state)
        if number < len(words):
            try:
                actions.append(read_move(variant, state, words[number]))
            except ValueError as error:
                raise ValueError(f"move {move_number(state)} {error}") from None
            state = _after(variant, max_moves, state, np.int32(actions[-1]))
    return unclaimed_at(start, unclaimed), tuple(actions)


def move_number(state: ChessState) -> str:
    """The number before a move: 1. for White, 1... for Black."""
    num_moves = int(state.num_moves)
    return f"{num_moves // 2 + 1}{'...' if num_moves % 2 else '.'}"


def _matches(variant: Variant, moves: Sequence[ChessMove], text: str) -> list[ChessMove]:
    """The moves that a text in SAN may mean."""
    castling = text.replace("0", "O")
    if castling in _CASTLING:
        file = _CASTLING[castling]
        return [move for move in moves if move.castles and move.end % FILES == file]
    found = _SAN.fullmatch(text)
    if found is None:
        return []
    piece = LETTERS.index(found["piece"] or LETTERS[PAWN])
    promotion = LETTERS.index(found["promotion"].upper()) if found["promotion"] else 0
    return [
        move
        for move in moves
        if move.piece == piece
        and square_name(move.end) == found["end"]
        and square_name(move.start)[0] == (found["file"] or square_name(move.start)[0])
        and square_name(move.start)[1] == (found["rank"] or square_name(move.start)[1])
        and move.promotion == promotion
        and not move.castles
    ]


def write_san(variant: Variant, max_moves: int, state: ChessState, action: int) -> str:
    """A legal move in SAN, disambiguated as needed, with + or #."""
    moves = moves_of(variant, state)
    move = next(move for move in moves if move.action == action)
    then = _after(variant, max_moves, state, np.int32(action))
    mark = ""
    if int(then.ending) == CHECKMATE:
        mark = "#"
    elif is_check(variant, then.boards[0]):
        mark = "+"
    if move.castles:
        return ("O-O" if move.end > move.start else "O-O-O") + mark
    start, end = square_name(move.start), square_name(move.end)
    takes = "x" if move.takes else ""
    if move.piece == PAWN:
        becomes = f"={LETTERS[move.promotion]}" if move.promotion else ""
        return f"{start[0] if takes else ''}{takes}{end}{becomes}{mark}"
    rivals = [
        square_name(other.start)
        for other in moves
        if other.piece == move.piece and other.end == move.end and other.start != move.start
    ]
    origin = ""
    if rivals:
        if all(rival[0] != start[0] for rival in rivals):
            origin = start[0]
        elif all(rival[1] != start[1] for rival in rivals):
            origin = start[1]
        else:
            origin = start
    return f"{LETTERS[move.piece]}{origin}{takes}{end}{mark}"
