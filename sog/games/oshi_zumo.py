"""Oshi-Zumo: both players bid coins to push a wrestler off the other's end of the ring."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_0, param
from sog.games.simultaneous_moves import SimultaneousMovesGame
from sog.pytree import pytree


@pytree
class Ring:
    """A position: both players' bids are spent."""

    coins: Array  # int32[2]: left
    wrestler: Array  # int32: steps from the middle towards player 1's end


@dataclasses.dataclass(frozen=True, kw_only=True)
class OshiZumo(SimultaneousMovesGame[Ring]):
    """Oshi-Zumo (Buro 2003; Bosansky et al. 2016): 2K + 1 places, the wrestler in the middle.

    The higher bid pushes the wrestler one place towards the other player; equal bids do not move
    him. A player with less than the least bid bids all of it. When the wrestler is pushed out, or
    all coins are spent, the player from whose end he is farther away wins. The least bid is at
    least 1, so that the game ends.
    """

    name = "oshi_zumo"
    summary = "Oshi-Zumo: simultaneous bids push a wrestler out of the ring"
    rules = """\
Both players have coins; a wrestler stands in the middle of a ring. In each round both bid
coins in secret, then show them; the higher bid pushes him one place towards the other. Bids
are spent. When he is pushed out, or all coins are spent, the player from whose end he is
farther away wins."""

    coins: int = param(6, "N, the coins of each player", minimum=1, maximum=100)
    size: int = param(1, "K, places on either side of the middle", minimum=1, maximum=100)
    least: int = param(1, "M, the least bid", minimum=1, maximum=100)

    @property
    def num_actions(self) -> int:
        return self.coins + 1

    @property
    def max_rounds(self) -> int:
        return 2 * -(-self.coins // self.least)  # in each, one bids the least or more, or all

    def opening(self) -> Ring:
        return Ring(coins=jnp.full(2, self.coins, jnp.int32), wrestler=jnp.int32(0))

    def moves(self, position: Ring) -> Array:
        bids, coins = jnp.arange(self.num_actions)[None], position.coins[:, None]
        return (bids <= coins) & (bids >= jnp.minimum(coins, self.least))

    def after(self, position: Ring, moves: Array) -> Ring:
        push = jnp.sign(moves[0] - moves[1])
        return Ring(coins=position.coins - moves, wrestler=position.wrestler + push)

    def is_over(self, position: Ring) -> Array:
        is_out = jnp.abs(position.wrestler) > self.size
        return is_out | (position.coins == 0).all()

    def result(self, position: Ring) -> Array:
        return jnp.sign(position.wrestler).astype(jnp.float32)

    def features(self, position: Ring) -> Array:
        place = jax.nn.one_hot(position.wrestler + self.size + 1, 2 * self.size + 3)
        coins = jax.nn.one_hot(position.coins, self.num_actions)
        return jnp.concatenate([place, coins.reshape(-1)]).astype(jnp.float32)

    def describe_position(self, position: Ring) -> str:
        coins = np.asarray(position.coins)
        return f"coins {coins[0]}-{coins[1]}, wrestler at {int(position.wrestler):+d}"

    def describe_move(self, player: int, move: int) -> str:
        return f"{'first' if player == PLAYER_0 else 'second'} bids {move}"
