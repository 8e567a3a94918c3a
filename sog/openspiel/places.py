"""The correspondence of an OpenSpiel game's decisions to ours: `places_of`.

For a game made from OpenSpiel's (`sog.openspiel.game`) it is in its tables; for one of ours that
OpenSpiel has too (`sog.openspiel.twins`) both games are played side by side.
"""

import abc
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import CHANCE, Game
from sog.openspiel.game import OpenSpiel, OpenSpielState
from sog.openspiel.histories import information_string
from sog.openspiel.loading import load_spiel
from sog.openspiel.twins import twin_of
from sog.play.rules import Situation, after, first_state, situation, step

Path = tuple[int, ...]
"""Public events since the start."""


class Place(NamedTuple):
    """The place in our game of a decision of OpenSpiel's."""

    path: Path
    infostate: int  # of the player to move
    actions: dict[int, int]  # our number of each of OpenSpiel's legal actions


class InformationState(NamedTuple):
    """An information state of OpenSpiel's game."""

    player: int
    string: str
    state: Any
    """One of its states in OpenSpiel."""
    place: Place


class Places(abc.ABC):
    """Maps OpenSpiel's decisions to our game."""

    spiel: Any
    """OpenSpiel's game."""

    @abc.abstractmethod
    def locate(self, state: Any) -> Place:
        """The place of a decision."""

    @abc.abstractmethod
    def decisions(self) -> Iterator[InformationState]:
        """Every information state once, including those of forced moves."""


def places_of(game: Game[Any]) -> Places:
    """The correspondence for a game; ValueError if OpenSpiel does not have it."""
    return _TablePlaces(game) if isinstance(game, OpenSpiel) else _TwinPlaces(game)


class _TablePlaces(Places):
    """For a game made from OpenSpiel's, which knows its information states."""

    def __init__(self, game: OpenSpiel) -> None:
        self.spiel = load_spiel(game.text)
        self._found: dict[tuple[int, str], InformationState] = {}
        tables = game.tables
        paths: dict[int, Path] = {tables.root: ()}
        for node in range(tables.root, len(tables.node_actor)):
            if node != tables.root:
                parent = int(tables.node_parent[node])
                paths[node] = (*paths[parent], node - int(tables.children.start[parent]))
            player = int(tables.node_actor[node])
            if player >= CHANCE:
                continue
            state = OpenSpielState(node=jnp.int32(node))
            for infostate in range(int(tables.entries[player].count[node])):
                legal = np.flatnonzero(tables.legal[tables.legal_start[node] + infostate])
                numbers = {game.spiel_action(state, action): action for action in legal.tolist()}
                actions = {number: a for number, a in numbers.items() if number is not None}
                if actions:  # otherwise it waits here
                    world = game.spiel_world(state, player, infostate)
                    key = player, information_string(world, player)
                    place = Place(paths[node], infostate, actions)
                    self._found[key] = InformationState(*key, world, place)

    def locate(self, state: Any) -> Place:
        player = state.current_player()
        return self._found[player, information_string(state, player)].place

    def decisions(self) -> Iterator[InformationState]:
        yield from self._found.values()


class _World(NamedTuple):
    """A history of OpenSpiel's game and the corresponding world of ours."""

    spiel: Any
    path: Path
    state: Any
    infostates: np.ndarray | None  # [2]; None while private chance events are missing
    now: Situation


class _TwinPlaces(Places):
    """Plays both games side by side."""

    def __init__(self, game: Game[Any]) -> None:
        self._game, self._twin = game, twin_of(game)
        self.spiel = load_spiel(self._twin.spiel)
        state, spiel = first_state(game), self.spiel.new_initial_state()
        first = _World(spiel, (), state, self._dealt(()), situation(game, state))
        self._worlds: dict[tuple[int, ...], _World] = {(): first}

    def locate(self, state: Any) -> Place:
        world = self._world(tuple(state.history()))
        assert world.infostates is not None  # a player moves, so the deal is complete
        infostate = int(world.infostates[world.now.actor])
        return Place(world.path, infostate, self._actions(world, infostate))

    def decisions(self) -> Iterator[InformationState]:
        states, known = [self.spiel.new_initial_state()], set[tuple[int, str]]()
        while states:
            state = states.pop()
            player = state.current_player()
            if player >= 0:
                key = player, information_string(state, player)
                if key not in known:
                    known.add(key)
                    yield InformationState(*key, state, self.locate(state))
            states += [state.child(action) for action in reversed(state.legal_actions())]

    def _world(self, history: tuple[int, ...]) -> _World:
        if history not in self._worlds:
            before = self._world(history[:-1])
            self._worlds[history] = self._next(before, history)
        return self._worlds[history]

    def _next(self, world: _World, history: tuple[int, ...]) -> _World:
        number = history[-1]
        spiel = world.spiel.child(number)
        if world.infostates is None:
            return world._replace(spiel=spiel, infostates=self._dealt(history))
        if world.spiel.is_chance_node():
            outcome, infostates = number, world.infostates
        else:
            action = self._actions(world, int(world.infostates[world.now.actor]))[number]
            outcome, infostates = step(
                self._game, jax.random.key(0), world.state, world.infostates, action
            )
        state = after(self._game, world.state, outcome)
        now = situation(self._game, state)
        return _World(spiel, (*world.path, outcome), state, infostates, now)

    def _dealt(self, history: tuple[int, ...]) -> np.ndarray | None:
        if len(history) < self._twin.num_deals:
            return None
        return np.array(self._twin.deal(history), np.int32)

    def _actions(self, world: _World, infostate: int) -> dict[int, int]:
        legal = np.flatnonzero(world.now.legal_actions[infostate]).tolist()
        return dict(zip(world.spiel.legal_actions(), legal, strict=True))
