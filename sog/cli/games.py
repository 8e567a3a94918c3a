"""`sog games`: what there is to play, and how large it is."""

import argparse
import dataclasses
from typing import Any, Final

from rich.table import Table

from sog.cli import display
from sog.cli.compilation_cache import use_compilation_cache
from sog.cli.errors import SUCCESS
from sog.cli.loading import load_game
from sog.cli.sizes import Sizes, can_be_counted, count_public_tree
from sog.games import GAMES, Game

_QUICK: Final = 1_000_000  # public states: a second at most
_WITH_SIZES: Final = 10_000_000  # some seconds, and up to 2 GB
_KINDS: Final = {bool: "true/false", int: "integer", float: "number", str: "text"}
_FOOTER: Final = """\
Also openspiel:NAME(...), any small two-player zero-sum game of OpenSpiel.
One game's parameters: sog games NAME. Games that have more states than shown: add --sizes."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Count:
    """What is known about the size of a tree: `sizes`, or else that it has more than `limit`."""

    sizes: Sizes | None
    limit: int | None
    """None where it was not counted at all."""

    def texts(self) -> tuple[str, str]:
        """Public states, and infostates of each player."""
        if self.sizes is not None:
            first, second = self.sizes.num_infostates
            return f"{self.sizes.num_public_states:,}", f"{first:,} + {second:,}"
        return ("not counted" if self.limit is None else f"> {self.limit:,}"), ""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    use_compilation_cache()
    if arguments.game is None:
        _list_games(arguments)
    else:
        _show_game(arguments)
    return SUCCESS


def _list_games(arguments: argparse.Namespace) -> None:
    games = [load_game(name) for name in GAMES]
    limit = _WITH_SIZES if arguments.sizes else _QUICK
    with display.working() as work:
        work.begin("counting public states", total=len(games))
        counts = []
        for number, game in enumerate(games):
            work.update(game.name, number)
            counts.append(_count(game, limit))
    pairs = list(zip(games, counts, strict=True))
    if arguments.json:
        display.print_json([_as_json(game, count) for game, count in pairs])
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("game", no_wrap=True)
    table.add_column("what it is")
    for column in ("public states", "infostates", "outcomes", "depth"):
        table.add_column(column, justify="right")
    for game, count in pairs:
        sizes = (*count.texts(), str(game.num_outcomes), str(game.max_depth))
        table.add_row(game.name, game.summary, *sizes)
    display.print_table(table, footer=_FOOTER)


def _show_game(arguments: argparse.Namespace) -> None:
    with display.working() as work:
        game = load_game(arguments.game, work)
        work.begin("counting public states")
        count = _count(game, _WITH_SIZES if arguments.sizes else _QUICK)
    if arguments.json:
        display.print_json(_as_json(game, count))
        return
    states, infostates = count.texts()
    if count.sizes is None and count.limit is None:
        states = "not counted: made for search, too large to solve exactly"
    elif count.sizes is None and not arguments.sizes:
        states = f"{states} (--sizes counts up to {_WITH_SIZES:,})"
    display.print_facts(
        f"{display.short_name(game)}: {game.summary}",
        [
            ("public states", states),
            *([("infostates", f"{infostates} (player 0 + player 1)")] if infostates else []),
            ("infostates per public state", f"{game.num_infostates} at most, per player"),
            ("actions, outcomes", f"{game.num_actions}, {game.num_outcomes} at most"),
            ("depth", f"{game.max_depth} public events at most"),
            ("utilities", f"{-game.max_utility:g} to {game.max_utility:g} {game.unit}"),
        ],
    )
    _print_parameters(game)
    _print_examples(game, count)


def _count(game: Game[Any], limit: int) -> _Count:
    if not can_be_counted(game):
        return _Count(sizes=None, limit=None)
    return _Count(sizes=count_public_tree(game, limit), limit=limit)


def _print_parameters(game: Game[Any]) -> None:
    parameters = _parameters(game)
    if not parameters:
        return
    given = any(parameter["value"] != parameter["default"] for parameter in parameters)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("  parameter", *(["value"] if given else []), "default", "type", "range", ""):
        table.add_column(column)
    for parameter in parameters:
        table.add_row(
            f"  {parameter['name']}",
            *([display.as_typed(parameter["value"])] if given else []),
            display.as_typed(parameter["default"]),
            _KINDS[type(parameter["default"])],
            _range(parameter),
            parameter["help"],
        )
    print()
    display.print_table(table)


def _print_examples(game: Game[Any], count: _Count) -> None:
    name = display.short_name(game)
    can_be_solved = count.sizes is not None
    names = [name] if "(" in name or ":" in name else [name, *_variants(game, can_be_solved)]
    print()
    for number, example in enumerate(names):
        quoted = f'"{example}"' if "(" in example else example
        if can_be_solved:
            print(f"  sog solve {quoted} --until-mbb 1")
        elif number > 0 or count.limit is not None:
            print(f"  sog games {quoted}{'' if number else ' --sizes'}")


def _variants(game: Game[Any], larger: bool) -> list[str]:
    """A variant of the game, if changing a single parameter a little makes one."""
    for parameter in _parameters(game):
        default, steps = parameter["default"], (1, -1) if larger else (-1, 1)
        near = [default + step for step in steps] if type(default) is int else []
        for value in near:
            try:
                variant = dataclasses.replace(game, **{parameter["name"]: value})
            except ValueError:
                continue
            return [display.short_name(variant)]
    return []


def _parameters(game: Game[Any]) -> list[dict[str, Any]]:
    fields = [field for field in dataclasses.fields(game) if field.metadata]
    return [
        {
            "name": field.name,
            "type": type(field.default).__name__,
            "default": field.default,
            "value": getattr(game, field.name),
            **{key: field.metadata[key] for key in ("minimum", "maximum", "choices", "help")},
        }
        for field in fields
    ]


def _range(parameter: dict[str, Any]) -> str:
    low, high, choices = parameter["minimum"], parameter["maximum"], parameter["choices"]
    if choices is not None:
        return ", ".join(choices)
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"{low} or more"
    return "" if high is None else f"{high} or less"


def _as_json(game: Game[Any], count: _Count) -> dict[str, Any]:
    sizes = count.sizes
    return {
        "name": game.name,
        "game": str(game),
        "summary": game.summary,
        "unit": game.unit,
        "milli_unit": game.milli_unit,
        "parameters": _parameters(game),
        "num_public_states": None if sizes is None else sizes.num_public_states,
        "num_infostates": None if sizes is None else sizes.num_infostates,
        "more_public_states_than": count.limit if sizes is None else None,
        "num_infostates_per_public_state": game.num_infostates,
        "num_actions": game.num_actions,
        "num_outcomes": game.num_outcomes,
        "depth": game.max_depth,
        "max_utility": game.max_utility,
    }
