"""Positions of chess as FEN, for the standard board and smaller ones; runs on the host."""

import collections
import dataclasses
import re
from typing import Final

import numpy as np
from jax import Array

from sog.boards.chess_bits import FILES, Bits, constant
from sog.boards.chess_moves import (
    KING_HOME,
    KING_ROOK,
    NUM_BOARD_PLANES,
    OWN,
    QUEEN_ROOK,
)
from sog.boards.chess_rules import (
    HASH_BYTES,
    MOST_QUIET,
    NO_SQUARE,
    NUM_BOARDS,
    ChessState,
    arrived_on_host,
    is_check,
)
from sog.boards.chess_variant import KING, LETTERS, PAWN, ROOK, Variant
from sog.boards.stones import write_counted
from sog.quoting import quoted

_RIGHTS: Final = "KQkq"
_BY_FILES: Final = str.maketrans("HAha", _RIGHTS)
"""Shredder-FEN names castling rights by the files of the rooks."""
_MOST_COUNTED: Final = 9999
_COUNTERS: Final = re.compile(r"\b(hmvc|fmvn)\s+(\d+)\s*;")
"""EPD's opcodes for the last two fields of a FEN."""
_NONE: Final = "-"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class FenPosition:
    """The content of a FEN; White's pieces are positive, ranks and files are counted from 0."""

    pieces: np.ndarray  # int[rank, file]: kinds as in `chess_variant`, Black's negative, 0 empty
    is_white: bool
    """Whether White is to move."""
    castling: str
    """Some of KQkq, in this order."""
    en_passant: int | None
    """The en passant square, 8 * rank + file."""
    num_quiet: int
    num_moves: int
    """Half-moves from the beginning of the game, by the move number."""


def position_of(variant: Variant, state: ChessState) -> FenPosition:
    """The position of a state."""
    is_white = int(state.num_moves) % 2 == 0
    castling, square = int(state.castling), int(state.en_passant)
    if not is_white:
        castling = (castling & 3) << 2 | castling >> 2
    has_square = square != NO_SQUARE
    return FenPosition(
        pieces=pieces_on(variant, state.boards[0], is_white),
        is_white=is_white,
        castling="".join(_RIGHTS[right] for right in range(4) if castling >> right & 1),
        en_passant=_seen_by(variant, is_white, square) if has_square else None,
        num_quiet=int(state.num_quiet),
        num_moves=int(state.num_moves),
    )


def pieces_on(variant: Variant, board: Array, is_white: bool) -> np.ndarray:
    """int[rank, file] as in `FenPosition`; board: [word, plane], as seen by White or by Black."""
    planes = _bits(np.asarray(board))  # [plane, rank, file]
    kinds = sum(planes[plane].astype(int) << plane for plane in range(OWN))
    pieces = np.where(planes[OWN], kinds, -kinds)[: variant.rows, : variant.columns]
    return np.asarray(pieces if is_white else -pieces[::-1])


def state_of(variant: Variant, position: FenPosition, max_moves: int) -> ChessState:
    """A game that begins with a position, without a history."""
    rights = [_RIGHTS.index(letter) for letter in position.castling]
    castling = sum(1 << right for right in rights)
    if not position.is_white:
        castling = (castling & 3) << 2 | castling >> 2
    square = NO_SQUARE
    if position.en_passant is not None:
        square = _seen_by(variant, position.is_white, position.en_passant)
    board = _board(variant, position.pieces, position.is_white)
    # NumPy: each operation of jnp would be a program.
    boards = np.zeros((NUM_BOARDS, *board.shape), np.uint32)
    boards[0] = board
    state: ChessState = arrived_on_host(
        variant,
        max_moves,
        boards=boards,
        repeats=np.zeros(NUM_BOARDS - 1, np.uint8),
        hashes=np.zeros((MOST_QUIET, HASH_BYTES), np.uint8),
        castling=np.uint8(castling),
        en_passant=np.uint8(square),
        num_quiet=np.int32(position.num_quiet),
        num_moves=np.int32(position.num_moves),
        begun=np.int16(position.num_moves),
        unclaimed=np.full(2, position.num_moves, np.int16),
    )
    return state


def write_fen(position: FenPosition) -> str:
    """A position as FEN, with the en passant square only where a capture is possible."""
    passed = position.en_passant
    fields = [
        write_pieces(position.pieces),
        "w" if position.is_white else "b",
        position.castling or _NONE,
        _NONE if passed is None else square_name(passed),
        str(position.num_quiet),
        str(position.num_moves // 2 + 1),
    ]
    return " ".join(fields)


def write_pieces(pieces: np.ndarray) -> str:
    """The first field of a FEN."""
    return write_counted("".join(piece_letter(int(piece)) for piece in row) for row in pieces[::-1])


def piece_letter(piece: int) -> str:
    """The letter of a signed piece: uppercase for White, lowercase for Black, a dot for none."""
    letter = LETTERS[abs(piece)]
    return letter if piece > 0 else letter.lower()


def square_name(square: int) -> str:
    """The name, such as e4, of 8 * rank + file."""
    rank, file = divmod(square, FILES)
    return f"{'abcdefgh'[file]}{rank + 1}"


def square_number(variant: Variant, name: str) -> int | None:
    """8 * rank + file of a name; None for a square off the board."""
    found = re.fullmatch(r"([a-h])([1-8])", name)
    if found is None:
        return None
    file, rank = "abcdefgh".index(found[1]), int(found[2]) - 1
    return rank * FILES + file if rank < variant.rows and file < variant.columns else None


def looks_like_fen(text: str) -> bool:
    """Whether a text begins like a FEN rather than a list of moves."""
    return re.match(r"\s*(?!1/2)\w+/\w", text) is not None


def read_fen(variant: Variant, text: str) -> FenPosition:
    """A position from FEN, whose fields from the third on are optional, or from EPD.

    Of EPD's operations, which end with a semicolon, only the counters are read. Raises ValueError,
    one line, for an invalid FEN or an impossible position.
    """
    fields = text.split()
    if ";" in text:
        counters = dict(_COUNTERS.findall(text))
        said = [field for field in fields[4:6] if field.isdecimal()]
        said = said or [counters.get("hmvc", "0"), counters.get("fmvn", "1")]
        fields = [*fields[:4], *said]
    if not 2 <= len(fields) <= 6:
        raise _mistake(text, f"a FEN has 2 to 6 fields, got {len(fields)}")
    defaults = ("-", "-", "0", "1")[len(fields) - 2 :]
    placed, turn, castling, passed, quiet, number = *fields, *defaults
    pieces = _read_pieces(variant, text, placed)
    if turn not in ("w", "b"):
        raise _mistake(text, f"who is to move must be w or b, got {turn!r}")
    is_white = turn == "w"
    for name, field in (("half-moves since a capture", quiet), ("the number of the move", number)):
        if not (field.isdecimal() and len(field) < 20 and int(field) <= _MOST_COUNTED):
            rule = f"{name} must be a number up to {_MOST_COUNTED}, got {quoted(field)}"
            raise _mistake(text, rule)
    position = FenPosition(
        pieces=pieces,
        is_white=is_white,
        castling=_read_castling(variant, text, castling, pieces),
        en_passant=_read_passed(variant, text, passed, pieces, is_white),
        num_quiet=int(quiet),
        num_moves=2 * max(int(number) - 1, 0) + (not is_white),
    )
    if is_check(variant, _board(variant, pieces, not is_white)):
        raise _mistake(text, "the player who is not to move is in check")
    return position


def start_position(variant: Variant) -> FenPosition:
    """The position that a game begins with."""
    return FenPosition(
        pieces=_read_pieces(variant, variant.start, variant.start),
        is_white=True,
        castling=_RIGHTS if variant.has_castling else "",
        en_passant=None,
        num_quiet=0,
        num_moves=0,
    )


def _read_pieces(variant: Variant, text: str, placed: str) -> np.ndarray:
    rows = placed.split("/")
    if len(rows) != variant.rows:
        raise _mistake(text, f"there must be {variant.rows} rows of pieces, got {len(rows)}")
    pieces = []
    for number, row in zip(range(variant.rows, 0, -1), rows, strict=True):
        spread = re.sub(r"[1-8]", lambda count: "." * int(count.group()), row)
        wrong = [letter for letter in spread if letter.upper() not in LETTERS]
        if wrong:
            raise _mistake(text, f"row {number} has {wrong[0]!r}, which is not a piece")
        if len(spread) != variant.columns:
            raise _mistake(
                text, f"row {number} must have {variant.columns} squares, got {len(spread)}"
            )
        kinds = [LETTERS.index(letter.upper()) for letter in spread]
        pieces.append([k if c.isupper() else -k for k, c in zip(kinds, spread, strict=True)])
    board = np.array(pieces[::-1])
    _check_pieces(variant, text, board)
    return board


def _check_pieces(variant: Variant, text: str, board: np.ndarray) -> None:
    """Raises ValueError for pieces that no captures and promotions can lead to."""
    if (abs(board[[0, -1]]) == PAWN).any():
        raise _mistake(text, "a pawn stands on the first or last rank")
    at_start = collections.Counter(variant.start.upper())
    for side, name in ((1, "White"), (-1, "Black")):
        counts = {kind: int((board == side * kind).sum()) for kind in range(PAWN, KING + 1)}
        if counts[KING] != 1:
            raise _mistake(text, f"{name} must have one king, got {counts[KING]}")
        most = {kind: at_start[LETTERS[kind]] // 2 for kind in counts}
        extra = sum(max(counts[kind] - most[kind], 0) for kind in counts if kind != PAWN)
        if counts[PAWN] + extra > most[PAWN]:
            raise _mistake(
                text,
                f"{name} has {counts[PAWN]} pawns and {extra} pieces more than at the start, "
                f"which makes more than {most[PAWN]}",
            )


def _read_castling(variant: Variant, text: str, field: str, pieces: np.ndarray) -> str:
    if field == _NONE:
        return ""
    if not variant.has_castling:
        raise _mistake(text, f"castling must be -, since this variant has none, got {field!r}")
    said, field = field, field.translate(_BY_FILES)
    if not set(field) <= set(_RIGHTS) or len(set(field)) != len(field):
        raise _mistake(text, f"castling must be - or letters of KQkq or HAha, got {said!r}")
    for letter in field:
        side, rank = (1, 0) if letter.isupper() else (-1, variant.rows - 1)
        rook = KING_ROOK if letter.upper() == "K" else QUEEN_ROOK
        if pieces[rank, KING_HOME] != side * KING or pieces[rank, rook] != side * ROOK:
            raise _mistake(text, f"castling {letter} needs king and rook on their first squares")
    return "".join(letter for letter in _RIGHTS if letter in field)


def _read_passed(
    variant: Variant, text: str, field: str, pieces: np.ndarray, is_white: bool
) -> int | None:
    if field == _NONE:
        return None
    square = square_number(variant, field)
    if not variant.has_double_step or square is None:
        raise _mistake(text, f"the en passant square must be - or on the board, got {field!r}")
    rank, file = divmod(square, FILES)
    wanted, up = (variant.rows - 3, 1) if is_white else (2, -1)
    pawn = -PAWN if is_white else PAWN
    if (
        rank != wanted
        or pieces[rank, file] != 0
        or pieces[rank + up, file] != 0
        or pieces[rank - up, file] != pawn
    ):
        raise _mistake(text, f"no pawn can just have passed over {field}")
    return square


def _mistake(text: str, rule: str) -> ValueError:
    return ValueError(f"{text!r} is not a position: {rule}.")


def _seen_by(variant: Variant, is_white: bool, square: int) -> int:
    """A square as a player sees it, or the inverse."""
    rank, file = divmod(square, FILES)
    return square if is_white else (variant.rows - 1 - rank) * FILES + file


def _bits(board: np.ndarray) -> np.ndarray:
    """bool[plane, rank, file] from uint32[word, plane]."""
    bits = (board[:, None] >> np.arange(32, dtype=np.uint32)[:, None]) & 1  # [word, bit, plane]
    return bits.reshape(FILES, FILES, NUM_BOARD_PLANES).transpose(2, 0, 1).astype(bool)


def _board(variant: Variant, pieces: np.ndarray, is_white: bool) -> np.ndarray:
    """uint32[word, plane] as the player sees the pieces."""
    seen = pieces if is_white else -pieces[::-1]
    whole = np.zeros((FILES, FILES), int)
    whole[: variant.rows, : variant.columns] = seen
    kinds = np.abs(whole).astype(np.int32)
    planes = [kinds >> plane & 1 for plane in range(OWN)] + [whole > 0]
    return np.stack(Bits(*constant(np.stack(planes).reshape(NUM_BOARD_PLANES, -1).astype(bool))))
