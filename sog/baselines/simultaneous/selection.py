"""Selection in simultaneous-move tree search: the options, and the paper's constants."""

import dataclasses
from typing import Final, NamedTuple

from sog.games.core import param

SELECTIONS: Final = ("duct_max", "duct_mix", "exp3", "rm", "oos", "oos_plus", "sm_oos")
PAPER: Final = {
    "wins": {"duct": 1.5, "exp3": 0.2, "rm": 0.025, "oos": 0.5, "oos_plus": 0.55},
    "points": {"duct": 0.82, "exp3": 0.01, "rm": 0.025, "oos": 0.5, "oos_plus": 0.4},
}
"""C of duct and gamma of the others, tuned for Goofspiel with 13 cards (Lanctot, Lisy, Winands
2013, Table 1). C is for rewards in [0, 1]: 150 points of 182 between losing and winning all. The
paper has no sm_oos; it uses the gamma of oos."""
_PAID: Final = {"wins": 1, "points": 182}
"""A reward of 1 in the units that the paper's Exp3 learns from."""


class Constants(NamedTuple):
    """The exploration constants of a search."""

    c: float
    gamma: float
    eta: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """The options of a method that searches simultaneous moves."""

    selection: str = param("rm", "selection rule of each player", choices=SELECTIONS)
    c: float = param(0.0, "exploration of duct, for rewards in [0, 1]; 0: the paper's", minimum=0)
    gamma: float = param(0.0, "exploration of the others; 0: the paper's", minimum=0, maximum=1)
    eta: float = param(
        0.0, "learning rate of exp3 times the number of actions; 0: the paper's", minimum=0
    )
    tuned: str = param("wins", "what the paper's constants were tuned for", choices=tuple(PAPER))

    @property
    def constants(self) -> Constants:
        """The constants that are set, else the paper's; 0 for unused ones."""
        name = self.selection.removesuffix("_max").removesuffix("_mix").removeprefix("sm_")
        value = PAPER[self.tuned][name]
        if name == "duct":
            return Constants(self.c or value, 0.0, 0.0)
        gamma = self.gamma or value
        return Constants(0.0, gamma, self.eta or gamma * _PAID[self.tuned])
