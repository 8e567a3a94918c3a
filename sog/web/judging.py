"""The choices of a game at a table are judged, in another thread."""

import dataclasses
import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sog.play import PlayedGame, SearchAgent
from sog.play.match import Agent
from sog.play.review import Adviser, Review, as_adviser, review
from sog.players.player import Player
from sog.web.course import Course
from sog.web.host import Heed, Left, Mistake, Submit

FindJudge = Callable[[PlayedGame, Heed], Player]
"""Makes somebody ready to judge a game, which may take long. Raises Mistake where nobody can."""


class Judging:
    """How far it is, and what it found."""

    def __init__(self, find: FindJudge, course: Course, submit: Submit) -> None:
        """Begins."""
        self.review: Review | None = None
        """Of the choices that are judged; once it is over, and of all of them unless stopped."""
        self.judge: Player | None = None
        """As soon as he is ready."""
        self.problem = ""
        self.done, self.total = 0, course.num_choices
        """Choices that are judged, of how many."""
        self.is_busy, self.is_stopped = True, False
        self._find, self._game, self._played = find, course.game, course.played()
        submit(self._run)

    @property
    def is_partial(self) -> bool:
        """Whether it was stopped before the last choice."""
        return self.is_stopped and self.done < self.total

    def stop(self) -> None:
        """Ends it after the choice that it is at; what it has found stays."""
        self.is_stopped = True

    def _heed(self) -> None:
        if self.is_stopped:
            raise Left

    def _run(self) -> None:
        try:
            self._heed()
            self.judge = self._find(self._played, self._heed)
            self._heed()
            self.review = self._reviewed(self.judge)
        except Left:
            pass
        except (Mistake, ValueError) as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = f"the judge failed: {error}"
            logging.getLogger("sog.web").exception("judging failed")
        finally:
            self.is_busy = False

    def _reviewed(self, judge: Player) -> Review | None:
        advisers = [self._asked(judge, player) for player in (0, 1)]

        def show(done: int, total: int) -> None:
            if not any(one.is_silent for one in advisers):
                self.done, self.total = done, total

        found = review(self._game, self._played, advisers, show)
        kept = found.choices[: self.done]
        if not kept:
            return None
        return dataclasses.replace(
            found,
            # What became of a game that is judged in part explains nothing of what was expected.
            played=dataclasses.replace(found.played, utility=math.nan)
            if self.is_partial
            else found.played,
            choices=tuple(
                dataclasses.replace(one, ranges=advisers[one.player].ranges.get(one.number))
                for one in kept
            ),
        )

    def _asked(self, judge: Player, player: int) -> "_Asked":
        adviser = as_adviser(judge.make(player, player))
        if adviser is None:
            raise Mistake(f"{judge.name} cannot say what actions are worth.")
        return _Asked(adviser, self._game.num_actions, lambda: self.is_stopped)


class _Asked(Agent):
    """An adviser who says nothing, at once, from the first choice on before which he was stopped.

    So a review ends soon, and has the choices before it.
    """

    def __init__(self, adviser: Adviser, num_actions: int, is_stopped: Callable[[], bool]) -> None:
        self.is_silent = False
        self.ranges: dict[int, np.ndarray | None] = {}
        """[player, S] by the number of an event: before it, where he searched."""
        self._adviser, self._num_actions, self._is_stopped = adviser, num_actions, is_stopped
        self._number, self._answered = 0, -1

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """As of `Agent`."""
        self._number, self._answered = 0, -1
        self._adviser.begin(state, seed)

    def observe(self, outcome: int) -> None:
        """As of `Agent`."""
        self._number += 1
        if not self.is_silent:
            self._adviser.observe(outcome)

    def act(self, infostate: int) -> int:
        """As of `Agent`."""
        return int(self._adviser.act(infostate))

    def policy(self, infostate: int) -> np.ndarray:
        """As of `Adviser`."""
        answered = self._answer(self._adviser.policy, infostate)
        return np.ones(self._num_actions) if answered is None else answered

    def action_values(self, infostate: int) -> np.ndarray:
        """As of `Adviser`."""
        answered = self._answer(self._adviser.action_values, infostate)
        return np.full(self._num_actions, np.nan) if answered is None else answered

    def _answer(self, ask: Callable[[int], np.ndarray], infostate: int) -> np.ndarray | None:
        """None from one who is stopped, unless he has answered something about this choice."""
        if self._answered != self._number and self._is_stopped():
            self.is_silent = True
        if self.is_silent:
            return None
        answer = ask(infostate)
        self._answered = self._number
        if isinstance(self._adviser, SearchAgent):
            self.ranges[self._number] = self._adviser.ranges
        return answer
