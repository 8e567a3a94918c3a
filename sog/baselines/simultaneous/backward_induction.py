"""Backward induction with linear programs, pruned by serialized bounds."""

import dataclasses
from typing import Any, ClassVar, Final

import numpy as np

from sog.baselines.histories.arrays import ROOT, HistoryTree
from sog.baselines.histories.layout import histories_of
from sog.baselines.simultaneous.matrix_solver import solve_matrix
from sog.baselines.simultaneous.serialized import Serialized
from sog.baselines.simultaneous.stages import NO_ROW, Stage, Stages
from sog.games.core import PLAYER_0, PLAYER_1, Game, param
from sog.play.arena import AgentFactory
from sog.play.simple_agents import TabularAgent
from sog.players.method import Method
from sog.players.player import Host
from sog.tabular.enumerated_game import EnumeratedGame

_EXACT: Final = 1e-9  # what bounds may differ by, as a share of the largest utility
_PROGRESS_EVERY: Final = 500  # states


@dataclasses.dataclass(frozen=True, kw_only=True)
class BackwardInduction(Method):
    """Exact values of simultaneous moves, from the end of the game.

    pruning=none: BI, a linear program per state (Bosansky et al. 2016, Algorithm 1). alpha_beta:
    BI-alpha-beta leaves states out where both serializations, in which one player sees the other's
    move, have the same value (Algorithm 2). double_oracle: in DO-alpha-beta, matrices also grow by
    best responses, which bounds spare work, too (Algorithms 3 and 4).
    """

    name = "backward_induction"
    paper: ClassVar[str] = "Bosansky, Lisy, Lanctot, Cermak, Winands 2016, Algorithms 1 to 4"

    pruning: str = param(
        "double_oracle", "pruning method", choices=("none", "alpha_beta", "double_oracle")
    )

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that play the equilibrium."""
        laid_out = histories_of(game, host)
        policy = laid_out.to_tree(ExactSolver(self.pruning, laid_out, host).policy())
        enumerated = EnumeratedGame(tree=laid_out.tree)
        return lambda player, seed: TabularAgent(enumerated, policy, player=player, seed=seed)


@dataclasses.dataclass(kw_only=True)
class Counts:
    """The work of a solve."""

    states: int = 0
    """Matrices: stages of players that bounds did not decide."""
    programs: int = 0
    """Linear programs: for matrices with more than one row and column."""
    settled: int = 0
    """Subgames with equal bounds, which need no solving."""
    skipped_responses: int = 0
    """Actions that bounds ruled out as best responses."""
    serialized_states: int = 0
    """Stages that alpha-beta visited, in both serializations."""
    cut_offs: int = 0
    """Cutoffs of alpha-beta."""


class ExactSolver:
    """A solver. Values are to player 0, whose choices are the rows of a matrix."""

    value: float
    """Of the game, to player 0."""
    counts: Counts

    def __init__(self, pruning: str, tree: HistoryTree, host: Host) -> None:
        """Solves the game. Raises ValueError if it hides more than simultaneous moves."""
        self._pruning, self._host, self._histories = pruning, host, tree.histories
        self.stages = Stages(tree.histories)
        """The work of this solve."""
        self._exact = _EXACT * self.stages.scale
        self._bounds = Serialized(self.stages)
        self._counts = Counts()
        self._values: dict[int, float] = {}
        self._strategy: dict[tuple[int, int], np.ndarray] = {}  # by history and player
        host.begin(f"solving {tree.tree.game.name} by backward induction")
        self.value = self.value_of(ROOT) + 0.0  # no -0
        serialized = {"serialized_states": self._bounds.states, "cut_offs": self._bounds.cut_offs}
        self.counts = dataclasses.replace(self._counts, **serialized)

    def policy(self) -> np.ndarray:
        """[row + 1, choice]: an equilibrium that stays optimal after mistakes of the opponent;
        alpha-beta searches the pruned parts."""
        legal = np.asarray(self._histories.legal, float)
        policy: np.ndarray = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
        for history, stage in enumerate(self.stages.stage):
            for player in (PLAYER_0, PLAYER_1):
                if stage is not None and stage.rows[player] != NO_ROW:
                    strategy = self._strategy_at(history, stage, player)
                    policy[stage.rows[player], : len(strategy)] = strategy
        return policy

    def _strategy_at(self, history: int, stage: Stage, player: int) -> np.ndarray:
        """The strategy of the matrix; else alpha-beta's choice for a first mover, which is safe."""
        found = self._strategy.get((history, player))
        if found is None:
            best = self._bounds.first_move(history, player)
            found = (np.arange(len(stage.lines(player))) == best).astype(float)
        return found

    def value_of(self, history: int) -> float:
        """The value of a subgame at a stage or an end; solved once, on demand."""
        stage = self.stages.stage[history]
        if stage is None:
            return self.stages.utility[history]
        if history not in self._values:
            self._values[history] = self._solve(history, stage)
        return self._values[history]

    def _solve(self, history: int, stage: Stage) -> float:
        if self._pruning != "none":
            low, high = self._range(history)
            if high - low <= self._exact:
                self._counts.settled += 1
                return low
        if stage.odds:
            children = zip(stage.odds, stage.children[0], strict=True)
            return sum(odds * self.value_of(child) for odds, child in children)
        self._counts.states += 1
        if self._counts.states % _PROGRESS_EVERY == 0:
            self._host.update(f"{self._counts.states:,} states")
        if self._pruning == "double_oracle":
            return self._double_oracle(history, stage)
        matrix = np.array([[self.value_of(child) for child in line] for line in stage.children])
        value, *strategies = self._program(matrix)
        for player in (PLAYER_0, PLAYER_1):
            self._strategy[history, player] = strategies[player]
        return value

    def _program(self, matrix: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        self._counts.programs += min(matrix.shape) > 1
        return solve_matrix(matrix)

    def _range(self, history: int) -> tuple[float, float]:
        """Bounds of a value; equal if the value is known."""
        if history in self._values:
            return self._values[history], self._values[history]
        return self._bounds.low(history), self._bounds.high(history)

    def _double_oracle(self, history: int, stage: Stage) -> float:
        """Algorithm 3, from bounds that differ.

        A strategy guarantees each bound: that of a matrix, or while none has improved on the
        serialized bound, the pure one of `_strategy_at`.
        """
        low, high = self._range(history)
        rows, columns = [0], [0]
        while True:
            matrix = np.array(
                [[self.value_of(stage.children[r][c]) for c in columns] for r in rows]
            )
            _, first, second = self._program(matrix)
            against_0, column = self._best_response(stage, PLAYER_1, rows, first, -high)
            against_1, row = self._best_response(stage, PLAYER_0, columns, second, low)
            if -against_0 > low:
                low = -against_0
                self._strategy[history, PLAYER_0] = _spread(first, rows, stage, PLAYER_0)
            if against_1 < high:
                high = against_1
                self._strategy[history, PLAYER_1] = _spread(second, columns, stage, PLAYER_1)
            new_rows = [] if row is None or row in rows else [row]
            new_columns = [] if column is None or column in columns else [column]
            if high - low <= self._exact or not new_rows + new_columns:
                return (low + high) / 2
            rows, columns = rows + new_rows, columns + new_columns

    def _best_response(
        self, stage: Stage, player: int, used: list[int], mix: np.ndarray, sure: float
    ) -> tuple[float, int | None]:
        """Algorithm 4: the best response to a mixture of the actions in use, and its value.

        sure: the player's guaranteed value in this stage; returned if no action gets more. (The
        paper prints the other bound here, but only with this one does the result bound the value.)
        """
        sign = 1 if player == PLAYER_0 else -1
        others = [(float(p), action) for p, action in zip(mix, used, strict=True) if p > 0]
        best, answer = sure, None
        for action, line in enumerate(stage.lines(player)):
            cells = [line[other] for _, other in others]
            worth = [self._most(cell, player) for cell in cells]

            def mean(worth: list[float] = worth) -> float:
                return sum(p * value for (p, _), value in zip(others, worth, strict=True))

            for place, cell in enumerate(cells):
                if mean() <= best:
                    self._counts.skipped_responses += 1
                    break
                worth[place] = sign * self.value_of(cell)
            if mean() > best + self._exact:
                best, answer = mean(), action
        return best, answer

    def _most(self, history: int, player: int) -> float:
        """The upper bound of a subgame's value to a player."""
        stage = self.stages.stage[history]
        if stage is None:
            return self.stages.utility[history] * (1 if player == PLAYER_0 else -1)
        low, high = self._range(history)
        return high if player == PLAYER_0 else -low


def _spread(strategy: np.ndarray, actions: list[int], stage: Stage, player: int) -> np.ndarray:
    """[choice] from the probabilities of some choices."""
    spread = np.zeros(len(stage.lines(player)))
    spread[actions] = strategy
    return spread
