"""Loads a strategy: from a policy file, from a run folder's agent, or by solving a game now."""

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from gtcfr.mesh import batch_mesh
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.cli import display
from sog.cli.errors import CommandError, mistakes, reject
from sog.cli.loading import compile_whole_game, load_game, load_named_run
from sog.cli.options import MOST_NODES_EVALUATED
from sog.cli.players import describe_search, host_of, read_settings
from sog.evaluation import compose
from sog.games import Game
from sog.games.foreign import check_named_by_file
from sog.play.policies import is_table
from sog.players.runs import names_run
from sog.tabular import CompiledGame, PublicTree, load_policy, read_metadata
from sog.tabular.profile_analysis import ProfileAnalysis, analyze_profile, check_analysis
from sog.tabular.public_tree import DEFAULT_MAX_NODES

_ITERATIONS: Final = 1000
_RULE: Final = "cfr+"
_OF_SEARCHES: Final = ("search", "set", "seed")
_OF_GAMES: Final = ("iterations",)
_Check = Callable[[Game[Any]], object]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Strategy:
    """A policy of a whole game, with its analysis."""

    title: str
    """The game, and the origin of the policy."""
    source: str
    """As the user named it."""
    examination: ProfileAnalysis

    @property
    def game(self) -> Game[Any]:
        """The game of the policy."""
        return self.examination.tree.game


def check_source(arguments: argparse.Namespace) -> None:
    """Checks SOURCE and its options before the work begins."""
    kind = _kind(arguments.source)
    if kind == "file":
        _read_game(arguments.source)
        reject(arguments, (*_OF_GAMES, *_OF_SEARCHES), "on a policy file, which is read as it is")
    elif kind == "run":
        reject(arguments, _OF_GAMES, "on a run folder, whose agent searches")
        read_settings(arguments, SearchSettings())
    else:
        reject(arguments, _OF_SEARCHES, "on a game, which is solved and not searched")


def load_strategy(
    arguments: argparse.Namespace,
    work: display.Work,
    check: _Check = str,
) -> Strategy:
    """Loads or computes the strategy of SOURCE, and analyzes it.

    check: called with the game before the slow part; raises if the game does not fit.
    """
    make = {"file": _from_file, "run": _from_run, "game": _from_game}[_kind(arguments.source)]
    compiled, policy, title = make(arguments, work, check)
    work.begin("examining the strategy")
    return Strategy(
        title=f"{display.short_name(compiled.tree.game)}, {title}",
        source=arguments.source,
        examination=analyze_profile(compiled.tree, policy),
    )


def _compile(
    game: Game[Any],
    arguments: argparse.Namespace,
    work: display.Work,
    most: int = DEFAULT_MAX_NODES,
) -> CompiledGame:
    """As `compile_whole_game`; CommandError if there is no memory for the analysis."""
    compiled = compile_whole_game(game, arguments.max_nodes, work, most)
    with mistakes():
        check_analysis(compiled.tree)
    return compiled


_Made = tuple[CompiledGame, np.ndarray, str]


def _from_file(arguments: argparse.Namespace, work: display.Work, check: _Check) -> _Made:
    game = load_game(_read_game(arguments.source), work)
    check(game)
    compiled = _compile(game, arguments, work)
    with mistakes():
        return compiled, load_policy(arguments.source, compiled.tree), f"policy {arguments.source}"


def _from_game(arguments: argparse.Namespace, work: display.Work, check: _Check) -> _Made:
    iterations = arguments.iterations or _ITERATIONS
    game = load_game(arguments.source, work)
    check(game)
    compiled = _compile(game, arguments, work)
    solution = host_of(arguments, work).solve(compiled, _RULE, iterations)
    reached = display.in_milli_units(game, solution.last.exploitability)
    how = f"solved by {iterations:,} iterations of {_RULE}"
    display.note(f"{how}: exploitability {reached}.")
    return compiled, solution.policy, how


def _from_run(arguments: argparse.Namespace, work: display.Work, check: _Check) -> _Made:
    work.begin("loading the network")
    trained = load_named_run(arguments.source)
    check(trained.game)
    search = read_settings(arguments, trained.settings)
    compiled = _compile(trained.game, arguments, work, MOST_NODES_EVALUATED)
    work.begin("compiling the search")
    with mistakes():
        composed = compose(
            compiled,
            trained.evaluator,
            in_whole_game(search, compiled.tree),
            seeds=1,
            first_seed=arguments.seed or 0,
            mesh=batch_mesh(),
            progress=work.in_batches("searching at every decision"),
        )
    title = f"{trained.title} by {describe_search(search)}"
    return compiled, composed.policy[0], title


def in_whole_game(search: SearchSettings, tree: PublicTree) -> SearchSettings:
    """The search with room for all that it can add, and a lookahead within the game."""
    game = tree.game
    lookahead = WHOLE_GAME if search.lookahead >= game.max_depth else search.lookahead
    capacity = tree.num_nodes  # no tree is larger than the game
    if lookahead == 1:
        expanded = 1 + game.max_depth + search.num_simulations  # the searched state, those before
        capacity = min(capacity, expanded * game.num_outcomes)
    capacity += game.num_outcomes
    return dataclasses.replace(search, lookahead=lookahead, capacity=capacity)


def _kind(source: str) -> str:
    if Path(source).is_file() or source.endswith(".npz"):
        return "file"
    with mistakes():
        return "run" if names_run(source) else "game"


def _read_game(path: str) -> str:
    if is_table(path):
        raise CommandError(
            f"{path} is a table, which does not name its game: sog exploitability GAME {path} "
            f"--save FILE.npz turns it into a policy file."
        )
    with mistakes():
        game = str(read_metadata(path)["game"])
        check_named_by_file(game, path)
    return game
