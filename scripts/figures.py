"""Recomputes training figures with the present code, and reports which rows moved.

`ROWS` are those of the README's table and of the pages on training and boards.

Examples:
    python scripts/figures.py --list                       the rows, with their times
    python scripts/figures.py leduc_demo --trainings 3     one row, from three trainings
    python scripts/figures.py                              all rows: most of a day on two cores

A row is trained several times, with seeds 0, 1, 2 ..., because trainings vary more than seeds of an
evaluation. Its figure is the mean over the trainings, with minimum and maximum. Trainings and
evaluations are kept in runs/figures: the same command resumes and repeats nothing finished; another
folder (--runs) starts over. Results are written to docs/results/data/figures.json row by row. A row
has moved if its old figure lies outside of the range of today's trainings.
"""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from shared import provenance, script_parser

from sog.numbers import positive_integer

CHECKOUT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = CHECKOUT / "docs" / "results" / "data" / "figures.json"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """A figure, and its commands."""

    config: str
    """The configuration to train first."""
    what: str
    unit: str
    measure: tuple[str, ...]
    """The command of `sog` that prints JSON; RUN stands for the run folder."""
    take: tuple[str | int, ...]
    """The path of the figure in the JSON."""
    scale: float = 1.0
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
        measure=("evaluate", "RUN", "--json", *search),
        take=("results", 0, "exploitability", "mean"),
        **others,
    )


def _dice(config: str, what: str, minutes: int, seeds: int = 3) -> Row:
    search = ("--search", "64,0.0625", "--seeds", str(seeds))
    return _exploitability(config, what, "points", *search, minutes=minutes)


def _match(config: str, what: str, opponent: str, games: int, **others: Any) -> Row:
    command = ("match", "RUN", opponent, "--games", str(games))
    return Row(config=config, what=what, measure=(*command, "--json"), **others)


_GNU_GO: Final = (
    "gtp:gnugo --mode gtp --level 10 --chinese-rules --positional-superko --capture-all-dead"
)
_FEW, _MANY = ("--search", "100,1", "--seeds", "50"), ("--search", "100,0.1", "--seeds", "20")
ROWS: Final = {
    "leduc_demo": _exploitability(
        "leduc_demo", "Leduc, the demo, SoG(100, 1)", "mbb", *_FEW, trainings=5, minutes=5
    ),
    "leduc": _exploitability("leduc", "Leduc, the long run, SoG(100, 1)", "mbb", *_FEW, minutes=40),
    "leduc_long_search": _exploitability(
        "leduc", "the same, SoG(100, 0.1)", "mbb", *_MANY, minutes=5
    ),
    "liars_dice_1x4f": _dice("liars_dice_1x4f", "liar's dice 1x4", 12, seeds=5),
    "liars_dice_1x5f": _dice("liars_dice_1x5f", "liar's dice 1x5", 13),
    "liars_dice_1x6f": _dice("liars_dice_1x6f", "liar's dice 1x6", 10, seeds=1),
    "liars_dice_2x3f": _dice("liars_dice_2x3f", "liar's dice 2x3", 25, seeds=1),
    "liars_dice_2x5f": Row(
        config="liars_dice_2x5f",
        what="liar's dice 2x5, the network's own policy",
        unit="points",
        measure=("evaluate", "RUN", "--json", "--without-search", "--max-nodes", "2100000"),
        take=("exploitability",),
        minutes=60,
    ),
    "kuhn": _exploitability("kuhn", "Kuhn poker, SoG(100, 1)", "mbb", *_FEW, minutes=5),
    "goofspiel4": _exploitability(
        *("goofspiel4", "imperfect-information Goofspiel with 4 cards, SoG(100, 1)", "points"),
        *("--search", "100,1", "--seeds", "10", "--seed", "1000"),
        minutes=5,
    ),
    "glasses": _exploitability(
        "glasses", "Glasses", "points", "--seeds", "10", "--seed", "1000", minutes=10
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
            *("tournament", "RUN", "perfect", "--openings", "random:1"),
            *("--games", "100", "--json"),
        ),
        take=("pairings", 0, "wins"),
        minutes=10,
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
}


def make_row(name: str, trainings: int | None, runs: Path) -> dict[str, Any]:
    """Trains and measures what is missing; returns the figures of a row."""
    row = ROWS[name]
    figures = []
    for seed in range(trainings or row.trainings):
        run = runs / f"{row.config}-{seed}"
        found = runs / f"{name}-{seed}.json"
        if not found.exists():
            print(f"{name}: training {seed}", file=sys.stderr, flush=True)
            _python("-m", "sog", "train", row.config, "--run", run, "--set", f"run.seed={seed}")
            print(f"{name}: measuring {seed}", file=sys.stderr, flush=True)
            _measure(row, run, found)
        figures.append(row.scale * take_figure(json.loads(found.read_text()), row.take))
    return {
        "what": row.what,
        "unit": row.unit,
        "mean": sum(figures) / len(figures),
        "least": min(figures),
        "most": max(figures),
        "trainings": figures,
        "commands": _commands(row),
        **provenance(),
    }


def _commands(row: Row) -> list[str]:
    measure = " ".join(("sog", *row.measure)).replace("RUN", f"runs/{row.config}")
    return [f"sog train {row.config} --set run.seed=SEED", measure]


def _measure(row: Row, run: Path, found: Path) -> None:
    """Writes the file at once when done: its existence marks the end."""
    new = found.with_suffix(".new")
    words = [str(run) if word == "RUN" else word for word in row.measure]
    new.write_text(_python("-m", "sog", *words, capture=True))
    new.replace(found)


def _python(*words: str | Path, capture: bool = False) -> str:
    command = [sys.executable, *map(str, words)]
    output = subprocess.PIPE if capture else None
    done = subprocess.run(command, stdout=output, text=True, check=False, cwd=CHECKOUT)
    if done.returncode:
        raise SystemExit(done.returncode)  # it has printed the reason
    return done.stdout or ""


def take_figure(found: Any, where: Sequence[str | int]) -> float:
    """Follows a path of names and numbers into JSON."""
    for step in where:
        found = found[step]
    return float(found)


def has_moved(new: dict[str, Any], old: dict[str, Any] | None) -> bool:
    """Whether the old figure is outside of the range of the new ones."""
    return old is not None and not new["least"] <= old["mean"] <= new["most"]


def in_words(name: str, row: dict[str, Any], old: dict[str, Any] | None) -> str:
    """A row as one line."""
    spread = f"{row['least']:.3g} to {row['most']:.3g}; trainings: {len(row['trainings'])}"
    line = f"{name}: {row['mean']:.3g} {row['unit']} ({spread})"
    if old is None:
        return f"{line}, new"
    return f"{line}, {'moved from' if has_moved(row, old) else 'was'} {old['mean']:.3g}"


def main() -> int:
    """Computes the given rows; returns exit code 0."""
    parser = script_parser(__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="default: all, the shortest first")
    parser.add_argument(
        "--trainings", type=positive_integer, help="trainings per row (default: 5 or 3)"
    )
    parser.add_argument("--runs", type=Path, default=CHECKOUT / "runs" / "figures", metavar="DIR")
    parser.add_argument("--out", type=Path, default=KEPT, metavar="FILE")
    parser.add_argument("--list", action="store_true", help="only list the rows")
    given = parser.parse_args()
    for name in given.rows:
        if name not in ROWS:
            parser.error(f"ROW must be one of {', '.join(ROWS)}, got {name!r}")
    chosen = given.rows or sorted(ROWS, key=lambda name: ROWS[name].minutes * ROWS[name].trainings)
    if given.list:
        for name in chosen:
            row = ROWS[name]
            times = given.trainings or row.trainings
            print(f"{name:18} {times} x {row.minutes} minutes  {row.what}")
        return 0
    given.runs.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        kept = json.loads(given.out.read_text()) if given.out.exists() else {}
        found = make_row(name, given.trainings, given.runs)
        print(in_words(name, found, kept.get(name)), flush=True)
        given.out.write_text(json.dumps(kept | {name: found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
