"""The command of the baselines: `sog run`."""

from typing import Final

from sog.cli.commands.command import Command
from sog.players.methods import METHODS

LEARNERS: Final = {name: entry for name, entry in METHODS.items() if entry.learns or entry.solves}
_WIDTH: Final = max(len(entry.form) for entry in LEARNERS.values())
_LINES: Final = "\n".join(f"  {e.form:<{_WIDTH}}  {e.summary}" for e in LEARNERS.values())
RUN: Final = Command(
    "run a method that learns by sampling, and measure its convergence",
    f"""\
methods:
{_LINES}

Parameters follow in parentheses: "smooth_uct(c=0.875,d=0.001):1000000". To list them: sog methods.

examples:
  sog run outcome_sampling kuhn
  sog run external_sampling:20000 leduc --seeds 64 --plot leduc.png
  sog run "outcome_sampling(updates=parallel,epsilon=0.5)" leduc --iterations 1000000
  sog run "smooth_uct(c=0.875,d=0.001)" kuhn --seeds 50 --json
  sog run "backward_induction(pruning=alpha_beta)" "goofspiel(cards=5)"

All seeds run at once, in one compiled program on all cores; with hundreds of them, a seed costs a
small fraction of a single run. Exploitability is half of NashConv, computed exactly from the
average policy of each seed. Ctrl-C stops early and keeps the results so far (exit code 130).
backward_induction solves in one go, and prints the value and its work.

JSON: {{"game", "method", "unit", "seeds", "seed", "iterations", "interrupted", "seconds",
"compile_seconds", "exploitability" (of every seed at the end), "checkpoints": [{{"iteration",
"episodes" (sampled games; null if a method samples more than single games), "seconds",
"exploitability" (mean over seeds), "standard_error" (null for one seed), "min", "max", "value" (to
player 0)}}]}}.
Of backward_induction: {{"game", "method", "unit", "value", "exploitability", "counts", "seconds"}}.
""",
    (
        *("method", "game"),
        (
            "--iterations",
            {"help": "stop after N iterations (default: N of METHOD:N, or as in sog methods)"},
        ),
        ("--seeds", {"help": "independent runs (default: 16)"}),
        ("--seed", {"default": None, "help": "seed of the first run (default: 0)"}),
        (
            "--precision",
            {"help": "of the tables (default: float32, enough for some 10 million iterations)"},
        ),
        *("--plot", "--max-nodes", "--json"),
    ),
    run="sog.baselines.run.command:run",
)
