"""Commands about whole games: `sog games`, `solve`, `blueprint`, `policy` and others."""

from typing import Final

from sog.cli.commands.command import Command
from sog.cli.options import MOST_NODES_EVALUATED
from sog.domain import policy_tables

_MOST_NODES: Final = (
    "--max-nodes",
    {"help": "refuse games of more public states than N (default: 2000000)"},
)
_SOURCES: Final = """\
SOURCE is one of
  FILE.npz     a policy that `sog solve --save` wrote
  RUN          a run folder of `sog train`, or RUN@STEP for one of its checkpoints: the policy that
               its agent plays, composed of a search at every decision (see sog evaluate --help)
  GAME         a game, solved on the spot by CFR over its whole public tree\
"""
_MADE: Final = (
    *("of a game:", "--iterations"),
    *("of a run folder:", "--search", "--set", "--rule", "--leaf-averaging", "--resolve-from"),
    ("--seed", {"default": None}),
    "limits and output:",
    (
        "--max-nodes",
        {
            "help": "refuse games of more public states than N (default: 2000000, and "
            f"{MOST_NODES_EVALUATED} for a run folder)"
        },
    ),
    "--json",
)
"""How a strategy is made that is not read from a file."""

GAMES: Final = Command(
    "list the games, or a game's parameters and sizes",
    """\
examples:
  sog games                                     all games
  sog games leduc                               one game: its parameters and sizes
  sog games leduc --rules                       how it is played
  sog games "leduc(ranks=4)"                    the sizes of a variant
  sog games "openspiel:kuhn_poker"              a game of OpenSpiel (pip install 'sog[openspiel]')
  sog games --json                              for programs

Sizes: a public state is what both players know, an infostate what one player knows where he is
to move; an outcome is a public event. Depth counts public events from the deal to the end.
""",
    (("game", {"nargs": "?"}), "--json", "--rules", "--sizes"),
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
  pcfr+    Predictive CFR+ (Farina et al. 2021)

examples:
  sog solve leduc
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog solve "liars_dice(dice=1,faces=6)" --rule dcfr --iterations 500
  sog solve kuhn --until-mbb 1e-6 --precision float64 --json
  sog solve tic_tac_toe --history XO./.X./..O
  sog solve leduc --lock "check: bet2=0.5 check=0.5" --lock "bet2: Ks call=1; Kh call=1"
  sog solve leduc --save-state leduc.solve
  sog solve leduc --resume leduc.solve --iterations 5000

A lock says what the player to act does after some events: a probability for each action, of all of
his infostates or of the one that is named, and others behind semicolons; the later one counts. A
table (FILE.csv) of `sog policy --table` with some of its rows is a lock, too. Everything else is
optimized, and it is told what that costs him, if both adapt to it or if he adapts nothing else.
Best responses, of the exploitability too, hold what is locked.

Exploitability is half of NashConv: what a player loses on average against an optimal opponent,
both seats counted. It is printed in thousandths of the game's unit; in poker that is mbb, a chip
being a big blind. Ctrl-C stops early and keeps what was reached (exit code 130).
""",
    (
        *("game", "--history"),
        (
            "--rule",
            {"help": "a member of the CFR family, see below (default: cfr+)"},
        ),
        (
            "--iterations",
            {"help": "stop after N iterations (default: 1000; with --until-mbb 1000000)"},
        ),
        "--until-mbb",
        *("--precision", "--lock", "--plot", "--save", "--save-state"),
        (
            "--resume",
            {
                "metavar": "FILE.solve",
                "help": "go on from such a file, by its rule and in its "
                "precision; --iterations counts those that it has made",
            },
        ),
        *(_MOST_NODES, "--json"),
    ),
)
EXPLOITABILITY: Final = Command(
    "what an optimal opponent wins against a saved policy",
    """\
examples:
  sog solve leduc --save leduc.npz
  sog exploitability leduc leduc.npz
  sog exploitability leduc leduc.npz --json
  sog exploitability leduc mine.csv --save mine.npz   which `sog policy` and `sog explain` take

A table has a line for each action of each infostate, and names its columns in the first line:

  history,infostate,action,probability  as of `sog policy --table`; or name, action_name
  information_state,action,probability  as of `sog policy --openspiel`: OpenSpiel's own

Actions left out have probability 0, infostates with one action may be left out.
""",
    (
        *("game", "policy"),
        ("--save", {"help": "write the policy that was read, as `sog solve --save` does"}),
        *(_MOST_NODES, "--json"),
    ),
)
POLICY: Final = Command(
    "show a strategy: who does what, with which probability, and its worth",
    f"""\
{_SOURCES}

examples:
  sog policy kuhn
  sog policy leduc --walk                         go through the game, event by event
  sog solve leduc --until-mbb 1 --save leduc.npz
  sog policy leduc.npz --history "check bet2"
  sog policy leduc.npz --history "check bet2" --player 1 --csv facing.csv --svg facing.svg
  sog policy leduc.npz --table leduc.csv          all of it, for a spreadsheet; and back again by
                                                  sog exploitability leduc leduc.csv
  sog policy leduc.npz --openspiel spiel.csv      the same for OpenSpiel
  sog policy runs/leduc_demo --search 100,1 --history "check bet2 call '[Qh]'"

A row is an infostate of the player to act: its range (how likely it is there when both play the
strategy), its value to that player, and for each action the probability and, as `loss`, how much
less the action is worth than the best one when both go on by the strategy. Cards that differ in
their suits only share a row where the strategy treats them alike; CSV and JSON have all of them.
The other player (--player) has a range and values there, and no actions. Events of --history are
written as `sog search` wants them: by their text or their number.

--json prints "game", "source", "unit", "exploitability" (of the whole strategy), "history",
"state", "actor", "player", "probability" (of the public state under the strategy), "value" (to
player 0), "events" ("event", "probability" of each that may follow) and "infostates": "infostate",
"name", "range", "value" and, of the player to act, "actions": "action", "name", "probability",
"value" and "loss". What is undefined, since the strategy never lets it happen, is null. --csv has
a line for each action of each infostate, with the same numbers. All values in the game's own unit.
""",
    (
        *("source", "--history", "--player", "--walk"),
        ("--csv", {"help": "write the grid to a table"}),
        ("--svg", {"help": "draw the grid"}),
        "--table",
        *(f"--{name}" for name in policy_tables()),
        *_MADE,
    ),
)
EXPLAIN: Final = Command(
    "say where a strategy loses against the best response",
    f"""\
{_SOURCES}

examples:
  sog explain leduc.npz
  sog explain runs/leduc_demo --search 100,1 --top 20
  sog explain kuhn --iterations 10 --json

The exploitability is what best responses to the strategy win more than the strategy itself, half of
both players' gains. Each gain is made decision by decision: at an infostate the strategy loses what
its own mixture is worth less than the best action, if all later decisions of that player were the
best ones, times how likely the infostate is when both play the strategy. These losses are never
negative, and over all public states they add up to the exploitability exactly; so each public state
has a share of it. A loss of player 1 says that he could do better against this player 0: he errs,
or leaves the other's error unpunished.

--json prints "game", "source", "unit", "exploitability", "gains" (of the best response of each
player) and "states", the largest loss first: "history", "state", "player", "loss", "share" and
"infostates" with a loss: "infostate", "name", "loss", "share", "policy" (by action) and "best" (an
action that is best). All in the game's own unit.
""",
    ("source", "--top", *_MADE),
)
