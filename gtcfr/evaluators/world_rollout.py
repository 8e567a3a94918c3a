"""Random playouts with hidden information: a game from each possible world of a leaf.

A world of a leaf is a pair of infostates with a joint weight w(s0, s1) > 0. When a leaf joins the
tree, random games are played from its worlds, and their results u are kept. Every update has new
ranges r; the value of infostate s of a player is then

    sum over s' of w(s, s') r(s') u(s, s')  /  sum over s' of w(s, s') r(s')

with r the opponent's range and u the player's mean utility in the games from that world. This is
unbiased for any ranges, as long as every world has a game. Where there are more worlds than games,
a sample of worlds is drawn, evenly spread over the infostates of player 0, and both sums are over
those. Such a ratio estimator is consistent but biased, though never outside the utilities. Where
the opponent's range is 0 in all of an infostate's drawn worlds, both sums are 0, and its value is
set to 0, the middle. (In liar's dice with two dice each, 256 of 441 worlds drawn and ranges of two
hands, that is one in five infostates. The mean of the leaf, or of the infostate's games against
other hands, had a larger error: its noise exceeds what it gains.)

All random numbers come from the public state and the seed, so that results do not depend on the
batch.
"""

import dataclasses
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries
from sog.games.core import Game
from sog.games.random_play import play_out
from sog.pytree import pytree

MOST_WORLDS: Final = 256
"""Up to this many worlds of a leaf each get a game, whatever the number of games; more in games in
which one player alone has more infostates."""
MOST_INFOSTATES: Final = 4096
"""Limited since joint weights of all pairs are computed."""
_FEWEST_LANES: Final = 64  # games at once; fewer are no faster


@pytree
class Playouts:
    """The random games of a leaf, at most G: its encoding for the evaluator."""

    infostates: Array  # [G, player] int32: the world where a game started
    weight: Array  # [G]: its joint weight, divided among the games from it; 0 where none was played
    utility: Array  # [G]: of player 0


@pytree
class _Worlds:
    """The start worlds of the games of a leaf."""

    infostates: Array  # [G, player] int32
    weight: Array  # [G], see `Playouts`
    num_games: Array  # int32: only the first `num_games` are played


@pytree
class WorldRolloutEvaluator(Evaluator):
    """Values leaves by random games, for games with hidden information."""

    num_games: int = dataclasses.field(metadata={"static": True})
    """Per leaf; more if needed to give each of its worlds a game, up to `MOST_WORLDS`."""
    seed: int = 0
    leaves_per_call: int | None = dataclasses.field(default=16, metadata={"static": True})

    def encode(self, game: Game[Any], state: Any) -> Playouts:
        """Plays the games of one leaf."""
        one = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
        played: Playouts = jax.tree.map(
            lambda leaf: leaf[0], self.encode_many(game, one, jnp.ones(1, bool))
        )
        return played

    def encode_many(self, game: Game[Any], states: Any, is_valid: Array) -> Playouts:
        """Plays the games of all valid leaves, some at a time."""
        keys = jax.vmap(lambda state: _key_of(self.seed, state))(states)
        count = self._room(game)
        nothing = _Worlds(
            infostates=jnp.zeros((len(is_valid), count, 2), jnp.int32),
            weight=jnp.zeros((len(is_valid), count)),
            num_games=jnp.zeros(len(is_valid), jnp.int32),
        )
        order = jnp.argsort(~is_valid)  # the valid ones first

        def find(number: Array, worlds: _Worlds) -> _Worlds:
            leaf = order[number]
            state = jax.tree.map(lambda part: part[leaf], states)
            found = _choose_worlds(game, state, self.num_games, count, keys[leaf])
            written: _Worlds = jax.tree.map(
                lambda whole, row: whole.at[leaf].set(row), worlds, found
            )
            return written

        worlds = jax.lax.fori_loop(0, jnp.sum(is_valid), find, nothing)
        utility = _play(game, states, worlds, keys)
        return Playouts(infostates=worlds.infostates, weight=worlds.weight, utility=utility)

    def _room(self, game: Game[Any]) -> int:
        """G."""
        size = game.num_infostates
        return max(self.num_games, min(size**2, max(MOST_WORLDS, size)))

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """No memory; raises ValueError for a game with too many infostates."""
        check_infostates(game)
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """The means of the games, worlds weighted by the ranges; uniform policy logits."""
        values = jax.vmap(jax.vmap(_values))(queries.encoded, queries.ranges)
        logits = jnp.zeros((*values.shape[:2], game.num_infostates, game.num_actions), values.dtype)
        return LeafEvaluation(values=values, policy_logits=logits, memory=memory)


def check_infostates(game: Game[Any]) -> None:
    """Raises ValueError for a game with too many infostates."""
    if game.num_infostates > MOST_INFOSTATES:
        raise ValueError(
            f"random playouts value games of at most {MOST_INFOSTATES:,} infostates per public "
            f"state, and {game} has {game.num_infostates:,}."
        )


def _values(played: Playouts, ranges: Array) -> Array:
    """[player, S]; 0 for an infostate without a drawn world inside the opponent's range."""
    size = ranges.shape[1]

    def of_player(player: int, utility: Array) -> Array:
        own = played.infostates[:, player]
        weight = played.weight * ranges[1 - player, played.infostates[:, 1 - player]]
        total = jax.ops.segment_sum(weight, own, size)
        earned = jax.ops.segment_sum(weight * utility, own, size)
        return jnp.where(total > 0, earned / jnp.where(total > 0, total, 1), 0)

    return jnp.stack([of_player(0, played.utility), of_player(1, -played.utility)])


def _key_of(seed: int, state: Any) -> Array:
    """A random key from a hash of the public state."""
    row = jnp.concatenate([_bits_of(leaf) for leaf in jax.tree.leaves(state)])
    place = jnp.arange(1, len(row) + 1, dtype=jnp.uint32)
    key = jax.random.key(seed)
    for factor in (np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)):  # odd, of no pattern
        mixed = _mix(row + factor * place)
        key = jax.random.fold_in(key, jnp.sum(mixed, dtype=jnp.uint32))
    return key


def _bits_of(leaf: Array) -> Array:
    """uint32, one for each number."""
    flat = jnp.asarray(leaf).reshape(-1)
    if flat.dtype == jnp.float32:
        return jax.lax.bitcast_convert_type(flat, jnp.uint32)
    return flat.astype(jnp.int32).astype(jnp.uint32)


def _mix(bits: Array) -> Array:
    """uint32 to uint32, one to one, each bit of the result depending on all (MurmurHash3)."""
    bits = (bits ^ (bits >> 16)) * np.uint32(0x85EBCA6B)
    bits = (bits ^ (bits >> 13)) * np.uint32(0xC2B2AE35)
    return bits ^ (bits >> 16)


def _choose_worlds(game: Game[Any], state: Any, num_games: int, room: int, key: Array) -> _Worlds:
    """Each world `num_games` / `num_worlds` times, but at least once; without room for that, a
    sample in which all are equally likely."""
    size = game.num_infostates

    def column(other: Array) -> Array:
        return game.compatible_reach(state, jnp.stack([jnp.zeros_like(other), other]))[0]

    weights = jax.vmap(column, out_axes=1)(jnp.eye(size)).reshape(-1)  # [S * S]
    upto = jnp.cumsum(weights > 0, dtype=jnp.int32)
    num_worlds = upto[-1]
    count = jnp.minimum(jnp.maximum(num_games, num_worlds), room)
    number = jnp.arange(room, dtype=jnp.int32)
    # Stratified: the worlds in a line, cut into `count` equal parts, and one drawn from each, so
    # that on average each world is drawn count / num_worlds times.
    point = jax.random.randint(key, (room,), 0, jnp.maximum(num_worlds, 1))
    drawn = _part_of(number, num_worlds, point, jnp.maximum(count, 1)).astype(jnp.int32)
    in_turn = number % jnp.maximum(num_worlds, 1)
    rank = jnp.where(num_worlds > count, drawn, in_turn)
    world = jnp.searchsorted(upto, rank, side="right")
    world = jnp.minimum(world, size**2 - 1).astype(jnp.int32)
    times = (count - 1 - rank) // jnp.maximum(num_worlds, 1) + 1  # in turn
    share = jnp.where(num_worlds > count, 1, 1 / jnp.maximum(times, 1))
    num_played = jnp.where(num_worlds > 0, count, 0)
    return _Worlds(
        infostates=jnp.stack([world // size, world % size], axis=1),
        weight=jnp.where(number < num_played, weights[world] * share, 0),
        num_games=num_played,
    )


def _part_of(number: Array, total: Array, point: Array, count: Array) -> Array:
    """(number * total + point) // count, without overflow of 32 bits in between; number < count <=
    2^16."""
    number, total, point, count = (
        jnp.asarray(value, jnp.uint32) for value in (number, total, point, count)
    )
    whole, rest = total // count, total % count
    return number * whole + point // count + (number * rest + point % count) // count


def _play(game: Game[Any], states: Any, worlds: _Worlds, keys: Array) -> Array:
    """Utilities of player 0 in the games of all leaves, [leaf, G]; 0 for games not played.

    Games are numbered across leaves and played `lanes` at a time, until all are over.
    """
    num_leaves, room = worlds.weight.shape
    lanes = min(num_leaves * room, max(_FEWEST_LANES, num_leaves))
    ends = jnp.cumsum(worlds.num_games, dtype=jnp.int32)

    def one(number: Array) -> tuple[Array, Array, Array]:
        is_game = number < ends[-1]
        leaf = jnp.minimum(jnp.searchsorted(ends, number, side="right"), num_leaves - 1)
        which = jnp.clip(number - ends[leaf] + worlds.num_games[leaf], 0, room - 1)
        state = jax.tree.map(lambda part: part[leaf], states)
        key = jax.random.fold_in(keys[leaf], which)
        end = play_out(game, state, worlds.infostates[leaf, which], is_game, key)
        return jnp.where(is_game, leaf, num_leaves), which, game.world_utility(*end)

    def some(step: Array, results: Array) -> Array:
        numbers = step * lanes + jnp.arange(lanes, dtype=jnp.int32)
        leaf, which, utility = jax.vmap(one)(numbers)
        return results.at[leaf, which].set(utility.astype(results.dtype), mode="drop")

    steps = (ends[-1] + lanes - 1) // lanes
    played: Array = jax.lax.fori_loop(0, steps, some, jnp.zeros((num_leaves, room)))
    return played
