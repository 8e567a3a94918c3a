"""Go told in plain Python, point by point with flood fills: what the game is compared with.

It knows nothing of the game but its documented rules.
"""

import collections

Point = tuple[int, int]  # row from the top, column
Board = dict[Point, int]  # the stones, by player
PASS = None


class PlainGo:
    """A game of Go. Black is 0; `remembered` earlier positions may not come again."""

    def __init__(self, size: int, remembered: int, *, simple_ko: bool = False) -> None:
        self.size, self.player, self.passes = size, 0, 0
        self.board: Board = {}
        self.captured = [0, 0]
        self.simple_ko = simple_ko
        self.earlier: collections.deque[Board] = collections.deque(maxlen=remembered)

    def around(self, point: Point) -> list[Point]:
        """The neighbors on the board."""
        row, column = point
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [(r, c) for r, c in near if 0 <= r < self.size and 0 <= c < self.size]

    def chain(self, board: Board, point: Point) -> tuple[set[Point], set[Point]]:
        """The stones that are joined with one, and their liberties."""
        stones, liberties, waiting = {point}, set(), [point]
        while waiting:
            for near in self.around(waiting.pop()):
                if near not in board:
                    liberties.add(near)
                elif board[near] == board[point] and near not in stones:
                    stones.add(near)
                    waiting.append(near)
        return stones, liberties

    def after(self, point: Point) -> Board | None:
        """The board after the player's stone; None if it is illegal, repetition apart."""
        if point in self.board:
            return None
        board = {**self.board, point: self.player}
        for near in self.around(point):
            if board.get(near) == 1 - self.player:
                stones, liberties = self.chain(board, near)
                if not liberties:
                    for stone in stones:
                        del board[stone]
        return board if self.chain(board, point)[1] else None

    def play(self, point: Point | None) -> None:
        """A stone of the player's, or PASS."""
        if point is PASS:
            self.passes += 1
            if self.simple_ko:
                self.earlier.append(self.board)
        else:
            board = self.after(point)
            assert board is not None
            self.captured[self.player] += len(self.board) + 1 - len(board)
            self.earlier.append(self.board)
            self.board, self.passes = board, 0
        self.player = 1 - self.player

    def owners(self) -> dict[Point, int]:
        """Whose point each is: his stones, and empty regions that touch only these."""
        owners = dict(self.board)
        points = {(row, column) for row in range(self.size) for column in range(self.size)}
        while unseen := points - set(owners):
            region, borders, waiting = set[Point](), set[int](), [unseen.pop()]
            while waiting:
                point = waiting.pop()
                if point in self.board:
                    borders.add(self.board[point])
                elif point not in region:
                    region.add(point)
                    waiting += self.around(point)
            owners |= dict.fromkeys(region, borders.pop() if len(borders) == 1 else -1)
        return owners

    def lead(self) -> int:
        """Black's points less White's, without a komi."""
        owners = list(self.owners().values())
        return owners.count(0) - owners.count(1)
