"""Self-play: a batch of games in lockstep, each player searching with a chain of his own.

Student of Games, Algorithm 2, SelfPlay and SoGSelfplayController. In every step each game makes one
decision: the mover's next search is re-solved from his own last one (`gtcfr.resolving`; summaries
belong to one player, so a game carries two trees). Chance moves at once, with its true
probabilities. A game that is over is replaced by a new one.

Algorithm 2 ends a game after `moves_max` moves and trains on "the outcome" of what was played,
which the paper does not define for a game that has not ended. Here such a game is played on at
random to its end, so that it has one; what is played at random gives no examples.
"""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator, Fault
from gtcfr.mesh import split_batch
from gtcfr.resolving import next_root
from gtcfr.root import NO_EVENT, SearchRoot, start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from selfplay.examples import StoredExample, store_example
from selfplay.query_solver import NewQueries, choose_queries, with_queries
from selfplay.settings import SelfplaySettings
from sog.games.core import CHANCE, PLAYER_0, TERMINAL, Game, world_utility
from sog.pytree import pytree

_NEVER: Final = -1e9
"""The logit of what must not be drawn."""


@pytree
class World:
    """A game in progress, as whoever deals the cards sees it."""

    state: Any  # the public state
    infostates: Array  # [player] int32
    path: Array  # [player, event] int32: since the player's last search, or since the start
    num_events: Array  # [player] int32: on that path
    num_decisions: Array  # int32: so far
    may_resign: Array  # bool
    has_searched: Array  # [player] bool


@pytree
class Games:
    """A batch of games, each at a decision."""

    worlds: World  # every array has the game axis in front
    last: tuple[SearchResult, SearchResult]
    """The last search of each player; means nothing where he has not searched yet."""


@pytree
class Decisions:
    """What happened in one step; the game axis is first."""

    visited: StoredExample
    """The belief states of the decisions, with the policies and values that the searches found
    there, before anything is mixed in."""
    infostates: Array  # [game, player] int32: there
    is_over: Array  # [game] bool: the game has ended by its rules
    is_resigned: Array  # [game] bool: somebody resigned, so there is no outcome
    utility: Array  # [game]: of player 0, where the game is over
    queries: NewQueries
    is_full: Array  # [game] bool: a tree without room
    overflows: Array  # [game] bool: there were more events between two decisions than `max_events`
    fault: Fault


def start_games(
    game: Game[Any],
    evaluator: Evaluator,
    search_settings: SearchSettings,
    settings: SelfplaySettings,
    key: Array,
) -> Games:
    """A batch of games at their first decisions. evaluator: of those to come, for its shapes."""
    deal = functools.partial(_new_world, game, settings)
    worlds = jax.vmap(deal)(jax.random.split(key, settings.batch_size))
    run = functools.partial(_search, game, search_settings, settings)
    shapes = jax.eval_shape(run, evaluator, _first_roots(game, worlds), key)
    nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
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
    """One decision in every game. version: of the evaluator's network. mesh: the devices that share
    the searches."""
    search_key, query_key, move_key, deal_key = jax.random.split(key, 4)
    worlds = games.worlds
    mover = jax.vmap(game.actor)(worlds.state)
    num_events = jnp.take_along_axis(worlds.num_events, mover[:, None], axis=1)
    roots = _roots(game, games, mover, search_settings.resolve_from, settings.safe)
    result = _search(game, search_settings, settings, evaluator, roots, search_key, mesh)
    last = tuple(_where(mover == player, result, old) for player, old in enumerate(games.last))
    size = settings.batch_size
    visited = jax.vmap(functools.partial(store_example, game))(
        worlds.state, result.ranges, result.values, result.policy, jnp.full(size, version)
    )
    move = functools.partial(_move, game, settings)
    keys = jax.random.split(move_key, size)
    moved, resigns = _each_game(mesh, move)(worlds, result.policy, result.values, keys)
    is_over = jax.vmap(game.actor)(moved.state) == TERMINAL
    utility = jax.vmap(functools.partial(world_utility, game))(moved.state, moved.infostates)
    deal = functools.partial(_new_world, game, settings)
    new = _each_game(mesh, deal)(jax.random.split(deal_key, size))
    decisions = Decisions(
        visited=visited,
        infostates=worlds.infostates,
        is_over=is_over & ~resigns,
        is_resigned=resigns,
        utility=jnp.where(is_over, utility, 0),
        queries=choose_queries(result.queries, settings.queries_per_search, query_key),
        is_full=result.is_full,
        overflows=num_events[:, 0] > settings.max_events,
        fault=result.fault,
    )
    next_worlds = _where(is_over | resigns, new, moved)
    return Games(worlds=next_worlds, last=(last[0], last[1])), decisions


def _search(
    game: Game[Any],
    search_settings: SearchSettings,
    settings: SelfplaySettings,
    evaluator: Evaluator,
    roots: SearchRoot,
    key: Array,
    mesh: Mesh | None = None,
) -> SearchResult:
    asking = with_queries(search_settings, settings.queries_per_search)
    return search(game, evaluator=evaluator, root=roots, key=key, settings=asking, mesh=mesh)


def _first_roots(game: Game[Any], worlds: World, player: int = PLAYER_0) -> SearchRoot:
    path = worlds.path[:, player]
    return start_of_game(game, batch_size=len(path), path=path)


def _roots(
    game: Game[Any], games: Games, mover: Array, resolve_from: str, safe: bool
) -> SearchRoot:
    """Where the mover's search starts: after his last one, or at the start of the game."""
    worlds = games.worlds

    def of_player(player: int) -> SearchRoot:
        owner = jnp.full(len(mover), player, jnp.int32)
        path = worlds.path[:, player]
        again = next_root(
            game, games.last[player], path, owner, resolve_from=resolve_from, safe=safe
        )
        first = _first_roots(game, worlds, player)
        root: SearchRoot = _where(worlds.has_searched[:, player], again, first)
        return root

    roots: SearchRoot = _where(mover == PLAYER_0, of_player(0), of_player(1))
    return roots


def _move(
    game: Game[Any],
    settings: SelfplaySettings,
    world: World,
    policy: Array,
    values: Array,
    key: Array,
) -> tuple[World, Array]:
    """The mover acts in one game, and chance after him; also returns whether he resigns instead.

    After `max_moves` decisions the rest of the game is played as well.
    """
    action_key, event_key, chance_key, rest_key = jax.random.split(key, 4)
    mover = game.actor(world.state)
    infostate = world.infostates[mover]
    legal = game.legal_actions(world.state)[infostate]
    uniform = legal / jnp.maximum(jnp.sum(legal), 1)
    mixed = (1 - settings.uniform_mix) * policy[infostate] + settings.uniform_mix * uniform
    mixed = jnp.where(legal, mixed, 0)
    logits = jnp.where(mixed > 0, jnp.log(jnp.where(mixed > 0, mixed, 1)), _NEVER)
    action = jax.random.categorical(action_key, logits)
    if settings.greedy_after is not None:
        is_greedy = world.num_decisions >= settings.greedy_after
        action = jnp.where(is_greedy, jnp.argmax(mixed), action)
    resigns = jnp.bool_(False)
    if settings.resign_threshold is not None:
        expected = values[mover, infostate] / game.max_utility
        resigns = world.may_resign & (expected < settings.resign_threshold)
    searched = replace(
        world,
        path=world.path.at[mover].set(NO_EVENT),
        num_events=world.num_events.at[mover].set(0),
        num_decisions=world.num_decisions + 1,
        has_searched=world.has_searched.at[mover].set(True),
    )
    moved = _one_event(game, searched, action.astype(jnp.int32), event_key)
    moved = _let_chance_move(game, moved, chance_key)
    if settings.max_moves is not None:
        moved = _play_out(game, moved, moved.num_decisions >= settings.max_moves, rest_key)
    return moved, resigns


def _one_event(game: Game[Any], world: World, action: Array, key: Array) -> World:
    outcome, infostates = game.transition(key, world.state, world.infostates, action)
    place = jnp.minimum(world.num_events, world.path.shape[1] - 1)
    return replace(
        world,
        state=game.apply(world.state, outcome),
        infostates=infostates,
        path=world.path.at[jnp.arange(2), place].set(outcome),
        num_events=world.num_events + 1,
    )


def _let_chance_move(game: Game[Any], world: World, key: Array) -> World:
    def is_chance(carry: tuple[World, Array]) -> Array:
        is_it: Array = game.actor(carry[0].state) == CHANCE
        return is_it

    def event(carry: tuple[World, Array]) -> tuple[World, Array]:
        world, key = carry
        key, event_key = jax.random.split(key)
        return _one_event(game, world, jnp.int32(0), event_key), key

    settled: tuple[World, Array] = jax.lax.while_loop(is_chance, event, (world, key))
    return settled[0]


def _play_out(game: Game[Any], world: World, is_cut: Array, key: Array) -> World:
    """The end of a game that is cut: both players choose uniformly among their legal actions."""

    def goes_on(carry: tuple[World, Array]) -> Array:
        return is_cut & (game.actor(carry[0].state) != TERMINAL)

    def event(carry: tuple[World, Array]) -> tuple[World, Array]:
        world, key = carry
        key, action_key, event_key = jax.random.split(key, 3)
        mover = jnp.minimum(game.actor(world.state), 1)  # chance ignores the action
        legal = game.legal_actions(world.state)[world.infostates[mover]]
        action = jax.random.categorical(action_key, jnp.where(legal, 0.0, _NEVER))
        return _one_event(game, world, action.astype(jnp.int32), event_key), key

    ended: tuple[World, Array] = jax.lax.while_loop(goes_on, event, (world, key))
    return ended[0]


def _new_world(game: Game[Any], settings: SelfplaySettings, key: Array) -> World:
    """A game at its first decision."""
    deal_key, chance_key, resign_key = jax.random.split(key, 3)
    world = World(
        state=game.root(),
        infostates=game.deal(deal_key),
        path=jnp.full((2, settings.max_events), NO_EVENT, jnp.int32),
        num_events=jnp.zeros(2, jnp.int32),
        num_decisions=jnp.int32(0),
        may_resign=jax.random.uniform(resign_key) >= settings.no_resign,
        has_searched=jnp.zeros(2, bool),
    )
    return _let_chance_move(game, world, chance_key)


def _each_game(mesh: Mesh | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for a batch of games; a loop of it asks only about the games of its device, for
    a device that waits long for another's answer ends the process."""
    batched = jax.vmap(function)
    if mesh is None:
        return batched
    split = split_batch(mesh).spec
    return jax.shard_map(batched, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)


def _where(condition: Array, yes: Any, no: Any) -> Any:
    """Chooses between two structures game by game."""

    def choose(first: Array, second: Array) -> Array:
        wide = condition.reshape(-1, *[1] * (first.ndim - 1))
        return jnp.where(wide, first, second)

    return jax.tree.map(choose, yes, no)
