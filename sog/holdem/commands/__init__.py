"""Commands of hold'em: `sog push_fold`, `blueprint` and `acpc`."""

from typing import Final

from sog.cli.commands.command import Command
from sog.cli.commands.playing import HOW, PLAYERS_HELP, WHO_PLAYS

PUSH_FOLD: Final = Command(
    "who jams and who calls before the flop with short stacks, exactly",
    """\
examples:
  sog push_fold 10                     both squares of hands, and the ranges as text
  sog push_fold 2 5 8 10 12 15 20      a line for each stack
  sog push_fold 10 --json

Heads-up no-limit hold'em in which the small blind, of half a big blind, jams or folds and the big
blind calls or folds: an equilibrium, by a linear program over the 169 classes of hands. Equities
are counted on all boards, which takes half a minute. Where stacks are deep, calling or raising less
is worth more to the small blind than this.

JSON, a list: {"stack", "value" (to the small blind, in big blinds a hand), "jams" and "calls": each
{"share" (of all hands), "range" (as --range0 of `sog solve` takes it), "classes" (each class of
hands by name, as "AKs", with its probability)}}.
""",
    ("stacks", "--json"),
    run="sog.holdem.commands.push_fold:run",
)
BLUEPRINT: Final = Command(
    "learn a strategy of a whole game of hold'em over buckets of hands",
    """\
examples:
  sog blueprint "holdem(stack=2000,bets=1/allin)" --minutes 60 --save twenty.blueprint
  sog blueprint "holdem(stack=2000,bets=1/allin)" --minutes 60 --resume twenty.blueprint \\
      --save twenty.blueprint
  sog match blueprint:twenty.blueprint random --games 1000
  sog blueprint "holdem(ranks=4,suits=2,stack=400,deals=3)" --iterations 4000 --save tiny.blueprint
  sog exploitability "holdem(ranks=4,suits=2,stack=400,deals=3)" tiny.blueprint

Hands that do not differ much are one bucket: before the flop the 169 that differ in more than the
names of suits, later those with about the same E[HS^2], the mean over cards to come of the squared
share of the opponent's hands that they beat. Regrets are of buckets, and all hands of a board are
gone through at once (Monte Carlo CFR with public chance sampling, Johanson et al. 2012). Betting is
not abstracted beyond the game's own menu: choose a coarse one. Buckets of the whole deck take a
minute or two before training begins. Ctrl-C stops early and saves what was reached (exit code 130);
what is gone on with is the same as if it had never been stopped.

JSON: {"game", "file", "buckets" (by street), "bucketing", "seed", "decisions" (of the betting),
"probabilities" (of the strategy), "boards" (each is an iteration of either player),
"boards_before", "boards_per_second", "seconds", "interrupted", "unit", "value" (to player 0, of the
policies while it learned, over the later half of this training)}.
""",
    (
        "game",
        ("--save", {"metavar": "FILE.blueprint", "required": True, "help": "write it to a file"}),
        *("--minutes",),
        ("--iterations", {"help": "stop after N boards, some 8 more perhaps"}),
        (
            "--resume",
            {"metavar": "FILE.blueprint", "help": "go on from such a file, with its buckets"},
        ),
        *("--buckets", "--bucketing"),
        ("--seed", {"default": None}),
        "--json",
    ),
    run="sog.holdem.commands.blueprint:run",
)
ACPC: Final = Command(
    "be a hold'em program for a dealer that speaks ACPC",
    f"""\
{PLAYERS_HELP}
examples:
  sog acpc equity 127.0.0.1 18791 --game holdem
  sog acpc agent:holdem 127.0.0.1 18791         a dealer's command has a script around it
  sog match random 'acpc:sog acpc equity --game holdem' --game holdem

Connects to a dealer by the protocol of the Annual Computer Poker Competition (version 2.0.0) and
plays until it ends the connection. The dealer's game must have our blinds and stacks. A bet that
our menu does not have counts as the size that the pseudo-harmonic mapping (Ganzfried and Sandholm
2013) takes more often; our own bets are told as the chips that they are, or as the same part of the
pot where stakes differ by then. Programs are compiled before it connects.
""",
    (
        WHO_PLAYS,
        *HOW,
        ("--seed", {"help": "of agents (default: 0)"}),
        *("dealer_host", "dealer_port"),
    ),
    run="sog.holdem.commands.acpc:run",
)
