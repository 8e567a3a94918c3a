"""Kills and damages a tiny training run repeatedly, and checks that it loses nothing.

    python scripts/torture.py --minutes 30 --seed 0

First a run is trained undisturbed, and every checkpoint is recorded by its hash. Then runs of the
same configuration (`sog train` in a process) are killed, some are damaged in between, and restarted
until they finish. After each kill, all checkpoints that load must equal those of the undisturbed
run bit for bit; the others must be the damaged ones; and none seen on disk may be missing. A run
must resume from the newest intact checkpoint and report the damaged ones. In between, copies of the
undisturbed run are damaged, each in one way, and read by `sog train`, some also by `plot` and
`evaluate`. A traceback is always a failure. After a failure the exit code is 1, and the folder
stays.
"""

import argparse
import concurrent.futures
import contextlib
import itertools
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from damages import DAMAGES, RECOVERABLE, saved_steps
from shared import provenance
from tortured_runs import CONFIG, FINISHED, KEPT, TINY, Life, TortureError, read_damaged, state_of

_EVERYTHING: Final = "run.keep=1000000"
_SHARE_DAMAGED: Final = 0.4
"""Of killed runs."""
_DAMAGES_PER_KILL: Final = 6
"""To copies of a finished run."""


def torture(
    folder: Path, states: dict[int, str], seed: str, end: float
) -> tuple["Counter[str]", list[str]]:
    """Kills and damages in turns until a time of `time.monotonic`; returns counts and failures."""
    dice, counts, failures = random.Random(seed), Counter[str](), list[str]()
    damages = _in_any_order(list(DAMAGES), dice)
    for number in itertools.count():
        place = folder / f"{seed}-{number}"
        place.mkdir()
        this, finished = Life(place, states, dice), False
        while not finished and time.monotonic() < end:
            with _failing(place, failures) as failed:
                name, moment, finished = this.session()
                what = "at its end before it was killed" if finished else f"{name}, {moment}"
                counts[f"killed|{what}"] += 1
                if not finished and this.can_be_damaged and dice.random() < _SHARE_DAMAGED:
                    damage = dice.choice(list(RECOVERABLE))
                    this.damage(damage)
                    counts[f"damaged between|{damage}"] += 1
                    what += f"; then {damage}"
                print(f"{place.name} step {this.newest:4}: {what}", flush=True)
            finished |= bool(failed)  # the next life is a new one
            for damage in itertools.islice(damages, _DAMAGES_PER_KILL):
                with _failing(place, failures) as failed:
                    read_damaged(folder, place, states, damage, dice)
                    counts[f"damaged at rest|{damage}"] += 1
        if time.monotonic() >= end:
            return counts, failures
    raise AssertionError


def _in_any_order(names: list[str], dice: random.Random) -> Iterator[str]:
    """Yields all names repeatedly, each time in another order."""
    while True:
        yield from dice.sample(names, len(names))


@contextlib.contextmanager
def _failing(place: Path, failures: list[str]) -> Iterator[list[str]]:
    """Prints a TortureError in its body, and continues; yields the list that then holds it."""
    failed: list[str] = []
    try:
        yield failed
    except TortureError as error:
        failed.append(f"{place}: {error}")
        failures += failed
        print(f"FAILURE {failed[0]}", flush=True)


def main() -> int:
    """Tortures runs for some minutes; returns 1 after a failure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0, metavar="N")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of all random numbers"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="runs at the same time")
    parser.add_argument("--json-out", type=Path, metavar="FILE", help="write the counts here")
    arguments = parser.parse_args()
    # A shell starts background jobs with interrupts ignored, and the runs here would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="sog-torture-"))
    os.environ["SOG_CACHE_DIR"] = str(folder / "cache")  # kills also tear its entries
    (folder / TINY).write_text(CONFIG)
    print(f"in {folder}; training undisturbed", flush=True)
    undisturbed = folder / "undisturbed"
    options = ["--run", str(undisturbed), "--set", _EVERYTHING]
    command = [sys.executable, "-m", "sog", "train", str(folder / TINY), *options]
    subprocess.run(command, check=True)
    steps = saved_steps(undisturbed)
    states = {step: state_of(undisturbed / "checkpoints", step) for step in steps}
    undisturbed.rename(folder / FINISHED)
    for step in steps[:-KEPT]:
        shutil.rmtree(folder / FINISHED / "checkpoints" / str(step))
    began = time.monotonic()
    end = began + 60 * arguments.minutes
    counts, failures = Counter[str](), list[str]()
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, mp_context=spawn) as pool:
        seeds = [f"{arguments.seed}.{job}" for job in range(arguments.jobs)]
        tasks = [pool.submit(torture, folder, states, seed, end) for seed in seeds]
        for task in tasks:
            some, others = task.result()
            counts.update(some)
            failures += others
    summary: dict[str, Any] = {
        "seed": arguments.seed,
        "jobs": arguments.jobs,
        "minutes": round((time.monotonic() - began) / 60, 1),
        **provenance(),
        "counts": table(counts),
        "failures": failures,
    }
    print_summary(summary)
    if arguments.json_out is not None:
        arguments.json_out.write_text(json.dumps(summary, indent=1) + "\n")
    if not failures:
        shutil.rmtree(folder)
    return 1 if failures else 0


def table(counts: "Counter[str]") -> dict[str, dict[str, int]]:
    """The counts by action and kind."""
    found: dict[str, dict[str, int]] = {}
    for key, count in sorted(counts.items()):
        what, how = key.split("|")
        found.setdefault(what, {})[how] = count
    return found


def print_summary(summary: dict[str, Any]) -> None:
    """Prints the counts as tables."""
    for what, how in summary["counts"].items():
        print(f"\n| {what} | times |\n|---|---|")
        for name, count in how.items():
            print(f"| {name} | {count} |")
        print(f"| all | {sum(how.values())} |")
    print(f"\n{len(summary['failures'])} failures in {summary['minutes']} minutes")


if __name__ == "__main__":
    sys.exit(main())
