"""Perfect play of small games without hidden information, by `sog.tabular`."""

import dataclasses
from typing import Any, Final

import jax
import numpy as np

from sog.boards.hex import Hex
from sog.boards.hex_solver import HexSolver
from sog.games.core import Game
from sog.play.arena import AgentFactory
from sog.play.match import only_at_the_start
from sog.play.rules import first_state
from sog.play.simple_agents import RandomAgent
from sog.players.method import Method
from sog.players.player import Host
from sog.tabular.perfect_play import perfect_values

_LARGEST_HEX: Final = 5
_MOST_POSITIONS: Final = 200_000


class PerfectAgent(RandomAgent):
    """Plays the best actions found, uniformly."""

    def __init__(
        self, game: Game[Any], *, player: int, seed: int, solver: HexSolver | None
    ) -> None:
        """solver: for Hex; other games are solved by backward induction."""
        self._solver = solver
        super().__init__(game, player=player, seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game; Hex must start at its root: the solver takes the moves so far."""
        if self._solver is not None:
            only_at_the_start(state)
        self._line: list[int] = []
        super().begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Observes a public event."""
        super().observe(outcome)
        self._line.append(outcome)

    def policies(self) -> np.ndarray:
        """[1, A]: the probabilities with which `act` chooses."""
        if self._solver is not None:
            is_best = np.zeros(self.game.num_actions)
            is_best[self._solver.best_cells(self._line)] = 1
        else:
            values = _values(self.game, self._state)
            is_best = values == np.nanmax(values)
        return np.asarray(is_best / is_best.sum())[None]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Perfect(Method):
    """Backward induction over all positions below; in Hex up to 5 x 5 proof-number search."""

    name = "perfect"
    paper = "Zermelo 1913; Nagai 2002 for proof-number search"

    def check(self, game: Game[Any]) -> None:
        """Raises ValueError for a game that is too large."""
        if not _is_small_hex(game):
            _values(game, first_state(game))

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that share the solver for Hex."""
        solver = HexSolver(game.size) if isinstance(game, Hex) and _is_small_hex(game) else None
        return lambda player, seed: PerfectAgent(game, player=player, seed=seed, solver=solver)


def _is_small_hex(game: Game[Any]) -> bool:
    return isinstance(game, Hex) and not game.swap and game.size <= _LARGEST_HEX


def _values(game: Game[Any], state: Any) -> np.ndarray:
    """[A]: see `perfect_values`."""
    states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], jax.device_get(state))
    found: np.ndarray = perfect_values(game, states, max_positions=_MOST_POSITIONS)[0]
    return found
