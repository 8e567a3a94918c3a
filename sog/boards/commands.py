"""Commands of boards: `sog gtp` and `sog uci`."""

import functools
from typing import Final

from sog.boards.clock import MOST_OVERHEAD_MS, OVERHEAD_MS
from sog.cli.commands.command import Command
from sog.cli.commands.playing import HOW, PLAYERS_HELP, WHO_PLAYS
from sog.numbers import integer, positive_integer

_SPEAKING: Final = (
    WHO_PLAYS,
    *HOW,
    (
        "--room",
        {
            "type": positive_integer,
            "metavar": "N",
            "help": "simulations that a search has room for, where a clock or nothing ends it "
            "(default: four times those of a move, at least 2000)",
        },
    ),
    (
        "--move-overhead",
        {
            "type": functools.partial(integer, least=0, most=MOST_OVERHEAD_MS),
            "default": OVERHEAD_MS,
            "metavar": "MS",
            "help": "milliseconds that each move on a clock takes besides thinking "
            f"(default: {OVERHEAD_MS})",
        },
    ),
    ("--seed", {"help": "of agents (default: 0)"}),
)
GTP: Final = Command(
    "be a program of Go, Hex or Othello for a board that speaks GTP",
    f"""\
{PLAYERS_HELP}
examples:
  sog gtp runs/go9                              the command for Sabaki, GoGui or Lizzie
  sog gtp rollout --game go5 --search 1000,1
  sog gtp zero --game "go(size=7,komi=8.5)"
  sog gtp rollout --game "hex(size=11,swap=true)"
  sog match 'gtp:sog gtp runs/go9' gtp:gnugo --game go9

Speaks version 2 of the Go Text Protocol on stdin and stdout until quit, or nothing more comes:
boardsize, komi, clear_board, play, genmove, reg_genmove, undo, last_move, time_settings, time_left,
final_score (of Go by area, all on the board being alive), showboard, loadsgf, cputime,
gogui-analyze_commands, and of Leela Zero and KataGo lz-analyze, kata-analyze and their
genmove_analyze, for those who search. For Go also fixed_handicap, place_free_handicap,
set_free_handicap, set_position, final_status_list, kata-set-rules and kata-get-rules. White gets no
points for handicap stones, by any rules. kata-analyze says scoreLead for those who play for points
(payoff=diff); others know only how likely they win. One color of Go may play twice, and go on after
two passes; loadsgf takes stones that are set up, and the size and komi of the file. A trained
network refuses another size of the board, and another komi if it plays for points. Without a clock
a move takes --seconds, else the simulations of --search; on one, --move-overhead is left over. The
tree is kept from move to move. The first move waits for programs to be compiled.
""",
    _SPEAKING,
    run="sog.boards.gtp.server:run",
)
UCI: Final = Command(
    "be a chess engine for a program that speaks UCI",
    f"""\
{PLAYERS_HELP}
examples:
  sog uci runs/chess                            the command for Cute Chess, Arena or Nibbler
  sog uci rollout --game gardner_chess --search 1000,1
  sog match 'uci:sog uci runs/chess?nodes=400' 'uci:stockfish?nodes=2000' --game chess

Speaks the Universal Chess Interface on stdin and stdout until quit, or nothing more comes:
position, go with nodes, movetime, depth, infinite, ponder, searchmoves and clocks, stop, ponderhit,
and the options MultiPV, Ponder, Move Overhead (milliseconds, first that of --move-overhead) and
Simulations (of a move that nothing else limits).
Nodes are simulations; depth is the length of the principal line. searchmoves restricts the lines
and the move, not the simulations, which go to all moves. Scores in centipawns are those that win as
often: 400 log10(p / (1 - p)), p being the share of games. isready waits at most 8 s for
programs to be compiled; the tree is kept from move to move.
""",
    _SPEAKING,
    run="sog.boards.uci.server:run",
)
