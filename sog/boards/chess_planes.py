"""The network's input for chess: AlphaZero's planes, from the perspective of the player to move.

Fourteen for each of the last eight positions, the present one first: the mover's six kinds of
pieces, the other's six, and whether the position had occurred once and twice before. Then Black to
move, the move count, castling rights (own king's side and queen's side, then the other's; where
there is castling), and the quiet moves: 119 on the standard board, as in Table S1 of the Student of
Games paper.
"""

from typing import Final

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards.chess_bits import Bits, stacked, where
from sog.boards.chess_moves import NUM_BOARD_PLANES, OWN
from sog.boards.chess_rules import (
    MOST_QUIET,
    NUM_BOARDS,
    NUM_RIGHTS,
    ChessState,
    by_cells,
)
from sog.boards.chess_variant import KING, PAWN, Variant

MOST_REPEATS: Final = 2


def num_channels(variant: Variant) -> int:
    """Planes of `observe`."""
    kinds = KING - PAWN + 1
    rights = NUM_RIGHTS if variant.has_castling else 0
    return NUM_BOARDS * (2 * kinds + MOST_REPEATS) + 3 + rights


def observe(variant: Variant, max_moves: int, state: ChessState) -> Array:
    """float32[channel * row * column]; max_moves: half-moves after which a game is a draw."""
    boards = Bits(*jnp.swapaxes(state.boards, 0, 1))  # [position, plane]
    now, before = boards.pick(slice(None, None, 2)), boards.pick(slice(1, None, 2))
    turned = before.turned(variant.rows)  # every second position is from the other perspective
    mine, his = _kinds(now)
    his_before, mine_before = _kinds(turned)
    pairs = stacked([stacked([mine, his]), stacked([mine_before, his_before])])
    # [parity, player, position / 2, kind], to [position, player, kind]
    pieces = pairs.each(lambda word: jnp.moveaxis(word, 2, 0).reshape(-1))
    cells = (variant.rows, variant.columns)
    occupied = jnp.moveaxis(by_cells(variant, pieces), 2, 0).reshape(NUM_BOARDS, -1, *cells)

    times = jnp.arange(1, MOST_REPEATS + 1, dtype=jnp.uint8)
    repeated = _filled(state.repeats[:, None] >= times[None], cells)
    history = jnp.concatenate([occupied, repeated], axis=1).astype(jnp.float32)
    bits = np.arange(NUM_RIGHTS if variant.has_castling else 0, dtype=np.uint8)
    rights = ((state.castling >> bits) & np.uint8(1)).astype(jnp.float32)
    num_played = (state.num_moves - state.begun).astype(jnp.float32)
    scalars = [state.num_moves % 2, num_played / max_moves, *rights, state.num_quiet / MOST_QUIET]
    whole = _filled(jnp.stack([jnp.float32(number) for number in scalars]), cells)
    return jnp.concatenate([history.reshape(-1), whole.reshape(-1)])


def _kinds(boards: Bits) -> tuple[Bits, Bits]:
    """[position, kind] of the mover of boards [position, plane], and of the other."""
    numbers = np.arange(PAWN, KING + 1)[None]
    own = boards.pick(slice(None), slice(OWN, None))
    kind = ~(own ^ own)
    for plane in range(NUM_BOARD_PLANES - 1):
        bit = boards.pick(slice(None), slice(plane, plane + 1))
        has_bit = (numbers >> plane) & 1 == 1
        kind &= where(has_bit, bit, ~bit)
    return kind & own, kind & ~own


def _filled(numbers: Array, cells: tuple[int, int]) -> Array:
    """Constant planes of the numbers."""
    return jnp.broadcast_to(numbers[..., None, None], (*numbers.shape, *cells))
