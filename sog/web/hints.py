"""Hints: the agent's assessment of the person's decisions, made in another thread."""

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
    """The hint for one position."""

    outcomes: tuple[int, ...]
    """The public events that lead to the position."""
    assessment: Assessment | None
    policy: np.ndarray | None
    """[A]"""
    problem: str = ""
    """Why there is no hint."""


class Hints:
    """An agent in the person's seat that follows the game and assesses every choice."""

    def __init__(self, player: Player, seat: int, seed: int, submit: Submit) -> None:
        self._player, self._seat, self._seed, self._submit = player, seat, seed, submit
        self._agent: Any = None
        self._position: Position | None = None
        self._hint: Hint | None = None
        self._asked: tuple[int, ...] | None = None
        self._wanted: tuple[Position, int] | None = None
        self._is_at_work = False
        self._lock = threading.Lock()
        """Guards the two fields above."""

    def at(self, ongoing: GameInProgress) -> Hint | None:
        """The hint for the position; requests it if needed. None until it is ready."""
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
        """Discards the hint, since the position has changed."""
        self._hint, self._asked = None, None

    def close(self) -> None:
        """Releases the agent."""
        with self._lock:
            self._wanted = None
        if self._agent is not None:
            agent: Agent = self._agent
            self._submit(agent.close)

    def _work(self) -> None:
        """Makes the hint requested last; earlier requests are skipped."""
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
            problem = str(error) or "the agent would resign"
        except Exception as error:
            problem = failed("the agent", error)
        self._hint = Hint(
            outcomes=position.outcomes, assessment=assessment, policy=policy, problem=problem
        )

    def _sync(self, position: Position) -> None:
        """Brings the agent to a position, by its new events or from the start."""
        if self._agent is None:
            self._agent = self._player.make(self._seat, self._seed)
        known, self._position = self._position, None  # in case it fails halfway
        show_position(self._agent, position, known)
        self._position = position
