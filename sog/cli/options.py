"""The options of `sog`, each declared once: how it is typed, what it takes, and its line of help.

`sog.cli.commands` lists which a command has, and in what one of them differs there. Imports nothing
heavy, so that help is fast.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sog.cli.numbers import (
    number_from_zero,
    port_number,
    positive_integer,
    positive_number,
    seed,
    share,
)
from sog.domain import policy_tables

DEFAULT_SEARCH: Final = "100,1"
DEFAULT_SEEDS: Final = 10
MOST_NODES_EVALUATED: Final = 20_000
"""Every decision of the game is searched, so games must be small."""
SEARCHES_AT_ONCE: Final = 64

Declaration = Mapping[str, Any]
"""Arguments of argparse's `add_argument`."""


def _count(metavar: str, help_text: str, default: int | None = None) -> Declaration:
    """An integer from 1 on."""
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
_OR_RUN: Final = "or what a run was set to"

OPTIONS: Final[dict[str, Declaration]] = {
    # What a command is about.
    "game": {"metavar": "GAME", "help": GAME},
    "source": {"metavar": "SOURCE", "help": "a policy file, a run folder, or a game"},
    "policy": _file(
        "POLICY",
        "a file that `sog solve --save` wrote, a table (FILE.csv, see below), or a blueprint",
    ),
    "method": {"metavar": "METHOD", "help": "a method, see below"},
    "config": {
        "metavar": "CONFIG",
        "help": "a configuration's name (sog configs), or a TOML file",
    },
    "run": _file("RUN", "a run folder of sog train"),
    "runs": {"nargs": "*", "metavar": "RUN", "help": "run folders, RUN@STEP, or agent:NAME"},
    "file": _file("FILE", "of sog play --save, JSON, PGN or SGF"),
    "agent": {"metavar": "AGENT", "help": "whom to play against, see below"},
    "first": {"metavar": "A", "help": "a player, see below"},
    "second": {"metavar": "B", "help": "the other player"},
    "players": {"metavar": "PLAYER", "nargs": "+", "help": "two or more players, see below"},
    "--game": {
        "metavar": "GAME",
        "help": "the game; where a player is a run folder, a variant of what it was trained on "
        "(default: that)",
    },
    "--player": {
        "type": _player,
        "metavar": "P",
        "help": "whose infostates: 0 or 1 (default: who acts)",
    },
    "--history": {
        "default": "",
        "metavar": "TEXT",
        "help": "the position to begin from: the public events that lead there, as a tree shows "
        "them or by number, or what players of the game write: 44353 in connect_four (columns), "
        "X.O/.X./... in tic_tac_toe, e4 e5 Nf3 in chess; a FEN, an EPD, a PGN, or an SGF with "
        "stones set up, or a file of one, .fen, .epd, .pgn or .sgf (default: the start)",
    },
    "--openings": {
        "metavar": "FILE|random:PLIES",
        "help": "begin games at these positions, each once with either player first: lines of a "
        "file, as --history has them (# begins a comment), or so many random moves",
    },
    "--checkpoint": {
        "metavar": "STEP",
        "help": "of a run: the checkpoint of this learner step, or all (default: the newest)",
    },
    # How much is done.
    "--games": _count("N", "games to play, an even number (default: 100)", 100),
    "--iterations": _count("N", "iterations of the solver (default: 1000)"),
    "--seeds": _count("N", f"policies to compose (default: {DEFAULT_SEEDS})"),
    "--seed": {
        "type": seed,
        "default": 0,
        "metavar": "N",
        "help": "of all that is drawn at random (default: 0)",
    },
    "--seconds": {
        "type": positive_number,
        "metavar": "X",
        "help": "end each search after X seconds, if it does not end before; compiling, which the "
        "first one waits for, is not counted; what is found then depends on the machine (default: "
        "no clock)",
    },
    "--max-nodes": _count("N", "refuse games of more public states than N (default: 1000000)"),
    "--until-mbb": {
        "type": positive_number,
        "metavar": "X",
        "help": "stop as soon as the exploitability is at most X thousandths of the game's unit",
    },
    "--precision": {
        "choices": ("float32", "float64"),
        "help": "of the iterations (default: float32); exploitability is always in float64",
    },
    "--batch": _count(
        "N",
        "searches of different games at once, or as many as there is memory for; the result does "
        "not depend on it, rounding and random playouts apart (default: 16)",
        16,
    ),
    "--batch-size": _count(
        "N",
        "searches at once, for speed only; all GPUs share them, or all cores of a CPU "
        f"(default: {SEARCHES_AT_ONCE})",
    ),
    # How searches are made. Those with a setting stand for that one of `SearchSettings`.
    "--search": {
        "metavar": "S,C",
        "help": "simulations s and simulations per update c of SoG(s, c) (default: what the run "
        f"was evaluated with while it trained, its run.evaluate_search; else {DEFAULT_SEARCH})",
    },
    "--compare": {
        "nargs": "+",
        "metavar": "S,C",
        "help": "show the policies of several searches SoG(s, c) side by side",
    },
    "--set": _several(
        "search.KEY=VALUE",
        "change any setting of searches, as search.c_puct=2; may be given several times; sog "
        "configs NAME shows all of [search]",
    ),
    "--simulations": _count(
        "S", f"s, the simulations that grow the tree (default: 100, {_OR_RUN})"
    ),
    "--per-update": {
        "type": positive_number,
        "metavar": "C",
        "help": "c, simulations per phase of updates; 0.1 is 10 updates per simulation "
        f"(default: 1, {_OR_RUN})",
    },
    "--rule": {
        "metavar": "NAME",
        "help": "a member of the CFR family, see sog solve --help; all but sog update the players "
        f"in turns, which asks leaves twice as often (default: sog, that of the paper, {_OR_RUN})",
    },
    "--leaf-averaging": {
        "type": share,
        "metavar": "X",
        "help": "share of the average ranges in those that leaves are asked about, the rest is "
        f"those of the update (default: 0 as in the paper, {_OR_RUN})",
    },
    "--resolve-from": {
        "choices": ("deepest", "reply", "first_child"),
        "metavar": "WHERE",
        "help": "where an agent's next search starts: deepest, at the deepest state on the way "
        "that its last tree holds (the paper); reply, before the opponent's reply, or after chance "
        f"if that came later; first_child, right after its own move (default: first_child, "
        f"{_OR_RUN})",
    },
    "--alpha": {
        "type": share,
        "metavar": "X",
        "help": "share of the gadget in the opponent's range where a search starts, the rest is "
        f"his last range (default: 0.5, {_OR_RUN})",
    },
    "--max-outcomes": _count(
        "N",
        "keep a sample of N outcomes of chance where there are more, at least as many as a "
        f"decision of the game can have (default: all, {_OR_RUN})",
    ),
    "--children": {
        "type": _children,
        "metavar": "K",
        "help": "children that an expansion adds, or all (default: all; 1 with perfect "
        "information, but the state searched has all)",
    },
    "--max-actions": _count(
        "N",
        "consider the N best actions of a state by the evaluator's policy; with perfect "
        f"information only (default: all, {_OR_RUN})",
    ),
    "--c-puct": {
        "type": number_from_zero,
        "metavar": "X",
        "help": f"how much simulations explore (default: 1.25, {_OR_RUN})",
    },
    "--lookahead": _count(
        "D",
        "levels below the state searched that the tree holds from the start (default: 1, "
        f"{_OR_RUN})",
    ),
    "--no-growth": _flag("trees stay what --lookahead makes them; simulations only count updates"),
    "--whole-game": _flag("put the whole rest of the game into every tree, so no leaf is valued"),
    "--search-everywhere": _flag("a player's chain also searches at the opponent's decisions"),
    "--unsafe": _flag("re-solve without the gadget, for comparison"),
    "--evaluator": {
        "choices": ("zero", "uniform", "exact", "rollout"),
        "help": "what values the leaves, see below",
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
        "help": "share of its regrets that the exact evaluator keeps from update to update "
        "(default: 0.9)",
    },
    "--aivat": {
        "choices": ("exact", "network", "zero"),
        "help": "reduce the variance (Burch et al. 2018), see below",
    },
    # What is shown, and where it is written.
    "--lock": _several(
        "TEXT|FILE.csv",
        "hold what a player does at a public state, see below; may be given several times",
    ),
    "--json": _flag("print JSON on stdout, nothing else"),
    "--rules": _flag("how GAME is played, in a screenful"),
    "--sizes": _flag("count up to 10 million public states, not one million"),
    "--memory": _flag("say how many bytes the search has room for, and do not search"),
    "--walk": _flag("go on from there, a public event at a time"),
    "--hints": _flag("show what the agent would do in your place"),
    "--depth": _count("D", "levels of the tree to show (default: 2, and 3 in a picture)"),
    "--top": _count("N", "public states to show (default: 10)", 10),
    "--number": _count("N", "this game only (default: all)"),
    "--show": {
        "choices": ("mean", "wins", "elo"),
        "default": "mean",
        "help": "what the table has and players are ordered by (default: mean utility)",
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
        "FILE", "write all games to FILE.pgn or FILE.sgf, where the game has such, or FILE.json"
    ),
    "--save-state": _file("FILE.solve", "write to a file what it takes to go on: regrets and sums"),
    "--resume": _file("FILE.json", "go on where the games of --save were left"),
    # Of single commands.
    "--by": {"metavar": "PLAYER"},
    "--as": {
        "dest": "seat",
        "type": int,
        "choices": (0, 1),
        "help": "play as this player in every game (default: alternate, player 0 first)",
    },
    "--run": _file("DIR", "the run folder (default: runs/ and the name of the configuration)"),
    "--schedule": {
        "choices": ("inline", "processes"),
        "default": "inline",
        "help": "how actors, solver and learner share the work; inline: in turns, in one process, "
        "deterministic; processes: at the same time, on Ray (default: inline)",
    },
    "--workers": _count(
        "N", "with --schedule processes: processes that play and solve (default: one per core)"
    ),
    "--ray-address": {
        "metavar": "HOST:PORT",
        "help": "with --schedule processes: a Ray cluster that runs already (default: one of our "
        "own)",
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
"""The field of `SearchSettings` that an option stands for."""
