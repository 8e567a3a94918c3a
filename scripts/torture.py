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
import hashlib
import io
import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from damages import DAMAGES, RECOVERABLE, Effect, is_outside_untouched, saved_steps
from shared import provenance

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["JAX_NUM_CPU_DEVICES"] = "1"  # starts faster

TINY: Final = "tiny.toml"
FINISHED: Final = "finished"
STEPS: Final = 300
KEPT: Final = 4  # checkpoints
CONFIG: Final = f"""
game = "matching_pennies"
network = {{ width = 4, depth = 1 }}
search = {{ num_simulations = 5 }}
selfplay = {{ batch_size = 4, td1 = 0.5 }}
solver = {{ batch_size = 4, search = {{ num_simulations = 5 }} }}
replay = {{ size = 64, least = 8, max_grad_updates = 2.0 }}
learner = {{ batch_size = 4 }}
run = {{ steps = {STEPS}, checkpoint_every = 2, keep = {KEPT}, value_error_states = 0 }}
"""
_SIGNALS: Final = {"SIGKILL": 4, "SIGTERM": 2, "SIGINT": 2, "SIGINT twice": 1}
"""Relative frequencies of signals."""
_MOMENTS: Final = {"starting": 1, "training": 3, "saving": 4}
_PATIENCE: Final = 600.0  # seconds
_EVERYTHING: Final = "run.keep=1000000"
_SHARE_DAMAGED: Final = 0.4
"""Of killed runs."""
_DAMAGES_PER_KILL: Final = 6
"""To copies of a finished run."""


class TortureError(Exception):
    """Something is lost, or a message is wrong."""


def state_of(checkpoints: Path, step: int) -> str:
    """The hash of all arrays and counts of a checkpoint; ValueError if it cannot be loaded."""
    from selfplay.runs.checkpoint import load_checkpoint

    found = load_checkpoint(checkpoints, step)
    hashed = hashlib.sha256(json.dumps(found.meta["counts"], sort_keys=True).encode())
    for name, array in sorted(found.arrays.items()):
        hashed.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return hashed.hexdigest()


def check_output(text: str) -> None:
    """Raises TortureError for output that no user should see."""
    if "Traceback" in text or "Event loop" in text:
        raise TortureError(f"a traceback:\n{text}")


def check_resumed(text: str, newest: int, ruined: set[int]) -> bool:
    """Whether a run has resumed. Raises TortureError if it resumed from the wrong checkpoint."""
    found = re.search(r"resuming from the checkpoint of step ([\d,]+)", text)
    if found is None:
        return False
    if int(found[1].replace(",", "")) != newest:
        raise TortureError(f"resumed from step {found[1]}, not {newest}:\n{text}")
    for step in ruined:
        if step > newest and not re.search(rf"^sog: .*checkpoint {step}\b", text, re.MULTILINE):
            raise TortureError(f"checkpoint {step} is damaged, and not reported:\n{text}")
    return True


class Life:
    """A run from its first start to its end, with the kills in between."""

    def __init__(self, folder: Path, states: dict[int, str], dice: random.Random) -> None:
        self.run, self._log = folder / "run", folder / "log"
        self._config = folder.parent / TINY
        self._states, self._dice = states, dice
        self._ruined: dict[int, int] = {}  # steps, and the inodes of their folders
        self.newest = -1  # intact checkpoint, as far as known; -1 if there is none
        self._says = ""

    def session(self) -> tuple[str, str, bool]:
        """Starts the run and kills it; returns how, when, and whether it finished before."""
        name = self._dice.choices(list(_SIGNALS), list(_SIGNALS.values()))[0]
        moment = self._dice.choices(list(_MOMENTS), list(_MOMENTS.values()))[0]
        command = [sys.executable, "-m", "sog", "train", str(self._config), "--run", str(self.run)]
        before = self.newest
        with (
            self._log.open("w") as log,
            subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as process,
        ):
            try:
                self._wait_for(moment, name, process)
                seen = max(self._whole, default=-1)
                code = self._kill(name, process)
            finally:
                process.kill()
        text = self._log.read_text()
        check_output(text)
        went_on = check_resumed(text, before, set(self._ruined))
        if went_on and self._says not in text:
            raise TortureError(f"does not report {self._says}:\n{text}")
        self._says = "" if went_on else self._says
        finished = code == 0
        number = getattr(signal, name.split()[0]).value
        wanted = {0, -number} if name == "SIGKILL" else {0, 128 + number}
        if "trained in" in text:
            wanted.add(-number)  # Python shuts down, without handlers
        if code not in wanted:
            raise TortureError(f"exit code {code} after {name}:\n{text}")
        self.check(max(seen, before))
        if finished and self.newest != STEPS:
            raise TortureError(f"ended at step {self.newest}:\n{text}")
        return name, moment, finished

    def check(self, least: int) -> None:
        """Compares all checkpoints with the undisturbed run; the newest is at least `least`."""
        steps = saved_steps(self.run)
        # Checkpoints saved again are other folders.
        self._ruined = {
            step: inode
            for step, inode in self._ruined.items()
            if step in steps and inode == self._inode(step)
        }
        self.newest = -1
        for step in self._whole:
            try:
                state = state_of(self.run / "checkpoints", step)
            except ValueError as error:
                raise TortureError(f"checkpoint {step} was not damaged: {error}") from None
            if state != self._states.get(step):
                raise TortureError(f"checkpoint {step} differs from that of the undisturbed run")
            self.newest = step
        if self.newest < least:
            raise TortureError(f"checkpoint {least} is lost; the newest is {self.newest}")
        if not is_outside_untouched(self.run):
            raise TortureError("a file outside the run was changed")

    def damage(self, name: str) -> None:
        """Damages the run; it must still resume."""
        effect = RECOVERABLE[name](self.run, self._whole, self._dice)
        self._ruined |= {step: self._inode(step) for step in effect.ruined}
        self._says = effect.says
        self.newest = self._whole[-1]

    @property
    def can_be_damaged(self) -> bool:
        """Whether damage would leave a checkpoint to resume from."""
        return len(self._whole) >= 2

    def _inode(self, step: int) -> int:
        return (self.run / "checkpoints" / str(step)).stat().st_ino

    @property
    def _whole(self) -> list[int]:
        return [step for step in saved_steps(self.run) if step not in self._ruined]

    def _wait_for(self, moment: str, name: str, process: "subprocess.Popen[bytes]") -> None:
        """Waits until the process should be killed, or has ended."""
        checkpoints, begin = self.run / "checkpoints", time.monotonic()

        def wait(condition: Callable[[], bool]) -> None:
            while process.poll() is None and not condition():
                if time.monotonic() - begin > _PATIENCE:
                    raise TortureError(f"nothing happened:\n{self._log.read_text()}")
                time.sleep(0.002)

        # Before its first output, Python is still starting, and sog cannot handle signals.
        if name != "SIGKILL":
            wait(lambda: self._log.stat().st_size > 0)
        if moment == "starting":
            time.sleep(self._dice.uniform(0, 6))
            return
        before = set(saved_steps(self.run))
        wait(lambda: bool(set(saved_steps(self.run)) - before))
        if moment == "training":
            time.sleep(self._dice.uniform(0, 2))
            return
        for _ in range(self._dice.randint(1, 8)):
            wait(lambda: any(checkpoints.glob("*.torn")))
            wait(lambda: not any(checkpoints.glob("*.torn")))
        wait(lambda: any(checkpoints.glob("*.torn")))
        time.sleep(self._dice.uniform(0, 0.08))

    def _kill(self, name: str, process: "subprocess.Popen[bytes]") -> int:
        number = getattr(signal, name.split()[0])
        process.send_signal(number)
        if name.endswith("twice"):
            time.sleep(self._dice.uniform(0.01, 0.3))
            process.send_signal(number)
        return process.wait(timeout=_PATIENCE)


def sog(*arguments: str) -> tuple[int, str]:
    """Runs a command in this process; returns its exit code and output."""
    from sog.cli.main import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main(arguments)
        except Exception:
            raise TortureError(traceback.format_exc()) from None
    check_output(said.getvalue())
    return code, said.getvalue()


def read_damaged(
    folder: Path, place: Path, states: dict[int, str], name: str, dice: random.Random
) -> None:
    """Damages a copy of the finished run, and lets commands read it."""
    run, config = place / "damaged", folder / TINY
    for leftover in place.glob("damaged*"):
        shutil.rmtree(leftover)
    shutil.copytree(folder / FINISHED, run)
    effect = DAMAGES[name](run, saved_steps(run), dice)
    whole = [step for step in saved_steps(run) if step not in effect.ruined]
    newest = whole[-1] if whole else STEPS  # trains no further, to compile nothing
    code, text = sog("train", str(config), "--run", str(run), "--set", f"run.steps={newest}")
    _check_answer(name, effect, newest, code, text)
    if effect.refused is False and not is_line_in_order(run):
        raise TortureError("lines of metrics.jsonl are not in order")
    if set(whole) - set(saved_steps(run)):
        raise TortureError(f"of the intact checkpoints {whole} only {saved_steps(run)} are left")
    if effect.refused is not True and state_of(run / "checkpoints", newest) != states[newest]:
        raise TortureError(f"checkpoint {newest} changed")
    if not is_outside_untouched(run):
        raise TortureError("a file outside the run was changed")
    if dice.random() < 0.2:
        for command in (["plot", str(run)], ["evaluate", str(run), "--search", "5,1", "--json"]):
            code, output = sog(*command)
            if code not in (0, 2) or (code == 2 and output.count("sog: error:") != 1):
                raise TortureError(f"sog {' '.join(command)} ended with {code}:\n{output}")


def _check_answer(name: str, effect: Effect, newest: int, code: int, text: str) -> None:
    wanted = {False: {0}, True: {2}, None: {0, 2}}[effect.refused]
    if code not in wanted:
        raise TortureError(f"exit code {code} after {name}:\n{text}")
    if code == 2 and text.count("sog: error:") != 1:
        raise TortureError(f"not one line of error:\n{text}")
    if code == 0 and not check_resumed(text, newest, set(effect.ruined)):
        raise TortureError(f"does not resume:\n{text}")
    if effect.says not in text:
        raise TortureError(f"does not report {effect.says}:\n{text}")


def is_line_in_order(run: Path) -> bool:
    """Whether the steps of the metrics are ascending."""
    from selfplay.runs.metrics import read_metrics

    steps = [line["step"] for line in read_metrics(run / "metrics.jsonl")]
    return steps == sorted(steps)


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
    for what, how in summary["counts"].items():
        print(f"\n| {what} | times |\n|---|---|")
        for name, count in how.items():
            print(f"| {name} | {count} |")
        print(f"| all | {sum(how.values())} |")
    print(f"\n{len(failures)} failures in {summary['minutes']} minutes")
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


if __name__ == "__main__":
    sys.exit(main())
