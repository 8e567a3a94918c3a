"""Reviews the game at a table in another thread."""

from collections.abc import Callable

from sog.play import Agent, PlayedGame
from sog.play.game_in_progress import GameInProgress
from sog.play.review import Review, reviewing
from sog.players.player import Player
from sog.web.interfaces import Cancelled, Poll, RequestError, Submit, failed

FindJudge = Callable[[PlayedGame, Poll], Player]
"""Prepares a judge for a game, which may take long. Raises RequestError if no player can judge."""


class Judging:
    """A review in progress."""

    def __init__(self, find: FindJudge, ongoing: GameInProgress, submit: Submit) -> None:
        """Starts the review."""
        self.review: Review | None = None
        """The review so far."""
        self.judge: Player | None = None
        """None until ready."""
        self.problem = ""
        self.total = ongoing.num_choices
        self.is_busy, self.is_stopped = True, False
        self._find, self._game, self._played = find, ongoing.game, ongoing.played()
        submit(self._run)

    @property
    def done(self) -> int:
        """Choices judged so far, of `total`."""
        return 0 if self.review is None else len(self.review.choices)

    @property
    def is_partial(self) -> bool:
        """Whether it was stopped before the last choice."""
        return self.is_stopped and self.done < self.total

    def stop(self) -> None:
        """Stops after the current choice and keeps the review so far."""
        self.is_stopped = True

    def _poll(self) -> None:
        if self.is_stopped:
            raise Cancelled

    def _run(self) -> None:
        try:
            self._poll()
            self.judge = self._find(self._played, self._poll)
            self._poll()
            self._judge(self.judge)
        except Cancelled:
            pass
        except (RequestError, ValueError) as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = failed("the judge", error)
        finally:
            self.is_busy = False

    def _judge(self, judge: Player) -> None:
        advisers = [_adviser(judge, player) for player in (0, 1)]
        for found in reviewing(self._game, self._played, advisers):
            self.review = found
            self._poll()


def _adviser(judge: Player, player: int) -> Agent:
    adviser = judge.make(player, player)
    if adviser.doubt is None:
        raise RequestError(f"{judge.name} has no action values.")
    return adviser
