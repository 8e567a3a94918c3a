"""States of chess: what a move changes, repetitions, and how games end.

A board is from the perspective of the player to move, whose pieces are on the first ranks. A draw
that a player could claim (FIDE Laws 9.2, 9.3) ends a game without a claim: threefold repetition,
and 100 half-moves without a capture or pawn move. So does max_moves. Games from elsewhere may
continue there (`unclaimed`, `played_on`), until fivefold repetition or 150 half-moves (9.6).
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards.chess_bits import (
    FILES,
    NOTHING,
    NUM_BITS,
    Bits,
    constant,
    square,
    stacked,
    to_mask,
    union,
    where,
)
from sog.boards.chess_moves import (
    KING_HOME,
    KING_ROOK,
    NUM_BOARD_PLANES,
    OWN,
    QUEEN_ROOK,
    legal_moves,
    pieces_of,
)
from sog.boards.chess_variant import (
    LEFT,
    QUEEN,
    RIGHT,
    ROOK,
    UP,
    Variant,
)
from sog.kept_programs import HostProgram
from sog.pytree import pytree

NUM_BOARDS: Final = 8
"""Positions that a state remembers, including the present one."""
MOST_QUIET: Final = 100
"""Half-moves without a capture or pawn move after which a player can claim a draw."""
MOST_UNCLAIMED: Final = 150
"""As many end a game without a claim."""
NO_SQUARE: Final = 64
NUM_RIGHTS: Final = 4
HASH_BYTES: Final = 3

GOES_ON, CHECKMATE, STALEMATE, TOO_FEW_PIECES, FIFTH_TIME, SEVENTY_FIVE_MOVES = range(6)
REPETITION, QUIET_MOVES, LENGTH = range(SEVENTY_FIVE_MOVES + 1, SEVENTY_FIVE_MOVES + 4)
"""How a game ended; if several apply, the first counts. From REPETITION on, official rules would
need a claim or do not end it."""


@pytree
class ChessState:
    """Public state of a game of chess."""

    boards: Array
    """[position, word, plane] uint32: the present one first, then earlier ones, each as its player
    to move saw it (`chess_moves.OWN`); 4 bits per square. 0 before the beginning."""
    repeats: Array  # uint8[position]: earlier occurrences of each, 4 at most
    hashes: Array
    """uint8[quiet moves, 3]: hashes of positions by the number of quiet moves, modulo 100; 0 where
    unknown.

    Hashes have 24 bits, so a new position seems a repetition with a probability of less than 3 in a
    million, over all comparisons of a move.
    """
    castling: Array  # uint8: bits of rights, `chess_moves.OWN_KING_SIDE` and so on
    en_passant: Array  # uint8: the target square of a legal one, seen by the mover; else 64
    num_quiet: Array  # uint8: half-moves since a capture or pawn move, 150 at most
    num_moves: Array  # int16: half-moves as a FEN counts them; White moves if even
    begun: Array  # int16: `num_moves` where the game began
    unclaimed: Array
    """int16[2]: the first and last `num_moves` at which the game continues although REPETITION,
    QUIET_MOVES or LENGTH would end it."""
    ending: Array  # uint8: GOES_ON or how it ended


def played_on(state: ChessState) -> ChessState:
    """The position with the game continued, if only a claimable draw or max_moves ended it."""
    if int(state.ending) < REPETITION:
        return state
    here = jnp.full(2, state.num_moves, jnp.int16)
    return dataclasses.replace(state, unclaimed=here, ending=jnp.uint8(GOES_ON))


def unclaimed_at(start: ChessState, moves: Sequence[int]) -> ChessState:
    """The beginning of a game that `played_on` continued at these `num_moves`."""
    if not moves:
        return start
    return dataclasses.replace(start, unclaimed=jnp.array([min(moves), max(moves)], jnp.int16))


@functools.partial(jax.jit, static_argnames="variant")
def legal_actions(variant: Variant, state: ChessState) -> Array:
    """bool[cell * planes]: the legal moves; none if the game is over."""
    legal = legal_moves(variant, Bits(*state.boards[0]), state.castling, state.en_passant)
    starts = where(state.ending == GOES_ON, legal.starts, NOTHING)
    return by_cells(variant, starts).reshape(-1)


def by_cells(variant: Variant, sets: Bits) -> Array:
    """[row, column, set] bool: the squares in each set, row by row from the top."""
    return to_mask(sets)[: variant.rows, : variant.columns][::-1]


@functools.partial(jax.jit, static_argnames=("variant", "max_moves"))
def after(variant: Variant, max_moves: int, state: ChessState, action: Array) -> ChessState:
    """The state after a legal move; max_moves: half-moves after which a game is a draw."""
    cell, plane = action // variant.num_planes, action % variant.num_planes
    row, column = cell // variant.columns, cell % variant.columns
    start = (variant.rows - 1 - row) * FILES + column
    end = start + jnp.asarray(variant.steps)[plane]
    from_, to = square(start), square(end)

    board = Bits(*state.boards[0])
    pieces = pieces_of(variant, board)
    is_pawn = (pieces.pawns & from_).is_any()
    passing = square(state.en_passant.astype(jnp.int32))
    taken_in_passing = where(is_pawn & (passing & to).is_any(), to.moved(-FILES), NOTHING)
    is_capture = (pieces.other & (to | taken_in_passing)).is_any()
    promotes = is_pawn & (to & constant(variant.ranks(-1))).is_any()
    chosen = jnp.asarray(variant.promotes_to)[plane]
    becomes = jnp.where(chosen > 0, chosen, QUEEN)

    bits = np.arange(NUM_BOARD_PLANES)
    was = (board & from_).is_any()
    put = jnp.where(promotes, (becomes >> bits) & 1 == 1, was) | (bits == OWN)
    left, arrived = from_ | to | taken_in_passing, where(put, to, NOTHING)
    if variant.has_castling:
        is_king = (pieces.kings & from_).is_any()
        for direction, rook_from, rook_to in ((RIGHT, KING_ROOK, 5), (LEFT, QUEEN_ROOK, 3)):
            castles = is_king & (plane == variant.slide(direction, 2))
            left |= where(castles, _constant_square(rook_from), NOTHING)
            is_rook = (ROOK >> bits) & 1 == 1
            rook = where(is_rook | (bits == OWN), _constant_square(rook_to), NOTHING)
            arrived |= where(castles, rook, NOTHING)
    moved = union(stacked([board & ~left, arrived]), axis=0)
    board = _other_side(variant, moved)

    passed = jnp.int32(NO_SQUARE)
    if variant.has_double_step:  # the square in front of the start, seen from the other side
        is_double = is_pawn & (plane == variant.slide(UP, 2))
        passed = jnp.where(is_double, (row - 1) * FILES + column, passed)
    is_quiet = ~(is_capture | is_pawn)
    state_after: ChessState = _arrived(
        variant,
        max_moves,
        boards=jnp.concatenate([jnp.stack(board)[None], state.boards[:-1]]),
        repeats=state.repeats[:-1],
        hashes=state.hashes,
        castling=_rights_after(variant, state.castling, from_ | to),
        en_passant=passed.astype(jnp.uint8),
        num_quiet=jnp.where(is_quiet, state.num_quiet.astype(jnp.int32) + 1, 0),
        num_moves=state.num_moves.astype(jnp.int32) + 1,
        begun=state.begun,
        unclaimed=state.unclaimed,
    )
    return state_after


@functools.partial(jax.jit, static_argnames="variant")
def is_check(variant: Variant, board: Array) -> Array:
    """bool: whether the mover's king is attacked; board: uint32[word, plane]."""
    nothing = jnp.uint8(0), jnp.uint8(NO_SQUARE)
    return legal_moves(variant, Bits(*board), *nothing).is_check


def _other_side(variant: Variant, board: Bits) -> Bits:
    """A board [4] from the other player's perspective."""
    turned = board.turned(variant.rows)
    first, second, third, own = (turned.pick(plane) for plane in range(NUM_BOARD_PLANES))
    planes = (first, second, third, (first | second | third) & ~own)
    return stacked(planes)


def _rights_after(variant: Variant, castling: Array, touched: Bits) -> Array:
    """uint8: the castling rights, as the next player sees them, after a move touched squares."""
    if not variant.has_castling:
        return castling
    last = FILES * (variant.rows - 1)
    rooks = np.array([KING_ROOK, QUEEN_ROOK, last + KING_ROOK, last + QUEEN_ROOK])
    kings = np.array([KING_HOME, KING_HOME, last + KING_HOME, last + KING_HOME])
    squares = np.arange(NUM_BITS)
    homes = constant((squares == rooks[:, None]) | (squares == kings[:, None]))
    rights = np.arange(NUM_RIGHTS, dtype=np.uint8)
    is_lost = (touched & homes).is_any().astype(jnp.uint8) << rights
    kept = castling & ~is_lost.sum(dtype=jnp.uint8)
    return ((kept & np.uint8(3)) << np.uint8(2)) | (kept >> np.uint8(2))


@functools.partial(jax.jit, static_argnames=("variant", "max_moves"))
def _arrived(
    variant: Variant,
    max_moves: int,
    *,
    boards: Array,
    repeats: Array,
    hashes: Array,
    castling: Array,
    en_passant: Array,
    num_quiet: Array,
    num_moves: Array,
    begun: Array,
    unclaimed: Array,
) -> ChessState:
    """The state at a position, with everything derived from it. repeats: of earlier positions;
    en_passant: may be set where no capture is possible."""
    board = Bits(*boards[0])
    legal = legal_moves(variant, board, castling, en_passant)
    en_passant = jnp.where(legal.takes_en_passant, en_passant, jnp.uint8(NO_SQUARE))
    own_hash = _hash(boards[0], castling, en_passant)[None]
    age = (num_quiet - np.arange(MOST_QUIET, dtype=np.int32)) % MOST_QUIET
    is_known = (age > 0) & (age <= num_quiet) & (age % 2 == 0)
    is_same = (hashes == own_hash).all(axis=1) & is_known
    num_before = jnp.minimum(is_same.sum(dtype=jnp.int32), 4)
    is_claimed = (num_moves < unclaimed[0]) | (num_moves > unclaimed[1])
    num_played = num_moves - begun
    has_move = legal.starts.is_any().any()
    reasons = (
        (CHECKMATE, ~has_move & legal.is_check),
        (STALEMATE, ~has_move),
        (TOO_FEW_PIECES, _has_too_few_pieces(variant, board)),
        (FIFTH_TIME, num_before >= 4),
        (SEVENTY_FIVE_MOVES, num_quiet >= MOST_UNCLAIMED),
        (REPETITION, (num_before >= 2) & is_claimed),
        (QUIET_MOVES, (num_quiet == MOST_QUIET) & is_claimed),
        (LENGTH, (num_played > 0) & (num_played % max_moves == 0) & is_claimed),
    )
    ending: Array = jnp.uint8(GOES_ON)
    for reason, holds in reversed(reasons):
        ending = jnp.where(holds, jnp.uint8(reason), ending)
    return ChessState(
        boards=boards,
        repeats=jnp.concatenate([num_before.astype(jnp.uint8)[None], repeats]),
        hashes=jnp.where((age == 0)[:, None], own_hash, hashes),
        castling=castling,
        en_passant=en_passant,
        num_quiet=jnp.minimum(num_quiet, MOST_UNCLAIMED).astype(jnp.uint8),
        num_moves=num_moves.astype(jnp.int16),
        begun=begun,
        unclaimed=unclaimed,
        ending=ending,
    )


def _has_too_few_pieces(variant: Variant, board: Bits) -> Array:
    """bool: insufficient material: kings with a single knight or bishop, or with bishops on squares
    of one color only."""
    pieces = pieces_of(variant, board)
    bishops = pieces.diagonal & ~pieces.straight
    strong = (pieces.pawns | pieces.straight).is_any()
    rank, file = np.divmod(np.arange(NUM_BITS), FILES)
    light = constant((rank + file) % 2 == 1)
    one_color = ~(bishops & light).is_any() | ~(bishops & ~light).is_any()
    is_one = (bishops | pieces.knights).num_squares() <= 1
    has_too_few: Array = ~strong & (is_one | (one_color & ~pieces.knights.is_any()))
    return has_too_few


def _hash(board: Array, castling: Array, en_passant: Array) -> Array:
    """[3] uint8, never all 0: mixes each word in its own way, and then their sum."""
    rest = castling.astype(jnp.uint32) | (en_passant.astype(jnp.uint32) << np.uint32(8))
    words = jnp.concatenate([board.reshape(-1), rest[None]])
    salt = np.arange(1, len(words) + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
    mixed = _mixed(_mixed(words ^ salt).sum(dtype=jnp.uint32)) >> np.uint32(8)
    mixed = jnp.maximum(mixed, np.uint32(1))
    shifts = np.arange(HASH_BYTES, dtype=np.uint32) * np.uint32(8)
    return ((mixed >> shifts) & np.uint32(0xFF)).astype(jnp.uint8)


def _mixed(words: Array) -> Array:
    """MurmurHash3's finalizer (Appleby): bijective, every bit depends on all."""
    words = (words ^ (words >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    words = (words ^ (words >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return words ^ (words >> np.uint32(16))


def _constant_square(number: int) -> Bits:
    return constant(np.arange(NUM_BITS) == number)


arrived_on_host: Final = HostProgram(_arrived, static_argnames=("variant", "max_moves"))
