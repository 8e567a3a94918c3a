"""An engine as a player: one process serves all of the player's concurrent games."""

import abc
import dataclasses
import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sog.games.core import Game
from sog.play.match import Agent
from sog.play.rules import after, first_state, situation
from sog.players.engines.process import EngineError, LineProcess
from sog.players.player import Host, Player, SearchChanges


class Engine(abc.ABC):
    """A running engine; it may play several matches of one game in turns."""

    name: str
    """The name it reports."""

    def __init__(self, command: str, words: Sequence[str] | None = None) -> None:
        """Starts the process, see `LineProcess`, and prepares it. Raises EngineError."""
        self._process = LineProcess(command, words)
        try:
            self._get_ready()
        except BaseException:
            self._process.close()
            raise

    @abc.abstractmethod
    def _get_ready(self) -> None:
        """Reads its name, and prepares it for the game. Raises EngineError."""

    @abc.abstractmethod
    def text_of(self, state: Any, action: int) -> str:
        """An action as the engine reads it."""

    @abc.abstractmethod
    def choose(self, game_id: int, start: Any, moves: Sequence[str], state: Any) -> int:
        """The engine's action.

        game_id: which of its games this is. start: the state that the game began with, None for the
        root. moves: the texts of all moves since. state: the present one. Raises Resignation if the
        engine resigns, and EngineError.
        """

    def refuse(self, problem: str) -> EngineError:
        """The error to raise for an invalid answer."""
        return self._process.error(problem)

    def close(self) -> None:
        """Ends its process."""
        self._process.close()


class SharedEngine:
    """The engine that several agents share; it runs while any of them needs it.

    `turn` is a lock to hold while talking to the engine: games may be in several threads.
    """

    def __init__(self, start: Callable[[], Engine]) -> None:
        """Starts the engine at once, so that errors appear early."""
        self._start, self._num_agents = start, 0
        self.turn = threading.RLock()
        self._engine: Engine | None = start()
        self._game_ids = itertools.count()

    def enter(self) -> None:
        """Adds an agent."""
        with self.turn:
            self._num_agents += 1

    def leave(self) -> None:
        """Removes an agent; the last one ends the engine."""
        with self.turn:
            self._num_agents -= 1
            if self._num_agents == 0 and self._engine is not None:
                self._engine.close()
                self._engine = None

    @property
    def engine(self) -> Engine:
        """The engine, restarted if it was ended."""
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def new_game_id(self) -> int:
        """A number for another game."""
        return next(self._game_ids)


class EngineAgent(Agent):
    """Plays the engine's moves, after checking that they are legal."""

    def __init__(self, game: Game[Any], shared: SharedEngine, *, player: int) -> None:
        """Sits down as a player, before the first public event."""
        self.game, self.player, self._shared = game, player, shared
        self._is_here = True
        self._chosen: int | None = None
        shared.enter()
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at any state. seed: ignored, an engine has its own random numbers."""
        self._start = state
        self._state = first_state(self.game) if state is None else state
        self._moves: list[str] = []
        self._unwritten: list[tuple[Any, int]] = []
        self._game_id, self._chosen = self._shared.new_game_id(), None

    def observe(self, outcome: int) -> None:
        """Observes a public event, which is the move itself."""
        self._unwritten.append((self._state, outcome))  # the engine may be busy with another game
        self._state, self._chosen = after(self.game, self._state, outcome), None

    def act(self, infostate: int) -> int:
        """The engine's action, the same until the next event; infostate: 0.

        Raises Resignation if the engine resigns, and EngineError.
        """
        if self._chosen is None:
            with self._shared.turn:
                self._chosen = self._choose(self._shared.engine)
        return self._chosen

    def _choose(self, engine: Engine) -> int:
        self._moves += [engine.text_of(state, outcome) for state, outcome in self._unwritten]
        self._unwritten = []
        action = engine.choose(self._game_id, self._start, self._moves, self._state)
        if not situation(self.game, self._state).legal_actions[0, action]:
            text = engine.text_of(self._state, action)
            at = self.game.describe_state(self._state)
            raise engine.refuse(f"played {text!r}, which is illegal at '{at}'")
        return action

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: 1 for the move that `act` makes."""
        return np.asarray(np.eye(1, self.game.num_actions, self.act(infostate))[0])

    def close(self) -> None:
        """Releases the engine, which ends with its last agent."""
        if self._is_here:
            self._is_here = False
            self._shared.leave()


@dataclasses.dataclass(frozen=True, kw_only=True)
class EnginePlayer:
    """The engine that a player's text names, before the game is known."""

    start: Callable[[Game[Any]], Engine]
    """Starts it; ValueError for a game that its protocol does not support."""
    game: None = None
    """It plays any game that it knows."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `sog.players.player.Candidate`; starts the engine to check that it can play."""
        shared = SharedEngine(functools.partial(self.start, game))
        return Player(
            name=name,
            game=game,
            make=lambda player, seed: EngineAgent(game, shared, player=player),
        )
