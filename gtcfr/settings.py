"""The settings of a search, SoG(s, c), checked on construction.

`SearchSettings` has them all in one flat list, as configurations write them; functions here take
the part that they need:

    Extent        which public states a tree holds (`gtcfr.extent`)
    TreeCapacity  how many slots its tables have (`gtcfr.tree_size`)
    Resolving     how the searches of a player's chain follow one another (here)
"""

import dataclasses
import math
from typing import Any, Final

from gtcfr.extent import Extent
from gtcfr.tree import TreeShape
from gtcfr.tree_size import TreeCapacity
from sog.games.core import Game
from sog.parameters import check_fields
from sog.tabular.cfr import RULES, Rule

DEEPEST: Final = "deepest"
REPLY: Final = "reply"
FIRST_CHILD: Final = "first_child"
RESOLVE_FROM: Final = (DEEPEST, REPLY, FIRST_CHILD)
"""Where a re-solve may start, see `gtcfr.resolving`."""
_MOST_UPDATES: Final = 2_000_000_000  # 32-bit counters


@dataclasses.dataclass(frozen=True, kw_only=True)
class Resolving:
    """How the next search of a player's chain starts from the last one's results."""

    resolve_from: str = FIRST_CHILD
    """Where a re-solve starts on the path from the last search: always at the `first_child`, right
    after its move; before the opponent's `reply` to its move, or after chance if that came later;
    or at the `deepest` state that its tree holds (the paper). See `gtcfr.resolving`."""
    alpha: float = 0.5
    """Share of the gadget's range in the opponent's root range; the rest is its last range."""
    safe: bool = True
    """False: re-solves have no gadget and trust the last ranges, to measure what that costs."""
    search_everywhere: bool = False
    """A player's chain also searches where the opponent moves, as the paper's agent does."""

    @property
    def num_searchers(self) -> int:
        """Players whose chains search at a decision: the acting player, or both."""
        return 2 if self.search_everywhere else 1

    def __post_init__(self) -> None:
        check_fields(self, "in [0, 1]", "alpha")
        if self.resolve_from not in RESOLVE_FROM:
            raise ValueError(
                f"resolve_from must be one of {', '.join(RESOLVE_FROM)}, got {self.resolve_from!r}."
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchSettings(Extent, TreeCapacity, Resolving):
    """A search SoG(s, c): s simulations, c of them per regret update phase. Hashable.

    There are s / ceil(c) iterations, each of ceil(1 / c) CFR updates and ceil(c) simulations. So
    SoG(100, 1) is 100 times (1 update, 1 simulation), SoG(8000, 10) is 800 times (1 update, 10
    simulations), SoG(10, 0.01) is 10 times (100 updates, 1 simulation).
    """

    num_simulations: int = 100
    """s: simulations of a search."""
    simulations_per_update: float = 1.0
    """c: simulations per regret update; below 1, there are 1 / c updates per simulation."""
    rule: str | Rule = "sog"
    """How regrets and averages are updated, see `sog.tabular.RULES`."""
    c_puct: float = 1.25
    """The exploration constant of PUCT."""
    prior_temperature: float = 1.0
    """Divides the evaluator's logits."""
    leaf_averaging: float = 0.0
    """Share of the search's average ranges so far in the ranges of leaf queries; the rest are those
    of the update. The paper's is 0."""
    leaf_interval: int = 1
    """Passes over the tree per evaluation of the leaves, from the first of a phase on; other passes
    reuse the last answers. A phase is ceil(1 / c) updates, an update one pass, or two with an
    alternating rule. The paper's is 1."""
    num_queries: int = 0
    """The number of leaf queries that a search returns, drawn at random from all of them."""

    def __post_init__(self) -> None:
        check_fields(self, "an integer >= 1", "num_simulations", "leaf_interval")
        check_fields(self, "an integer >= 0", "num_queries")
        for part in (Extent, TreeCapacity, Resolving):
            part.__post_init__(self)
        check_fields(self, "> 0 and finite", "simulations_per_update", "prior_temperature")
        check_fields(self, ">= 0 and finite", "c_puct")
        check_fields(self, "in [0, 1]", "leaf_averaging")
        # 1 / c may be too large for an integer.
        updates = self.num_simulations * max(1 / self.simulations_per_update, 1)
        if updates > _MOST_UPDATES:
            raise ValueError(
                f"num_simulations and the updates must be at most {_MOST_UPDATES}, "
                f"got {updates:g} updates."
            )
        if self.num_simulations % self.simulations_per_phase:
            raise ValueError(
                f"num_simulations must be a multiple of ceil(simulations_per_update) = "
                f"{self.simulations_per_phase}, got {self.num_simulations}."
            )
        if isinstance(self.rule, str) and self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}.")

    @property
    def simulations_per_phase(self) -> int:
        """ceil(c)."""
        return math.ceil(self.simulations_per_update)

    @property
    def updates_per_phase(self) -> int:
        """ceil(1 / c)."""
        # 1 / 0.1 and the like must not round up past the intended integer.
        return math.ceil(1 / self.simulations_per_update - 1e-9)

    @property
    def num_phases(self) -> int:
        """s / ceil(c)."""
        return self.num_simulations // self.simulations_per_phase

    @property
    def num_updates(self) -> int:
        """CFR updates in all."""
        return self.num_phases * self.updates_per_phase

    @property
    def cfr_rule(self) -> Rule:
        """The rule itself."""
        return RULES[self.rule] if isinstance(self.rule, str) else self.rule

    def shape(self, game: Game[Any], path_length: int) -> TreeShape:
        """The sizes of a tree for this game; raises ValueError for impossible ones.

        path_length: the most public events between a root and the state that growth starts from.
        """
        expansions = self.num_simulations + self.kept_simulations
        return self.shape_for(
            game,
            self.layout(game),
            num_states=self.num_states(game, path_length, expansions),
            num_simulations=self.num_simulations,
            path_length=path_length,
            looks_ahead=self.lookahead > 1,
        )
