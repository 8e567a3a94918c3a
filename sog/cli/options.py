"""The options of `sog`, each declared once: its name, type and help.

`sog.cli.commands` lists the options of each command, and their differences there. Imports nothing
heavy, so help is fast.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sog.domain import policy_tables
from sog.numbers import (
    number_from_zero,
    port_number,
    positive_integer,
    positive_number,
    seed,
)

DEFAULT_SEARCH: Final = "100,1"
DEFAULT_SEEDS: Final = 10
MOST_NODES_EVALUATED: Final = 20_000
"""Games must be small, since every decision is searched."""
SEARCHES_AT_ONCE: Final = 64

Declaration = Mapping[str, Any]
"""Arguments of argparse's `add_argument`."""


def _value(metavar: str, help_text: str, **others: Any) -> Declaration:
    return {"metavar": metavar, "help": help_text, **others}


def _count(metavar: str, help_text: str, default: int | None = None) -> Declaration:
    """An option that takes an integer from 1."""
    return _value(metavar, help_text, type=positive_integer, default=default)


def _file(metavar: str, help_text: str) -> Declaration:
    return _value(metavar, help_text, type=Path)


def _flag(help_text: str) -> Declaration:
    return {"action": "store_true", "help": help_text}


def _several(metavar: str, help_text: str) -> Declaration:
    return _value(metavar, help_text, action="append", default=[])


def _player(text: str) -> int:
    if text not in ("0", "1"):
        raise argparse.ArgumentTypeError(f"must be 0 or 1, got {text!r}")
    return int(text)


GAME: Final = "a game, as 'leduc' or \"leduc(ranks=4)\" (quoted for the shell)"
SEARCH_FIELDS: Final = (
    *(
        "num_simulations",
        "simulations_per_update",
        "growth_share",
        "grow_from",
        "rule",
        "c_puct",
        "prior_temperature",
    ),
    *("leaf_averaging", "leaf_smoothing", "leaf_interval", "lookahead", "grow", "num_children"),
    *("max_actions", "max_outcomes", "spread_outcomes", "widest_chance", "resolve_from", "alpha"),
    *("safe", "search_everywhere", "capacity", "kept_simulations", "chunk_size"),
)
"""What --set changes: `SearchSettings`, whose module is slow to import."""

OPTIONS: Final[dict[str, Declaration]] = {
    # The object of a command.
    "game": _value("GAME", GAME),
    "source": _value("SOURCE", "a policy file, a run folder, or a game"),
    "policy": _file(
        "POLICY",
        "a file of `sog solve --save`, a table (FILE.csv, see below), or a blueprint",
    ),
    "method": _value("METHOD", "a method, see below"),
    "config": _value("CONFIG", "the name of a configuration (sog configs), or a TOML file"),
    "run": _file("RUN", "a run folder of `sog train`"),
    "runs": _value("RUN", "run folders, RUN@STEP, or agent:NAME", nargs="*"),
    "file": _file("FILE", "a file of `sog play --save` (JSON), PGN or SGF"),
    "agent": _value("AGENT", "the opponent, see below"),
    "first": _value("A", "a player, see below"),
    "second": _value("B", "the other player"),
    "players": _value("PLAYER", "two or more players, see below", nargs="+"),
    "--game": _value(
        "GAME",
        "the game; for run folders, a variant of the game of their training (default: that game)",
    ),
    "--player": _value("P", "whose infostates: 0 or 1 (default: who acts)", type=_player),
    "--history": _value(
        "TEXT",
        "the position to start from: its public events, as a tree prints or numbers them, "
        "or the game's own notation: 44353 in connect_four (columns), X.O/.X./... in tic_tac_toe, "
        "e4 e5 Nf3 in chess; a FEN, EPD, PGN, or SGF with setup stones, or a file of one: .fen, "
        ".epd, .pgn or .sgf (default: the start)",
        default="",
    ),
    "--openings": _value(
        "FILE|random:PLIES",
        "start games from these positions, each once with either player first: lines of a "
        "file, written as for --history (a line that starts with # is a comment), or so many "
        "random moves",
    ),
    # The amount of work.
    "--games": _count("N", "games to play, an even number (default: 100)", 100),
    "--iterations": _count("N", "iterations of the solver (default: 1000)"),
    "--seeds": _count("N", f"policies to compose (default: {DEFAULT_SEEDS})"),
    "--seed": _value("N", "the seed of all random numbers (default: 0)", type=seed, default=0),
    "--seconds": _value(
        "X",
        "stop each search after X seconds; compiling, which the first search waits for, is "
        "not counted; results then depend on the machine (default: no time limit)",
        type=positive_number,
    ),
    "--max-nodes": _count("N", "reject games with more than N public states (default: 1000000)"),
    "--rule": _value("NAME", "a member of the CFR family, see below (default: cfr+)"),
    "--until-mbb": _value(
        "X",
        "stop as soon as the exploitability is at most X thousandths of the game's unit",
        type=positive_number,
    ),
    "--precision": {
        "choices": ("float32", "float64"),
        "help": "of the iterations (default: float32); exploitability always uses float64",
    },
    "--batch": _count(
        "N",
        "searches of different games at once, or as many as fit into memory; does not change the "
        "result, rounding and random playouts aside (default: 16)",
        16,
    ),
    "--batch-size": _count(
        "N",
        "searches at once, for speed only; all GPUs, or all cores of a CPU, share them "
        f"(default: {SEARCHES_AT_ONCE}, or where games are played 16)",
    ),
    # Searches.
    "--search": _value(
        "S,C",
        "simulations s and simulations per update c of SoG(s, c) (default: the run's "
        f"run.evaluate_search, used while it trained; else {DEFAULT_SEARCH})",
    ),
    "--set": _several(
        "NAME=VALUE",
        "change a setting of searches, as rule=dcfr; may be repeated; [search] of sog configs NAME "
        f"explains all: {', '.join(SEARCH_FIELDS)}",
    ),
    "--whole-game": _flag(
        "put the whole rest of the game into every tree, so that it has no leaves"
    ),
    "--cdbr": _flag("play against depth-limited best response instead of composing a policy"),
    "--without-search": _flag("evaluate the network's own policy instead of composing a search's"),
    "--evaluator": {
        "choices": ("zero", "uniform", "exact", "rollout"),
        "help": "the evaluator of the leaves, see below",
    },
    "--solver-iterations": _count(
        "N", "CFR iterations of the exact evaluator in each evaluation (default: 30)"
    ),
    "--noise": _value(
        "EPS",
        "add an error from -EPS to EPS to every value, in the game's unit",
        type=number_from_zero,
    ),
    "--aivat": {
        "choices": ("exact", "network", "zero"),
        "help": "reduce the variance (Burch et al. 2018), see below",
    },
    # Output.
    "--lock": _several(
        "TEXT", "fix a player's policy at a public state, see below; may be repeated"
    ),
    "--json": _flag("print only JSON on stdout"),
    "--rules": _flag("print the rules of GAME, about a screenful"),
    "--sizes": _flag("count up to 10 million public states, not one million"),
    "--memory": _flag("print the memory that the search takes, and do not search"),
    "--walk": _flag("continue from there, one public event at a time"),
    "--hints": _flag("show the agent's policy in your place"),
    "--depth": _count("D", "levels of the tree to show (default: 2, and 3 in a picture)"),
    "--top": _count("N", "public states to show (default: 10)", 10),
    "--number": _count("N", "this game only (default: all)"),
    "--show": {
        "choices": ("mean", "wins", "elo"),
        "default": "mean",
        "help": "what the table shows and sorts players by (default: mean utility)",
    },
    "--plot": _file("FILE.png", "draw exploitability (pip install 'sog[plot]')"),
    "--out": _file(
        "FILE.png", "the picture, PNG, PDF or SVG (default: curves.png in the run folder)"
    ),
    "--svg": _file("FILE.svg", "draw the tree"),
    "--table": _file("FILE.csv", "write the whole policy to a table, see below"),
    **{
        f"--{name}": _file(
            "FILE.csv",
            f"write the whole policy to a table with {table.program}'s information states and "
            "actions",
        )
        for name, table in policy_tables().items()
    },
    "--picture": _file(
        "FILE.svg", "draw the public state: cards, dice, a board, or a map with the range of Mr X"
    ),
    "--save": _file("FILE.npz", "write the average policy to a file"),
    "--games-out": _file(
        "FILE",
        "write all games to FILE.pgn or FILE.sgf, if the game has that format, or FILE.json, for "
        "sog replay and sog review",
    ),
    "--save-state": _file("FILE.solve", "write the solver's regrets and sums to a file, to resume"),
    "--resume": _file("FILE.json", "continue the games of a --save file"),
    # Of single commands.
    "--by": _value("PLAYER", "the judge, see below"),
    "--as": {
        "dest": "seat",
        "type": int,
        "choices": (0, 1),
        "help": "play as this player in every game (default: alternate, player 0 first)",
    },
    "--run": _file("DIR", "the run folder (default: runs/NAME, by the name of the configuration)"),
    "--schedule": {
        "choices": ("inline", "processes"),
        "default": "inline",
        "help": "how actors, solver and learner share the work; inline: in turns, in one process, "
        "deterministic; processes: at the same time, on Ray (default: inline)",
    },
    "--workers": _count(
        "N",
        "with --schedule processes: worker processes that play and solve (default: one per core)",
    ),
    "--ray-address": _value(
        "HOST:PORT", "with --schedule processes: a running Ray cluster (default: start one)"
    ),
    "--tensorboard": _flag(
        "also write event files for TensorBoard (pip install 'sog[tensorboard]')"
    ),
    "--host": _value(
        "ADDRESS",
        "the address to listen at (default: 127.0.0.1, for this machine only)",
        default="127.0.0.1",
    ),
    "--port": _value(
        "N",
        "the port to listen at, 0 for any free one (default: 8642)",
        type=port_number,
        default=8642,
    ),
    "--open": _flag("open the page in a browser"),
}
