"""A player's text is read as a `Candidate`, which a game makes a `Player`."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, Protocol

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.play.arena import AgentFactory
from sog.tabular import Checkpoint, CompiledGame, PublicTree, Solution, enumerate_public_tree, solve
from sog.tabular.sizes import can_be_counted

MOST_NODES: Final = 1_000_000

SearchChanges = Mapping[str, Any]
"""Fields of `SearchSettings` to change, with their values."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Player:
    """A player that is ready for a game, in either seat."""

    name: str
    game: Game[Any]
    make: AgentFactory
    search: SearchSettings | None = None
    """Its search settings, if it searches."""
    seconds: float | None = None
    """Time limit of a search."""
    search_bytes: int = 0
    """Memory of a search with its chain of searches; 0 if unknown."""
    network: Evaluator | None = None
    """The network of a trained player."""
    plays_by_turns: bool = False
    """Whether each concurrent game needs an external program of its own."""
    exposes_policy: bool = True
    """Whether its agents expose action probabilities, which are shown to human opponents."""

    def check_exposes_policy(self) -> None:
        """Raises ValueError for a player for matches and tournaments only."""
        if not self.exposes_policy:
            raise ValueError(f"{self.name} plays in matches and tournaments only (sog match).")

    def as_json(self) -> dict[str, Any]:
        """Its name and search settings."""
        search = self.search
        return {
            "name": self.name,
            "search": search and [search.num_simulations, search.simulations_per_update],
            "growth_share": search and search.growth_share,
            "grow_from": search and search.grow_from,
            "rule": search and search.rule,
            "leaf_averaging": search and search.leaf_averaging,
            "leaf_smoothing": search and search.leaf_smoothing,
            "leaf_interval": search and search.leaf_interval,
            "resolve_from": search and search.resolve_from,
            "seconds": self.seconds,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Host:
    """Resource limits and progress reports for the preparation of players.

    This one reports nothing; the command line and the pages have hosts of their own.
    """

    seed: int = 0
    """Seed of what is learned before the first game."""
    seconds: float | None = None
    """Time limit of a search."""
    max_nodes: int = MOST_NODES
    """Most public states of a game to enumerate."""

    def begin(self, doing: str, total: int | None = None) -> None:
        """Reports that a part of the work begins; total: its size."""

    def update(self, detail: str, completed: int | None = None) -> None:
        """Reports progress of this part."""

    def notify(self, text: str) -> None:
        """Reports something that is not an error."""

    def option(self, parameter: str) -> str:
        """The name of a parameter in messages, such as the option that sets it."""
        return parameter

    def enumerate(self, game: Game[Any]) -> PublicTree:
        """Enumerates the game. Raises ValueError, or TreeTooLargeError while enumerating."""
        if not can_be_counted(game):
            raise ValueError(f"{game.name} is made for search, too large to enumerate.")
        self.begin(f"enumerating {game.name}")
        return enumerate_public_tree(
            game,
            max_nodes=self.max_nodes,
            progress=lambda count: self.update(f"{count:,} public states"),
        )

    def solve(self, compiled: CompiledGame, rule: str, iterations: int) -> Solution:
        """Solves the game; KeyboardInterrupt if solving was interrupted."""
        game = compiled.tree.game
        self.begin(f"solving {game.name}", iterations)

        def show(checkpoint: Checkpoint) -> None:
            milli = f"{1000 * checkpoint.exploitability:.4g} {game.milli_unit}"
            self.update(f"exploitability {milli}", checkpoint.iteration)

        solution = solve(compiled, rule=rule, iterations=iterations, on_checkpoint=show)
        if solution.interrupted:
            raise KeyboardInterrupt
        return solution


class Candidate(Protocol):
    """A player read from a text, for which the game may not be known yet."""

    @property
    def game(self) -> Game[Any] | None:
        """The only game that it plays; None for any."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """Prepares the player, which may take long.

        name: its text. search: changes of its search settings. Raises ValueError if it cannot play
        the game.
        """
