"""Exact solutions of spots: heads-up poker from a board on, with ranges of one's own.

Read `betting.py` (the betting, street by street), `boards.py` (cards and suit isomorphism),
`arrays.py` and `tables.py` (CFR's memory), `showdowns.py`, `passes.py` (CFR and best responses),
`solver.py` (the driver), `walk.py` (reading the solution), `spot_file.py` (on disk).
`push_fold.py` solves the preflop game in which the small blind jams or folds.
"""

from sog.holdem.spots.solver import SpotSolution, SpotSolver, solve_spot
from sog.holdem.spots.spot import Spot, spot_of
from sog.holdem.spots.spot_file import SavedSpot, SpotFileError, load_spot, save_spot
from sog.holdem.spots.walk import (
    PlayerRange,
    SpotNode,
    SpotPause,
    forget_programs,
    look,
    split_history,
    walk,
)

__all__ = [
    "PlayerRange",
    "SavedSpot",
    "Spot",
    "SpotFileError",
    "SpotNode",
    "SpotPause",
    "SpotSolution",
    "SpotSolver",
    "forget_programs",
    "load_spot",
    "look",
    "save_spot",
    "solve_spot",
    "split_history",
    "spot_of",
    "walk",
]
