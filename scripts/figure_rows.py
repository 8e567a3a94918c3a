"""The rows of the README's table and of the training results, with their commands.

`python scripts/figures.py` computes them.
"""

import dataclasses
from typing import Any, Final


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """A figure, and its commands."""

    what: str
    unit: str
    measure: tuple[str, ...]
    """The command that prints JSON; RUN stands for the run folder."""
    take: tuple[str | int, ...]
    """The path of the figure in the JSON."""
    scale: float = 1.0
    config: str | None = None
    """The configuration to train first; None for a benchmark."""
    trainings: int = 3
    minutes: int = 0
    """The approximate time of a training with its evaluation on two cores."""


def _exploitability(config: str, what: str, unit: str, *search: str, **others: Any) -> Row:
    scale = 1000.0 if unit == "mbb" else 1.0
    return Row(
        config=config,
        what=what,
        unit=unit,
        scale=scale,
        measure=("-m", "sog", "evaluate", "RUN", "--json", *search),
        take=("results", 0, "exploitability", "mean"),
        **others,
    )


def _dice(config: str, what: str, minutes: int, seeds: int = 3) -> Row:
    search = ("--search", "64,0.0625", "--seeds", str(seeds))
    return _exploitability(config, what, "points", *search, minutes=minutes)


def _match(config: str, what: str, opponent: str, games: int, **others: Any) -> Row:
    command = ("match", "RUN", opponent, "--games", str(games))
    return Row(config=config, what=what, measure=("-m", "sog", *command, "--json"), **others)


_GNU_GO: Final = (
    "gtp:gnugo --mode gtp --level 10 --chinese-rules --positional-superko --capture-all-dead"
)
_FEW, _MANY = ("--search", "100,1", "--seeds", "50"), ("--search", "100,0.1", "--seeds", "20")
_DEEPEST: Final = ("--set", "resolve_from=deepest")
_PAPER: Final = ("--set", "rule=sog", "--set", "leaf_averaging=0", *_DEEPEST)
_GLASSES: Final = ("--seeds", "10", "--seed", "1000")


def _leduc(what: str, *search: str, minutes: int = 5) -> Row:
    return _exploitability("leduc", f"the same, {what}", "mbb", *search, minutes=minutes)


def _glasses(what: str, *search: str, minutes: int) -> Row:
    return _exploitability("glasses", what, "points", *_GLASSES, *search, minutes=minutes)


ROWS: Final = {
    "leduc_demo": _exploitability(
        "leduc_demo", "Leduc, the demo, SoG(100, 1)", "mbb", *_FEW, trainings=5, minutes=5
    ),
    "leduc": _exploitability("leduc", "Leduc, the long run, SoG(100, 1)", "mbb", *_FEW, minutes=40),
    "leduc_long_search": _leduc("SoG(100, 0.1)", *_MANY),
    "leduc_from_reply": _leduc("from the reply", *_FEW, "--set", "resolve_from=reply"),
    "leduc_from_deepest": _leduc("from the deepest state", *_FEW, *_DEEPEST),
    "leduc_from_deepest_long_search": _leduc("SoG(100, 0.1) from there", *_MANY, *_DEEPEST),
    "leduc_search_of_the_paper": _leduc("the search of the paper", *_FEW, *_PAPER),
    "liars_dice_1x4f": _dice("liars_dice_1x4f", "liar's dice 1x4", 12, seeds=10),
    "liars_dice_1x5f": _dice("liars_dice_1x5f", "liar's dice 1x5", 30),
    "liars_dice_1x6f": _dice("liars_dice_1x6f", "liar's dice 1x6", 25, seeds=1),
    "liars_dice_2x3f": _dice("liars_dice_2x3f", "liar's dice 2x3", 25, seeds=1),
    "kuhn": _exploitability("kuhn", "Kuhn poker, SoG(100, 1)", "mbb", *_FEW, minutes=5),
    "glasses": _glasses("Glasses", minutes=10),
    "glasses_from_first_child": _glasses(
        "the same, from the first child", "--set", "resolve_from=first_child", minutes=5
    ),
    "glasses_search_of_the_paper": _glasses(
        "the same, the search of the paper", *_PAPER, minutes=5
    ),
    "london_small": _match(
        *("london_small", "London, wins of 200 games against random play", "random", 200),
        unit="wins",
        take=("wins",),
        minutes=40,
    ),
    "hex5": Row(
        config="hex5",
        what="Hex 5 x 5, wins of 100 games against perfect play, which can win 50 of them",
        unit="wins",
        measure=(
            *("-m", "sog", "tournament", "RUN", "perfect", "--openings", "random:1"),
            *("--games", "100", "--json"),
        ),
        take=("pairings", 0, "wins"),
        minutes=10,
    ),
    "connect_four": _match(
        "connect_four",
        "Connect Four, against UCT with 1000 simulations (-1 to 1)",
        "uct:1000",
        100,
        unit="points",
        take=("mean",),
        minutes=20,
    ),
    "tic_tac_toe": _match(
        *("tic_tac_toe", "tic-tac-toe, draws of 40 games against perfect play", "tabular", 40),
        unit="draws",
        take=("draws",),
        minutes=5,
    ),
    "go5": _match(
        "go5",
        "Go 5 x 5, games of 100 in which Black takes all from GNU Go level 10",
        _GNU_GO,
        200,
        unit="games",
        take=("won_all_as", 0),
        scale=100.0,
        minutes=45,
    ),
    # At komi 9 a draw is a win at 8.5 for Black, and at 9.5 for White.
    "go7": _match(
        "go7",
        "Go 7 x 7, komi 9, games of 100 lost to GNU Go level 10",
        _GNU_GO,
        100,
        unit="games",
        take=("losses",),
        minutes=90,
    ),
    "othello6": _match(
        "othello6",
        "Othello 6 x 6, against search that plays games to their end at random (-1 to 1)",
        "rollout",
        200,
        unit="points",
        take=("mean",),
        minutes=60,
    ),
    "gardner_chess": _match(
        "gardner_chess",
        "Gardner's chess, against Fairy-Stockfish at skill -10 (-1 to 1)",
        "uci:fairy-stockfish?nodes=10000&Skill Level=-10",
        100,
        unit="points",
        take=("mean",),
        minutes=40,
    ),
    "cfr": Row(
        what="CFR+ on Leduc, an iteration",
        unit="ms",
        scale=1000.0,
        measure=("scripts/bench_tabular.py", "--json-out", "OUT"),
        take=("rows", "sog", "seconds_per_iteration"),
        minutes=5,
    ),
    "searches": Row(
        what="searches of Leduc, SoG(100, 1), batch 64",
        unit="per second",
        measure=("scripts/bench_search.py", "--json-out", "OUT"),
        take=("rows", "leduc", "searches_per_second"),
        minutes=15,
    ),
}
