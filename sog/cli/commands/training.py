"""Commands about training: `sog train`, `plot`, `configs` and `methods`."""

from typing import Final

from sog.cli.commands.command import Command

TRAIN: Final = Command(
    "train a network by sound self-play",
    """\
A configuration is the name of an installed one (sog configs) or a TOML file of your own; sog
configs NAME shows and explains all values. --set changes one by its part and name in the file. The
run folder contains:

  config.toml     all values of the configuration as used
  checkpoints/    to resume from, each with a SHA-256 manifest
  metrics.jsonl   losses, speed and exploitability, one JSON object per line (see sog plot)

The same command resumes a stopped or killed run from its newest checkpoint. Ctrl-C (or SIGTERM)
finishes the cycle, saves a checkpoint and stops; a second one stops at once.

A batch of searches is shared by all GPUs, or by all cores of a CPU, or by as many as divide it;
with JAX_NUM_CPU_DEVICES=1 the CPU is one device.

--schedule processes trains on Ray (pip install 'sog[processes]'): workers play and solve while the
learner learns, and one that dies is replaced. Ray is started for the run, reachable from this
machine only, with a random token. For workers on other machines, which need sog as well, start a
Ray cluster yourself; its token is in RAY_AUTH_TOKEN or ~/.ray/auth_token. Set
RAY_AUTH_MODE=disabled to use none.

examples:
  sog train leduc_demo                            a few minutes on two cores
  sog train leduc --run runs/mine --set run.seed=1
  sog train leduc --schedule processes --workers 8
  sog train kuhn --set search.num_simulations=50 --set network.width=64
  sog plot runs/leduc_demo                        learning curves
  sog evaluate runs/leduc_demo --checkpoint all   exploitability over training
  sog play runs/leduc_demo                        play against it

Exit codes: 0 trained to the last step, 130 stopped by Ctrl-C (143 by SIGTERM), 2 invalid input.
""",
    (
        *("config", "--run"),
        (
            "--set",
            {
                "metavar": "PART.NAME=VALUE",
                "help": "change a value, as search.num_simulations=50; may be repeated",
            },
        ),
        *("--schedule", "--workers", "--ray-address", "--tensorboard", "--json"),
    ),
)
PLOT: Final = Command(
    "draw the learning curves of a training run",
    """\
Draws exploitability, value errors against exact values (in hold'em at solved spots) if the run
measures them, losses and time per phase.

examples:
  sog plot runs/leduc_demo                      writes runs/leduc_demo/curves.png
  sog plot runs/leduc --out leduc.svg
""",
    ("run", "--out"),
)
CONFIGS: Final = Command(
    "list the training configurations, or all values of one",
    """\
examples:
  sog configs                                   all of them
  sog configs leduc                             one, with every value and its default
  sog configs leduc > mine.toml                 a file of your own: sog train mine.toml
""",
    (
        ("config", {"nargs": "?", "metavar": "NAME", "help": "a configuration's name"}),
        "--json",
    ),
)
METHODS_LISTED: Final = Command(
    "list the methods that can play or learn, or the parameters of one",
    """\
examples:
  sog methods                                   all of them
  sog methods tabular                           one: its parameters
  sog methods "smooth_uct(c=0.875):1000"         with its parameters
  sog methods --json                            for programs

A method is typed NAME(key=value,...):BUDGET with optional brackets and budget; the budget is its
iterations, or its simulations per move: sog match "tabular(rule=dcfr):500" random --game kuhn.
""",
    (("method", {"nargs": "?"}), "--json"),
)
