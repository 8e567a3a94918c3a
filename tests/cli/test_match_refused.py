"""`sog match`: what it refuses, in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sog.players.methods import METHODS

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["policy:small.blueprint", "random"],
            "'policy:small.blueprint': a blueprint is a player of its own, "
            "blueprint:small.blueprint.",
        ),
        (
            ["zero", "random"],
            "--game is needed: zero and random can play any game.",
        ),
        (
            ["random", "random", "--game", "kuhn", "--games", "3"],
            "--games must be even, since every deal is played twice, got 3.",
        ),
        (
            ["zero", "no/run", "--game", "kuhn"],
            "'no/run' is not a player: neither a run folder nor one of "
            f"{', '.join(entry.form for entry in METHODS.values())}.",
        ),
        (
            ["zero", "random", "--game", "kuhn", "--search", "100"],
            "--search must be two numbers s,c such as 100,1, got '100'.",
        ),
        (
            ["tabular", "random", "--game", "kuhn", "--set", "leaf_averaging=0.5"],
            "--set leaf_averaging=0.5 has no effect: tabular and random take no search settings.",
        ),
        (
            ["zero", "random", "--game", "kuhn", "--search", "2000000000,1"],
            "zero: num_simulations = 2000000000 could add more public states than 2147483647, "
            "which is all that can be numbered; try fewer simulations: --search s,c.",
        ),
        (
            ["uct:10", "random", "--game", "kuhn"],
            "uct:10: uct needs perfect information, which kuhn(ranks=3) does not have.",
        ),
        (
            ["random", "random", "--game", "kuhn", "--games-out", "games.txt"],
            "--games-out: the name must end in one of .json, .pgn, .sgf, got games.txt.",
        ),
        (
            ["random", "random", "--game", "kuhn", "--games-out", "games.sgf"],
            "--games-out: games of kuhn have no SGF format; .json takes any game.",
        ),
        (
            ["tabular", "random", "--game", "london"],
            "tabular: london is made for search, too large to enumerate.",
        ),
        (
            ["zero", "random", "--game", "kuhn", "--set", "max_outcomes=1"],
            "zero: max_outcomes must be at least 3 in kuhn(ranks=3), for all outcomes of a "
            "decision, got 1.",
        ),
        (
            ["zero", "random", "--game", "kuhn", "--set", "c_pct=2"],
            "override 'search.c_pct=2': search.c_pct is not a configuration key; did you mean "
            "search.c_puct?",
        ),
        (
            ["zero", "random", "--game", "kuhn", "--set", "run.seed=2"],
            "override 'run.seed=2': run.seed is not in [search], which alone can change here.",
        ),
        (
            ["tabular", "random", "--game", "kuhn", "--set", "search.c_puct=2"],
            "--set search.c_puct=2 has no effect: tabular and random take no search settings.",
        ),
        (
            ["random", "tabular", "--game", "kuhn", "--aivat", "network"],
            "--aivat network needs a RUN or agent:GAME as a player, got random, tabular.",
        ),
        (
            ["ismcts:2", "ismcts:3", "--game", "kuhn", "--aivat", "exact"],
            "aivat needs an agent that exposes its policy; neither does.",
        ),
        (
            ["random", "zero", "--game", "london", "--aivat", "exact"],
            "--aivat exact: london is made for search, too large to enumerate. --aivat network "
            "and zero need less.",
        ),
        (
            ["random", "zero", "--game", "kuhn", "--aivat", "exact", "--max-nodes", "5"],
            "--aivat exact: the public tree of kuhn(ranks=3) has more than max_nodes = 5 nodes "
            "(reached 7 at depth 2). --aivat network and zero need less.",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    code, out, err = sog("match", *arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == f"sog: error: {message}"


def test_runs_of_different_games_are_both_named(sog: Run, untrained: Path) -> None:
    code, out, err = sog("match", str(untrained / "kuhn"), str(untrained / "tic_tac_toe"))
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == (
        f"sog: error: the players must play the same game: {untrained / 'kuhn'} plays "
        f"kuhn(ranks=3), {untrained / 'tic_tac_toe'} plays tic_tac_toe."
    )


def test_a_run_of_another_game_than_the_option_is_named(sog: Run, untrained: Path) -> None:
    code, out, err = sog("match", str(untrained / "kuhn"), "random", "--game", "tic_tac_toe")
    assert (code, out) == (2, "")
    assert err.endswith("plays kuhn(ranks=3), --game is tic_tac_toe.\n")


def test_a_folder_that_is_no_run_is_told(sog: Run, untrained: Path) -> None:
    code, out, err = sog("match", str(untrained / "empty"), "random")
    assert (code, out) == (2, "")
    assert err.endswith("empty is not a run folder.\n")
