"""The data of a picture of chess: pieces on squares, the last move, and legal moves."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from sog.boards.chess_bits import FILES
from sog.boards.chess_fen import pieces_on, position_of, square_name
from sog.boards.chess_notation import moves_at
from sog.boards.chess_rules import ChessState, is_check
from sog.boards.chess_variant import KING, Variant
from sog.boards.views import SquaresView

NAMES: Final = ("", "pawn", "knight", "bishop", "rook", "queen", "king")
_SIGNS: Final = " ♟♞♝♜♛♚"
"""The filled glyphs, for both colors."""


def view(
    variant: Variant,
    state: ChessState,
    *,
    title: str,
    status: str,
    choices: Sequence[int],
    from_black: bool,
) -> SquaresView:
    """choices: actions to be clicked on a page. from_black: whether Black is at the bottom."""
    rows, columns = variant.rows, variant.columns
    position = position_of(variant, state)

    def cell(rank: int, file: int) -> int:
        if from_black:
            return rank * columns + columns - 1 - file
        return (rows - 1 - rank) * columns + file

    pieces, labels = {}, [""] * variant.num_cells
    for (rank, file), piece in np.ndenumerate(position.pieces):
        name = square_name(rank * FILES + file)
        kind, player = abs(int(piece)), 0 if piece > 0 else 1
        labels[cell(rank, file)] = name
        if kind:
            pieces[cell(rank, file)] = (player, _SIGNS[kind])
            labels[cell(rank, file)] = f"{name}: {('White', 'Black')[player]}'s {NAMES[kind]}"
    moves: dict[int, dict[int, list[int]]] = {}
    for move in moves_at(variant, state, choices):
        start, end = (cell(*divmod(square, FILES)) for square in (move.start, move.end))
        moves.setdefault(start, {}).setdefault(end, []).append(move.action)
    in_check: tuple[int, ...] = ()
    if is_check(variant, state.boards[0]):
        king = KING if position.is_white else -KING
        in_check = tuple(cell(*at) for at in np.argwhere(position.pieces == king).tolist())
    names = list("abcdefgh"[:columns])
    numbers = [str(number) for number in range(rows, 0, -1)]
    return SquaresView(
        title=title,
        status=status,
        rows=rows,
        columns=columns,
        row_names=numbers[::-1] if from_black else numbers,
        column_names=names[::-1] if from_black else names,
        pieces=pieces,
        last=frozenset(cell(rank, file) for rank, file in _changed(variant, state)),
        in_check=frozenset(in_check),
        moves=moves,
        told=labels,
    )


def _changed(variant: Variant, state: ChessState) -> list[tuple[int, int]]:
    """The squares that the last move changed, as (rank, file)."""
    is_white = int(state.num_moves) % 2 == 0
    if not np.asarray(state.boards[1]).any():
        return []
    now = pieces_on(variant, state.boards[0], is_white)
    before = pieces_on(variant, state.boards[1], not is_white)
    return [(rank, file) for rank, file in np.argwhere(now != before).tolist()]
