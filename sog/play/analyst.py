"""Searches one position after another until stopped, reusing the subtree below the moves played."""

import dataclasses
import functools
import math
import threading
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.action_values import action_values
from gtcfr.evaluator import Evaluator
from gtcfr.root import SearchRoot, known_root
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.kept_programs import compiles_quickly, is_marked, mark
from sog.play.game_in_progress import Position
from sog.play.principal_variation import Lines, best_lines, compile_lines, events_of, read_lines
from sog.play.thinking import Thinking, compile_search
from sog.precision import in_32_bits

SLICE_SECONDS: Final = 0.05
"""Approximate time between two checks for a stop."""
COMPILES: Final = "compiles a search"
"""The thread's name."""
_SHARE_KEPT: Final = 0.7
"""Decay of the measured slice overrun from search to search."""

NextSlice = Callable[[], float]
"""Returns the seconds left, inf without a clock; 0 or less ends the search."""

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
        """settings: for a move; if kept_simulations is 0, as many are kept as there is room for.
        Trees grow through all updates, since it is not known how many there will be.
        most: simulations that a search has room for. Raises ValueError for invalid sizes or hidden
        information.
        """
        if game.hides_information or game.has_chance:
            raise ValueError(f"only perfect information can be analyzed so, which {game} has not.")
        self.game, self._evaluator = game, evaluator
        self.usual_simulations = settings.num_simulations
        """Simulations according to the settings."""
        phase = math.ceil(settings.simulations_per_update)
        self.most_simulations = room = phase * math.ceil(max(most, self.usual_simulations) / phase)
        """Simulations for which there is room."""
        self._settings = dataclasses.replace(
            settings,
            num_simulations=room,
            kept_simulations=settings.kept_simulations or room,
            growth_share=1.0,
            capacity=None if settings.lookahead == 1 else settings.capacity,
        )
        self.draw_from(seed)
        self._lateness = 0.0
        """Seconds by which recent slices overran."""
        self._thinking: Thinking | None = None
        self._position: Position | None = None
        self._updates_before = 0
        self.is_draft = self._is_closed = False

    @property
    def num_simulations(self) -> int:
        """Simulations since the last call of `think`, without those kept from before."""
        assert self._thinking is not None
        updates = self._thinking.num_updates - self._updates_before
        return updates * self._settings.simulations_per_phase // self._settings.updates_per_phase

    def prepare(self, *, with_drafts: bool = True) -> None:
        """Compiles the programs that search, read the result and reuse the tree.

        with_drafts: where that takes long, see `compile_quickly`, a thread does it, and searches
        meanwhile run as drafts.
        """
        how: dict[str, Any] = {
            "evaluator": self._evaluator,
            "root": self._root_at(Position.of(self.game)),
            "key": self._key,
        }
        programs = functools.partial(compile_search, self.game, settings=self._settings)
        self.is_draft = with_drafts and compiles_quickly() and not is_marked(programs, **how)
        compile_now = functools.partial(programs, is_cancelled=lambda: self._is_closed)
        compile_lines(self.game, compile_now(**how, is_draft=self.is_draft))
        if self.is_draft:
            work = functools.partial(self._compile_all, programs, how)
            threading.Thread(target=work, name=COMPILES).start()

    def _compile_all(self, programs: Callable[..., object], how: dict[str, Any]) -> None:
        programs(**how, is_cancelled=lambda: self._is_closed)
        if not self._is_closed:
            mark(programs, **how)
            self.is_draft = False

    def forget(self) -> None:
        """Discards the tree."""
        self._thinking = self._position = None

    def draw_from(self, seed: int) -> None:
        """Reseeds the next searches."""
        self._key = jax.random.key(seed)

    def close(self) -> None:
        """Ends compilation after the current program."""
        self._is_closed = True

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        """Searches a position until `simulations` are made or `next_slice` ends it.

        simulations: counted since the tree was moved to this position; None for as many as fit.
        Raises ValueError.
        """
        self._turn_to(position)
        assert self._thinking is not None
        self._updates_before, settings = self._thinking.num_updates, self._settings
        wanted = settings.num_simulations if simulations is None else simulations
        updates = math.ceil(wanted / settings.simulations_per_phase) * settings.updates_per_phase
        self._think(updates, next_slice)

    def policy(self) -> np.ndarray:
        """[A]: the average policy at the searched position."""
        policy: np.ndarray = np.asarray(self._found.policy)[0, 0]
        return policy

    def value(self, player: int) -> float:
        """Expected utility of a player at the searched position."""
        return float(np.asarray(self._found.values)[0, player, 0])

    @in_32_bits
    def action_values(self) -> np.ndarray:
        """[A]: action values at the searched position, see `gtcfr.action_values`."""
        return np.asarray(_action_values(self.game, self._found)[0, 0], float)

    def line(self) -> list[int]:
        """The principal variation, see `sog.play.principal_variation`."""
        found = self._found
        return events_of(np.asarray(best_lines(self.game, found))[int(found.slot[0])])

    @property
    def _found(self) -> SearchResult:
        assert self._thinking is not None
        return self._thinking.read()

    def best(self) -> int:
        """The most likely action of the average policy."""
        return int(np.argmax(self.policy()))

    def lines(self) -> Lines | None:
        """The search's result so far; None before its first update."""
        if self._thinking is None or self._thinking.num_updates == 0:
            return None
        result = self._thinking.read()
        check_result(self.game, result)
        return read_lines(self.game, result)

    def _think(self, updates: int, next_slice: NextSlice) -> None:
        thinking = self._thinking
        assert thinking is not None
        target, seconds = min(updates, thinking.total), next_slice()
        if thinking.num_updates == 0:  # find something at least
            thinking.run_slice(1, SLICE_SECONDS)
        self._lateness *= _SHARE_KEPT
        # Slices take longer on a busy machine: begin none that may overrun the clock.
        while thinking.num_updates < target and seconds > thinking.pace + self._lateness:
            asked, thinking.is_draft = min(SLICE_SECONDS, seconds), self.is_draft
            taken = thinking.run_slice(target - thinking.num_updates, asked)
            self._lateness = max(self._lateness, taken - asked)
            seconds = next_slice()

    def _turn_to(self, position: Position) -> None:
        events = position.events_since(self._position)
        self._position = position
        thinking = self._thinking
        if thinking is not None and events is not None and not self.is_draft:
            kept = (thinking.reuse_subtree(event, self._next_key()) for event in events)
            if all(kept):
                return
        self._thinking = Thinking(
            self.game,
            evaluator=self._evaluator,
            root=self._root_at(position),
            key=self._next_key(),
            settings=self._settings,
            is_draft=self.is_draft,
        )

    def _root_at(self, position: Position) -> SearchRoot:
        state = jax.tree.map(lambda leaf: np.asarray(leaf)[None], position.state)
        root = known_root(state, jnp.asarray(np.ones((1, 2, 1), np.float32)))
        on_device: SearchRoot = jax.device_put(root, jax.devices()[0])
        return on_device

    def _next_key(self) -> Array:
        key: Array
        self._key, key = jax.random.split(self._key)
        return key
