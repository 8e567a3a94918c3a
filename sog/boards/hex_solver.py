"""Who wins in Hex on small boards: proof-number search with bridges and must-play regions.

A bridge is two stones with two empty cells between them: its owner can join them even if the other
moves first. A chain of stones and bridges from side to side, whose empty cells are all different,
wins. A cell that would complete such a chain is a threat, and the opponent must play in its chain;
if no cell is in all threats, the opponent has lost.
"""

from collections.abc import Iterator, Sequence
from typing import Final

_Position = tuple[int, int, int]
"""Stones of the player to move, of the other, and who it is."""
_NEVER: Final = 10**9
_STEPS: Final = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


class HexSolver:
    """Finds the winner of any position; cells are numbered as in `sog.boards.hex`.

    Sets of cells are bits of an integer. A 5 x 5 position takes a fraction of a second, all first
    moves half a minute.
    """

    def __init__(self, size: int) -> None:
        self.size, self._cells = size, range(size * size)
        near = [0] * (size * size)
        for cell in self._cells:
            row, column = divmod(cell, size)
            for down, right in _STEPS:
                if 0 <= row + down < size and 0 <= column + right < size:
                    near[cell] |= 1 << ((row + down) * size + column + right)
        self._near = near
        rows = [sum(1 << (row * size + column) for column in range(size)) for row in range(size)]
        columns = [sum(1 << (row * size + column) for row in range(size)) for column in range(size)]
        self._sides = ((rows[0], rows[-1]), (columns[0], columns[-1]))
        self._bridges = [
            [
                (other, near[cell] & near[other])
                for other in self._cells
                if other != cell
                and not near[cell] >> other & 1
                and (near[cell] & near[other]).bit_count() == 2
            ]
            for cell in self._cells
        ]
        self._whole = (1 << size * size) - 1
        self._not_first = self._whole & ~columns[0]
        self._not_last = self._whole & ~columns[-1]
        self._numbers: dict[_Position, tuple[int, int]] = {}
        self._below: dict[_Position, list[_Position]] = {}

    def best_cells(self, line: Sequence[int]) -> list[int]:
        """Moves that keep the value of the position: in a won one those found to win, at least one;
        in a lost one all. line: the cells played from the start."""
        own, other, mover = self._after(line)
        empty = self._whole & ~(own | other)
        cells = list(self._bits(empty))
        if not self.wins(own, other, mover):
            return cells

        def is_shown(cell: int) -> bool:
            own_after, rest = own | 1 << cell, empty & ~(1 << cell)
            if self._chain(own_after, rest, mover) is not None:
                return True
            _, disproof = self._numbers.get(self._named(other, own_after, 1 - mover), (1, 1))
            return disproof == 0

        return [cell for cell in cells if is_shown(cell)]

    @staticmethod
    def _after(line: Sequence[int]) -> _Position:
        stones = [0, 0]
        for number, cell in enumerate(line):
            stones[number % 2] |= 1 << cell
        mover = len(line) % 2
        return stones[mover], stones[1 - mover], mover

    def wins(self, own: int, other: int, mover: int) -> bool:
        """Whether the player to move wins; own, other: its stones and its opponent's."""
        position = self._named(own, other, mover)
        proof, _ = self._look(position)
        if 0 < proof < _NEVER:
            self._search(position, _NEVER, _NEVER)
        return self._numbers[position][0] == 0

    def _search(self, position: _Position, most_proof: int, most_disproof: int) -> None:
        """Depth-first proof-number search (Nagai 2002): descends to the most-proving child until
        the position's proof or disproof number reaches its bound."""
        while True:
            proof = second = _NEVER
            disproof, best, best_proof = 0, position, 0
            for child in self._below[position]:
                own_proof, own_disproof = self._look(child)
                disproof += own_proof
                if own_disproof < proof:
                    second, proof, best, best_proof = proof, own_disproof, child, own_proof
                elif own_disproof < second:
                    second = own_disproof
            disproof = min(disproof, _NEVER)
            self._numbers[position] = proof, disproof
            if proof >= most_proof or disproof >= most_disproof:
                return
            rest = most_disproof - disproof + best_proof
            self._search(best, rest, min(most_proof, second + 1))

    def _look(self, position: _Position) -> tuple[int, int]:
        """Proof and disproof numbers: lower bounds on what remains to be proved for a win and for a
        loss of the player to move. A new position's come from chains and threats alone."""
        if position not in self._numbers:
            moves = self._moves(*position)
            if moves is None:
                self._numbers[position] = 0, _NEVER
            elif not moves:
                self._numbers[position] = _NEVER, 0
            else:
                own, other, mover = position
                after = [self._named(other, own | 1 << cell, 1 - mover) for cell in moves]
                self._below[position] = list(dict.fromkeys(after))
                self._numbers[position] = 1, len(moves)
        return self._numbers[position]

    def _moves(self, own: int, other: int, mover: int) -> list[int] | None:
        """The must-play region; None if a move completes a chain."""
        empty = self._whole & ~(own | other)
        if self._chain(other, empty, 1 - mover) is not None:
            return []
        cells = list(self._bits(empty))
        for cell in cells:
            if self._chain(own | 1 << cell, empty & ~(1 << cell), mover) is not None:
                return None
        region = empty
        for cell in cells:
            rest = self._chain(other | 1 << cell, empty & ~(1 << cell), 1 - mover)
            if rest is not None:
                region &= rest | 1 << cell
        return list(self._bits(region))

    def _named(self, own: int, other: int, mover: int) -> _Position:
        """The position, or its rotation by 180 degrees, which has the same value."""
        width = self.size**2
        turned = [int(f"{cells:0{width}b}"[::-1], 2) for cells in (own, other)]
        return min((own, other, mover), (turned[0], turned[1], mover))

    def _chain(self, stones: int, empty: int, player: int) -> int | None:
        """The empty cells of a player's chain from side to side; None if there is none."""
        first, last = self._sides[player]
        for cell in self._bits(stones):
            if first >> cell & 1:
                used: int | None = self._goes_on(self._group(cell, stones), stones, empty, last)
            else:
                foot = self._near[cell] & first
                if foot.bit_count() != 2 or foot & ~empty:
                    continue
                used = self._goes_on(self._group(cell, stones), stones, empty & ~foot, last)
                used = None if used is None else used | foot
            if used is not None:
                return used
        return None

    def _goes_on(self, group: int, stones: int, empty: int, last: int) -> int | None:
        """The empty cells of a chain from a group of stones to a side."""
        if group & last:
            return 0
        for cell in self._bits(group):
            foot = self._near[cell] & last
            if foot.bit_count() == 2 and not foot & ~empty:
                return foot
        for cell in self._bits(group):
            for other, between in self._bridges[cell]:
                if stones >> other & 1 and not group >> other & 1 and not between & ~empty:
                    # Not back to cells already in the chain.
                    wider = group | self._group(other, stones)
                    rest = self._goes_on(wider, stones, empty & ~between, last)
                    if rest is not None:
                        return rest | between
        return None

    def _group(self, cell: int, stones: int) -> int:
        """The stones connected to one."""
        size, group, wider = self.size, 0, 1 << cell
        while wider != group:
            group = wider
            right, left = group & self._not_last, group & self._not_first
            wider |= right << 1 | left >> 1 | group << size | group >> size
            wider = (wider | left << (size - 1) | right >> (size - 1)) & stones
        return group

    @staticmethod
    def _bits(cells: int) -> Iterator[int]:
        while cells:
            least = cells & -cells
            yield least.bit_length() - 1
            cells ^= least
