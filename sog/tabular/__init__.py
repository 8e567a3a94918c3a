"""Exact tools: the whole public tree of a game, the CFR family, best response, exploitability.

Read `public_tree.py` (the tree as arrays), `sequence_form.py` (the solvers' input), `cfr.py` (one
implementation, the rule is an argument), `solver.py` (the driver). `lp.py` is an independent check.
"""

from sog.tabular.best_response import Evaluation, evaluate
from sog.tabular.cfr import CFRState
from sog.tabular.compiler import compile_game
from sog.tabular.lp import LPSolution, solve_lp
from sog.tabular.policy_file import PolicyFileError, load_policy, read_metadata, save_policy
from sog.tabular.public_tree import PublicTree, TreeTooLargeError, enumerate_public_tree
from sog.tabular.rules import RULES, Rule
from sog.tabular.sequence_form import CompiledGame, SequenceForm
from sog.tabular.solve_file import SolveFileError, load_solver, save_solver
from sog.tabular.solver import (
    Checkpoint,
    Solution,
    Solver,
    compile_tree,
    evaluate_policy,
    solve,
    uniform_policy,
)
from sog.tabular.subgame import SubgameSolution, solve_subgame

__all__ = [
    "RULES",
    "CFRState",
    "Checkpoint",
    "CompiledGame",
    "Evaluation",
    "LPSolution",
    "PolicyFileError",
    "PublicTree",
    "Rule",
    "SequenceForm",
    "Solution",
    "SolveFileError",
    "Solver",
    "SubgameSolution",
    "TreeTooLargeError",
    "compile_game",
    "compile_tree",
    "enumerate_public_tree",
    "evaluate",
    "evaluate_policy",
    "load_policy",
    "load_solver",
    "read_metadata",
    "save_policy",
    "save_solver",
    "solve",
    "solve_lp",
    "solve_subgame",
    "uniform_policy",
]
