"""Measurements of a network in training: exploitability, and errors of its values."""

from typing import Any, Final

from gtcfr.evaluator import Evaluator
from gtcfr.mesh import batch_mesh
from gtcfr.settings import SearchSettings
from sog.evaluation.composed import compose
from sog.evaluation.value_error import HeldOut, random_belief_states
from sog.games.core import Game
from sog.tabular import compile_tree

_SEEDS: Final = 3


class NetworkMeasure:
    """Measures networks of one game."""

    def __init__(
        self, game: Game[Any], *, search: SearchSettings, num_states: int, max_nodes: int
    ) -> None:
        """num_states: belief states for comparing values, 0 for none.

        Raises TreeTooLargeError for games with more than `max_nodes` public states.
        """
        self._compiled = compile_tree(game, max_nodes=max_nodes)
        self._search = search
        self._held_out = None
        if num_states:
            held_out = random_belief_states(self._compiled.tree, num_states, seed=0)
            self._held_out = HeldOut(self._compiled, *held_out)

    def measure(self, evaluator: Evaluator) -> dict[str, float]:
        """Metrics in the game's own units; exploitability is the mean over a few seeds."""
        composed = compose(self._compiled, evaluator, self._search, seeds=_SEEDS, mesh=batch_mesh())
        found = {"exploitability": float(composed.exploitability.mean())}
        if self._held_out is not None:
            errors = self._held_out.errors(evaluator)
            found["value_error_exact"] = float(errors.mean_absolute)
            found["value_error_exact_rms"] = float(errors.root_mean_square)
            found["policy_divergence_exact"] = float(errors.policy_divergence)
        return found
