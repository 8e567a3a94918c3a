"""What becomes of the text of a player: a `Candidate` when it is read, a `Player` at the table."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, Protocol

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.play.arena import AgentFactory
from sog.tabular.public_tree import PublicTree, enumerate_public_tree
from sog.tabular.sizes import can_be_counted

MOST_NODES: Final = 1_000_000

SearchChanges = Mapping[str, Any]
"""Fields of `SearchSettings` and their values; those that are not in it stay what they were."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Player:
    """Somebody who is ready to play a game, before it is known which player of it he is."""

    name: str
    game: Game[Any]
    make: AgentFactory
    search: SearchSettings | None = None
    """How it searches, if it does."""
    seconds: float | None = None
    """How long a search may take."""
    search_bytes: int = 0
    """What a search takes, and what searches handed on to it; 0 where that was not counted."""
    network: Evaluator | None = None
    """A trained player's."""
    plays_by_turns: bool = False
    """Whether he needs a program of his own for every game that goes on at once."""
    exposes_policy: bool = True
    """Whether he says how likely his actions are, which people are shown who play against him."""

    def check_exposes_policy(self) -> None:
        """Raises ValueError for one who plays matches and tournaments only."""
        if not self.exposes_policy:
            raise ValueError(f"{self.name} plays in matches and tournaments only (sog match).")

    def as_json(self) -> dict[str, Any]:
        """Its name, and how it searches."""
        search = self.search
        return {
            "name": self.name,
            "search": search and [search.num_simulations, search.simulations_per_update],
            "rule": search and search.rule,
            "leaf_averaging": search and search.leaf_averaging,
            "leaf_interval": search and search.leaf_interval,
            "resolve_from": search and search.resolve_from,
            "seconds": self.seconds,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Host:
    """For whom players are made ready: what they may take, and where they say how far they are.

    This one says nothing; the command line and the pages have hosts of their own.
    """

    seed: int = 0
    """Of what is learned before the first game."""
    seconds: float | None = None
    """How long a search may take."""
    max_nodes: int = MOST_NODES
    """The most public states of a game that is enumerated."""

    def begin(self, doing: str, total: int | None = None) -> None:
        """A part of the work begins; total: how much of it there is."""

    def update(self, detail: str, completed: int | None = None) -> None:
        """How far this part is."""

    def notify(self, text: str) -> None:
        """Something that is no mistake, but to be known."""

    def option(self, parameter: str) -> str:
        """What a parameter is called, for mistakes: there may be options that stand for them."""
        return parameter

    def enumerate(self, game: Game[Any]) -> PublicTree:
        """The whole game. ValueError for one that is too large, TreeTooLargeError where that was
        found on the way."""
        if not can_be_counted(game):
            raise ValueError(f"{game.name} is made for search, too large to enumerate.")
        self.begin(f"enumerating {game.name}")
        return enumerate_public_tree(
            game,
            max_nodes=self.max_nodes,
            progress=lambda count: self.update(f"{count:,} public states"),
        )


class Candidate(Protocol):
    """Who was named by a text: everything is known of him but the game, perhaps."""

    @property
    def game(self) -> Game[Any] | None:
        """The only game that he plays; None for one who plays any."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """Makes him ready, which may take long.

        name: what he was called. search: what is changed of how he searches, if he does. Raises
        ValueError where he cannot play the game.
        """
