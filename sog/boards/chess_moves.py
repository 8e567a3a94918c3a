"""Legal moves of chess, for all pieces at once.

A plane of moves (`chess_variant`) has the same step for every square. So the squares from which its
move is legal are a set, found by a few operations on words: what a piece would reach is the board
shifted back by the step. Pins and checks are found on the eight lines from the king; no move is
tried out, except en passant captures, where two pawns leave a line at once.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards.chess_bits import (
    NOTHING,
    Bits,
    constant,
    joined,
    square,
    stacked,
    union,
    where,
)
from sog.boards.chess_variant import (
    DOWN_LEFT,
    DOWN_RIGHT,
    JUMPS,
    LEFT,
    NUM_DIRECTIONS,
    RIGHT,
    UP,
    UP_LEFT,
    UP_RIGHT,
    WAYS,
    Variant,
)

OWN: Final = 3
"""The last plane of a board: the mover's pieces. Before it are the bits of the piece numbers, see
`chess_variant`, lowest first."""
NUM_BOARD_PLANES: Final = 4

OWN_KING_SIDE, OWN_QUEEN_SIDE, OTHER_KING_SIDE, OTHER_QUEEN_SIDE = range(4)
"""Bits of castling rights."""
KING_HOME, KING_ROOK, QUEEN_ROOK = 4, 7, 0
"""Squares of the standard board, from the mover's perspective."""

_DIRECTION: Final = np.arange(NUM_DIRECTIONS)
_IS_DIAGONAL: Final = _DIRECTION % 2 == 1
_TAKES: Final = np.isin(_DIRECTION, (UP_LEFT, UP_RIGHT))


class Pieces(NamedTuple):
    """A board by kinds of pieces, of both players together."""

    own: Bits
    other: Bits
    empty: Bits
    pawns: Bits
    knights: Bits
    diagonal: Bits
    """Bishops and queens."""
    straight: Bits
    """Rooks and queens."""
    kings: Bits


def pieces_of(variant: Variant, board: Bits) -> Pieces:
    """board: [4], see `OWN`."""
    first, second, third, own = (board.pick(plane) for plane in range(NUM_BOARD_PLANES))
    taken = first | second | third
    return Pieces(
        own=own,
        other=taken & ~own,
        empty=constant(variant.board) & ~taken,
        pawns=first & ~(second | third),
        knights=second & ~(first | third),
        diagonal=first & (second ^ third),
        straight=third & ~second,
        kings=third & second,
    )


class Legal(NamedTuple):
    """The result of `legal_moves`."""

    starts: Bits
    """[plane]: the squares from which a move is legal."""
    is_check: Array  # bool
    takes_en_passant: Array  # bool: whether an en passant capture is legal


def legal_moves(variant: Variant, board: Bits, castling: Array, en_passant: Array) -> Legal:
    """board: [4]. castling: uint8, bits of rights. en_passant: uint8, the en passant square; 64 if
    there is none."""
    pieces = pieces_of(variant, board)
    king, empty = pieces.kings & pieces.own, pieces.empty
    attackers = _sliders(pieces, pieces.other)
    passing = _passing(variant, pieces, en_passant) if variant.has_double_step else None

    # Lines from the king, with the pawns as they are and after an en passant capture; and lines of
    # attack, with the king removed so that it does not shield squares behind it.
    views = [empty, *(passing.empty if passing else ()), empty | king]
    from_king = king.each(lambda word: jnp.broadcast_to(word, NUM_DIRECTIONS))
    seeds = stacked([*[from_king] * (len(views) - 1), attackers])
    rays = _rays(variant, seeds, stacked(views).pick(slice(None), None))
    lines, attacked = rays.pick(0), rays.pick(-1)

    blockers = lines & pieces.own
    behind = _rays(variant, blockers.pick(None), empty.each(lambda word: word[None, None])).pick(0)
    pinned = where((behind & attackers).is_any(), blockers, NOTHING)
    any_pinned = union(pinned)
    free = ~any_pinned | pinned | pinned.each(lambda word: jnp.roll(word, NUM_DIRECTIONS // 2))

    is_line_check = (lines & attackers).is_any()
    knights = _jumps(variant, king) & pieces.knights & pieces.other
    pawns = _steps(variant, king, UP_LEFT, UP_RIGHT) & pieces.pawns & pieces.other
    num_checks = is_line_check.sum(dtype=jnp.int32) + (knights | pawns).num_squares()
    answers = union(where(is_line_check, lines, NOTHING)) | knights | pawns
    answers = where(num_checks == 0, ~NOTHING, where(num_checks == 1, answers, NOTHING))

    size = (NUM_DIRECTIONS, variant.most_steps)
    target = ~pieces.own & answers
    is_free = _at_target(variant, empty).each(lambda word: word.reshape(size))
    may_end = _at_target(variant, target).each(lambda word: word.reshape(size))
    movers = (_sliders(pieces, pieces.own) & free).each(lambda word: word[:, None])
    slides = movers & _before(is_free) & may_end
    own_knights = pieces.knights & pieces.own & ~any_pinned
    jumps = own_knights & target.moved(-_jump_steps()) & constant(_jump_starts(variant))

    danger = _danger(variant, pieces, attacked)
    king_target = (~pieces.own & ~danger).moved(-_near(variant))
    king_steps = king & king_target & constant(_near_starts(variant))
    own_pawns = pieces.pawns & pieces.own & free
    near_free, near_end = is_free.pick(slice(None), 0), may_end.pick(slice(None), 0)
    pawn_end = where(_DIRECTION == UP, near_free, where(_TAKES, ~near_free, NOTHING))
    pawn_steps = own_pawns & near_end & pawn_end
    takes_en_passant = jnp.bool_(False)
    if passing:
        is_seen = (rays.pick(slice(1, -1)) & attackers.pick(None)).is_any().any(axis=1)
        exposes = jnp.where(_DIRECTION == UP_LEFT, is_seen[0], is_seen[1])
        stays_in_check = (knights | (pawns & ~passing.taken)).is_any()
        en_passant_steps = where(exposes | stays_in_check, NOTHING, passing.starts)
        takes_en_passant = en_passant_steps.is_any().any()
        pawn_steps |= en_passant_steps

    double_steps = [NOTHING] * NUM_DIRECTIONS
    if variant.has_double_step:
        second_rank = constant(variant.ranks(1)) & near_free.pick(UP)
        end = is_free.pick(UP, 1) & may_end.pick(UP, 1)
        double_steps[UP] = own_pawns.pick(UP) & second_rank & end
    if variant.has_castling:
        double_steps[RIGHT], double_steps[LEFT] = _castles(king, empty, danger, castling)

    ways = [pawn_steps.pick(way) & constant(variant.ranks(-2)) for way in WAYS]
    promoting = stacked(ways * len(variant.promotions))
    by_sliders = joined([slides.each(lambda word: word.reshape(-1)), jumps, promoting])
    others = [king_steps | pawn_steps, stacked(double_steps)]
    starts = union(stacked([by_sliders, _first_slides(variant, others)]), axis=0)
    return Legal(starts=starts, is_check=num_checks > 0, takes_en_passant=takes_en_passant)


def _near(variant: Variant) -> np.ndarray:
    """int32[direction]: a single step."""
    return variant.steps[: variant.num_slides : variant.most_steps]


def _near_starts(variant: Variant) -> np.ndarray:
    """bool[direction, 64]: squares from which a single step stays on the board."""
    return variant.starts[: variant.num_slides : variant.most_steps]


def _near_ends(variant: Variant) -> Bits:
    """[direction]: squares that a single step can reach."""
    return constant(np.roll(_near_starts(variant), NUM_DIRECTIONS // 2, axis=0))


def _jump_steps() -> np.ndarray:
    return np.array([8 * up + right for up, right in JUMPS], np.int32)


def _jump_starts(variant: Variant) -> np.ndarray:
    return variant.starts[variant.num_slides : variant.num_slides + len(JUMPS)]


def _at_target(variant: Variant, sets: Bits) -> Bits:
    """[slide]: the squares from which a slide ends in the set."""
    starts = constant(variant.starts[: variant.num_slides])
    return sets.moved(-variant.steps[: variant.num_slides]) & starts


def _before(is_free: Bits) -> Bits:
    """[direction, steps]: squares from which a slide's path, without its end, is free."""

    def shifted(sets: Bits, by: int) -> Bits:
        return sets.each(
            lambda word: jnp.pad(word, ((0, 0), (by, 0)), constant_values=np.uint32(2**32 - 1))[
                :, : word.shape[1]
            ]
        )

    reached, by = shifted(is_free, 1), 1
    while by < is_free.low.shape[1]:
        reached &= shifted(reached, by)
        by *= 2
    return reached


def _first_slides(variant: Variant, by_steps: Sequence[Bits]) -> Bits:
    """[plane] from [direction] for the first numbers of steps; no other planes are set."""
    rest = variant.most_steps - len(by_steps)

    def spread(word: Array) -> Array:
        slides = jnp.pad(word, ((0, 0), (0, rest))).reshape(-1)
        return jnp.pad(slides, (0, variant.num_planes - variant.num_slides))

    return Bits(*(spread(jnp.stack(words, axis=1)) for words in zip(*by_steps, strict=True)))


def _sliders(pieces: Pieces, of: Bits) -> Bits:
    """[direction]: a player's pieces that slide along it."""
    return where(_IS_DIAGONAL, pieces.diagonal & of, pieces.straight & of)


def _rays(variant: Variant, seeds: Bits, empty: Bits) -> Bits:
    """[case, direction]: the lines from some squares, up to and including the first piece. seeds:
    [case, direction]; empty: [case, 1].

    A loop, although short: unrolled, XLA would recompute it for every use.
    """
    steps, ends = _near(variant)[None], _near_ends(variant).pick(None)

    def go_on(_: Array, reached: tuple[Bits, Bits]) -> tuple[Bits, Bits]:
        found, front = reached
        front = front.moved(steps) & ends
        return found | front, front & empty

    nothing = seeds.each(jnp.zeros_like)
    found: Bits
    found, _ = jax.lax.fori_loop(0, variant.most_steps, go_on, (nothing, seeds))
    return found


def _steps(variant: Variant, sets: Bits, *directions: int) -> Bits:
    """The squares that single steps in some directions reach."""
    chosen = np.array(directions)
    moved = sets.moved(_near(variant)[chosen]) & _near_ends(variant).pick(chosen)
    return union(moved)


def _jumps(variant: Variant, sets: Bits) -> Bits:
    """The squares that knights on a set attack."""
    ends = np.roll(_jump_starts(variant), len(JUMPS) // 2, axis=0)
    return union(sets.moved(_jump_steps()) & constant(ends))


def _danger(variant: Variant, pieces: Pieces, attacked: Bits) -> Bits:
    """Squares where the king would be in check; attacked: [direction], by sliding pieces."""
    pawns = np.isin(_DIRECTION, (DOWN_LEFT, DOWN_RIGHT))
    single = (pieces.kings & pieces.other) | where(pawns, pieces.pawns & pieces.other, NOTHING)
    stepping = single.moved(_near(variant)) & _near_ends(variant)
    return union(attacked | stepping) | _jumps(variant, pieces.knights & pieces.other)


class _Passing(NamedTuple):
    """Pawns that might capture en passant."""

    starts: Bits  # [direction]
    taken: Bits
    """The pawn that they would capture."""
    empty: tuple[Bits, Bits]
    """The empty squares behind it, for captures to the left and to the right."""


def _passing(variant: Variant, pieces: Pieces, en_passant: Array) -> _Passing:
    target, steps = square(en_passant.astype(jnp.int32)), _near(variant)
    pawns = where(_TAKES, pieces.pawns & pieces.own, NOTHING)
    starts = target.moved(-steps) & constant(_near_starts(variant)) & pawns
    taken = target.moved(-int(steps[UP]))
    left, right = (
        (pieces.empty | starts.pick(way) | taken) & ~target for way in (UP_LEFT, UP_RIGHT)
    )
    return _Passing(starts=starts, taken=taken, empty=(left, right))


def _castles(king: Bits, empty: Bits, danger: Bits, castling: Array) -> tuple[Bits, Bits]:
    """The king if it may castle to the right, and to the left, on the standard board."""

    def squares(*numbers: int) -> Bits:
        return constant(np.isin(np.arange(64), numbers))

    def castle(right: int, between: Bits, path: Bits) -> Bits:
        has_right = (castling >> np.uint8(right)) & np.uint8(1)
        is_safe = ~((between & ~empty) | (path & danger)).is_any()
        return where((has_right != 0) & is_safe, king, NOTHING)

    return (
        castle(OWN_KING_SIDE, squares(5, 6), squares(KING_HOME, 5, 6)),
        castle(OWN_QUEEN_SIDE, squares(1, 2, 3), squares(KING_HOME, 3, 2)),
    )
