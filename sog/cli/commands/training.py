"""Commands that learn: `sog train`, `plot` and `configs`; and `sog methods`."""

from typing import Final

from sog.cli.commands.command import Command

TRAIN: Final = Command(
    "train a network by sound self-play",
    """\
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
""",
    (
        *("config", "--run"),
        (
            "--set",
            {
                "metavar": "PART.NAME=VALUE",
                "help": "change a value, as search.num_simulations=50; may be given several times",
            },
        ),
        *("--schedule", "--workers", "--ray-address", "--tensorboard", "--json"),
    ),
)
PLOT: Final = Command(
    "draw the learning curves of a training run",
    """\
What is drawn: exploitability and the error of values against exact ones, in hold'em at solved spots
(where the run measures them), the losses, and where the time went.

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
  sog methods "smooth_uct(c=0.875):1000"         and what is changed of them
  sog methods --json                            for programs

A method is typed NAME(key=value,...):BUDGET, brackets and budget being optional; the budget is its
iterations, or its simulations per move: sog match "tabular(rule=dcfr):500" random --game kuhn.
""",
    (("method", {"nargs": "?"}), "--json"),
)
