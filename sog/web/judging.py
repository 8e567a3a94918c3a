"""A finished game at a table is judged, in another thread."""

import logging

from sog.play import PlayedGame
from sog.play.review import Review, as_adviser, review
from sog.players.player import Player
from sog.web.host import Submit


class _StoppedError(Exception):
    """Nobody waits for it any more."""


class Judging:
    """By the agent that played: how far it is, and what it found."""

    def __init__(self, judge: Player, played: PlayedGame, submit: Submit) -> None:
        """Begins. judge: one whose agents are advisers, see `sog.play.review`."""
        self.review: Review | None = None
        self.problem = ""
        self.done, self.total = 0, 0
        """Choices that are judged, of how many."""
        self._judge, self._played, self._is_stopped = judge, played, False
        submit(self._run)

    @property
    def is_busy(self) -> bool:
        """Whether it goes on."""
        return self.review is None and not self.problem

    def stop(self) -> None:
        """Ends it after the search that it is at."""
        self._is_stopped = True

    def _run(self) -> None:
        def show(done: int, total: int) -> None:
            self.done, self.total = done, total
            if self._is_stopped:
                raise _StoppedError

        try:
            advisers = [as_adviser(self._judge.make(player, player)) for player in (0, 1)]
            able = [adviser for adviser in advisers if adviser is not None]
            self.review = review(self._judge.game, self._played, able, show)
        except _StoppedError:
            self.problem = "stopped"
        except ValueError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = f"the agent failed: {error}"
            logging.getLogger("sog.web").exception("judging failed")
