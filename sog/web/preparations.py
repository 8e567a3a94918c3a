"""What takes long before a game or a search can begin, in threads of its own beside the pages."""

import dataclasses
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from sog.web.sessions import Full

PLACES: Final = 4
"""Preparations at once."""
MOST_WAITING: Final = 28

Made = TypeVar("Made")


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Job:
    game: str
    work: Callable[[], Any]
    made: "Future[Any]"


class Preparations:
    """Some at once, each of another game; the others wait, a bounded number.

    So a game does not wait behind a learner of another one, and nothing is prepared twice at once.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(PLACES, thread_name_prefix="prepare")
        self._lock = threading.Lock()
        self._waiting: list[_Job] = []
        self._games: set[str] = set()
        """Those that are being prepared."""

    @property
    def num_waiting(self) -> int:
        """Those that wait for their turn and are not cancelled."""
        return sum(not job.made.cancelled() for job in self._waiting)

    def begin(self, game: str, work: Callable[[], Made]) -> "Future[Made]":
        """Has it done when its turn comes; cancelling what waits takes it out. Raises Full."""
        job = _Job(game=game, work=work, made=Future())
        with self._lock:
            if self.num_waiting >= MOST_WAITING:
                raise Full(
                    f"{PLACES} preparations are under way and {MOST_WAITING} are waiting: cancel "
                    f"one, or try again later."
                )
            self._waiting.append(job)
            self._start()
        return job.made

    def _start(self) -> None:
        """Those that may begin; with the lock."""
        self._waiting = [one for one in self._waiting if not one.made.cancelled()]
        for job in list(self._waiting):
            if len(self._games) < PLACES and job.game not in self._games:
                self._waiting.remove(job)
                self._games.add(job.game)
                self._threads.submit(self._run, job)

    def _run(self, job: _Job) -> None:
        try:
            if job.made.set_running_or_notify_cancel():
                job.made.set_result(job.work())
        except BaseException as error:  # told where the result is asked for
            job.made.set_exception(error)
        finally:
            with self._lock:
                self._games.remove(job.game)
                self._start()
