"""Judges of decisions by perfect play: backward induction, a solver of Hex, and BitBully."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import jax
import numpy as np

from sog.boards.hex import Hex
from sog.boards.hex_solver import HexSolver
from sog.games.core import Game
from sog.play.rules import after, first_state
from sog.tabular.perfect_play import TooManyPositionsError, perfect_values

_TOGETHER: Final = 16
"""Positions solved in one batch."""

Line = tuple[int, ...]
"""Public events from the start of a game."""
Decision = tuple[Line, int]
"""The position, and the action taken."""


class Worth(NamedTuple):
    """Values of actions, to the player to move."""

    best: float
    taken: float
    worst: float


Oracle = Callable[[Game[Any], Sequence[Decision]], list[Worth | None]]
"""Judges decisions; None for a decision that it cannot judge."""


def exact(game: Game[Any], decisions: Sequence[Decision]) -> list[Worth | None]:
    """Judges the last decisions of a game, as far back as memory allows."""
    found = dict[int, Worth]()
    for part in _parts_of_one_length(decisions):
        states = [jax.device_get(_state(game, decisions[number][0])) for number in part]
        try:
            values = perfect_values(game, jax.tree.map(lambda *leaves: np.stack(leaves), *states))
        except TooManyPositionsError:
            break  # earlier ones are larger still
        for number, row in zip(part, values, strict=True):
            found[number] = _worth(row, decisions[number][1])
    return [found.get(number) for number in range(len(decisions))]


def _parts_of_one_length(decisions: Sequence[Decision]) -> Iterator[list[int]]:
    """The indices of decisions, latest first, in batches of equal length."""
    by_length = itertools.groupby(_longest_first(decisions), lambda n: len(decisions[n][0]))
    for _, group in by_length:
        numbers = list(group)
        for start in range(0, len(numbers), _TOGETHER):
            yield numbers[start : start + _TOGETHER]


def bitbully(game: Game[Any], decisions: Sequence[Decision]) -> list[Worth | None]:
    """Judges all decisions of Connect Four: win, draw or loss."""
    import bitbully

    if str(game) != "connect_four(rows=6,columns=7,run_length=4)":
        raise ValueError(f"bitbully solves only connect_four, got {game}.")
    solver, found = bitbully.BitBully(), list[Worth | None]()
    for line, action in decisions:
        board = bitbully.Board()
        for column in line:
            board.play(column)
        values = np.full(game.num_actions, np.nan)
        for column, score in dict(solver.score_all_moves(board)).items():
            values[column] = np.sign(score)
        found.append(_worth(values, action))
    return found


def perfect_hex(game: Game[Any], decisions: Sequence[Decision]) -> list[Worth | None]:
    """Judges Hex on small boards; values only the cells needed to find whether an action lost."""
    if not isinstance(game, Hex) or game.swap:
        raise ValueError(f"the solver of Hex needs hex without swap, got {game}.")
    solver, found = HexSolver(game.size), dict[int, Worth]()

    def worth_of(line: Line) -> float:
        """The value to the player who made the last move."""
        return -1.0 if solver.wins_after(line) else 1.0

    for number in _longest_first(decisions):  # later positions are cached for earlier ones
        line, action = decisions[number]
        best = -worth_of(line)
        taken = worth_of((*line, action)) if best > 0 else best
        worst = taken
        if best > 0 and taken > 0:  # looks for a losing cell
            free = (cell for cell in range(game.size**2) if cell not in {*line, action})
            worst = next((-1.0 for cell in free if worth_of((*line, cell)) < 0), 1.0)
        found[number] = Worth(best, taken, worst)
    return [found[number] for number in range(len(decisions))]


def _worth(values: np.ndarray, action: int) -> Worth:
    """values: [A], NaN for illegal actions."""
    return Worth(float(np.nanmax(values)), float(values[action]), float(np.nanmin(values)))


def _longest_first(decisions: Sequence[Decision]) -> list[int]:
    return sorted(range(len(decisions)), key=lambda number: -len(decisions[number][0]))


ORACLES: Final[dict[str, Oracle]] = {"exact": exact, "bitbully": bitbully, "hex": perfect_hex}


def _state(game: Game[Any], line: Sequence[int]) -> Any:
    state = first_state(game)
    for event in line:
        state = after(game, state, event)
    return state
