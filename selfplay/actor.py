"""Self-play: a batch of games in lockstep, with a chain of searches for each player.

Student of Games, Algorithm 2, SelfPlay and SoGSelfplayController. In every step each game makes one
decision: the acting player's next search re-solves from that player's last one (`gtcfr.resolving`;
a game carries a summary for each player). With `search_everywhere` the other player's chain
searches there too, as the paper does in play; all these searches are one batch. Chance moves are
sampled at once. A game that is over is replaced by a new one.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator, Fault
from gtcfr.flow import choose_rows
from gtcfr.memory_estimate import summary_shapes
from gtcfr.mesh import split_batch
from gtcfr.packing import BeliefState, pack
from gtcfr.resolving import Summary, next_root, summarize
from gtcfr.root import SearchRoot, start_of_game
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from selfplay.examples import StoredExample, store_example
from selfplay.query_solver import NewQueries, choose_queries, with_queries
from selfplay.settings import SelfplaySettings
from selfplay.world import GameInPlay, make_move, new_world
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree


@pytree
class Games:
    """A batch of games, each at a decision."""

    worlds: GameInPlay  # every array has the game axis in front
    last: tuple[Summary, Summary]
    """Of each player's last search; undefined before a player's first search."""


@pytree
class Decisions:
    """The decisions of one step; the first axis is games, or all searches of the step."""

    visited: StoredExample
    """The belief states of the decisions, with the searches' policies and values there, before any
    mixing."""
    infostates: Array  # [game, player] int32
    is_over: Array  # [game] bool: the game has ended by its rules
    is_resigned: Array  # [game] bool: a player resigned, so there is no outcome
    utility: Array  # [game]: of player 0, where the game is over
    queries: NewQueries
    is_full: Array  # [search] bool: the tree ran out of room
    has_arrived: Array  # [search] bool: the tree had room for the path to the state to search
    overflows: Array  # [game] bool: more than `max_events` events between two decisions
    fault: Fault


def start_games(
    game: Game[Any], search_settings: SearchSettings, settings: SelfplaySettings, key: Array
) -> Games:
    """A batch of games at their first decisions."""
    deal = functools.partial(new_world, game, settings)
    worlds = jax.vmap(deal)(jax.random.split(key, settings.batch_size))
    nothing = jax.tree.map(
        lambda leaf: jnp.zeros((settings.batch_size, *leaf.shape), leaf.dtype),
        summary_shapes(game, search_settings, settings.max_events),
    )
    return Games(worlds=worlds, last=(nothing, nothing))


def step_games(
    game: Game[Any],
    search_settings: SearchSettings,
    settings: SelfplaySettings,
    evaluator: Evaluator,
    games: Games,
    version: Array,
    key: Array,
    mesh: Mesh | None = None,
) -> tuple[Games, Decisions]:
    """Makes one decision in every game. version: of the evaluator's network. mesh: the devices that
    share the searches."""
    search_key, query_key, *keys = jax.random.split(key, 4)
    worlds = games.worlds
    mover = jax.vmap(game.actor)(worlds.state)
    size, num_searches = settings.batch_size, search_settings.num_searchers
    owners = _owners(mover, num_searches)
    num_events = jnp.take_along_axis(worlds.num_events, owners, axis=1)
    roots = _roots(game, games, owners, search_settings, evaluator)
    roots = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), roots)
    asking = with_queries(search_settings, settings.queries_per_search)
    result = search(
        game, evaluator=evaluator, root=roots, key=search_key, settings=asking, mesh=mesh
    )
    summary = summarize(result, search_settings.resolve_from)
    answers = (result.ranges, result.values, result.policy)
    summary, answers = jax.tree.map(
        lambda leaf: leaf.reshape(size, num_searches, *leaf.shape[1:]), (summary, answers)
    )
    last = _last_searches(games.last, owners, summary)
    deciding = jnp.argmax(owners == mover[:, None], axis=1)
    worlds, decisions = play_decisions(
        game,
        settings,
        worlds,
        owners,
        _pick(answers, deciding),
        version,
        keys,
        mesh,
        queries=choose_queries(result.queries, settings.queries_per_search, query_key),
        is_full=result.is_full,
        has_arrived=result.has_arrived,
        overflows=jnp.any(num_events > settings.max_events, axis=1),
        fault=result.fault,
    )
    return Games(worlds=worlds, last=last), decisions


def play_decisions(
    game: Game[Any],
    settings: SelfplaySettings,
    worlds: GameInPlay,
    owners: Array,
    found: tuple[Array, Array, Array],
    version: Array,
    keys: Sequence[Array],
    mesh: Mesh | None,
    **of_searches: Any,
) -> tuple[GameInPlay, Decisions]:
    """Plays a move in every game, and replaces games that are over.

    owners: see `make_move`. found: ranges [game, player, S], values [game, player, S] and policies
    [game, S, A]. keys: for the moves, and for new games. of_searches: the other fields of the
    decisions.
    """
    size, (ranges, values, policy) = settings.batch_size, found
    beliefs = BeliefState(state=jax.vmap(pack)(worlds.state), ranges=ranges)
    visited = jax.vmap(functools.partial(store_example, game))(
        beliefs, values, policy, jnp.full(size, version)
    )
    move_keys, deal_keys = (jax.random.split(key, size) for key in keys)
    move = functools.partial(make_move, game, settings)
    moved, resigns = _each_game(mesh, move)(worlds, owners, policy, values, move_keys)
    is_over = jax.vmap(game.actor)(moved.state) == TERMINAL
    utility = jax.vmap(game.world_utility)(moved.state, moved.infostates)
    new = _each_game(mesh, functools.partial(new_world, game, settings))(deal_keys)
    decisions = Decisions(
        visited=visited,
        infostates=worlds.infostates,
        is_over=is_over & ~resigns,
        is_resigned=resigns,
        utility=jnp.where(is_over, utility, 0),
        **of_searches,
    )
    return choose_rows(is_over | resigns, new, moved), decisions


def _owners(mover: Array, num_searches: int) -> Array:
    """[game, search]: the players whose chains search: the acting player, or both."""
    if num_searches == 1:
        return mover[:, None]
    return jnp.broadcast_to(jnp.arange(2, dtype=mover.dtype), (len(mover), 2))


def _roots(
    game: Game[Any], games: Games, owners: Array, how: SearchSettings, evaluator: Evaluator
) -> SearchRoot:
    """[game, search, ...]: the roots of the searches: each after the last one of its owner, or at
    the start of the game."""
    worlds = games.worlds

    def of_player(player: int) -> SearchRoot:
        owner = jnp.full(len(owners), player, jnp.int32)
        path = worlds.path[:, player]
        again = next_root(
            game,
            games.last[player],
            path,
            owner,
            safe=how.safe,
            evaluator=evaluator,
            widest_chance=how.widest_chance,
        )
        first = start_of_game(game, batch_size=len(path), path=path)
        root: SearchRoot = choose_rows(worlds.has_searched[:, player], again, first)
        return root

    both = jax.tree.map(lambda *roots: jnp.stack(roots, axis=1), of_player(0), of_player(1))
    roots: SearchRoot = _pick(both, owners)
    return roots


def _last_searches(
    last: tuple[Summary, Summary], owners: Array, found: Summary
) -> tuple[Summary, Summary]:
    """Each player's last search after a step. found: [game, search, ...]."""

    def of_player(player: int) -> Summary:
        number = min(player, owners.shape[1] - 1)  # the player's index where both search
        new = jax.tree.map(lambda leaf: leaf[:, number], found)
        summary: Summary = choose_rows(owners[:, number] == player, new, last[player])
        return summary

    return of_player(0), of_player(1)


def _each_game(mesh: Mesh | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for a batch of games, sharded over the mesh: loops then depend only on the games
    of their device (a device that waits long for another ends the process)."""
    batched = jax.vmap(function)
    if mesh is None:
        return batched
    split = split_batch(mesh).spec
    return jax.shard_map(batched, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)


def _pick(structure: Any, numbers: Array) -> Any:
    """Takes along the second axis, game by game. numbers: [game] or [game, ...]."""
    return jax.tree.map(
        lambda leaf: jax.vmap(lambda row, number: row[number])(leaf, numbers), structure
    )
