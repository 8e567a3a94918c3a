"""The `Method` contract: parameters, paper, what it needs of a game, and agents that play by it.

A method is a frozen keyword-only dataclass whose fields are its parameters, declared by
`sog.games.core.param` as those of a game are. One called `budget` is typed behind a colon: what it
may spend, simulations per move or iterations before the first game.
"""

import abc
import dataclasses
from typing import Any, ClassVar

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.games.core import Game, _check_param
from sog.play.arena import AgentFactory
from sog.tabular import PublicTree, enumerate_public_tree


class Host:
    """What a method is given to make agents with; this one is for library use, and says nothing.

    The command line has one that shows progress and knows what the user said of searches.
    """

    seed: int = 0
    """Of what is learned before the first game."""
    seconds: float | None = None
    """How long a search may take."""

    def enumerate(self, game: Game[Any]) -> PublicTree:
        """The whole game."""
        return enumerate_public_tree(game)

    def search_settings(self, game: Game[Any]) -> SearchSettings:
        """How to search."""
        return SearchSettings()

    def check_room(self, game: Game[Any], evaluator: Evaluator, settings: SearchSettings) -> None:
        """Refuses searches that there is no memory for."""

    def begin(self, doing: str, total: int | None = None) -> None:
        """A part of the work begins; total: how much of it there is."""

    def update(self, detail: str, completed: int | None = None) -> None:
        """How far this part is."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Method(abc.ABC):
    """A way to play a game; the docstring of a subclass names the paper and the section."""

    name: ClassVar[str]
    """As in `sog.methods.registry.METHODS`."""
    paper: ClassVar[str]
    """Author, year and section."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if field.metadata:
                _check_param(self.name, field, getattr(self, field.name))

    def check(self, game: Game[Any]) -> None:  # noqa: B027 (most play any game)
        """Raises ValueError that says what the method needs, if it cannot play the game."""

    @abc.abstractmethod
    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Makes ready for a game that passed `check`, which may take long; returns what makes
        agents."""

    def params(self) -> dict[str, Any]:
        """The parameters and their values, in declaration order."""
        fields = dataclasses.fields(self)
        return {field.name: getattr(self, field.name) for field in fields if field.metadata}

    def __str__(self) -> str:
        values = self.params()
        budget = values.pop("budget", None)
        inside = ",".join(f"{name}={_text(value)}" for name, value in values.items())
        text = f"{self.name}({inside})" if inside else self.name
        return text if budget is None else f"{text}:{budget}"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
