"""An engine at the table: one process for all games of a player, however many go on at once."""

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
    """A running engine that plays one game, at several tables by turns."""

    name: str
    """What it calls itself."""

    def __init__(self, command: str, words: Sequence[str] | None = None) -> None:
        """Starts it, see `LineProcess`, and gets it ready. Raises EngineError."""
        self._process = LineProcess(command, words)
        try:
            self._get_ready()
        except BaseException:
            self._process.close()
            raise

    @abc.abstractmethod
    def _get_ready(self) -> None:
        """Learns its name, and prepares it for the game. Raises EngineError."""

    @abc.abstractmethod
    def text_of(self, state: Any, action: int) -> str:
        """An action as the engine is told it."""

    @abc.abstractmethod
    def choose(self, table: int, start: Any, moves: Sequence[str], state: Any) -> int:
        """The engine's action.

        table: a number for the game that it is for. start: the state that the game began with, None
        for the usual one. moves: the texts of what was played since then. state: where that led.
        Raises Resignation where it gives up, and EngineError.
        """

    def refuse(self, problem: str) -> EngineError:
        """What to raise for an answer that cannot be."""
        return self._process.error(problem)

    def close(self) -> None:
        """Ends its process."""
        self._process.close()


class Desk:
    """Where agents find the engine that they share: it runs while somebody needs it.

    Games of several threads take turns: `turn` is held while the engine is spoken to.
    """

    def __init__(self, start: Callable[[], Engine]) -> None:
        """Starts it, which also tells whether that can be."""
        self._start, self._num_agents = start, 0
        self.turn = threading.RLock()
        self._engine: Engine | None = start()
        self._tables = itertools.count()

    def enter(self) -> None:
        """One more agent."""
        with self.turn:
            self._num_agents += 1

    def leave(self) -> None:
        """One less; the last one ends the engine."""
        with self.turn:
            self._num_agents -= 1
            if self._num_agents == 0 and self._engine is not None:
                self._engine.close()
                self._engine = None

    @property
    def engine(self) -> Engine:
        """The engine, started anew where it was ended."""
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def new_table(self) -> int:
        """A number for one more game."""
        return next(self._tables)


class EngineAgent(Agent):
    """Plays what the engine answers, which must be legal here."""

    def __init__(self, game: Game[Any], desk: Desk, *, player: int) -> None:
        """Sits down as a player, before the first public event."""
        self.game, self.player, self._desk = game, player, desk
        self._is_here = True
        self._chosen: int | None = None
        desk.enter()
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, anywhere. seed: an engine has its own random numbers."""
        self._start = state
        self._state = first_state(self.game) if state is None else state
        self._moves: list[str] = []
        self._unwritten: list[tuple[Any, int]] = []
        self._table, self._chosen = self._desk.new_table(), None

    def observe(self, outcome: int) -> None:
        """Tells the agent a public event, which is the move itself."""
        self._unwritten.append((self._state, outcome))  # the engine may be busy with another game
        self._state, self._chosen = after(self.game, self._state, outcome), None

    def act(self, infostate: int) -> int:
        """The engine's action, the same until the next event; infostate: 0.

        Raises Resignation where it gives up, and EngineError.
        """
        if self._chosen is None:
            with self._desk.turn:
                self._chosen = self._choose(self._desk.engine)
        return self._chosen

    def _choose(self, engine: Engine) -> int:
        self._moves += [engine.text_of(state, outcome) for state, outcome in self._unwritten]
        self._unwritten = []
        action = engine.choose(self._table, self._start, self._moves, self._state)
        if not situation(self.game, self._state).legal_actions[0, action]:
            text = engine.text_of(self._state, action)
            at = self.game.describe_state(self._state)
            raise engine.refuse(f"played {text!r}, which is illegal at '{at}'")
        return action

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: 1 for the move that `act` makes."""
        return np.asarray(np.eye(1, self.game.num_actions, self.act(infostate))[0])

    def close(self) -> None:
        """Leaves the engine, which ends with the last that does."""
        if self._is_here:
            self._is_here = False
            self._desk.leave()


@dataclasses.dataclass(frozen=True, kw_only=True)
class EnginePlayer:
    """Whom the text of an engine names, before it is known what is played."""

    start: Callable[[Game[Any]], Engine]
    """Starts it; ValueError for a game that its protocol cannot speak of."""
    game: None = None
    """It plays any game that it knows."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """As of `sog.players.player.Candidate`; the engine is started, to see that it can play."""
        desk = Desk(functools.partial(self.start, game))
        return Player(
            name=name, game=game, make=lambda player, seed: EngineAgent(game, desk, player=player)
        )
