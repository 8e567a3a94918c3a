"""A spot of hold'em that is solved in slices in other threads while pages show it."""

import contextlib
import dataclasses
import threading
import time
from collections.abc import Iterator
from typing import Final

from sog.holdem.pages.spot_form import SpotForm
from sog.holdem.spots import SpotNode, SpotPause, SpotSolver, look, spot_of, walk
from sog.holdem.spots.network import SpotReader
from sog.memory import in_bytes
from sog.players.trained import Trained
from sog.tabular import Checkpoint
from sog.web.interfaces import Poll, RequestError, Submit, failed, request_errors

MOST_SECONDS: Final = 300.0
"""Of solving, until the visitor continues it."""
MOST_BYTES: Final = 2 * 10**9
_MOST_ITERATIONS: Final = 100_000
_SLICE_SECONDS: Final = 0.2
_FIRST_MEASURE: Final = 10
_MEASURE_GROWTH: Final = 1.1
_PATIENCE: Final = 20.0
"""Seconds that a page waits for a slice to end."""
_MOST_WAITING: Final = 2
"""Pages that wait for a slice to end; others show earlier results."""
_MOST_SEEN: Final = 64


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """A network shown beside the solution."""

    text: str
    """The visitor's text for it."""
    title: str
    reader: SpotReader


class SolvedSpot:
    """A spot being solved. Methods may be called by any thread.

    CFR updates its tables in place, so a page that reads them waits for the slice to end, and the
    next slice for the page.
    """

    def __init__(self, form: SpotForm, submit: Submit, poll: Poll) -> None:
        """Deals, checks the memory, compiles, starts solving. Raises RequestError, Cancelled."""
        self.form, self.problem = form, ""
        self.game, self.ranges = form.game(), form.ranges()
        self.percent = form.percent()
        with request_errors():
            self.solver = SpotSolver(spot_of(self.game), self.ranges, most_bytes=MOST_BYTES)
        self.size = in_bytes(sum(self.solver.memory_parts().values()))
        self.checkpoints: list[Checkpoint] = []
        self.seconds = 0.0
        self._submit, self._lock = submit, threading.Lock()
        self._turns, self._num_waiting = threading.Lock(), 0
        self._left = threading.Condition()
        """Held while a page begins or ends waiting."""
        self._is_closed = self._is_wanted = self._is_working = False
        self._seconds_left, self._per_call, self._next_measure = 0.0, 1, _FIRST_MEASURE
        self._seen: dict[tuple[str, ...], tuple[int, SpotNode | SpotPause]] = {}
        self.compared: Compared | None = None
        poll()
        self.solver.warm_up()
        poll()
        look(self.solver, ())
        poll()
        self.go_on()

    @property
    def is_busy(self) -> bool:
        """Whether it is being solved now."""
        return self._is_working

    @property
    def is_finished(self) -> bool:
        """Whether it is not being solved."""
        return not self.is_busy

    @property
    def iteration(self) -> int:
        """Iterations so far."""
        return self.solver.iteration

    @property
    def exploited(self) -> float | None:
        """The last measured exploitability, in percent of the pot."""
        if not self.checkpoints:
            return None
        return 100 * self.checkpoints[-1].exploitability / self.solver.spot.pot

    @property
    def is_reached(self) -> bool:
        """Whether the target exploitability is reached."""
        return self.exploited is not None and self.exploited <= self.percent

    def go_on(self, percent: float | None = None) -> None:
        """Continues solving, to another percentage of the pot or the same."""
        with self._lock:
            if percent is not None:
                self.percent = percent
            self._seconds_left, self._is_wanted = MOST_SECONDS, not self._is_closed
            if self._is_wanted and not self._is_working:
                self._is_working = True
                self._submit(self._work)

    def compare(self, text: str, trained: Trained) -> None:
        """Shows a network beside the exact solution from now on; compiles. Raises RequestError."""
        with request_errors():
            reader = SpotReader(trained.game, trained.evaluator, self.solver.spot)
            with self.turn():
                start = walk(self.solver, ())
        reader.read(start)
        self.compared = Compared(text=text, title=trained.title, reader=reader)

    def stop(self) -> None:
        """Stops after the present slice."""
        self._is_wanted = False

    def close(self) -> None:
        """Stops for good."""
        with self._lock:
            self._is_closed, self._is_wanted = True, False

    def see(self, history: tuple[str, ...]) -> SpotNode | SpotPause | None:
        """The node after a history; None if the solver is busy for too long.

        Raises RequestError for an impossible history.
        """
        known = self._seen.get(history)
        if known is not None and known[0] == self.iteration:
            return known[1]
        with self._a_turn() as has_turn:
            known = self._seen.get(history)  # another page may have read it meanwhile
            if has_turn and (known is None or known[0] != self.iteration):
                with request_errors():
                    known = self.iteration, look(self.solver, history)
                while len(self._seen) >= _MOST_SEEN:
                    self._seen.pop(next(iter(self._seen)))
                self._seen[history] = known
        return None if known is None else known[1]

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Keeps the solver still in its body. Raises RequestError if it is busy for too long."""
        with self._a_turn() as has_turn:
            if not has_turn:
                raise RequestError("The spot is busy: stop it first.")
            yield

    @contextlib.contextmanager
    def _a_turn(self) -> Iterator[bool]:
        with self._left:
            is_one_of_few = self._num_waiting < _MOST_WAITING
            self._num_waiting += is_one_of_few
        has_turn = is_one_of_few and self._turns.acquire(timeout=_PATIENCE)
        with self._left:
            self._num_waiting -= is_one_of_few
            self._left.notify_all()
        try:
            yield has_turn
        finally:
            if has_turn:
                self._turns.release()

    # In a worker thread.

    def _work(self) -> None:
        """Runs a slice, then submits the next one."""
        try:
            with self._left:
                self._left.wait_for(lambda: not self._num_waiting)  # pages go first
            with self._turns:
                if self._is_wanted:
                    self._slice()
        except Exception as error:
            self.problem, self._is_wanted = failed("solving", error), False
        with self._lock:
            self._is_working = self._is_wanted
            if self._is_working:
                self._submit(self._work)

    def _slice(self) -> None:
        began = time.perf_counter()
        count = min(self._per_call, self._next_measure - self.iteration)
        self.solver.run(count)
        took = time.perf_counter() - began
        if took < _SLICE_SECONDS / 2 and count == self._per_call:
            self._per_call *= 2
        if self.iteration >= self._next_measure:
            self._measure()
        took = time.perf_counter() - began
        self.seconds += took
        self._seconds_left -= took
        if self.is_reached or self._seconds_left <= 0 or self.iteration >= _MOST_ITERATIONS:
            self._is_wanted = False

    def _measure(self) -> None:
        exploitability = float(self.solver.exploitability()[0])
        self.checkpoints.append(
            Checkpoint(
                iteration=self.iteration,
                seconds=self.seconds,
                exploitability=exploitability,
                value=float("nan"),  # pages show the values of their node
            )
        )
        self._next_measure = max(
            self.iteration + _FIRST_MEASURE, int(self.iteration * _MEASURE_GROWTH)
        )
