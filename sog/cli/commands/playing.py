"""Commands that play: `sog play`, `match`, `tournament`, `replay`, `serve`, and who there is."""

from typing import Final

from sog.cli.commands.command import Command
from sog.players.table import PLAYERS

_WIDTH: Final = max(len(entry.form) for entry in PLAYERS.values())
_LINES: Final = "\n".join(f"  {e.form:<{_WIDTH}}  {e.summary}" for e in PLAYERS.values())
PLAYERS_HELP: Final = f"""\
players:
{_LINES}

N is a number of iterations or of simulations per move; parameters go between name and number, as in
tabular(rule=dcfr):500. What each method is, its parameters and its paper: sog methods.
What follows the ? of an engine is nodes, movetime (ms) or depth of a move, options of the engine,
or timeout (s); of gtp: seconds for a move, or timeout.
Those that search make SoG(s, c): s simulations, c of them per regret update phase. With perfect
information they take their best action, else they draw one from their policy. One of them alone is
told how behind its name: 'runs/leduc?search=200,1&c_puct=2' (values of [search] of configurations).
"""
HOW: Final = (
    *("--game", "--search", "--set", "--rule", "--leaf-averaging", "--max-outcomes"),
    *("--resolve-from", "--seconds"),
    (
        "--max-nodes",
        {
            "help": "enumerate games of at most N public states for tabular, uniform and exact "
            "(default: 1000000)"
        },
    ),
)
"""What says how players play, and what."""

PLAY: Final = Command(
    "play against an agent in the terminal",
    f"""\
{PLAYERS_HELP}
examples:
  sog play leduc                                the agent that comes with the package
  sog play go7                                  where none does, one that plays any game
  sog play runs/leduc
  sog play tabular --game kuhn --hints
  sog play rollout --game connect_four --search 400,1 --as 0
  sog play runs/leduc --rule dcfr --leaf-averaging 0.5
  sog play zero --game glasses --games 3 --save games.json
  sog play zero --game glasses --resume games.json
  sog play zero --game london --search 20,1 --hints --picture london.svg

Type the number of an action or (the beginning of) its text, undo for another try, ? for help, q to
leave. What the agent
thought is shown after each game. Roles alternate from game to game unless --as is given.

Games with a board show it. Scotland Yard shows the map (if positions of its stations are known),
tickets, where each detective can go and where Mr X may be; with --hints and an agent that searches,
also how likely he is there. --picture draws the same, and other games with their cards, dice or
board; have it open in a browser.

--save writes JSON, or PGN of chess and SGF of Go if the name ends so; only JSON can be gone on with
(--resume). In it: {{"game", "unit", "agent" ("name", "search", "rule", "leaf_averaging",
"leaf_interval", "resolve_from", "seconds"), "seed", "games": [{{"human" (the player), "utility" (to
player 0), "moves": [{{"state", "actor", "action", "text" (of the action), "outcome", "event"}}]
(action: null where chance moves), "infostates": [[of player 0, of player 1], ...] (before each move
and at the end), "names" (their texts), and "begins" where it began at a position: its text}}]}}.
""",
    (
        *("agent", "--as", *HOW, "--history", "--hints"),
        ("--games", {"default": None, "help": "games to play (default: asks after each)"}),
        ("--seed", {"default": None, "help": "of deals and agents (default: a random one)"}),
        (
            "--picture",
            {"help": "draw your cards, dice, the board or the map, anew at each of your turns"},
        ),
        (
            "--save",
            {
                "metavar": "FILE",
                "help": "write the games to a new file, for sog replay and sog review: FILE.json, "
                "or FILE.pgn or FILE.sgf, where the game has such",
            },
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
  sog match runs/leduc tabular --rule dcfr --leaf-averaging 0.5
  sog match runs/leduc tabular --set search.c_puct=2 --set search.prior_temperature=1.5
  sog match rollout random --game tic_tac_toe --json
  sog match "rollout(games=100)" zero --game leduc
  sog match rollout random --game london --search 10,1 --max-outcomes 26 --games 10
  sog match runs/connect_four uct:1000
  sog match agent:leduc tabular --games 1000 --aivat exact
  sog match rollout random --game go5 --games 10 --games-out games.sgf

Every deal is played twice, the second time with roles swapped; the 95% interval is that of the mean
over these pairs, by the normal approximation. Ctrl-C prints the result of the pairs that are
finished (exit code 130).

--aivat takes luck out of the result: what chance and the players drew is compared with what was to
be expected, by guesses of what the game is worth there. The mean stays right whatever the guesses
are, and the interval shrinks as they get better. Their source:
  exact    the tabular solver's values of the whole game (1,000 iterations of CFR+)
  network  those of the first player who has a network, for games of any size
  zero     none: nothing is expected, but all that players could hold counts, not what they held
Of players who cannot tell how they would play with other cards (is_mcts, oos and their like) only
the cards are corrected; one of the two must be able to.

JSON: {{"game", "history" (as given), "unit", "players": [{{"name", "search", "rule",
"leaf_averaging", "leaf_interval", "resolve_from", "seconds"}}], "games", "interrupted", "mean"
(utility per game of the first player, in the game's own unit), "interval" (of 95%; null after one
pair), "standard_error" (of the mean; null after one pair), "mean_as" (player 0 and player 1),
"won_all_as" (likewise the share of games won by the most that the game pays), "wins", "draws",
"losses", "aivat" (null without --aivat; else {{"values", "mean", "standard_error", "interval",
"variance_ratio"}}, the last how many times smaller its variance is), "seed", "seconds"}}.
""",
    (
        "first",
        "second",
        "--games",
        *HOW,
        ("--history", {"help": "begin every game of perfect information at this position"}),
        *("--aivat", "--games-out", "--batch", "--seed", "--json"),
    ),
)
TOURNAMENT: Final = Command(
    "let several agents play each other, each against each",
    f"""\
{PLAYERS_HELP}
examples:
  sog tournament tabular outcome_sampling:10000 q_learning random --game kuhn --games 1000
  sog tournament agent:glasses pimbot:1000 pimbot:100 random --show wins
  sog tournament sm_mcts backward_induction random --game "goofspiel(cards=4)" --json
  sog tournament runs/go7 gtp:gnugo random --game go7 --openings random:2 --show elo \\
    --save ladder.jsonl --games-out ladder.sgf

Every pairing is a match as of sog match: every deal is played twice, with roles swapped. The table
has what the player of the row gets from that of the column, with the 95% interval, and last the
average over all opponents, in whose order players come: the mean utility per game, or with --show
wins the share of games won, in percent, a draw counting half. --show elo adds the ratings under
which these results are likeliest, with 95% intervals. Ctrl-C prints what was played (exit code
130).

With perfect information games may begin anywhere: --history for all of them, --openings for one
position after the other, the same in all pairings (a file has 2 games of each position unless
--games says otherwise). --save writes every pair of games as it ends; the same command goes on from
that file, also with more --games.

JSON: {{"game", "history", "openings" (as given), "unit", "players": [as of sog match], "games" (of
a pairing), "interrupted", "pairings": [{{"first", "second" (numbers of players), "games",
"win_rate", "win_interval", "mean" (utility per game of the first), "interval", "wins", "draws",
"losses", "seconds" (of this session)}}], "ranking": [{{"player" (its number), "win_rate",
"mean"}}], "elo": [{{"player", "elo", "interval", "superiority" (by other player: how likely this
one is better)}}], "added_draws" (per pairing; 0 unless some won or lost everything), "seed",
"seconds"}}.
""",
    (
        "players",
        (
            "--games",
            {"default": None, "help": "games of each pairing, an even number (default: 100)"},
        ),
        *("--show", *HOW),
        ("--history", {"help": "begin every game of perfect information at this position"}),
        "--openings",
        (
            "--save",
            {
                "metavar": "FILE.jsonl",
                "help": "write results as they come; go on where the file ends, if it is there",
            },
        ),
        *("--games-out", "--batch", "--seed", "--json"),
    ),
)
_RECORDS: Final = """\
A PGN is of chess unless its tag Variant says gardner or losalamos, an SGF of Go on a board of its
size and with its komi, in the usual rules; --game names another game. Where the board shows no end,
the result in the file counts: who lost gave up or lost on time, and a draw or a score was agreed.
Games go on where a player had to claim a draw in chess and nobody did.
"""
_RECORDED_GAME: Final = (
    "--game",
    {"help": "of a PGN or an SGF: the game (default: what the file says, see below)"},
)
REPLAY: Final = Command(
    "tell games of a file, move by move: of sog play --save, a PGN or an SGF",
    f"""\
examples:
  sog play leduc --games 3 --save mine.json
  sog replay mine.json                          all of them, with what both players knew
  sog replay mine.json --number 2               the second
  sog replay ladder.sgf --number 7              of sog match --games-out, or of anybody

What the file says of moves and results is compared with the rules, where the game is installed.
{_RECORDS}""",
    ("file", "--number", _RECORDED_GAME),
)
REVIEW: Final = Command(
    "say of every choice of a saved game what it was worth, and what was luck",
    f"""\
examples:
  sog play connect_four --save mine.json
  sog review mine.json                          the last game, by the exact solution of a small
                                                game, else by the agent that comes with us
  sog review mine.json --by runs/my_run --search 400,1 --number 2
  sog review mine.json --by rollout --svg worth.svg
  sog review ladder.pgn --number 7              of sog match --games-out, or of anybody

Of every choice: what was played, what it was worth to who chose, what would have been best, and
what was lost: a good choice (up to 2% of the most that can be won), an inaccuracy (up to 8%), or a
mistake. What a player held and could know then is what counts, not what was hidden from him.

What somebody got is what was to be expected at his first choice, less what his choices lost, plus
what the other's gave him after that, plus luck: what chance brought against the mean, and what was
hidden, as the cards that a bluff ran into. In a game without either the rest is what was judged
anew: a search is not exact, and values a position otherwise when it comes to it.

--by takes tabular, which solves the game, a run folder, agent:NAME, and zero, uniform, rollout or
exact, which search by SoG. A search errs: more simulations tell better. The action that a
search likes best counts as the best unless another is worth clearly more: 16% of the most that can
be won.

{_RECORDS}
With --json: "choices" ("move", "player", "state", "infostate", "action", "best", "loss", "grade",
"actions": their "text", "policy" and "value") and by player "utility" = "expected" - "lost" +
"given" + "luck" + "revised", where "luck" = "chance" + "hidden", which are null where they cannot
be told apart. An interrupted one says so, and how many of "num_choices" it has. "human" is the
person's player, null in a PGN or an SGF, and "names" has what both are called.
""",
    (
        "file",
        ("--number", {"help": "this game (default: the last one)"}),
        _RECORDED_GAME,
        ("--by", {"metavar": "PLAYER", "help": "who judges, see below"}),
        *("--search", "--set", "--rule", "--leaf-averaging", "--max-outcomes", "--resolve-from"),
        *("--seconds", "--max-nodes"),
        ("--seed", {"default": 0, "help": "of the searches (default: 0)"}),
        ("--svg", {"help": "draw what each player could expect, move by move"}),
        "--json",
    ),
)
WHO_PLAYS: Final = ("agent", {"help": "who plays, see below"})
AGENTS: Final = Command(
    "list the trained agents that come with the package",
    """\
examples:
  sog agents                                    all of them, and how good they are
  sog play leduc                                play against one
  sog match agent:leduc tabular                 agent:NAME stands wherever a run folder may
  sog search agent:leduc --history "check bet2"
""",
    ("--json",),
)
