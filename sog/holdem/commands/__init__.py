"""Commands of hold'em, `sog push_fold`, `blueprint` and `acpc`, and its modes of other commands:
spots, and local best response."""

from typing import Final

from sog.cli.commands.command import Command, Mode
from sog.cli.commands.playing import HOW, PLAYERS_HELP, WHO_PLAYS
from sog.numbers import port_number, positive_number

PUSH_FOLD: Final = Command(
    "solve jam or fold before the flop with short stacks, exactly",
    """\
examples:
  sog push_fold 10                     both squares of hands, and the ranges as text
  sog push_fold 2 5 8 10 12 15 20      a line for each stack
  sog push_fold 10 --json

Heads-up no-limit hold'em in which the small blind, of half a big blind, jams or folds and the big
blind calls or folds: an equilibrium, by a linear program over the 169 classes of hands. Equities
are counted on all boards, which takes half a minute. With deep stacks, limping or a smaller raise
is better for the small blind.

JSON, a list: {"stack", "value" (to the small blind, in big blinds a hand), "jams" and "calls": each
{"share" (of all hands), "range" (as --range0 of `sog solve` takes it), "classes" (each class of
hands by name, as "AKs", with its probability)}}.
""",
    (
        (
            "stacks",
            {
                "nargs": "+",
                "type": positive_number,
                "metavar": "STACK",
                "help": "of each player, in big blinds: more than 1",
            },
        ),
        "--json",
    ),
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

Similar hands share a bucket: before the flop the 169 classes up to suits, later hands with about
the same E[HS^2], the mean over cards to come of the squared share of the opponent's hands that they
beat. Regrets are per bucket, and an iteration updates all hands on a board (Monte Carlo CFR with
public chance sampling, Johanson et al. 2012). Betting is not abstracted beyond the game's own menu:
choose a coarse one. Buckets of the whole deck take a minute or two before training begins. Ctrl-C
stops early and saves the training so far (exit code 130); resumed training is the same as if it had
never been stopped.

JSON: {"game", "file", "buckets" (by street), "seed", "decisions" (of the betting),
"probabilities" (of the strategy), "boards" (each is an iteration of either player),
"boards_before", "boards_per_second", "seconds", "interrupted", "unit", "value" (to player 0, of the
policies while it learned, over the later half of this training)}.
""",
    (
        "game",
        ("--save", {"metavar": "FILE.blueprint", "required": True, "help": "write it to a file"}),
        (
            "--minutes",
            {
                "type": positive_number,
                "metavar": "X",
                "help": "train for X minutes, excluding compilation (default: 10, without "
                "--iterations)",
            },
        ),
        ("--iterations", {"help": "stop after N boards, rounded up by at most some 8"}),
        (
            "--resume",
            {"metavar": "FILE.blueprint", "help": "continue from such a file, with its buckets"},
        ),
        (
            "--buckets",
            {
                "metavar": "N/N/...",
                "help": "the most buckets of each street (default: the first ones of "
                "169/1000/500/200)",
            },
        ),
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
plays until the dealer closes the connection. The dealer's game must have our blinds and stacks. A
bet outside our menu counts as the size that the pseudo-harmonic mapping (Ganzfried and Sandholm
2013) chooses more often; our own bets are sent in chips, or as the same part of the pot if stakes
differ by then. Programs are compiled before it connects.
""",
    (
        WHO_PLAYS,
        *HOW,
        ("--seed", {"help": "of agents (default: 0)"}),
        ("dealer_host", {"metavar": "HOST", "help": "the dealer's host, such as 127.0.0.1"}),
        ("dealer_port", {"metavar": "PORT", "type": port_number, "help": "its port"}),
    ),
    run="sog.holdem.commands.acpc:run",
)
SOLVE_SPOT: Final = Mode(
    """\
A spot of hold'em is a board with chips (docs: holdem_spots): it is solved for two ranges to
0.3% of the pot, and shown at the start or after --history, whose events are bets and cards. --save
writes a FILE.spot, which `sog policy FILE.spot` shows again and --resume continues. --precision is
float32, or int16 for half of the memory; --lock, --plot, --save-state, --max-nodes and --until-mbb
do not apply.
  sog solve "holdem(board=KsTh7s4d,pot=100,stack=200,bets=1/allin)" --range0 "22+,AQs+,KQo:0.5"
  sog solve "holdem(board=KsTh7s4d2c,pot=100,stack=200)" --history "check bet50" --svg spot.svg
  sog solve "holdem(board=KsTh7s4d2c,pot=100,stack=200)" --save river.spot
  sog solve "holdem(board=KsTh7s4d2c,pot=100,stack=200)" --network agent:holdem
""",
    (
        ("--precision", {"choices": ("float32", "float64", "int16")}),
        "a spot of hold'em:",
        (
            "--range0",
            {
                "metavar": "TEXT",
                "help": "the range of player 0, who acts first, such as 'TT+, A5s-A2s, KQo:0.5, "
                "AhKd' or 25%% (default: any hand)",
            },
        ),
        ("--range1", {"metavar": "TEXT", "help": "likewise for player 1"}),
        (
            "--until-pot",
            {
                "type": positive_number,
                "metavar": "X",
                "help": "stop once the exploitability is at most X percent of the pot "
                "(default: 0.3, without --iterations)",
            },
        ),
        ("--svg", {"help": "draw the square of hands"}),
        (
            "--network",
            {
                "metavar": "RUN",
                "help": "also show the strategy and values of a network of hold'em (RUN, RUN@STEP "
                "or agent:NAME), and the errors of its values",
            },
        ),
    ),
    takes="sog.holdem.commands.solve:takes",
    run="sog.holdem.commands.solve:run",
)
SHOW_SPOT: Final = Mode(
    """\
FILE.spot is a spot of hold'em written by `sog solve --save`, which --walk browses:
  sog policy turn.spot --history "check bet50" --svg squares.svg
""",
    (("--svg", {"help": "of a spot: draw the square of hands"}),),
    takes="sog.holdem.commands.policy:takes",
    run="sog.holdem.commands.policy:run",
)
PLAY_LBR: Final = Mode(
    """\
In games of betting, --lbr likewise plays local best response (Lisy and Bowling 2017), which takes
the best action if nobody bets afterwards: first with folding and calling only, then also with bets
of the pot and all-in from the second street on (in fixed-limit games: with all bets).
  sog evaluate agent:leduc --lbr --games 200
JSON: {"game", "unit", "player", "seed", "lbr": [{"bets", "games", "interrupted", "mean",
"standard_error", "interval", "without_aivat", "seconds"}]}.
""",
    (
        "local best response:",
        ("--lbr", {"action": "store_true", "help": "play against local best response"}),
    ),
    takes="sog.holdem.commands.lbr:takes",
    run="sog.holdem.commands.lbr:run",
)
