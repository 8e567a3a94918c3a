"""Snapshots of a running search, and exact solutions to compare with."""

import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from sog.drawing.nodes import NodeView, left_out, read_nodes
from sog.games import Game
from sog.play.principal_variation import best_lines
from sog.play.thinking import Thinking
from sog.tabular import compile_tree, solve_subgame
from sog.tabular.locks import Lock, lock_game
from sog.tabular.public_tree import TreeTooLargeError
from sog.web.interfaces import Cancelled, Poll, RequestError, failed
from sog.web.preparations import Preparation, Preparations

_ITERATIONS: Final = 1000  # of CFR+
_MOST_NODES: Final = 50_000
_MOST_ENTRIES: Final = 8192  # infostates times actions


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Estimates:
    """Policy, values and ranges at a public state."""

    policy: np.ndarray
    """[S, A]"""
    values: np.ndarray
    """[player, S]"""
    ranges: np.ndarray
    """[player, S]"""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """A search at one moment."""

    nodes: dict[int, NodeView]
    """By row."""
    row: int
    """Row of the searched public state."""
    num_updates: int
    left_out: tuple[str, ...]
    """See `sog.drawing.nodes.left_out`."""
    found: Estimates
    lines: np.ndarray
    """See `sog.play.principal_variation.best_lines`."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class ExactSolution(Estimates):
    """The solution by CFR+ of the whole subgame, for the same ranges."""

    error: float
    """The value of the public state is off by at most this, in utility units."""
    num_nodes: int
    seconds: float


def read_snapshot(thinking: Thinking) -> Snapshot:
    """Reads a search that has made at least one update."""
    result = thinking.read()
    nodes, row = read_nodes(thinking.game, result), int(result.slot[0])
    return Snapshot(
        nodes={node.row: node for node in nodes},
        row=row,
        num_updates=thinking.num_updates,
        left_out=left_out(result),
        found=Estimates(
            policy=np.asarray(result.policy[0], float),
            values=np.asarray(result.values[0], float),
            ranges=np.asarray(result.ranges[0], float),
        ),
        lines=np.asarray(best_lines(thinking.game, result)),
    )


def can_be_solved(game: Game[Any], num_found: int) -> bool:
    """False if the subgame is known to be too large. num_found: public states found."""
    return game.num_infostates * game.num_actions <= _MOST_ENTRIES and num_found <= _MOST_NODES


def check_size(game: Game[Any]) -> None:
    """Raises RequestError for a game that is never solved here."""
    if not can_be_solved(game, 0):
        raise RequestError(f"{game.name} is too large to be solved, only to be searched.")


def solve_below(
    game: Game[Any],
    state: Any,
    ranges: np.ndarray,
    locks: Sequence[Lock] = (),
    outcomes: tuple[int, ...] = (),
    poll: Poll = lambda: None,
) -> ExactSolution:
    """Solves the subgame at a public state; ranges: [player, S].

    locks: those below it; outcomes: the events that lead to the state, from where those of the
    locks begin. Raises TreeTooLargeError, or ValueError for invalid locks.
    """
    began = time.perf_counter()
    compiled = compile_tree(game, root=state, max_nodes=_MOST_NODES, progress=lambda _: poll())
    if locks:
        compiled = lock_game(compiled, locks, outcomes)
    ranges = np.asarray(ranges, np.float64)
    solution = solve_subgame(
        compiled, ranges[:, :, None], iterations=_ITERATIONS, progress=lambda _: poll()
    )
    return ExactSolution(
        policy=solution.policy[0, :, :, 0],
        values=solution.values[:, :, 0],
        ranges=ranges,
        error=float(solution.error[0]),
        num_nodes=compiled.tree.num_nodes,
        seconds=time.perf_counter() - began,
    )


class Solving:
    """Progress of the exact solution beside a search."""

    def __init__(self) -> None:
        self.exact: ExactSolution | None = None
        self.problem = ""
        """Why there is no solution."""
        self.is_hopeless = False
        """Whether the subgame is too large, so that retrying is pointless."""
        self.preparation: Preparation | None = None

    @property
    def is_busy(self) -> bool:
        """Whether it is queued or running."""
        return self.preparation is not None and not self.preparation.made.done()

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped."""
        return self.preparation is not None and self.preparation.is_cancelled

    def begin(
        self, solve: Callable[[Poll], ExactSolution], preparations: Preparations, title: str
    ) -> None:
        """Starts solving. Raises FullError."""
        self.problem = ""
        self.preparation = preparations.begin(title, functools.partial(self._run, solve))

    def stop(self) -> None:
        """Stops solving."""
        if self.preparation is not None:
            self.preparation.cancel()

    def _run(self, solve: Callable[[Poll], ExactSolution], poll: Poll) -> None:
        try:
            self.exact = solve(poll)
        except TreeTooLargeError:
            self.is_hopeless, self.problem = True, "the subgame is too large to be solved exactly."
        except ValueError as error:
            self.problem = str(error)
        except Cancelled:
            raise
        except Exception as error:
            self.problem = failed("solving", error)
