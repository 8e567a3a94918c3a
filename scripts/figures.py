"""Recomputes training figures with the present code, and reports which rows moved.

The rows (`figure_rows.py`) are those of the README's table and of the pages on training and boards.

Examples:
    python scripts/figures.py --list                       the rows, with their times
    python scripts/figures.py leduc_demo --trainings 3     one row, from three trainings
    python scripts/figures.py                              all rows: most of a day on two cores

A row is trained several times, with seeds 0, 1, 2 ..., because trainings vary more than seeds of an
evaluation. Its figure is the mean over the trainings, with minimum and maximum. Trainings and
evaluations are kept in runs/figures: the same command resumes and repeats nothing finished; another
folder (--runs) starts over. Results are written to docs/results/data/figures.json row by row. A row
has moved if its old figure lies outside of the range of today's trainings or, if there is only one
number, differs by more than 10%.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from figure_rows import ROWS, Row
from shared import provenance, script_parser

from sog.cli.numbers import positive_integer

CHECKOUT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = CHECKOUT / "docs" / "results" / "data" / "figures.json"
_MOVED: Final = 0.1  # share of a figure without several trainings


def make_row(name: str, trainings: int | None, runs: Path) -> dict[str, Any]:
    """Trains and measures what is missing; returns the figures of a row."""
    row = ROWS[name]
    figures = []
    for seed in range((trainings or row.trainings) if row.config else 1):
        run = runs / f"{row.config or name}-{seed}"
        found = runs / f"{name}-{seed}.json"
        if not found.exists():
            if row.config is not None:
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
        "trainings": figures if row.config else None,
        "commands": _commands(row),
        **provenance(),
    }


def _commands(row: Row) -> list[str]:
    words = ("sog", *row.measure[2:]) if row.measure[0] == "-m" else ("python", *row.measure)
    measure = " ".join(words).replace("RUN", f"runs/{row.config}")
    train = f"sog train {row.config} --set run.seed=SEED"
    return [train, measure] if row.config else [measure]


def _measure(row: Row, run: Path, found: Path) -> None:
    """Writes the file at once when done: its existence marks the end."""
    new = found.with_suffix(".new")
    words = [{"RUN": str(run), "OUT": str(new)}.get(word, word) for word in row.measure]
    printed = _python(*words, capture="OUT" not in row.measure)
    if printed is not None:
        new.write_text(printed)
    new.replace(found)


def _python(*words: str | Path, capture: bool = False) -> str | None:
    command = [sys.executable, *map(str, words)]
    output = subprocess.PIPE if capture else None
    done = subprocess.run(command, stdout=output, text=True, check=False, cwd=CHECKOUT)
    if done.returncode:
        raise SystemExit(done.returncode)  # it has printed the reason
    return done.stdout


def take_figure(found: Any, where: Sequence[str | int]) -> float:
    """Follows a path of names and numbers into JSON. In a list, a name selects the row with this
    first text, and among rows of several batch sizes that of 64."""
    for step in where:
        if isinstance(found, list) and isinstance(step, str):
            named = [row for row in found if step in (row.get("solver"), row.get("game"))]
            ours = [row for row in named if row.get("solver", "sog") == "sog"]
            found = next(row for row in ours if row.get("batch", 64) == 64)
        else:
            found = found[step]
    return float(found)


def has_moved(new: dict[str, Any], old: dict[str, Any] | None) -> bool:
    """Whether the old figure is outside of the range of the new ones."""
    if old is None:
        return False
    if not new["trainings"]:
        return bool(abs(new["mean"] - old["mean"]) > _MOVED * abs(old["mean"]))
    return not new["least"] <= old["mean"] <= new["most"]


def in_words(name: str, row: dict[str, Any], old: dict[str, Any] | None) -> str:
    """A row as one line."""
    line = f"{name}: {row['mean']:.3g} {row['unit']}"
    if row["trainings"]:
        count = len(row["trainings"])
        line += f" ({row['least']:.3g} to {row['most']:.3g}; trainings: {count})"
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
            times = f"{given.trainings or row.trainings} x " if row.config else ""
            print(f"{name:18} {times}{row.minutes} minutes  {row.what}")
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
