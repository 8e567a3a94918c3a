"""What the pages ask of the command that runs them: games, players, searches and runs."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from selfplay.metrics import Metrics
from sog.games import Game
from sog.play.arena import AgentFactory

Submit = Callable[[Callable[[], None]], object]
"""Has a function called by another thread."""
Heed = Callable[[], None]
"""To be called now and then by what takes long: raises Left where nobody waits for it any more."""


class Left(Exception):  # noqa: N818 (no error)
    """The visitor has left, or cancelled what he asked for."""


class Mistake(Exception):  # noqa: N818 (the visitor's, told on a page)
    """What was asked for cannot be; told in a sentence."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Opponent:
    """A player who was prepared for a game."""

    game: Game[Any]
    name: str
    make: AgentFactory
    facts: dict[str, Any]
    """How it plays, for saved games."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Searcher:
    """What searches of a game are made with."""

    game: Game[Any]
    """The one to search, perhaps enumerated; `shown` is the game itself."""
    shown: Game[Any]
    evaluator: Evaluator
    name: str
    """Of the evaluator."""
    settings: SearchSettings


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunState:
    """How far a training run is."""

    name: str
    game: Game[Any]
    lines: list[Metrics]
    """Its metrics so far."""


class Host(Protocol):
    """All texts are of the lists here; another one raises Mistake, and so does what cannot be."""

    games: Sequence[str]
    """Games that may be named."""
    players: Sequence[str]
    """Players of any game."""
    evaluators: Sequence[str]
    """What may value the leaves of a search; the first is the default."""
    networks: Sequence[str]
    """Trained ones, which are players of their own games, and value the leaves of searches."""
    named: Sequence[str]
    """Those of them that were named when the server was started."""
    runs: Sequence[str]
    """Those of them that are runs, which may be watched."""

    def opponent(self, game: str, player: str, search: str, heed: Heed) -> Opponent:
        """Prepares a player; may take long. search: "s,c", or empty for the default."""

    def searcher(
        self, game: str, evaluator: str, search: str, path_length: int, heed: Heed
    ) -> Searcher:
        """Prepares a search; may take long. game: or a run. path_length: events on the way."""

    def game(self, text: str) -> Game[Any]:
        """A game, or that of a run."""

    def run_state(self, number: int) -> RunState:
        """How far a run is, by its place in `runs`."""
