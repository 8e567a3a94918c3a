"""Commands about whole games: `sog games`, `solve`, `policy` and others."""

from typing import Final

from sog.cli.commands.command import Command, changed
from sog.cli.options import MOST_NODES_EVALUATED
from sog.domain import policy_tables

_MOST_NODES: Final = changed(
    "--max-nodes", "refuse games of more public states than N (default: 2100000)"
)
_SOURCES: Final = """\
SOURCE is one of
  FILE.npz     a policy that `sog solve --save` wrote
  RUN          a run folder of `sog train`, or RUN@STEP for one of its checkpoints: the policy of \
its agent, composed of a search at every decision (see sog evaluate --help)
  GAME         a game, solved first by CFR over its whole public tree\
"""
_MADE: Final = (
    *("of a game:", "--iterations"),
    *("of a run folder:", "--search", "--set"),
    changed("--seed", default=None),
    "limits and output:",
    changed(
        "--max-nodes",
        "refuse games of more public states than N (default: 2100000, and "
        f"{MOST_NODES_EVALUATED} for a run folder)",
    ),
    "--json",
)
"""Options of strategies that are computed, not read from a file."""

GAMES: Final = Command(
    "list the games, or a game's parameters and sizes",
    """\
examples:
  sog games                                     all games
  sog games leduc                               one game: its parameters and sizes
  sog games leduc --rules                       its rules
  sog games "leduc(ranks=4)"                    the sizes of a variant
  sog games "openspiel:kuhn_poker"              a game of OpenSpiel (pip install 'sog[openspiel]')
  sog games --json                              for programs

Sizes: a public state is what both players know, an infostate what the player to move knows; an
outcome is a public event. Depth counts public events from the deal to the end.
""",
    (changed("game", nargs="?"), "--json", "--rules", "--sizes"),
)
SOLVE: Final = Command(
    "compute an equilibrium with CFR over the whole public tree",
    """\
rules:
  cfr      CFR (Zinkevich et al. 2007), alternating
  cfr+     CFR+ (Tammelin 2014), alternating, linear averaging; the default
  sog      Student of Games: regret matching+, simultaneous, linear averaging
  linear   Linear CFR (Brown and Sandholm 2019)
  dcfr     Discounted CFR (Brown and Sandholm 2019)
  dcfr+    DCFR+ (Xu et al. 2024): regret matching+ with discounts
  pcfr+    Predictive CFR+ (Farina et al. 2021)
  pdcfr+   Predictive DCFR+ (Xu et al. 2024)
  sapcfr+  PCFR+ with a third of the prediction (Meng et al. 2026)
  hs-dcfr  DCFR by schedules over --iterations (Zhang et al. 2026)
  hs-pcfr+ PCFR+ by a schedule (Zhang et al. 2026)

examples:
  sog solve leduc
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog solve "liars_dice(dice=1,faces=6)" --rule dcfr --iterations 500
  sog solve kuhn --until-mbb 1e-6 --precision float64 --json
  sog solve tic_tac_toe --history XO./.X./..O
  sog solve leduc --lock "check: bet2=0.5 check=0.5" --lock "bet2: Ks call=1; Kh call=1"
  sog solve leduc --save-state leduc.solve
  sog solve leduc --resume leduc.solve --iterations 5000

A lock fixes the policy of the player to act after some events: a probability for each action, of
all infostates or of a named one, more of them after semicolons; the last one counts. Everything
else is optimized, and the cost of the lock to its player is printed, if both players adapt to it or
only the opponent does. Best responses, also for exploitability, respect locks.

Exploitability is half of NashConv: the mean loss against a best response, averaged over both seats.
It is printed in thousandths of the game's unit; in poker that is mbb, a chip being a big blind.
Ctrl-C stops early and keeps the result so far (exit code 130).
""",
    (
        *("game", "--history", "--rule"),
        changed(
            "--iterations", "stop after N iterations (default: 1000; with --until-mbb 1000000)"
        ),
        "--until-mbb",
        *("--precision", "--lock", "--plot", "--save", "--save-state"),
        changed(
            "--resume",
            metavar="FILE.solve",
            help="continue such a file by its rule, in its precision or "
            "in float64; --iterations includes those already made",
        ),
        *(_MOST_NODES, "--json"),
    ),
)
RULES: Final = Command(
    "compare the rules of CFR on a game",
    """\
examples:
  sog rules leduc
  sog rules kuhn --seconds 1 --json

Each rule of `sog solve --help` solves the game for some seconds, in 64-bit numbers; where the game
is too large, four subgames below random states, with random ranges. Compilation is not counted.
The best one after 100 iterations suits searches of 100 updates (--set rule=NAME), the best in time
`sog solve --rule NAME`; where all tie it is "any", or null in JSON. The hs- rules know how many
iterations they will have.
""",
    (
        "game",
        changed("--seconds", "for each rule (default: 10)"),
        *("--seed", "--json"),
    ),
)
EXPLOITABILITY: Final = Command(
    "compute the exploitability of a saved policy",
    """\
examples:
  sog solve leduc --save leduc.npz
  sog exploitability leduc leduc.npz
  sog exploitability leduc leduc.npz --json
  sog exploitability leduc mine.csv --save mine.npz   which `sog policy` and `sog explain` take

A table has a line for each action of each infostate, and names its columns in the first line:

  history,infostate,action,probability  as in `sog policy --table`; or name, action_name
  information_state,action,probability  as in `sog policy --openspiel`: OpenSpiel's own

Omitted actions have probability 0; infostates with one action may be omitted.
""",
    (
        *("game", "policy"),
        changed("--save", "write the policy as `sog solve --save` does"),
        *(_MOST_NODES, "--json"),
    ),
)
POLICY: Final = Command(
    "show a strategy: action probabilities and values",
    f"""\
{_SOURCES}

examples:
  sog policy kuhn
  sog policy leduc --walk                         walk through the game, event by event
  sog solve leduc --until-mbb 1 --save leduc.npz
  sog policy leduc.npz --history "check bet2"
  sog policy leduc.npz --history "check bet2" --player 1
  sog policy leduc.npz --table leduc.csv          all of it, for a spreadsheet; and back again by
                                                  sog exploitability leduc leduc.csv
  sog policy leduc.npz --openspiel spiel.csv      the same for OpenSpiel
  sog policy runs/leduc_demo --search 100,1 --history "check bet2 call '[Qh]'"

A row is an infostate of the player to act: its range (its probability when both play the strategy),
its value to that player, and for each action the probability and, as `loss`, how much less it is
worth than the best action when both follow the strategy afterwards. Cards that differ only in suit
share a row if the strategy treats them alike; JSON has all of them. The other player
(--player) has a range and values there, and no actions. Events of --history are written as for
`sog search`: by their text or their number.

--json prints "game", "source", "unit", "exploitability" (of the whole strategy), "history",
"state", "actor", "player", "probability" (of the public state under the strategy), "value" (to
player 0), "events" ("event", "probability" of each next event) and "infostates": "infostate",
"name", "range", "value" and, of the player to act, "actions": "action", "name", "probability",
"value" and "loss". What the strategy never reaches is null. All values are in the game's own unit.
""",
    (
        *("source", "--history", "--player", "--walk"),
        "--table",
        *(f"--{name}" for name in policy_tables()),
        *_MADE,
    ),
)
EXPLAIN: Final = Command(
    "show where a strategy loses against the best response",
    f"""\
{_SOURCES}

examples:
  sog explain leduc.npz
  sog explain runs/leduc_demo --search 100,1 --top 20
  sog explain kuhn --iterations 10 --json

Exploitability is half of what both players gain by best responses to the strategy. Each gain is
split by decision: the loss of an infostate is the value of the best action less that of the
strategy's mixture, with best responses afterwards, times the probability of the infostate when both
play the strategy. Losses are never negative, and over all public states they add up to the
exploitability exactly, so each public state has a share of it. A loss of player 1 means that a
better response to this player 0 exists: player 1 errs, or does not exploit an error.

--json prints "game", "source", "unit", "exploitability", "gains" (of the best response of each
player) and "states", the largest loss first: "history", "state", "player", "loss", "share" and
"infostates" with a loss: "infostate", "name", "loss", "share", "policy" (by action) and "best" (a
best action). All in the game's own unit.
""",
    ("source", "--top", *_MADE),
)
