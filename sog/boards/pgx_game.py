"""Games of the package pgx (the extra `pgx`): `load_pgx("go_9x9")`.

Its two-player zero-sum games without hidden information or chance. Player 0 moves first; pgx draws
the first player at random. A public state is pgx's state without the observation. Importing pgx
runs JAX computations, so it is imported only when one of its games is loaded.
"""

import dataclasses
import functools
import importlib
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_0, TERMINAL
from sog.games.encoding import Moves, Planes
from sog.games.grid import cell_name
from sog.games.perfect_information import PerfectInformationGame
from sog.parameters import near_name
from sog.precision import in_32_bits
from sog.pytree import pytree

_MOST_KEYS: Final = 64
"""Keys to try until player 0 moves first."""
_MARKS: Final = "XO."
_NO_INFOSTATES: Final = (
    "its observations are no information states: different public histories share one"
)
_CHANCE: Final = "chance moves within its steps"
_ONE_PLAYER: Final = "it is for one player"
_REFUSED: Final = {
    "kuhn_poker": _NO_INFOSTATES,
    "leduc_holdem": _NO_INFOSTATES,
    "bridge_bidding": "it is for four players",
    "sparrow_mahjong": "it is for three players",
    "mahjong": "it is for four players",
    "backgammon": _CHANCE,
    "2048": _ONE_PLAYER,
    "minatar-asterix": _ONE_PLAYER,
    "minatar-breakout": _ONE_PLAYER,
    "minatar-freeway": _ONE_PLAYER,
    "minatar-seaquest": _ONE_PLAYER,
    "minatar-space_invaders": _ONE_PLAYER,
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Kind:
    """Facts about a game that pgx does not provide."""

    max_depth: int
    stones: bool = False
    """Whether the first two planes are the stones of the player to move and of the other."""
    cells: bool = False
    """Whether actions are cells, row by row from the top left."""
    other: str = "pass"
    """The action after those."""
    word: str = "move"
    """The name of an action that is not a cell, before its number from 1."""
    channels_first: bool = False


_KINDS: Final = {
    "tic_tac_toe": _Kind(max_depth=9, stones=True, cells=True),
    "connect_four": _Kind(max_depth=42, stones=True, word="column"),
    "othello": _Kind(max_depth=122, stones=True, cells=True),  # a pass before every disk, and two
    "hex": _Kind(max_depth=122, stones=True, cells=True, other="swap"),
    "go_9x9": _Kind(max_depth=162, stones=True, cells=True),
    "go_19x19": _Kind(max_depth=722, stones=True, cells=True),
    "gardner_chess": _Kind(max_depth=256),
    "chess": _Kind(max_depth=512),
    "animal_shogi": _Kind(max_depth=256),
    "shogi": _Kind(max_depth=512, channels_first=True),
}
"""Depths are pgx's own limits where it has one."""


@pytree
class PgxState:
    """A public state: pgx's state, whose observation is None."""

    inner: Any


def load_pgx(name: str, *, progress: object = None) -> "PgxGame":
    """The pgx game of this name. progress: unused.

    Raises ValueError with the reason if pgx has no such game or is not installed, or if the game
    cannot be searched here.
    """
    name = name.strip()
    if name in _REFUSED:
        raise ValueError(f"pgx:{name}: not supported: {_REFUSED[name]}.")
    if name not in _KINDS:
        near = near_name(name, _KINDS)
        hint = f"did you mean pgx:{near}?" if near else f"there are {', '.join(_KINDS)}."
        raise ValueError(f"unknown game 'pgx:{name}': {hint}")
    try:
        importlib.import_module("pgx")
    except ImportError:
        raise ValueError("pgx games need pgx: pip install 'sog[pgx]'.") from None
    return PgxGame(env_name=name)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PgxGame(PerfectInformationGame[PgxState]):
    """A game of pgx; made by `load_pgx`."""

    name = "pgx"
    summary = "a two-player board game of pgx"

    env_name: str

    def __str__(self) -> str:
        return f"{self.name}:{self.env_name}"

    @property
    def _kind(self) -> _Kind:
        return _KINDS[self.env_name]

    @property
    def num_actions(self) -> int:
        return len(_first_state(self.env_name).legal_action_mask)

    @property
    def max_depth(self) -> int:
        return self._kind.max_depth

    def root(self) -> PgxState:
        return PgxState(inner=jax.tree.map(jnp.asarray, _first_state(self.env_name)))

    def actor(self, state: PgxState) -> Array:
        mover = state.inner.current_player
        return jnp.where(_is_over(state), TERMINAL, mover).astype(jnp.int32)

    def legal_outcomes(self, state: PgxState) -> Array:
        legal: Array = state.inner.legal_action_mask & ~_is_over(state)
        return legal

    @in_32_bits
    def apply(self, state: PgxState, outcome: Array) -> PgxState:
        with jax.numpy_rank_promotion("allow"):
            inner = _env(self.env_name).step(state.inner, outcome)
        same = jax.tree.map(
            lambda new, old: new.astype(old.dtype), inner.replace(observation=None), state.inner
        )
        return PgxState(inner=same)

    def result(self, state: PgxState) -> Array:
        first: Array = state.inner.rewards[PLAYER_0].astype(jnp.float32)
        return first

    @property
    def encoding(self) -> Planes:
        channels, rows, columns = self._shape
        others = self.num_actions - rows * columns
        moves = Moves(planes=1, others=others) if self._kind.cells else None
        return Planes(channels=channels + 1, rows=rows, columns=columns, moves=moves)

    @functools.cached_property
    def _shape(self) -> tuple[int, int, int]:
        """Channels, rows and columns of pgx's observation."""
        with jax.numpy_rank_promotion("allow"):
            planes = jax.eval_shape(lambda: self._planes(self.root()))
        channels, rows, columns = planes.shape
        return channels, rows, columns

    @in_32_bits
    def _planes(self, state: PgxState) -> Array:
        """[channel, row, column]: as the player to move sees them."""
        with jax.numpy_rank_promotion("allow"):
            planes = _env(self.env_name).observe(state.inner)
        return planes if self._kind.channels_first else jnp.moveaxis(planes, -1, 0)

    def observe(self, state: PgxState) -> Array:
        """Pgx's planes, flattened, plus one that is 1 if player 0 is to move."""
        planes = self._planes(state).reshape(-1).astype(jnp.float32)
        _, rows, columns = self._shape
        is_first = (state.inner.current_player == PLAYER_0).astype(jnp.float32)
        return jnp.concatenate([planes, jnp.broadcast_to(is_first, rows * columns)])

    def describe_action(self, state: PgxState, infostate: int, action: int) -> str:
        _, rows, columns = self._shape
        if not self._kind.cells:
            return f"{self._kind.word} {action + 1}"
        return self._kind.other if action == rows * columns else cell_name(action, columns)

    def _board(self, state: PgxState) -> list[str]:
        """The rows of a board of stones."""
        own, other = np.asarray(self._planes(state))[:2] > 0
        mover = int(state.inner.current_player)
        marks = np.where(own, mover, np.where(other, 1 - mover, 2))
        return ["".join(_MARKS[mark] for mark in row) for row in marks]

    def describe_state(self, state: PgxState) -> str:
        """The rows of a board of stones from the top, and the player to move."""
        board = "/".join(self._board(state)) if self._kind.stones else ""
        count = f"after {int(state.inner._step_count)} moves"
        if bool(_is_over(state)):
            return f"{board or count} (over, {float(self.result(state)):+g} for player 0)"
        return f"{board or count} (player {int(state.inner.current_player)} to move)"

    def draw(self, state: PgxState, ranges: np.ndarray | None = None) -> str:
        if not self._kind.stones:
            return self.describe_state(state)
        rows = self._board(state)
        names = " ".join(chr(ord("a") + column) for column in range(len(rows[0])))
        lines = [f"{number:>2} {' '.join(row)}" for number, row in enumerate(rows, start=1)]
        return "\n".join([f"   {names}", *lines])


def _is_over(state: PgxState) -> Array:
    over: Array = state.inner.terminated | state.inner.truncated
    return over


@functools.cache
def _env(name: str) -> Any:
    with jax.ensure_compile_time_eval(), jax.numpy_rank_promotion("allow"):
        return importlib.import_module("pgx").make(name)


@functools.cache
@in_32_bits
def _first_state(name: str) -> Any:
    """A first state in which player 0 moves; NumPy arrays."""
    env = _env(name)
    with jax.ensure_compile_time_eval(), jax.numpy_rank_promotion("allow"):
        for number in range(_MOST_KEYS):
            state = env.init(jax.random.PRNGKey(number))
            if int(state.current_player) == PLAYER_0:
                return jax.tree.map(np.asarray, state.replace(observation=None))
    raise ValueError(f"pgx:{name}: player 0 moved first in none of {_MOST_KEYS} games.")
