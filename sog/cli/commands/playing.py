"""Commands that play: `sog play`, `match`, `tournament`, `replay`, `review` and `agents`."""

from typing import Final

from sog.cli.commands.command import Command, changed
from sog.players.table import PLAYERS

_WIDTH: Final = max(len(entry.form) for entry in PLAYERS.values())
_LINES: Final = "\n".join(f"  {e.form:<{_WIDTH}}  {e.summary}" for e in PLAYERS.values())
PLAYERS_HELP: Final = f"""\
players:
{_LINES}

N is a number of iterations or of simulations per move; parameters go between name and number, as in
tabular(rule=dcfr):500. For methods, their parameters and papers see sog methods.
After the ? of an engine come nodes, movetime (ms) or depth per move, options of the engine, or
timeout (s); for gtp: seconds per move, or timeout.
Searching players run SoG(s, c): s simulations, c of them per regret update phase. With perfect
information they take their best action, otherwise they sample from their policy. Settings for one
player follow its name: 'runs/leduc?search=200,1&c_puct=2' (values of [search] in configurations).
"""
HOW: Final = ("--game", "--search", "--set", "--seconds")
"""Options for players, their searches and the game."""
_OF_ANY_GAME: Final = (
    *HOW,
    changed(
        "--max-nodes",
        "enumerate games of at most N public states for tabular, uniform and exact "
        "(default: 1000000)",
    ),
)

PLAY: Final = Command(
    "play against an agent in the terminal",
    f"""\
{PLAYERS_HELP}
examples:
  sog play leduc                                the shipped agent
  sog play go7                                  without one, a player of any game
  sog play runs/leduc
  sog play tabular --game kuhn --hints
  sog play rollout --game connect_four --search 400,1 --as 0
  sog play runs/leduc --set rule=dcfr --set leaf_averaging=0.5
  sog play zero --game glasses --games 3 --save games.json
  sog play zero --game glasses --resume games.json
  sog play zero --game london --search 20,1 --hints --picture london.svg

Type the number of an action or (the beginning of) its text, undo to take a move back, ? for help, q
to quit. The agent's thoughts are shown after each game. Roles alternate unless --as is given.

Games with a board show it. Scotland Yard shows the map (if positions of its stations are known),
tickets, where each detective can go and where Mr X may be, with probabilities if --hints is given
and the agent searches. --picture draws the same, or cards, dice or a board; keep it open in a
browser.

--save writes JSON, or by its extension PGN (chess) or SGF (Go); only JSON can be continued
(--resume). Its format: {{"game", "unit", "agent" ("name", "search", "growth_share", "grow_from",
"rule", "leaf_averaging", "leaf_smoothing", "leaf_interval", "resolve_from", "seconds"), "seed",
"games": [{{"human" (the player), "utility" (to player 0), "moves": [{{"state", "actor", "action",
"text" (of the action), "outcome", "event"}}] (action: null where chance moves), "infostates": [[of
player 0, of player 1], ...] (before each move and at the end), "names" (their texts), and "begins"
where it began at a position: its text}}]}}.
""",
    (
        *("agent", "--as", *_OF_ANY_GAME, "--history", "--hints"),
        changed("--games", default=None, help="games to play (default: asks after each)"),
        changed("--seed", default=None, help="of deals and agents (default: random)"),
        changed("--picture", "draw your cards, dice, the board or the map at each of your turns"),
        changed(
            "--save",
            metavar="FILE",
            help="write the games to a new file, for sog replay and sog review: FILE.json, "
            "or FILE.pgn or FILE.sgf, if the game supports it",
        ),
        "--resume",
    ),
)
MATCH: Final = Command(
    "let two agents play each other",
    f"""\
{PLAYERS_HELP}
examples:
  sog match zero random --game kuhn --games 1000
  sog match runs/leduc tabular --search 100,1
  sog match runs/leduc@1000 runs/leduc@10000 --games 500
  sog match 'runs/leduc?search=400,1' 'runs/leduc?search=100,1'
  sog match runs/leduc tabular --set rule=dcfr --set leaf_averaging=0.5
  sog match rollout random --game tic_tac_toe --json
  sog match "rollout(games=100)" zero --game leduc
  sog match rollout random --game london --search 10,1 --set max_outcomes=26
  sog match runs/connect_four uct:1000
  sog match agent:leduc tabular --games 1000 --aivat exact
  sog match rollout random --game go5 --games 10 --games-out games.sgf

Every deal is played twice, the second time with roles swapped; the 95% interval is that of the mean
over these pairs, by the normal approximation. Ctrl-C prints the result of the finished pairs (exit
code 130).

--aivat reduces variance: the outcomes of chance and of the players' own randomness are compared
with their expectation, using estimated values. The mean is unbiased for any values; better values
give a smaller interval. Their source:
  exact    the tabular solver's values of the whole game (1,000 iterations of CFR+)
  network  those of the first player with a network, for games of any size
  zero     none: only averages over the infostates that players could have
At least one player must expose its policy; for others (ismcts, oos and similar ones) only the deal
of their cards is corrected.

JSON: {{"game", "history" (as given), "unit", "players": [{{"name", "search", "growth_share",
"grow_from", "rule", "leaf_averaging", "leaf_smoothing", "leaf_interval", "resolve_from",
"seconds"}}], "games", "interrupted", "mean" (utility per game of the first player, in the game's
own unit), "interval" (of 95%; null after one pair), "standard_error" (of the mean; null after one
pair), "mean_as" (player 0 and player 1), "won_all_as" (likewise the share of games won with the
maximum utility), "wins", "draws", "losses", "aivat" (null without --aivat; else {{"values", "mean",
"standard_error", "interval", "variance_ratio"}}, the last by which factor the variance is reduced),
"seed", "seconds"}}.
""",
    (
        "first",
        "second",
        "--games",
        *_OF_ANY_GAME,
        changed("--history", "begin every game of perfect information at this position"),
        *("--aivat", "--games-out", "--batch", "--seed", "--json"),
    ),
)
TOURNAMENT: Final = Command(
    "play a round-robin tournament between several agents",
    f"""\
{PLAYERS_HELP}
examples:
  sog tournament tabular outcome_sampling:10000 q_learning random --game kuhn --games 1000
  sog tournament agent:glasses pimbot:1000 pimbot:100 random --show wins
  sog tournament sm_mcts backward_induction random --game "goofspiel(cards=4)" --json
  sog tournament runs/go7 gtp:gnugo random --game go7 --openings random:2 --show elo \\
    --save ladder.jsonl --games-out ladder.sgf

Every pairing is a match as in sog match: every deal is played twice, with roles swapped. The table
has the result of the row player against the column player, with its 95% interval, and last the
average over all opponents, by which players are sorted: the mean utility per game, or with --show
wins the share of games won, in percent, draws counted as half. --show elo adds maximum-likelihood
ratings with 95% intervals. Ctrl-C prints the results so far (exit code 130).

With perfect information games can begin at any position: --history for all of them, --openings for
several in turn, the same in all pairings (with a file, 2 games of each position unless --games is
given). --save writes every pair of games as it ends; the same command continues from that file,
also with more --games.

JSON: {{"game", "history", "openings" (as given), "unit", "players": [as in sog match], "games" (of
a pairing), "interrupted", "pairings": [{{"first", "second" (numbers of players), "games",
"win_rate", "win_interval", "mean" (utility per game of the first), "interval", "wins", "draws",
"losses", "seconds" (of this session)}}], "ranking": [{{"player" (its number), "win_rate",
"mean"}}], "elo": [{{"player", "elo", "interval", "superiority" (by other player: probability to be
better)}}], "added_draws" (per pairing; 0 unless a player won or lost everything), "seed",
"seconds"}}.
""",
    (
        "players",
        changed(
            "--games", default=None, help="games of each pairing, an even number (default: 100)"
        ),
        *("--show", *_OF_ANY_GAME),
        changed("--history", "begin every game of perfect information at this position"),
        "--openings",
        changed(
            "--save",
            metavar="FILE.jsonl",
            help="write results as they come; continue the file if it exists",
        ),
        *("--games-out", "--batch", "--seed", "--json"),
    ),
)
_RECORDS: Final = """\
A PGN is chess unless its tag Variant is gardner or losalamos, an SGF is Go with its size and komi
and the usual rules; --game names another game. If the board shows no end, the result in the file
counts: a loss is a resignation or a loss on time, a draw or a score was agreed. Draws that a player
must claim in chess do not end a game unless claimed.
"""
_RECORDED_GAME: Final = changed(
    "--game", "the game of a PGN or an SGF (default: from the file, see below)"
)
REPLAY: Final = Command(
    "show games of a file move by move: of sog play --save, a PGN or an SGF",
    f"""\
examples:
  sog play leduc --games 3 --save mine.json
  sog replay mine.json                          all of them, with both players' infostates
  sog replay mine.json --number 2               the second
  sog replay ladder.sgf --number 7              of sog match --games-out, or any other

Moves and results in the file are checked against the rules if the game is installed.
{_RECORDS}""",
    ("file", "--number", _RECORDED_GAME),
)
REVIEW: Final = Command(
    "review a saved game: the value of every choice, and what was luck",
    f"""\
examples:
  sog play connect_four --save mine.json
  sog review mine.json                          the last game, by the exact solution of a small
                                                game, else by the shipped agent
  sog review mine.json --by runs/my_run --search 400,1 --number 2
  sog review mine.json --by rollout --svg worth.svg
  sog review ladder.pgn --number 7              of sog match --games-out, or any other

For every choice it shows the action, its value to the player, the best action and the loss: a good
choice (up to 2% of the maximum utility), an inaccuracy (up to 8%), or a mistake. Values are for the
player's infostate: what was hidden from the player does not count.

A player's utility is its expectation at the player's first choice, less the loss of the player's
choices, plus that of the opponent's choices afterwards, plus luck: of chance events, and of what
was hidden, such as the cards that a bluff ran into. In a game without either, the rest is what was
revised: a search is not exact, and its value of a position changes when the game gets there.

--by takes tabular, which solves the game, a run folder, agent:NAME, and zero, uniform, rollout or
exact, which search by SoG. Searches err less with more simulations. The best action is the one
that the search plays most, unless another is clearly better: by 16% of the maximum utility.

{_RECORDS}
With --json: "choices" ("move", "player", "state", "infostate", "action", "best", "loss", "grade",
"actions": their "text", "policy" and "value") and by player "utility" = "expected" - "lost" +
"given" + "luck" + "revised", where "luck" = "chance" + "hidden", which are null if they cannot be
separated. An interrupted review says so, and how many of "num_choices" it has. "human" is the
person's player, null in a PGN or an SGF; "names" are the players'.
""",
    (
        "file",
        changed("--number", "this game (default: the last one)"),
        _RECORDED_GAME,
        "--by",
        *("--search", "--set", "--seconds", "--max-nodes"),
        changed("--seed", default=0, help="of the searches (default: 0)"),
        changed("--svg", "draw each player's expected utility, move by move"),
        "--json",
    ),
)
WHO_PLAYS: Final = changed("agent", "the player, see below")
AGENTS: Final = Command(
    "list the trained agents shipped with the package",
    """\
examples:
  sog agents                                    all of them, and how good they are
  sog play leduc                                play against one
  sog match agent:leduc tabular                 agent:NAME can replace any run folder
  sog search agent:leduc --history "check bet2"
""",
    ("--json",),
)
