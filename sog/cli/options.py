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
    share,
)

DEFAULT_SEARCH: Final = "100,1"
DEFAULT_SEEDS: Final = 10
MOST_NODES_EVALUATED: Final = 20_000
"""Games must be small, since every decision is searched."""
SEARCHES_AT_ONCE: Final = 64

Declaration = Mapping[str, Any]
"""Arguments of argparse's `add_argument`."""


def _count(metavar: str, help_text: str, default: int | None = None) -> Declaration:
    """An option that takes an integer from 1."""
    return {"type": positive_integer, "metavar": metavar, "help": help_text, "default": default}


def _file(metavar: str, help_text: str) -> Declaration:
    return {"type": Path, "metavar": metavar, "help": help_text}


def _flag(help_text: str) -> Declaration:
    return {"action": "store_true", "help": help_text}


def _several(metavar: str, help_text: str) -> Declaration:
    return {"action": "append", "default": [], "metavar": metavar, "help": help_text}


def _children(text: str) -> int | str:
    return text if text == "all" else positive_integer(text)


def _player(text: str) -> int:
    if text not in ("0", "1"):
        raise argparse.ArgumentTypeError(f"must be 0 or 1, got {text!r}")
    return int(text)


GAME: Final = "a game, as 'leduc' or \"leduc(ranks=4)\" (quoted for the shell)"
_OR_RUN: Final = "or the setting of a run"

OPTIONS: Final[dict[str, Declaration]] = {
    # The object of a command.
    "game": {"metavar": "GAME", "help": GAME},
    "source": {"metavar": "SOURCE", "help": "a policy file, a run folder, or a game"},
    "policy": _file(
        "POLICY",
        "a file of `sog solve --save`, a table (FILE.csv, see below), or a blueprint",
    ),
    "method": {"metavar": "METHOD", "help": "a method, see below"},
    "config": {
        "metavar": "CONFIG",
        "help": "the name of a configuration (sog configs), or a TOML file",
    },
    "run": _file("RUN", "a run folder of `sog train`"),
    "runs": {"nargs": "*", "metavar": "RUN", "help": "run folders, RUN@STEP, or agent:NAME"},
    "file": _file("FILE", "a file of `sog play --save` (JSON), PGN or SGF"),
    "agent": {"metavar": "AGENT", "help": "the opponent, see below"},
    "first": {"metavar": "A", "help": "a player, see below"},
    "second": {"metavar": "B", "help": "the other player"},
    "players": {"metavar": "PLAYER", "nargs": "+", "help": "two or more players, see below"},
    "--game": {
        "metavar": "GAME",
        "help": "the game; for run folders, a variant of the game of their training (default: that "
        "game)",
    },
    "--player": {
        "type": _player,
        "metavar": "P",
        "help": "whose infostates: 0 or 1 (default: who acts)",
    },
    "--history": {
        "default": "",
        "metavar": "TEXT",
        "help": "the position to start from: its public events, as a tree prints or numbers them, "
        "or the game's own notation: 44353 in connect_four (columns), X.O/.X./... in tic_tac_toe, "
        "e4 e5 Nf3 in chess; a FEN, EPD, PGN, or SGF with setup stones, or a file of one: .fen, "
        ".epd, .pgn or .sgf (default: the start)",
    },
    "--openings": {
        "metavar": "FILE|random:PLIES",
        "help": "start games from these positions, each once with either player first: lines of a "
        "file, written as for --history (# starts a comment), or so many random moves",
    },
    "--checkpoint": {
        "metavar": "STEP",
        "help": "the checkpoint of a run at this learner step, or all (default: the newest)",
    },
    # The amount of work.
    "--games": _count("N", "games to play, an even number (default: 100)", 100),
    "--iterations": _count("N", "iterations of the solver (default: 1000)"),
    "--seeds": _count("N", f"policies to compose (default: {DEFAULT_SEEDS})"),
    "--seed": {
        "type": seed,
        "default": 0,
        "metavar": "N",
        "help": "the seed of all random numbers (default: 0)",
    },
    "--seconds": {
        "type": positive_number,
        "metavar": "X",
        "help": "stop each search after X seconds; compiling, which the first search waits for, is "
        "not counted; results then depend on the machine (default: no time limit)",
    },
    "--max-nodes": _count("N", "reject games with more than N public states (default: 1000000)"),
    "--until-mbb": {
        "type": positive_number,
        "metavar": "X",
        "help": "stop as soon as the exploitability is at most X thousandths of the game's unit",
    },
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
        f"(default: {SEARCHES_AT_ONCE})",
    ),
    # Searches. Options in `SETTINGS` set a field of `SearchSettings`.
    "--search": {
        "metavar": "S,C",
        "help": "simulations s and simulations per update c of SoG(s, c) (default: the run's "
        f"run.evaluate_search, used while it trained; else {DEFAULT_SEARCH})",
    },
    "--compare": {
        "nargs": "+",
        "metavar": "S,C",
        "help": "compare the policies of several searches SoG(s, c) side by side",
    },
    "--set": _several(
        "search.KEY=VALUE",
        "change any setting of searches, as search.c_puct=2; may be repeated; sog configs NAME "
        "lists all of [search]",
    ),
    "--simulations": _count("S", f"s, simulations that grow the tree (default: 100, {_OR_RUN})"),
    "--per-update": {
        "type": positive_number,
        "metavar": "C",
        "help": "c, simulations per regret update phase; 0.1 is 10 updates per simulation "
        f"(default: 1, {_OR_RUN})",
    },
    "--rule": {
        "metavar": "NAME",
        "help": "a member of the CFR family, see sog solve --help; all but sog update the players "
        f"in turns, which queries leaves twice as often (default: sog, as in the paper, {_OR_RUN})",
    },
    "--leaf-averaging": {
        "type": share,
        "metavar": "X",
        "help": "weight of the average policy's ranges in leaf queries; the rest is the current "
        f"policy's (default: 0 as in the paper, {_OR_RUN})",
    },
    "--resolve-from": {
        "choices": ("deepest", "reply", "first_child"),
        "metavar": "WHERE",
        "help": "where an agent's next search starts: deepest, at the deepest state of the history "
        "in its last tree (the paper); reply, before the opponent's reply, or after a later chance "
        f"event; first_child, right after its own move (default: first_child, {_OR_RUN})",
    },
    "--alpha": {
        "type": share,
        "metavar": "X",
        "help": "weight of the gadget in the opponent's range where a search starts; the rest is "
        f"the opponent's last range (default: 0.5, {_OR_RUN})",
    },
    "--max-outcomes": _count(
        "N",
        "sample N chance outcomes where there are more; N must be at least the number of "
        f"outcomes of a decision (default: all, {_OR_RUN})",
    ),
    "--children": {
        "type": _children,
        "metavar": "K",
        "help": "children that an expansion adds, or all (default: all; 1 with perfect "
        "information, except at the state searched)",
    },
    "--max-actions": _count(
        "N",
        "consider only the N best actions of a state by the evaluator's policy; needs perfect "
        f"information (default: all, {_OR_RUN})",
    ),
    "--c-puct": {
        "type": number_from_zero,
        "metavar": "X",
        "help": f"exploration constant of the simulations (default: 1.25, {_OR_RUN})",
    },
    "--lookahead": _count(
        "D",
        f"levels below the state searched that the initial tree has (default: 1, {_OR_RUN})",
    ),
    "--no-growth": _flag("keep the tree of --lookahead; simulations only count updates"),
    "--whole-game": _flag(
        "put the whole rest of the game into every tree, so that it has no leaves"
    ),
    "--search-everywhere": _flag("let a player's chain also search at the opponent's decisions"),
    "--unsafe": _flag("re-solve without the gadget, for comparison"),
    "--evaluator": {
        "choices": ("zero", "uniform", "exact", "rollout"),
        "help": "the evaluator of the leaves, see below",
    },
    "--noise": {
        "type": number_from_zero,
        "metavar": "EPS",
        "help": "add an error from -EPS to EPS to every value, in the game's unit",
    },
    "--solver-iterations": _count(
        "N", "CFR iterations of the exact evaluator per update (default: 30)"
    ),
    "--solver-fading": {
        "type": share,
        "metavar": "X",
        "help": "share of regrets that the exact evaluator keeps between updates (default: 0.9)",
    },
    "--aivat": {
        "choices": ("exact", "network", "zero"),
        "help": "reduce the variance (Burch et al. 2018), see below",
    },
    # Output.
    "--lock": _several(
        "TEXT|FILE.csv",
        "fix a player's policy at a public state, see below; may be repeated",
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
    "--csv": _file("FILE.csv", "write the numbers to a table"),
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
        "FILE", "write all games to FILE.pgn or FILE.sgf, if the game has that format, or FILE.json"
    ),
    "--save-state": _file("FILE.solve", "write the solver's regrets and sums to a file, to resume"),
    "--resume": _file("FILE.json", "continue the games of a --save file"),
    # Of single commands.
    "--by": {"metavar": "PLAYER"},
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
    "--ray-address": {
        "metavar": "HOST:PORT",
        "help": "with --schedule processes: a running Ray cluster (default: start one)",
    },
    "--tensorboard": _flag(
        "also write event files for TensorBoard (pip install 'sog[tensorboard]')"
    ),
    "--host": {
        "default": "127.0.0.1",
        "metavar": "ADDRESS",
        "help": "the address to listen at (default: 127.0.0.1, for this machine only)",
    },
    "--port": {
        "type": port_number,
        "default": 8642,
        "metavar": "N",
        "help": "the port to listen at, 0 for any free one (default: 8642)",
    },
    "--open": _flag("open the page in a browser"),
}

SETTINGS: Final = {
    "simulations": "num_simulations",
    "per_update": "simulations_per_update",
    **{
        name: name
        for name in (
            *("rule", "leaf_averaging", "resolve_from", "alpha", "max_outcomes"),
            *("max_actions", "c_puct", "lookahead"),
        )
    },
}
"""The field of `SearchSettings` that an option sets."""
