"""The exact solution beside a search: found in another thread, stopped, or refused."""

import functools
import logging
from collections.abc import Callable

from sog.tabular.public_tree import TreeTooLargeError
from sog.web.found import ExactSolution
from sog.web.host import Heed, Left, Mistake, Submit


class Solving:
    """How far it is."""

    def __init__(self) -> None:
        self.exact: ExactSolution | None = None
        self.problem = ""
        """Why there is none."""
        self.is_busy = self.is_stopped = False
        self.is_hopeless = False
        """Whether too much is below, so that nobody need try again."""

    def begin(self, solve: Callable[[Heed], ExactSolution], submit: Submit) -> None:
        """Has it found. Raises Mistake where there is no room to."""
        self.is_busy, self.is_stopped, self.problem = True, False, ""
        try:
            submit(functools.partial(self._run, solve))
        except Mistake:
            self.is_busy = False
            raise

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self.is_stopped = True

    def _heed(self) -> None:
        if self.is_stopped:
            raise Left

    def _run(self, solve: Callable[[Heed], ExactSolution]) -> None:
        try:
            self._heed()
            self.exact = solve(self._heed)
        except Left:
            pass
        except TreeTooLargeError:
            self.is_hopeless, self.problem = True, "too much is below to be solved exactly."
        except ValueError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = f"solving failed: {error}"
            logging.getLogger("sog.web").exception("solving failed")
        finally:
            self.is_busy = False
