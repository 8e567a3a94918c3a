"""Values of hands if both players only check and call from a public state on.

All runouts of public cards are enumerated if there are few. Else a sample is used, always the same
at the same state, so that values are a function of the public state and the ranges alone.
"""

import functools
import hashlib
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.cards.poker import BettingGame
from sog.games.core import CHANCE, TERMINAL, Game
from sog.holdem.game import Holdem
from sog.holdem.no_limit import CALL
from sog.play.rules import situation
from sog.precision import in_32_bits

RUNOUTS: Final = 256
"""Runouts considered by default."""
_AT_ONCE: Final = 64
_MOST_KEPT: Final = 1000


def check_betting(game: Game[Any]) -> None:
    """Raises ValueError for a game without betting (folds, calls and raises)."""
    if not isinstance(game, BettingGame | Holdem):
        raise ValueError(f"the game must have betting, as holdem or leduc, not {game}.")


class CallingDown:
    """Values of hands against ranges if nobody bets any more."""

    def __init__(self, game: Game[Any], runouts: int = RUNOUTS) -> None:
        """runouts: the most runouts to enumerate; if there are more, so many are sampled."""
        check_betting(game)
        self.game, self._most = game, runouts
        self._kept: dict[bytes, np.ndarray] = {}

    @in_32_bits
    def cfvs(self, state: Any, reach: np.ndarray) -> np.ndarray:
        """[2, S]: counterfactual values of a public state, from reach [2, S]. Cached, since every
        hand begins alike before the flop."""
        reach = np.asarray(reach, np.float32)
        known = hashlib.sha256(reach.tobytes())
        for leaf in jax.device_get(jax.tree.leaves(state)):
            known.update(np.asarray(leaf).tobytes())

        def find() -> np.ndarray:
            means, met, _ = self._means(state, reach)
            return np.asarray(means * met, float)

        return self._once(known.digest(), find)

    @in_32_bits
    def equities(self, state: Any) -> np.ndarray:
        """[S]: each hand's equity against uniformly random hands, ties counting half. Cached, since
        bets make no difference."""

        def find() -> np.ndarray:
            anything = situation(self.game, state).infostate_mask.astype(np.float32)
            means, _, end = self._means(state, anything)
            return np.asarray(0.5 + 0.5 * means[0] / won(self.game, end))

        return self._once(np.asarray(state.board).tobytes(), find)

    def _once(self, what: bytes, find: Callable[[], np.ndarray]) -> np.ndarray:
        """The cached or newly computed result."""
        if what not in self._kept:
            if len(self._kept) >= _MOST_KEPT:  # the oldest goes
                self._kept.pop(next(iter(self._kept)))
            self._kept[what] = find()
        return self._kept[what]

    def _means(self, state: Any, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """Two arrays [2, S], the expected utility and joint weight of each hand; and one of the
        final states."""
        states, count = self._ends(jax.tree.map(lambda leaf: np.asarray(leaf)[None], state))
        cfvs, met = jax.device_get(_sums(self.game, states, np.int32(count), reach))
        # Both from the same sample, whichever of its cards a hand blocks.
        means = np.divide(cfvs, met, out=np.zeros_like(cfvs), where=met > 0)
        end = jax.tree.map(lambda leaf: leaf[0], states)
        return means, np.asarray(_compatible(self.game, state, reach)), end

    def _ends(self, states: Any) -> tuple[Any, int]:
        """Terminal states [n, ...], of which the first so many are valid."""
        random, count = np.random.default_rng(0), 1
        while True:
            states, actor, outcomes = _call_on(self.game, states)
            if int(actor) == TERMINAL:
                return states, count
            parents, dealt = np.nonzero(np.asarray(outcomes)[:count])
            if len(dealt) > self._most:
                # A sample stratified by parent: all have equally many children.
                order = random.permutation(len(dealt))
                order = order[np.argsort(parents[order], kind="stable")]
                place = np.arange(len(dealt)) - np.searchsorted(parents[order], parents[order])
                order = order[np.lexsort((random.random(len(dealt)), place))]
                kept = order[: self._most]
                parents, dealt = parents[kept], dealt[kept]
            count = len(dealt)
            # One state or the maximum, so that few shapes are compiled.
            padding = (0, self._most - count if count > 1 else 0)
            parents, dealt = (np.pad(array, padding, mode="edge") for array in (parents, dealt))
            states = _deal(self.game, states, parents, dealt.astype(np.int32))


def won(game: Game[Any], state: Any) -> float:
    """The winner's gain if the hand ends at this state, in the game's unit."""
    if isinstance(game, Holdem):
        return float(game.betting.won(state.betting)) / game.chips_per_unit
    return float(np.min(state.stakes))


def staked(game: Game[Any], state: Any) -> float:
    """The larger stake at this state, in chips."""
    return float(np.max((state.betting if isinstance(game, Holdem) else state).stakes))


@functools.partial(jax.jit, static_argnums=0)
def _call_on(game: Game[Any], states: Any) -> tuple[Any, Array, Array]:
    """Calls until a card or the end; the states, their actor, and legal outcomes bool[n, K]."""
    actor = jax.vmap(game.actor)

    def call(states: Any) -> Any:
        return jax.vmap(lambda state: game.apply(state, jnp.int32(CALL)))(states)

    states = jax.lax.while_loop(lambda states: actor(states)[0] < CHANCE, call, states)
    return states, actor(states)[0], jax.vmap(game.legal_outcomes)(states)


@functools.partial(jax.jit, static_argnums=0)
def _deal(game: Game[Any], states: Any, parents: Array, outcomes: Array) -> Any:
    return jax.vmap(game.apply)(jax.tree.map(lambda leaf: leaf[parents], states), outcomes)


@functools.partial(jax.jit, static_argnums=0)
def _sums(game: Game[Any], states: Any, count: Array, reach: Array) -> tuple[Array, Array]:
    """Two arrays [2, S], summed over the first `count` of terminal states: `Game.utilities`, and
    `Game.compatible_reach`."""
    length = len(jax.tree.leaves(states)[0])
    size = min(_AT_ONCE, length)

    def add(number: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        # The last chunk may overlap the one before.
        first = jnp.minimum(number * size, length - size)
        some = jax.tree.map(lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, first, size), states)
        places = first + jnp.arange(size, dtype=jnp.int32)
        counts = ((places >= number * size) & (places < count))[:, None, None]
        cfvs = jax.vmap(lambda state: game.utilities(state, reach))(some)
        met = jax.vmap(lambda state: game.compatible_reach(state, reach))(some)
        cfvs, met = (jnp.sum(jnp.where(counts, values, 0), axis=0) for values in (cfvs, met))
        return sums[0] + cfvs, sums[1] + met

    nothing = jnp.zeros_like(reach)
    batches = (count + (size - 1)) // size
    sums: tuple[Array, Array] = jax.lax.fori_loop(0, batches, add, (nothing, nothing))
    return sums


@functools.partial(jax.jit, static_argnums=0)
def _compatible(game: Game[Any], state: Any, reach: Array) -> Array:
    return game.compatible_reach(state, reach)
