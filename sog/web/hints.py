"""What the agent would do in the person's place, found out in another thread."""

import dataclasses
import threading
from typing import Any

import numpy as np

from sog.play.assessments import Assessment, assess
from sog.play.game_in_progress import GameInProgress, Position
from sog.play.match import Agent, Resignation, show_position
from sog.players.player import Player
from sog.web.interfaces import Submit, failed


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Hint:
    """What it would do at one position."""

    outcomes: tuple[int, ...]
    """The public events before it."""
    assessment: Assessment | None
    policy: np.ndarray | None
    """[A]"""
    problem: str = ""
    """Why there is none."""


class Hints:
    """An agent in the person's place, who is told what happens and asked at every choice."""

    def __init__(self, player: Player, seat: int, seed: int, submit: Submit) -> None:
        self._player, self._seat, self._seed, self._submit = player, seat, seed, submit
        self._agent: Any = None
        self._position: Position | None = None
        self._hint: Hint | None = None
        self._asked: tuple[int, ...] | None = None
        self._wanted: tuple[Position, int] | None = None
        self._is_at_work = False
        self._lock = threading.Lock()
        """Held while one of these two changes."""

    def at(self, ongoing: GameInProgress) -> Hint | None:
        """The hint for the position, which is asked for if it was not; None until it is there."""
        hint, outcomes = self._hint, ongoing.outcomes
        if hint is not None and hint.outcomes == outcomes:
            return hint
        if self._asked != outcomes:
            self._asked = outcomes
            with self._lock:
                self._wanted = ongoing.position, int(ongoing.infostates[self._seat])
                if not self._is_at_work:
                    self._is_at_work = True
                    self._submit(self._work)
        return None

    def forget(self) -> None:
        """The position is another one, or that of another game."""
        self._hint, self._asked = None, None

    def close(self) -> None:
        """Nobody asks any more."""
        with self._lock:
            self._wanted = None
        if self._agent is not None:
            agent: Agent = self._agent
            self._submit(agent.close)

    def _work(self) -> None:
        """Finds what is wanted last; what was wanted before is passed over."""
        while True:
            with self._lock:
                wanted, self._wanted = self._wanted, None
                self._is_at_work = wanted is not None
            if wanted is None:
                return
            self._find(*wanted)

    def _find(self, position: Position, infostate: int) -> None:
        assessment, policy, problem = None, None, ""
        try:
            self._sync(position)
            game = self._player.game
            assessment = assess(game, position.state, self._agent, self._seat, infostate)
            policy = np.asarray(self._agent.policy(infostate), float)
        except (ValueError, Resignation) as error:
            problem = str(error) or "the agent would give up"
        except Exception as error:
            problem = failed("the agent", error)
        self._hint = Hint(
            outcomes=position.outcomes, assessment=assessment, policy=policy, problem=problem
        )

    def _sync(self, position: Position) -> None:
        """Brings the agent to a position: by what is new there, or from the beginning."""
        if self._agent is None:
            self._agent = self._player.make(self._seat, self._seed)
        known, self._position = self._position, None  # should it fail half-way
        show_position(self._agent, position, known)
        self._position = position
