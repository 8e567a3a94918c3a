"""An agent that searches at every decision, and keeps its chain of searches through a game.

    agent = SearchAgent(make("leduc"), ZeroEvaluator(), player=0)
    action = agent.act(infostate)    # its own card, say; searches, and samples an action
    agent.observe(outcome)           # every public event, also that of its own action

A later search is re-solved from what the last one promised the opponent (`gtcfr.resolving`), so an
agent must know all events on the way and not only where the game stands: it is told each of them,
and keeps the public state itself.
"""

import functools
import operator
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.packing import pack
from gtcfr.resolving import next_root, summarize
from gtcfr.root import NO_EVENT, SearchRoot, start_of_game
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import SearchSettings
from gtcfr.timed import timed_search
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.play.rules import after, first_state, sample, situation

_SHORTEST_PATH: Final = 4
"""Room for public events between two searches; more of them compile the search once more."""


def usual_path(game: Game[Any]) -> int:
    """The room for public events between two searches that agents of most games come to need."""
    return min(2 * _SHORTEST_PATH, max(1, game.max_depth - 1))


class SearchAgent:
    """Plays one player of one game at a time, by searching.

    The compiled search is shared by all agents with the same game and settings, and used again for
    every game. `copy.copy` of an agent is an agent that goes on from the same point on its own.
    """

    evaluator: Evaluator
    """Values the leaves of the next searches; another one, as after training, may be set."""
    seconds: float | None
    """Each of the next searches ends after so much time, if it does not end before; see
    `gtcfr.timed`."""

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator,
        settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
        *,
        player: int,
        seed: int = 0,
        safe: bool = True,
        search_everywhere: bool = False,
        greedy: bool = False,
        seconds: float | None = None,
    ) -> None:
        """Sits down as a player, before the first public event.

        safe: False leaves the re-solving gadget out, which makes the agent exploitable.
        search_everywhere: also searches where the opponent moves, as the paper does. greedy: takes
        the most probable action; right with perfect information, and exploitable where players hide
        things. seconds: the most a search takes; what it finds then depends on the machine. Raises
        ValueError for a player or settings that cannot be.
        """
        if player not in (PLAYER_0, PLAYER_1):
            raise ValueError(f"player must be {PLAYER_0} or {PLAYER_1}, got {player!r}.")
        self._longest_path = max(1, game.max_depth - 1)  # the last event ends the game
        settings.shape(game, self._longest_path)  # mistakes first
        self.game, self.player, self.settings = game, player, settings
        self.evaluator, self.seconds = evaluator, seconds
        self._safe, self._search_everywhere, self._greedy = safe, search_everywhere, greedy
        self._path_length = min(_SHORTEST_PATH, self._longest_path)
        self._key = jax.random.key(seed)
        self.reset()

    def reset(self) -> None:
        """Begins a new game. The random key goes on, so that games differ."""
        self._state = first_state(self.game)
        self._now = situation(self.game, self._state)
        self._result: SearchResult | None = None
        self._path: tuple[int, ...] = ()  # since the state of that search

    @property
    def state(self) -> Any:
        """The public state, as the agent knows it."""
        return self._state

    @property
    def last_search(self) -> SearchResult | None:
        """The last search of this game, a batch of one: its tree, its queries, if it was full."""
        return self._result

    def observe(self, outcome: int) -> None:
        """Tells the agent a public event; ValueError if it cannot happen now."""
        legal = np.flatnonzero(self._now.legal_outcomes).tolist()
        if outcome not in legal:
            if self._now.actor == TERMINAL:
                raise ValueError(f"outcome {outcome!r} comes after the end of the game{self._at}.")
            raise ValueError(f"outcome must be one of {legal}{self._at}, got {outcome!r}.")
        if self._search_everywhere and self._now.actor == 1 - self.player and self._now.has_choice:
            self._search_here()
        self._state = after(self.game, self._state, outcome)
        self._now = situation(self.game, self._state)
        self._path = (*self._path, int(outcome))

    def act(self, infostate: int) -> int:
        """Chooses an action at an infostate of the agent's player; see `policy`."""
        policy = self.policy(infostate)
        if self._greedy:
            return int(np.argmax(policy))
        return sample(self._next_key(), policy)

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses, unless the agent is greedy.

        One search serves all infostates, until the next event. Where no infostate has a choice,
        there is none. Raises ValueError if the agent is not to move, if the infostate cannot occur,
        or if the search fails (see `gtcfr.search.check_result`).
        """
        infostate = self._check_turn(infostate)
        if not self._now.has_choice:
            return np.asarray(self._now.legal_actions[infostate], float)
        found = np.asarray(self._search_here().policy[0, infostate], float)
        return np.asarray(found / found.sum())

    def policies(self) -> np.ndarray:
        """[S, A]: what `act` chooses by at each infostate, all from one search; raises as `policy`.

        If the agent is greedy these are certain.
        """
        self._check_mover()
        legal = np.asarray(self._now.legal_actions, float)
        if not self._now.has_choice:
            return legal
        found = np.asarray(self._search_here().policy[0], float) * legal
        if self._greedy:
            found = (np.arange(found.shape[1]) == found.argmax(axis=1)[:, None]) * legal
        total = found.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(found, total, out=np.zeros_like(found), where=total > 0))

    def value(self, infostate: int) -> float:
        """What the agent expects to get, given an infostate, in units of utility.

        0 where the search found no opponent's infostate that can go with it. Raises as `policy`.
        """
        infostate = self._check_turn(infostate)
        return float(self._search_here().values[0, self.player, infostate])

    def _check_mover(self) -> None:
        actor = self._now.actor
        if actor == TERMINAL:
            raise ValueError(f"player {self.player} cannot move: the game is over{self._at}.")
        if actor != self.player:
            mover = "chance" if actor == CHANCE else f"player {actor}"
            raise ValueError(f"player {self.player} cannot move: it is {mover}'s turn{self._at}.")

    def _check_turn(self, infostate: int) -> int:
        self._check_mover()
        possible = self._now.infostate_mask[self.player]
        number = operator.index(infostate)
        if not (0 <= number < len(possible) and possible[number]):
            raise ValueError(
                f"infostate must be one that player {self.player} can have{self._at}, got {number}."
            )
        return number

    @property
    def _at(self) -> str:
        return f" at '{self.game.describe_state(self._state)}'"

    @property
    def is_searched(self) -> bool:
        """Whether nothing is left to search here: there is no choice for the agent, or it has."""
        has_choice = self._now.actor == self.player and self._now.has_choice
        return not has_choice or (self._result is not None and not self._path)

    @property
    def program(self) -> tuple[Any, ...]:
        """Agents for whom this is equal can search together, see `search_together`."""
        return self.game, id(self.evaluator), self.settings, self.seconds, self._safe

    def _search_here(self) -> SearchResult:
        """The search of the public state, made once."""
        if self._result is None or self._path:
            search_together([self])
        assert self._result is not None
        return self._result

    def _next_key(self) -> Array:
        key: Array
        self._key, key = jax.random.split(self._key)
        return key


def search_together(agents: Sequence[SearchAgent], batch_size: int = 1) -> None:
    """Searches for several agents in one batch, each at the public state that its game is at.

    Each finds what it would find alone, rounding apart (but playouts at random are numbered through
    the batch, see `gtcfr.rollout`). All must have the same `program`; there are at most batch_size
    of them, and copies fill up the batch, so that one compiled program serves all numbers. Raises
    ValueError if a search fails; then none has been made.
    """
    first, size = agents[0], batch_size
    copies = [*agents, *[first] * (size - len(agents))]
    roots, states = _roots(copies), [agent.state for agent in copies]
    keys = _keys(jnp.stack([agent._next_key() for agent in agents]), size)
    # From the host, always of the same types: the search must not be compiled again.
    root, stacked = jax.device_get((roots, _stack(states)))
    result = timed_search(
        first.game,
        evaluator=first.evaluator,
        root=root,
        key=keys,
        settings=first.settings,
        seconds=first.seconds,
    )
    check_result(first.game, result)
    is_there = np.asarray(_is_of(first.game, result, stacked))
    for agent, has_arrived in zip(agents, is_there, strict=False):
        if not has_arrived:
            raise ValueError(
                f"capacity must have room for the {len(agent._path)} public events since the last "
                f"search and what else could have happened{agent._at}, got "
                f"{agent.settings.capacity}."
            )
    if size > 1:
        result = jax.device_get(result)
    for number, agent in enumerate(agents):
        agent._result, agent._path = _take(result, number) if size > 1 else result, ()


def _roots(agents: Sequence[SearchAgent]) -> SearchRoot:
    """Where the next searches start, with room for the events since the last ones."""
    first = agents[0]
    length = max(agent._path_length for agent in agents)
    while length < max(len(agent._path) for agent in agents):
        length = min(2 * length, first._longest_path)
    path = np.full((len(agents), length), NO_EVENT, np.int32)
    for row, agent in zip(path, agents, strict=True):
        row[: len(agent._path)] = agent._path
        agent._path_length = length
    later = [agent._result for agent in agents if agent._result is not None]
    begins = np.array([agent._result is None for agent in agents])
    if not later:
        return start_of_game(first.game, batch_size=len(agents), path=path)
    results = iter(later)
    last = [later[0] if agent._result is None else next(results) for agent in agents]
    players = np.array([agent.player for agent in agents], np.int32)
    root: SearchRoot = _next_root(
        first.game,
        last[0] if len(last) == 1 else _concatenate(last),
        np.where(begins[:, None], NO_EVENT, path),
        players,
        first.settings.resolve_from,
        first._safe,
    )
    if not begins.any():
        return root
    start = start_of_game(first.game, batch_size=len(agents), path=path)

    def choose(from_start: Any, from_last: Any) -> np.ndarray:
        wide = begins.reshape(-1, *[1] * (np.ndim(from_start) - 1))
        return np.where(wide, from_start, from_last)

    chosen: SearchRoot = jax.tree.map(choose, *jax.device_get((start, root)))
    return chosen


def _stack(states: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(list(states)))


def _concatenate(results: Sequence[SearchResult]) -> SearchResult:
    joined: SearchResult = jax.tree.map(
        lambda *leaves: np.concatenate(leaves), *jax.device_get(list(results))
    )
    return joined


def _take(result: SearchResult, number: int) -> SearchResult:
    """One of a batch."""
    part: SearchResult = jax.tree.map(lambda leaf: leaf[number : number + 1], result)
    return part


@functools.partial(jax.jit, static_argnums=1)
def _keys(keys: Array, size: int) -> Array:
    """[size]: what `gtcfr.search` makes of each key for a batch of one."""
    filled = keys[jnp.minimum(jnp.arange(size), len(keys) - 1)]
    return jax.vmap(lambda key: jax.random.fold_in(key, 0))(filled)


@functools.partial(jax.jit, static_argnums=0)
def _is_of(game: Game[Any], result: SearchResult, states: Any) -> Array:
    """[batch]: whether each search got to the state that it was to search."""
    searched = jax.vmap(lambda rows, slot: rows[slot])(result.tree.interior.state, result.slot)
    return jnp.all(searched == jax.vmap(pack)(states), axis=1)


@functools.partial(jax.jit, static_argnums=(0, 4, 5))
def _next_root(
    game: Game[Any],
    result: SearchResult,
    path: Array,
    player: Array,
    resolve_from: str,
    safe: bool,
) -> SearchRoot:
    return next_root(game, summarize(result, resolve_from), path, player, safe=safe)
