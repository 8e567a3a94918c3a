"""The options of `sog train` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli.numbers import positive_integer

TRAIN_SUMMARY: Final = "train a network by sound self-play"
TRAIN_EXAMPLES: Final = """\
A configuration is the name of one that is installed (sog configs) or a TOML file of your own; sog
configs NAME shows and explains all values. --set changes one, a part and a name as in the file. The
run folder keeps everything:

  config.toml     all values of the configuration, as they were used
  checkpoints/    what a run goes on from, each with a SHA-256 manifest
  metrics.jsonl   losses, speed and exploitability, one JSON object per line (see sog plot)

The same command goes on where a run was stopped or killed, from its newest checkpoint. Ctrl-C
(or SIGTERM) finishes the cycle, saves a checkpoint and stops; a second one stops at once.

A batch of searches is shared by all GPUs, or by all cores of a CPU, or by as many of them as divide
it; with JAX_NUM_CPU_DEVICES=1 the CPU is one device.

--schedule processes trains on Ray (pip install 'sog[processes]'): workers play and solve while the
learner learns, and one that dies is replaced. Ray is started for the run, reachable from this
machine only, with a random token. Workers on other machines, which must have sog as well, belong to
a Ray cluster that you start; its token is in RAY_AUTH_TOKEN or ~/.ray/auth_token. Set
RAY_AUTH_MODE=disabled to do without one.

examples:
  sog train leduc_demo                            a few minutes on two cores
  sog train leduc --run runs/mine --set run.seed=1
  sog train leduc --schedule processes --workers 8
  sog train kuhn --set search.num_simulations=50 --set network.width=64
  sog plot runs/leduc_demo                        learning curves
  sog evaluate runs/leduc_demo --checkpoint all   exploitability over training
  sog play runs/leduc_demo                        play against it

Exit codes: 0 trained to the last step, 130 stopped by Ctrl-C (143 by SIGTERM), 2 a mistake, told
in one line.
"""


def add_train_options(parser: argparse.ArgumentParser) -> None:
    """Adds what `sog train` can be told."""
    add = parser.add_argument
    add("config", metavar="CONFIG", help="a configuration's name (sog configs), or a TOML file")
    add(
        "--run",
        type=Path,
        metavar="DIR",
        help="the run folder (default: runs/ and the name of the configuration)",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="PART.NAME=VALUE",
        help="change a value, as search.num_simulations=50; may be given several times",
    )
    add(
        "--schedule",
        choices=("inline", "processes"),
        default="inline",
        help="how actors, solver and learner share the work; inline: in turns, in one process, "
        "deterministic; processes: at the same time, on Ray (default: inline)",
    )
    add(
        "--workers",
        type=positive_integer,
        metavar="N",
        help="with --schedule processes: processes that play and solve (default: one per core)",
    )
    add(
        "--ray-address",
        metavar="HOST:PORT",
        help="with --schedule processes: a Ray cluster that runs already (default: one of our own)",
    )
    add(
        "--tensorboard",
        action="store_true",
        help="also write event files for TensorBoard (pip install 'sog[tensorboard]')",
    )
    add("--json", action="store_true", help="print one JSON object on stdout, nothing else")
