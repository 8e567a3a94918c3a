"""Updates of SM-MCTS worked by hand, for the learner (`sm_mcts`) and the tree (`sm_search`) alike.

Goofspiel with 3 cards for points 3, 2, 1: two rounds with choices, then the last cards are forced.
Every joint action has been tried, so that nothing is random but what players select. The simulation
that was worked by hand is PATH: player 0 bids 3 and player 1 bids 2, then both bid 1, and last
player 0 loses 1 point by 2 against 3: of at most 4 points he gets 2, a reward of (2 / 4 + 1) / 2 =
3/4 to him, and of 1/4 to player 1.
"""

import dataclasses
import math
from typing import Final

GAME: Final = "goofspiel(cards=3,payoff=diff)"
GAMMA: Final = 0.3
C: Final = 1.7
PATH: Final = ((2, 1), (0, 0))
"""The places of what was bid among the cards that were left."""

Both = tuple[list[float], list[float]]  # of player 0, and of player 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tables:
    """What is known of a round; those of all second rounds are equal."""

    visits: Both
    total: Both
    policy: Both
    mean_n: list[list[int]]
    """[card of player 0][card of player 1]"""
    mean: list[list[float]]


BEFORE: Final = (
    Tables(
        visits=([4, 8, 4], [4, 4, 8]),
        total=([1, 1, 2], [-1, 3, 1]),
        policy=([1, 2, 1], [0, 3, 1]),
        mean_n=[[2, 2, 2], [2, 2, 2], [2, 2, 2]],
        mean=[[0.75, 0.25, 0.5], [0.5, 1, 0], [0.25, 0.5, 0.75]],
    ),
    Tables(
        visits=([6, 4], [2, 6]),
        total=([3, 1], [1, 1]),
        policy=([3, 1], [1, 3]),
        mean_n=[[4, 2], [1, 2]],
        mean=[[0.25, 0.5], [1, 0.75]],
    ),
)
"""Of the first round, and of each second one.

Regret matching on the totals: (1/4, 1/4, 1/2) against (0, 3/4, 1/4), then (3/4, 1/4) against
(1/2, 1/2). With 0.3 uniform play: (.275, .275, .45) against (.1, .625, .275), then (.675, .325)
against (1/2, 1/2).
"""

ODDS: Final = {
    "duct": (1.0, 1.0, 1.0, 1.0),
    # exp(0.3 / 3 x) and exp(0.3 / 2 x) of the totals, and 0.3 uniform play
    "exp3": (
        0.7 * math.exp(0.2) / (2 * math.exp(0.1) + math.exp(0.2)) + 0.1,
        0.7 * math.exp(0.3) / (math.exp(-0.1) + math.exp(0.3) + math.exp(0.1)) + 0.1,
        0.7 / (1 + math.exp(-0.3)) + 0.15,
        0.5,
    ),
    "rm": (0.45, 0.625, 0.675, 0.5),
    # Only who explores mixes uniform play in.
    "oos 0": (0.45, 0.75, 0.675, 0.5),
    "oos 1": (0.5, 0.625, 0.75, 0.5),
}
"""Of each choice of PATH: both of the first round, both of the second one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Change:
    """What PATH adds to the tables of one round."""

    total: Both
    policy: Both


_NONE: Final = ([0.0, 0.0, 0.0], [0.0, 0.0])
_MATCHED: Final = (([0.25, 0.25, 0.5], [0, 0.75, 0.25]), ([0.75, 0.25], [0.5, 0.5]))


def _times(factor: float, values: list[float]) -> list[float]:
    return [factor * value for value in values]


def change(selection: str, explorer: int) -> tuple[Change, Change]:
    """By hand, for a simulation in which a player explores: the first round's, the second one's."""
    first, second = _CHANGES[f"{selection} {explorer}" if "oos" in selection else selection]
    return first, second


_V: Final = (3 / 4 - 1 / 2) / 0.675  # oos: what a bid of 1 brings player 0 beyond a draw
_W: Final = 3 / 4 * _V / 0.45  # and before it, with 3/4 of the odds for it, his bid of 3

_CHANGES: Final = {
    # The reward of what was selected.
    "duct": (
        Change(total=([0, 0, 3 / 4], [0, 1 / 4, 0]), policy=(_NONE[0], _NONE[0])),
        Change(total=([3 / 4, 0], [1 / 4, 0]), policy=(_NONE[1], _NONE[1])),
    ),
    # The same over the odds of its selection.
    "exp3": (
        Change(
            total=([0, 0, 3 / 4 / ODDS["exp3"][0]], [0, 1 / 4 / ODDS["exp3"][1], 0]),
            policy=(_NONE[0], _NONE[0]),
        ),
        Change(
            total=([3 / 4 / ODDS["exp3"][2], 0], [1 / 4 / ODDS["exp3"][3], 0]),
            policy=(_NONE[1], _NONE[1]),
        ),
    ),
    # The mean reward of every other card against what the other player bid, less the reward: for
    # player 0 1/4 - 3/4 and 1 - 3/4, for player 1 (1 - 1/4) - 1/4 and (1 - 3/4) - 1/4; then 1 - 3/4
    # and (1 - 1/2) - 1/4.
    "rm": (
        Change(total=([-1 / 2, 1 / 4, 0], [1 / 2, 0, 0]), policy=_MATCHED[0]),
        Change(total=([0, 1 / 4], [0, 1 / 4]), policy=_MATCHED[1]),
    ),
    # The other's policy weighs mean rewards, that of PATH being 3/4. First: 3/4 1/4 + 1/4 1/2,
    # 3/4 1 + 1/4 0 and 3/4 3/4 + 1/4 3/4, in all (5/16 + 12/16 + 2 12/16) / 4 = 41/64. Then, where
    # the explorer's own choice led with 0.45: 1/2 3/4 + 1/2 1/2 and 1/2 1 + 1/2 3/4, in all
    # 3/4 5/8 + 1/4 7/8 = 11/16.
    "oos_plus 0": (
        Change(
            total=([20 / 64 - 41 / 64, 48 / 64 - 41 / 64, 48 / 64 - 41 / 64], _NONE[0]),
            policy=(_NONE[0], _MATCHED[0][1]),
        ),
        Change(
            total=(_times(1 / 0.45, [10 / 16 - 11 / 16, 14 / 16 - 11 / 16]), _NONE[1]),
            policy=(_NONE[1], _times(1 / 0.45, _MATCHED[1][1])),
        ),
    ),
    # To player 1, that of PATH being 1/4. First: (1/4 + 1/2 + 2 3/4) / 4, (3/4 + 0 + 2 1/4) / 4 and
    # (1/2 + 1 + 2 1/4) / 4, in all 3/4 5/16 + 1/4 8/16 = 23/64. Then, where his own choice led with
    # 0.625: 3/4 1/4 + 1/4 0 and 3/4 1/2 + 1/4 1/4, in all (3/16 + 7/16) / 2.
    "oos_plus 1": (
        Change(
            total=(_NONE[0], [36 / 64 - 23 / 64, 20 / 64 - 23 / 64, 32 / 64 - 23 / 64]),
            policy=(_MATCHED[0][0], _NONE[0]),
        ),
        Change(
            total=(_NONE[1], _times(1 / 0.625, [3 / 16 - 5 / 16, 7 / 16 - 5 / 16])),
            policy=(_times(1 / 0.625, _MATCHED[1][0]), _NONE[1]),
        ),
    ),
    # What was not selected is worth a draw. The value of the second round is 3/4 of _V.
    "oos 0": (
        Change(
            total=([-_W / 2, -_W / 2, _W - _W / 2], _NONE[0]),
            policy=(_NONE[0], _MATCHED[0][1]),
        ),
        Change(
            total=(_times(1 / 0.45, [_V - 3 / 4 * _V, -3 / 4 * _V]), _NONE[1]),
            policy=(_NONE[1], _times(1 / 0.45, _MATCHED[1][1])),
        ),
    ),
    # To player 1: 1/4 is 1/4 less than a draw, over odds of 1/2: -1/2. So the second round is worth
    # -1/4, and before it his bid of 2 -1/4 / 0.625 = -2/5, the first round 3/4 of that.
    "oos 1": (
        Change(
            total=(_NONE[0], [3 / 10, -4 / 10 + 3 / 10, 3 / 10]),
            policy=(_MATCHED[0][0], _NONE[0]),
        ),
        Change(
            total=(_NONE[1], _times(1 / 0.625, [-1 / 2 + 1 / 4, 1 / 4])),
            policy=(_times(1 / 0.625, _MATCHED[1][0]), _NONE[1]),
        ),
    ),
}
for _explorer, _own in ((0, 0.45), (1, 0.625)):
    _first, _later = _CHANGES[f"oos {_explorer}"]
    # SM-OOS is the same, but for the odds of the explorer's own choices before a round.
    _CHANGES[f"sm_oos {_explorer}"] = (
        _first,
        Change(
            total=(_times(_own, _later.total[0]), _times(_own, _later.total[1])),
            policy=(_times(_own, _later.policy[0]), _times(_own, _later.policy[1])),
        ),
    )

STRATEGIES: Final[dict[str, tuple[Both, Both]]] = {
    # Means 1/4, 1/8, 1/2; -1/4, 3/4, 1/8; then 1/2, 1/4; 1/2, 1/6.
    "duct_max": (([0, 0, 1], [0, 1, 0]), ([1, 0], [1, 0])),
    "duct_mix": (([1 / 4, 1 / 2, 1 / 4], [1 / 4, 1 / 4, 1 / 2]), ([3 / 5, 2 / 5], [1 / 4, 3 / 4])),
    # Visits less 0.1 of 16; less 0.15 of 10 and of 8.
    "exp3": (
        ([2.4 / 11.2, 6.4 / 11.2, 2.4 / 11.2], [2.4 / 11.2, 2.4 / 11.2, 6.4 / 11.2]),
        ([4.5 / 7, 2.5 / 7], [0.8 / 5.6, 4.8 / 5.6]),
    ),
    **dict.fromkeys(
        ("rm", "oos", "oos_plus", "sm_oos"),
        (([1 / 4, 1 / 2, 1 / 4], [0, 3 / 4, 1 / 4]), ([3 / 4, 1 / 4], [1 / 4, 3 / 4])),
    ),
}
"""What players make of BEFORE in the end."""


def odds_of_choices(selection: str, explorer: int) -> tuple[float, ...]:
    """How likely each choice of PATH is selected, whatever the others are; as in ODDS."""
    return ODDS[f"oos {explorer}" if "oos" in selection else selection.split("_")[0]]


def error_of(odds: float, simulations: int) -> float:
    """How far a share of simulations may be from its odds: five standard errors."""
    return 5 * math.sqrt(odds * (1 - odds) / simulations)
