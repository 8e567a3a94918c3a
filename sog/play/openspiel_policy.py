"""Our agents as policies of OpenSpiel, to be measured and played with by its tools: `AgentPolicy`.

    game = make("leduc")
    policy = AgentPolicy(game, lambda player: SearchAgent(game, ZeroEvaluator(), player=player))
    exploitability(policy.game, policy)       # open_spiel.python.algorithms.exploitability
    PolicyBot(0, numpy.random, policy)        # open_spiel.python.bots.policy
    table = python_policy_to_pyspiel_policy(policy.to_tabular())  # open_spiel.python.policy
    pyspiel.exploitability(policy.game, table)                    # what is written in C++

`policy.game` is OpenSpiel's game: for one of ours, its twin (`sog.games.openspiel.twins`), for a
game made by `sog.games.openspiel.game`, the game it was made from. A trained network gives agents
as well: `load_trained(run).evaluator`. Importing this module needs the `openspiel` extra.
"""

import abc
import copy
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import CHANCE, Game
from sog.games.openspiel.game import OpenSpiel, OpenSpielState
from sog.games.openspiel.histories import MISSING_EXTRA, information_string, load_spiel
from sog.games.openspiel.twins import twin_of
from sog.play.match import Agent
from sog.play.rules import Situation, after, first_state, situation, step

try:
    from open_spiel.python import policy as openspiel
except ImportError:
    raise ImportError(MISSING_EXTRA) from None


class CopiedAgent(Agent, Protocol):
    """An agent that can say what it would do; a copy (`copy.copy`) goes on by itself."""

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: probabilities of its actions, the same each time until the next event."""


Path = tuple[int, ...]
"""Public events since the start."""


class Place(NamedTuple):
    """A decision of OpenSpiel's game in ours."""

    path: Path
    infostate: int  # of the player to move
    actions: dict[int, int]  # our number of each of OpenSpiel's legal actions


class AgentPolicy(openspiel.Policy):  # type: ignore[misc]  # OpenSpiel has no type information
    """What an agent would do at every information state.

    A search depends on the searches before it, so an agent is led along the public events to each
    public state and asked on the way at its own decisions, once for every public history: agents
    there are kept. So this is one fixed policy, as that of `sog.evaluation.compose`, although
    searches draw random numbers.
    """

    def __init__(self, game: Game[Any], make_agent: Callable[[int], CopiedAgent]) -> None:
        """make_agent: an agent from its player; it plays `game`, enumerated or not.

        Raises ValueError for a game that OpenSpiel does not have.
        """
        self._map: _Map = _TableMap(game) if isinstance(game, OpenSpiel) else _TwinMap(game)
        super().__init__(self._map.spiel, [0, 1])
        self._game = game
        self._first = [make_agent(player) for player in (0, 1)]
        self._agents: dict[tuple[Path, int], CopiedAgent] = {}
        self._states: dict[Path, Any] = {(): first_state(game)}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action at a state of OpenSpiel's.

        player_id: the player to move, which is what None means too. Raises ValueError for another
        one, or for a state of another game.
        """
        player = state.current_player()
        if player_id not in (None, player):
            raise ValueError(f"player_id must be the player to move, {player}, got {player_id}.")
        if player < 0 or str(state.get_game()) != str(self.game):
            raise ValueError(f"state must be one of {self.game} with a move, got '{state}'.")
        place = self._map.locate(state)
        policy = self._asked(place.path, player).policy(place.infostate)
        return {number: float(policy[action]) for number, action in place.actions.items()}

    def _asked(self, path: Path, player: int) -> CopiedAgent:
        """The agent of a player after some events, with its search done if it decides there."""
        if (path, player) not in self._agents:
            agent = self._first[player]
            if path:
                agent = copy.copy(self._asked(path[:-1], player))
                agent.observe(path[-1])
            now = situation(self._game, self._state(path))
            if now.actor == player:
                # It answers for all infostates from here on.
                agent.policy(int(np.flatnonzero(now.infostate_mask[player])[0]))
            self._agents[path, player] = agent
        return self._agents[path, player]

    def _state(self, path: Path) -> Any:
        if path not in self._states:
            self._states[path] = after(self._game, self._state(path[:-1]), path[-1])
        return self._states[path]


class _Map(abc.ABC):
    """Where OpenSpiel's decisions are in our game."""

    spiel: Any
    """OpenSpiel's game."""

    @abc.abstractmethod
    def locate(self, state: Any) -> Place:
        """The place of a decision."""


class _TableMap(_Map):
    """A game that was made from OpenSpiel's knows its information states."""

    def __init__(self, game: OpenSpiel) -> None:
        self.spiel = load_spiel(game.text)
        tables = game.tables
        self._places: dict[tuple[int, str], Place] = {}
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
                numbers = [game.spiel_action(state, action) for action in legal.tolist()]
                actions = {
                    number: action
                    for number, action in zip(numbers, legal.tolist(), strict=True)
                    if number is not None
                }
                if actions:  # else it waits here
                    string = game.spiel_infostate(state, player, infostate)
                    self._places[player, string] = Place(paths[node], infostate, actions)

    def locate(self, state: Any) -> Place:
        player = state.current_player()
        return self._places[player, information_string(state, player)]


class _World(NamedTuple):
    """A history of OpenSpiel's game and the same world in ours."""

    spiel: Any
    path: Path
    state: Any
    infostates: np.ndarray | None  # [2]; None while private chance events are missing
    now: Situation


class _TwinMap(_Map):
    """Both games are played side by side."""

    def __init__(self, game: Game[Any]) -> None:
        self._game, self._twin = game, twin_of(game)
        self.spiel = load_spiel(self._twin.spiel)
        state, spiel = first_state(game), self.spiel.new_initial_state()
        first = _World(spiel, (), state, self._dealt(()), situation(game, state))
        self._worlds: dict[tuple[int, ...], _World] = {(): first}

    def locate(self, state: Any) -> Place:
        world = self._world(tuple(state.history()))
        assert world.infostates is not None  # somebody moves, so all is dealt
        infostate = int(world.infostates[world.now.actor])
        return Place(world.path, infostate, self._actions(world, infostate))

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
