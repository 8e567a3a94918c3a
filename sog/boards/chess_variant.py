"""Chess variants as data: the board, the initial position, and rules of pawns and kings.

Everything is from the perspective of the player to move, whose pieces start on the first ranks.
Moves are numbered as in AlphaZero (Silver et al. 2018, Methods): the square that the piece leaves,
and a plane: one of eight directions with a distance, one of eight knight jumps, or an
underpromotion (a pawn's direction and the piece). Castling is a king's move by two squares.
"""

import dataclasses
import functools
from typing import Final

import numpy as np

from sog.boards.chess_bits import FILES, NUM_BITS

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
LETTERS: Final = ".PNBRQK"
"""Letters of pieces by number; 0 is an empty square."""

DIRECTIONS: Final = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""(rank, file): up first, then clockwise, so straight and diagonal ones alternate."""
NUM_DIRECTIONS: Final = len(DIRECTIONS)
UP, UP_RIGHT, RIGHT, DOWN_RIGHT, _, DOWN_LEFT, LEFT, UP_LEFT = range(NUM_DIRECTIONS)
JUMPS: Final = ((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1))
WAYS: Final = (UP_LEFT, UP, UP_RIGHT)
"""Files that an underpromoting pawn moves by."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Variant:
    """A chess variant."""

    rows: int
    columns: int
    start: str
    """The piece placement field of the initial FEN."""
    promotions: tuple[int, ...] = (ROOK, BISHOP, KNIGHT)
    """The underpromotions."""
    has_castling: bool = False
    """Whether castling exists, as on the standard board."""
    has_double_step: bool = False
    """Whether pawns may make a double step, and be captured en passant."""
    most_moves: int
    """An upper bound on legal moves of a position."""

    @property
    def most_steps(self) -> int:
        """The longest queen move."""
        return max(self.rows, self.columns) - 1

    @property
    def num_slides(self) -> int:
        """Planes of slides; a plane is `direction * most_steps + steps - 1`.

        The planes of jumps follow, then those of underpromotions, three for each piece.
        """
        return NUM_DIRECTIONS * self.most_steps

    @property
    def num_planes(self) -> int:
        """Planes of moves: 73 on the standard board."""
        return self.num_slides + len(JUMPS) + len(WAYS) * len(self.promotions)

    @property
    def num_cells(self) -> int:
        """Squares."""
        return self.rows * self.columns

    def slide(self, direction: int, steps: int) -> int:
        """The plane of a direction and distance."""
        return direction * self.most_steps + steps - 1

    @functools.cached_property
    def deltas(self) -> np.ndarray:
        """int32[plane, 2]: the ranks up and files to the right that its moves go."""
        slides = [
            (steps * up, steps * right)
            for up, right in DIRECTIONS
            for steps in range(1, self.most_steps + 1)
        ]
        ways = [DIRECTIONS[way] for _ in self.promotions for way in WAYS]
        return np.array([*slides, *JUMPS, *ways], np.int32)

    @functools.cached_property
    def steps(self) -> np.ndarray:
        """int32[plane]: the bits that its moves go."""
        steps: np.ndarray = np.einsum("pd,d->p", self.deltas, np.array([FILES, 1], np.int32))
        return steps

    @functools.cached_property
    def promotes_to(self) -> np.ndarray:
        """int32[plane]: the promotion piece; 0 if it is not an underpromotion."""
        plain = [0] * (self.num_slides + len(JUMPS))
        return np.array([*plain, *np.repeat(self.promotions, len(WAYS))], np.int32)

    @functools.cached_property
    def squares(self) -> np.ndarray:
        """int32[cell]: the square of a cell; cells are numbered row by row from the top."""
        row, column = np.divmod(np.arange(self.num_cells, dtype=np.int32), self.columns)
        return (self.rows - 1 - row) * FILES + column

    @functools.cached_property
    def board(self) -> np.ndarray:
        """bool[64]: the bits that are squares of the board."""
        return np.isin(np.arange(NUM_BITS), self.squares)

    @functools.cached_property
    def starts(self) -> np.ndarray:
        """bool[plane, 64]: the squares from which its moves stay on the board."""
        rank, file = np.divmod(np.arange(NUM_BITS), FILES)
        to_rank, to_file = rank + self.deltas[:, :1], file + self.deltas[:, 1:]
        ends = (to_rank >= 0) & (to_rank < self.rows) & (to_file >= 0) & (to_file < self.columns)
        promotes = (self.promotes_to > 0)[:, None]
        allowed: np.ndarray = self.board & ends & (~promotes | (rank == self.rows - 2))
        return allowed

    def ranks(self, *ranks: int) -> np.ndarray:
        """bool[64]: the squares of some ranks, from 0; negative ones from the last."""
        wanted = [rank % self.rows for rank in ranks]
        return self.board & np.isin(np.arange(NUM_BITS) // FILES, wanted)


CHESS: Final = Variant(
    rows=8,
    columns=8,
    start="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    has_castling=True,
    has_double_step=True,
    most_moves=218,
)
"""No reachable position has more than 218 legal moves."""

# Below, every piece counts with its moves from the best square of an empty board, and every pawn as
# a queen.
GARDNER: Final = Variant(rows=5, columns=5, start="rnbqk/ppppp/5/PPPPP/RNBQK", most_moves=128)
"""6 queens with 16 moves, rook, bishop, knight and king with 8 each."""
LOS_ALAMOS: Final = Variant(
    rows=6,
    columns=6,
    start="rnqknr/pppppp/6/6/PPPPPP/RNQKNR",
    promotions=(ROOK, KNIGHT),
    most_moves=177,
)
"""7 queens with 19 moves, 2 rooks with 10, 2 knights and a king with 8 each."""
