"""An agent that goes on with its tree: what it grew below the moves that were played is kept.

    agent = KeepingAgent(make("go5"), evaluator, SearchSettings(kept_simulations=100), player=0)

For perfect information. Its first search in a game is that of an agent that keeps nothing; later
ones make as many simulations as that one, beside those that are kept (`gtcfr.keeping`).
"""

import math
import time
from typing import Any

import numpy as np

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.play.analyst import Analyst
from sog.play.chained_search import Searching
from sog.play.choice import DOUBT
from sog.play.game_in_progress import Position
from sog.play.match import Agent
from sog.play.rules import situation


class KeepingAgent(Agent):
    """Takes the likeliest action of its searches; compiled programs are shared by all agents."""

    doubt = DOUBT

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator,
        settings: SearchSettings,
        *,
        player: int,
        seed: int = 0,
        seconds: float | None = None,
    ) -> None:
        """Sits down as a player. seconds: the most a search takes.

        Raises ValueError for hidden information, and for sizes that cannot be.
        """
        self.game, self.player = game, player
        self._seconds = seconds
        self.how_it_searches = Searching(
            game=game, evaluator=evaluator, settings=settings, seconds=seconds
        )
        """For whoever wants to search likewise."""
        self._analyst = Analyst(game, evaluator, settings, most=settings.num_simulations, seed=seed)
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, anywhere."""
        self._position = Position.of(self.game, state)
        self._analyst.forget()
        if seed is not None:
            self._analyst.draw_from(seed)
        self._is_searched = False

    def observe(self, outcome: int) -> None:
        """Tells the agent a public event."""
        self._position = self._position.after(self.game, outcome)
        self._is_searched = False

    def act(self, infostate: int) -> int:
        """The likeliest action. infostate: 0."""
        return int(np.argmax(self.policy(infostate)))

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: what the search found, of which `act` takes the likeliest; one search until the next
        event. infostate: 0."""
        legal = np.asarray(situation(self.game, self._position.state).legal_outcomes, float)
        if legal.sum() < 2:
            return legal
        self._search_here()
        found = np.asarray(self._analyst.policy(), float) * legal
        return np.asarray(found / found.sum())

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: what the agent expects to get by each action; NaN for what is illegal or was not
        considered, see `gtcfr.action_values`. infostate: 0."""
        self._search_here()
        return self._analyst.action_values()

    def value(self, infostate: int) -> float:
        """What the agent expects to get where it is to move, in units of utility. infostate: 0."""
        self._search_here()
        return self._analyst.value(self.player)

    def line(self, infostate: int) -> list[int]:
        """The public events that the agent expects from here on, a handful, its own first.
        infostate: 0."""
        self._search_here()
        return self._analyst.line()

    def _search_here(self) -> None:
        """The search of the position, made once."""
        if self._is_searched:
            return
        began = time.monotonic()

        def left() -> float:
            seconds = self._seconds
            return math.inf if seconds is None else began + seconds - time.monotonic()

        self._analyst.think(self._position, self._analyst.usual_simulations, left)
        self._is_searched = True
