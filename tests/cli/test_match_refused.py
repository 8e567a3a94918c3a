"""`sog match`: what it refuses, in one line."""

from pathlib import Path

import pytest

from sog.players.methods import METHODS
from tests.cli.conftest import Run, refusal


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["policy:small.blueprint", "random"],
            "'policy:small.blueprint': a blueprint is a player of its own, "
            "blueprint:small.blueprint.",
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
            ["tabular", "random", "--game", "kuhn", "--set", "leaf_averaging=0.5"],
            "--set leaf_averaging=0.5 has no effect: tabular and random take no search settings.",
        ),
        (
            ["tabular", "random", "--game", "london"],
            "tabular: london is made for search, too large to enumerate.",
        ),
        (
            ["zero", "random", "--game", "kuhn", "--set", "run.seed=2"],
            "override 'run.seed=2': run.seed is not in [search], which alone can change here.",
        ),
        (
            ["random", "tabular", "--game", "kuhn", "--aivat", "network"],
            "--aivat network needs a RUN or agent:GAME as a player, got random, tabular.",
        ),
        (
            ["random", "zero", "--game", "london", "--aivat", "exact"],
            "--aivat exact: london is made for search, too large to enumerate. --aivat network "
            "and zero need less.",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    assert refusal(sog, "match", *arguments, notes=True) == message


def test_runs_of_different_games_are_both_named(sog: Run, untrained: Path) -> None:
    kuhn, other = str(untrained / "kuhn"), str(untrained / "tic_tac_toe")
    assert refusal(sog, "match", kuhn, other, notes=True) == (
        f"the players must play the same game: {kuhn} plays kuhn(ranks=3), {other} plays "
        "tic_tac_toe."
    )
    error = refusal(sog, "match", kuhn, "random", "--game", "tic_tac_toe", notes=True)
    assert error.endswith("plays kuhn(ranks=3), --game is tic_tac_toe.")


def test_a_folder_that_is_no_run_is_told(sog: Run, untrained: Path) -> None:
    error = refusal(sog, "match", str(untrained / "empty"), "random", notes=True)
    assert error.endswith("empty is not a run folder.")
