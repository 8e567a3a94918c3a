"""Commands that search and train: `sog search`, `evaluate`, `train`, `plot` and others."""

from typing import Final

from sog.cli.commands.command import Command, Mode, changed
from sog.cli.options import DEFAULT_SEARCH, GAME, MOST_NODES_EVALUATED

_GAME_OR_RUN: Final = changed("game", f"{GAME}; or a run folder of `sog train`")

SEARCH: Final = Command(
    "search a public state with growing-tree CFR, and show the tree",
    """\
evaluators of the leaves:
  zero     0: search from the rules alone
  uniform  the exact value of random play; the game must be small enough to enumerate
  exact    the subgame solved by CFR; the game must be small enough to enumerate
  rollout  the mean of 16 random games, or of one for each pair of infostates, up to 256

The default is uniform if the game can be enumerated, else zero. A run folder (RUN, or RUN@STEP)
stands for its game, with its network at the leaves and the search by which the run is evaluated.

examples:
  sog search kuhn
  sog search leduc --history "check bet2" --search 200,1
  sog search leduc --evaluator exact --svg leduc.svg
  sog search leduc --lock "check: bet2=0.5 check=0.5"
  sog search "liars_dice(dice=1,faces=3)" --history "1-2 2-1" --depth 3
  sog search tic_tac_toe --history "b2 a3" --evaluator rollout --search 400,1
  sog search runs/leduc --history "check bet2"
  sog search glasses --search 50,1 --picture glasses.svg
  sog search kuhn --json

SoG(s, c) is s simulations with c of them per regret update phase: --search s,c.
A lock fixes the policy of the player to act after some events from the start of the game: a
probability for each action, of all infostates or of a named one (see sog solve --help). The search
responds to it, and also runs without the lock. Leaves are valued as if nothing were locked below.

Ranges come from the start of the game, so a search of a later state re-solves the way there. Other
actions on the way are leaves, so the ranges are as accurate as the evaluator: with rollouts a bet
in kuhn looks good with any card, so after --history check little but the king is left; use
--evaluator exact, or search the start. Events of --history are as in the tree; a number is the
number of an outcome.

--json prints "game", "unit", "search" ([s, c]), "growth_share", "grow_from", "rule",
"leaf_averaging", "leaf_smoothing", "leaf_interval", "updates" (made), "seed", "evaluator", "root"
(the "node" that was searched, its "state" and "history"), "is_full", "is_sampled", "is_pruned", the
seconds, and "nodes", parents first: "number", "parent", "kind" (interior, leaf, terminal),
"outcome" and "event" that led there, "depth", "actor", "probability" (of getting there from the
start of the game by average play), "value" (to player 0), "visits", and "infostates": "player",
"infostate", "name", "range", "value" and, of the player to act, "policy" and "visits" by action.
Undefined is null. With --memory it prints "game", "bytes" and "parts" (bytes by what takes them).
""",
    (
        *(_GAME_OR_RUN, "--history"),
        changed(
            "--search",
            "simulations s and simulations per update c of SoG(s, c) "
            f"(default: {DEFAULT_SEARCH}, or that of the run)",
        ),
        *("--evaluator", "--set", "--seconds", "--lock", "--seed", "--depth", "--svg", "--picture"),
        *("--memory", "--max-nodes", "--json"),
    ),
)
_COMPOSE: Final = Command(
    "compute the exploitability of a search agent",
    """\
A search depends on the searches before it, so the policy of a search agent is composed: with a
fixed seed, a search is run at every decision of the game, each conditioned on the player's earlier
searches on the way (continual re-solving with the gadget), and the resulting policy is evaluated
exactly. Different seeds give different policies.

SoG(s, c) is s simulations with c of them per regret update phase: --search s,c. It makes
T = s / ceil(c) * ceil(1 / c) regret updates. CFR over the whole tree with the same rule and T
updates is shown for comparison.

A run folder of `sog train` stands for its game, with its network at the leaves and the search by
which the run is evaluated. RUN@STEP is one of its checkpoints, RUN@all are all of them: their plot
shows exploitability over training.

examples:
  sog evaluate runs/leduc --search 100,1 --search 100,0.1 --seeds 50
  sog evaluate runs/leduc@all --search 10,1 --search 100,1 --plot figure3.png
  sog evaluate kuhn --search 100,1 --search 1000,10 --seeds 50
  sog evaluate leduc --set grow=false --set lookahead=2 --search 30,1 --search 100,1 \\
      --search 300,1 --plot leduc.png             trees that do not grow: only T counts
  sog evaluate kuhn --set grow=false --noise 0.01 --search 100,1 --seeds 20 --json
                                                  with evaluators that err by up to 0.01 chips
  sog evaluate leduc --whole-game --search 100,1 --set safe=false
                                                  what re-solving without the gadget costs

Searches share all GPUs, or all cores of a CPU. With JAX_NUM_CPU_DEVICES=1 the CPU is one device.

Seeds: policy number n (counted from --seed) samples its simulations with seed n, and the errors of
--noise with numpy's default_rng(n), once for every infostate of every public state. Without growth
and noise nothing is random, so only one policy is composed.

JSON: {"game", "unit", "results": [{"search": [s, c], "checkpoint" (its step, or null), "seeds",
"exploitability": {"min", "mean", "max"}, "updates" (T), "tabular" (exploitability of CFR over the
whole tree), "searches" (of all seeds), "seconds" and "compile_seconds", and the options}]},
exploitability in the game's own unit. Ctrl-C prints what is complete (exit code 130).
""",
    (
        _GAME_OR_RUN,
        "searches:",
        changed(
            "--search",
            "simulations s and simulations per update c of SoG(s, c); may be given "
            f"several times (default: {DEFAULT_SEARCH}, or that of the run)",
            action="append",
            default=[],
        ),
        *("--set", "--seeds"),
        changed("--seed", "the first seed (default: 0)"),
        "--batch-size",
        *("trees and leaves:", "--whole-game"),
        changed(
            "--evaluator",
            choices=("zero", "uniform", "exact"),
            help="the evaluator of the leaves: 0, uniform play, or a solution of the "
            "subgame by CFR, 30 iterations per update (default: exact)",
        ),
        *("--noise", "--solver-iterations"),
        "output and limits:",
        changed("--plot", "draw exploitability against T (pip install 'sog[plot]')"),
        changed(
            "--max-nodes",
            f"refuse games of more public states than N (default: {MOST_NODES_EVALUATED})",
        ),
        "--json",
    ),
)
_CDBR: Final = Mode(
    """\
Where that takes too long, --cdbr gives a lower bound on the exploitability: it plays continual
depth-limited best response (Milec, Kubicek and Lisy 2021) against the agent of a run. At each of
its decisions it knows the agent's policy, and so the agent's range, and searches a tree of --depth
events (a move of its own and a reply), in which the agent keeps to the policy that its own searches
have there; leaves are valued by the agent's network. Every deal is played twice with roles swapped,
so that the game's value cancels out: a best response wins at least as much per game, namely the
exploitability. Little or nothing won proves nothing. AIVAT with the network's values reduces the
variance.
  sog evaluate agent:leduc --cdbr --games 200
JSON: {"game", "unit", "player", "seed", "cdbr": [{"depth", "games", "interrupted", "mean",
"standard_error", "interval", "without_aivat", "seconds"}]}.
""",
    (
        "best responses:",
        "--cdbr",
        changed("--depth", "public events that it looks ahead (default: 2)"),
        changed("--games", "games against it, an even number (default: 1000)", default=None),
    ),
    takes="sog.cli.responding:takes_cdbr",
    run="sog.cli.responding:run_cdbr",
)
_ALONE: Final = Mode(
    """\
--without-search evaluates the network of a run alone: its policy at every decision, for the ranges
that it leads to itself. Beside the same run's searches this shows what searching adds.
  sog evaluate agent:leduc --without-search
JSON: {"game", "unit", "player", "checkpoint", "exploitability", "value" (to player 0, if the policy
plays itself)}, in the game's own unit.
""",
    ("the network alone:", "--without-search"),
    takes="sog.cli.without_search:takes",
    run="sog.cli.without_search:run",
)
EVALUATE: Final = _COMPOSE.with_mode(_CDBR).with_mode(_ALONE)
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
  sog evaluate runs/leduc_demo@all                exploitability over training
  sog play runs/leduc_demo                        play against it

Exit codes: 0 trained to the last step, 130 stopped by Ctrl-C (143 by SIGTERM), 2 invalid input.
""",
    (
        *("config", "--run"),
        changed(
            "--set",
            metavar="PART.NAME=VALUE",
            help="change a value, as search.num_simulations=50; may be repeated",
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
        changed("config", nargs="?", metavar="NAME", help="a configuration's name"),
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
    (changed("method", nargs="?"), "--json"),
)
