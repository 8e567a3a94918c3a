"""Perfect play of small Hex, by proof-number search."""

import dataclasses
from typing import Any, Final

import numpy as np

from sog.boards.hex import Hex
from sog.boards.hex_solver import HexSolver
from sog.games.core import Game
from sog.play.arena import AgentFactory
from sog.play.match import only_at_the_start
from sog.play.simple_agents import RandomAgent
from sog.players.method import Method
from sog.players.player import Host

_LARGEST: Final = 5


class PerfectAgent(RandomAgent):
    """Plays the best cells found, uniformly."""

    def __init__(self, game: Hex, *, player: int, seed: int, solver: HexSolver) -> None:
        self._solver = solver
        super().__init__(game, player=player, seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start: the solver takes the moves so far."""
        only_at_the_start(state)
        self._line: list[int] = []
        super().begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Observes a public event."""
        super().observe(outcome)
        self._line.append(outcome)

    def policies(self) -> np.ndarray:
        """[1, A]: the probabilities with which `act` chooses."""
        is_best = np.zeros((1, self.game.num_actions))
        is_best[0, self._solver.best_cells(self._line)] = 1
        return np.asarray(is_best / is_best.sum())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Perfect(Method):
    """Hex up to 5 x 5 by proof-number search."""

    name = "perfect"
    paper = "Nagai 2002, df-pn"

    def check(self, game: Game[Any]) -> None:
        """Raises ValueError for another game, or a larger board."""
        if not isinstance(game, Hex) or game.swap or game.size > _LARGEST:
            raise ValueError(
                f"the game must be hex up to {_LARGEST} x {_LARGEST} without swap, got "
                f"{game}; tabular plays other small games almost perfectly."
            )

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that share a solver."""
        assert isinstance(game, Hex)
        solver = HexSolver(game.size)
        return lambda player, seed: PerfectAgent(game, player=player, seed=seed, solver=solver)
