"""A search of positions, one after the other, until told to stop; it goes on with the tree below
what was played."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.action_values import action_values
from gtcfr.evaluator import Evaluator
from gtcfr.root import known_root
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.play.game_in_progress import Position
from sog.play.principal_variation import Lines, best_lines, events_of, read_lines
from sog.play.thinking import Thinking
from sog.precision import in_32_bits

SLICE_SECONDS: Final = 0.05
"""How long nobody is listened to, about."""
_SHARE_KEPT: Final = 0.7
"""Of how late slices were, from search to search."""

NextSlice = Callable[[], float]
"""How many seconds are left, inf without a clock; 0 or less to end."""

_action_values = jax.jit(action_values, static_argnums=0)


class Analyst:
    """Searches positions of a game of perfect information, one after the other."""

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator,
        settings: SearchSettings,
        *,
        most: int,
        seed: int = 0,
    ) -> None:
        """settings: of a move; kept_simulations of searches before are kept, as many as this one
        has room for where none are said. most: simulations that a search has room for. Raises
        ValueError for sizes that cannot be, or hidden information.
        """
        if game.hides_information or game.has_chance:
            raise ValueError(f"only perfect information can be analyzed so, which {game} has not.")
        self.game, self._evaluator, self._usual = game, evaluator, settings.num_simulations
        phase = settings.simulations_per_phase
        room = phase * math.ceil(max(most, self._usual) / phase)
        self._settings = dataclasses.replace(
            settings,
            num_simulations=room,
            kept_simulations=settings.kept_simulations or room,
            capacity=None if settings.lookahead == 1 else settings.capacity,
        )
        self.draw_from(seed)
        self._lateness = 0.0
        """Seconds by which a slice of the latest searches took longer than it should."""
        self._thinking: Thinking | None = None
        self._position: Position | None = None
        self._updates_before = 0

    @property
    def num_simulations(self) -> int:
        """Made since `think` was called last, those before it that were kept not counted."""
        assert self._thinking is not None
        updates = self._thinking.num_updates - self._updates_before
        return updates * self._settings.simulations_per_phase // self._settings.updates_per_phase

    @property
    def usual_simulations(self) -> int:
        """Those of the settings."""
        return self._usual

    @property
    def most_simulations(self) -> int:
        """For which there is room."""
        return self._settings.num_simulations

    def prepare(self) -> None:
        """Compiles what a search needs, what reads it, and what goes on with its tree."""
        position = Position.of(self.game)
        self.forget()
        self.think(position, 1, lambda: math.inf)
        lines = self.lines()
        if lines is not None and lines.num_visits:
            visited = int(lines.actions[np.argmax(lines.visits)])
            self._turn_to(position.after(self.game, visited))
        self.forget()

    def forget(self) -> None:
        """What was grown counts no more."""
        self._thinking = self._position = None

    def draw_from(self, seed: int) -> None:
        """The next searches draw other random numbers."""
        self._key = jax.random.key(seed)

    def close(self) -> None:
        """It holds nothing that must end."""

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        """Thinks about a position until there were so many simulations, or it is told to end.

        simulations: since the tree was turned to this position; None for as many as there is room
        for. Raises ValueError.
        """
        self._turn_to(position)
        assert self._thinking is not None
        self._updates_before, settings = self._thinking.num_updates, self._settings
        wanted = settings.num_simulations if simulations is None else simulations
        updates = math.ceil(wanted / settings.simulations_per_phase) * settings.updates_per_phase
        self._think(updates, next_slice)

    def policy(self) -> np.ndarray:
        """[A]: the average policy where it has thought."""
        policy: np.ndarray = np.asarray(self._found.policy)[0, 0]
        return policy

    def value(self, player: int) -> float:
        """What a player gets where it has thought."""
        return float(np.asarray(self._found.values)[0, player, 0])

    @in_32_bits
    def action_values(self) -> np.ndarray:
        """[A]: what actions are worth where it has thought, see `gtcfr.action_values`."""
        return np.asarray(_action_values(self.game, self._found)[0, 0], float)

    def line(self) -> list[int]:
        """How play goes on where it has thought, see `sog.play.principal_variation`."""
        found = self._found
        return events_of(best_lines(self.game, found)[int(found.slot[0])])

    @property
    def _found(self) -> SearchResult:
        assert self._thinking is not None
        return self._thinking.read()

    def best(self) -> int:
        """The likeliest action of the average policy."""
        return int(np.argmax(self.policy()))

    def lines(self) -> Lines | None:
        """What the search has found so far; nothing before its first update."""
        if self._thinking is None or self._thinking.num_updates == 0:
            return None
        result = self._thinking.read()
        check_result(self.game, result)
        return read_lines(self.game, result)

    def _think(self, updates: int, next_slice: NextSlice) -> None:
        thinking = self._thinking
        assert thinking is not None
        target, seconds = min(updates, thinking.total), next_slice()
        if thinking.num_updates == 0:  # something must be found
            thinking.run_slice(1, SLICE_SECONDS)
        self._lateness *= _SHARE_KEPT
        # On a busy machine a slice takes longer: none is begun that might end too late.
        while thinking.num_updates < target and seconds > thinking.pace + self._lateness:
            asked = min(SLICE_SECONDS, seconds)
            taken = thinking.run_slice(target - thinking.num_updates, asked)
            self._lateness = max(self._lateness, taken - asked)
            seconds = next_slice()

    def _turn_to(self, position: Position) -> None:
        events = position.events_since(self._position)
        self._position = position
        thinking = self._thinking
        if thinking is not None and events is not None:
            kept = (thinking.keep_below(event, self._next_key()) for event in events)
            if all(kept):
                return
        state = jax.tree.map(lambda leaf: np.asarray(leaf)[None], position.state)
        self._thinking = Thinking(
            self.game,
            evaluator=self._evaluator,
            root=known_root(state, jnp.ones((1, 2, 1), jnp.float32)),
            key=self._next_key(),
            settings=self._settings,
        )

    def _next_key(self) -> Array:
        key: Array
        self._key, key = jax.random.split(self._key)
        return key
