"""Tic-tac-toe and connect four once more, in plain Python, and solved by exhaustive search."""

import copy
import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence

from sog.play.match import Agent

Stones = frozenset[tuple[int, int]]
Position = tuple[Stones, Stones]  # of the player to move, and of the other


@dataclasses.dataclass(frozen=True)
class LineGame:
    """Stones on a board; a straight line of them wins. `falls`: they drop to the lowest row."""

    rows: int
    columns: int
    line: int
    falls: bool

    @functools.cached_property
    def lines(self) -> list[Stones]:
        cells = set(itertools.product(range(self.rows), range(self.columns)))
        ways = ((0, 1), (1, 0), (1, 1), (1, -1))
        starts = itertools.product(cells, ways)
        runs = (
            frozenset((row + step * down, column + step * right) for step in range(self.line))
            for (row, column), (down, right) in starts
        )
        return [run for run in runs if run <= cells]

    def cell(self, position: Position, action: int) -> tuple[int, int] | None:
        """Where the stone of an action comes to lie; None if there is no room."""
        taken = position[0] | position[1]
        if not self.falls:
            cell = divmod(action, self.columns)
            return None if cell in taken else cell
        height = sum((row, action) in taken for row in range(self.rows))
        return (height, action) if height < self.rows else None

    def moves(self, position: Position) -> Iterator[tuple[int, Position]]:
        """The legal actions, and the position after each, seen by the other player."""
        for action in range(self.columns if self.falls else self.rows * self.columns):
            cell = self.cell(position, action)
            if cell is not None:
                yield action, (position[1], position[0] | {cell})

    def end_value(self, position: Position) -> int | None:
        """What a game that is over is worth to the player who would be to move."""
        if any(line <= position[1] for line in self.lines):
            return -1
        is_full = len(position[0] | position[1]) == self.rows * self.columns
        return 0 if is_full else None

    @functools.cache  # noqa: B019 (there are two games, and they stay)
    def value(self, position: Position) -> int:
        """What best play is worth to the player to move: 1, 0 or -1."""
        end = self.end_value(position)
        if end is not None:
            return end
        best = -1
        for _, child in self.moves(position):
            best = max(best, -self.value(child))
            if best == 1:
                break
        return best

    def best_actions(self, position: Position) -> set[int]:
        """The actions that are worth what the position is."""
        value = self.value(position)
        return {action for action, child in self.moves(position) if -self.value(child) == value}

    def after(self, actions: Sequence[int]) -> Position:
        """The position after some actions from the start."""
        position: Position = (frozenset(), frozenset())
        for action in actions:
            position = dict(self.moves(position))[action]
        return position

    def results(self, agent: Agent, player: int, line: tuple[int, ...] = ()) -> Iterator[int]:
        """What an agent, of this player, gets against every way to play against it."""
        position = self.after(line)
        end = self.end_value(position)
        if end is not None:
            yield end if len(line) % 2 == player else -end
            return
        actions = [action for action, _ in self.moves(position)]
        for action in [agent.act(0)] if len(line) % 2 == player else actions:
            led = copy.copy(agent)
            led.observe(action)
            yield from self.results(led, player, (*line, action))


TIC_TAC_TOE = LineGame(rows=3, columns=3, line=3, falls=False)
CONNECT_FOUR = LineGame(rows=6, columns=7, line=4, falls=True)
