"""`sog search`: one growing-tree CFR search of a public state, and the tree it grew."""

import argparse
from typing import Any, Final

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, mistakes, writing
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_game, load_history, load_named_run
from sog.cli.locks import lock_as_json, players_of
from sog.cli.picture_file import check_has_picture, check_picture_name
from sog.cli.search.compare import check_can_compare, comparison_as_json, print_comparison
from sog.cli.search.searching import Searched, search_state
from sog.cli.search.text import as_table, node_as_json
from sog.cli.search_numbers import read_changes, read_search
from sog.drawing.nodes import left_out
from sog.drawing.outline import Outline
from sog.drawing.search_tree import draw_search
from sog.files import replace_file
from sog.games import Game
from sog.games.parts import game_part
from sog.memory import available_bytes, in_bytes
from sog.players.runs import names_run

_LEVELS_PRINTED: Final = 2
_LEVELS_DRAWN: Final = 3
_MOST_PRINTED, _LEAST_PRINTED = 12, 3  # children of one node
_MOST_LINES: Final = 40  # of the tree that is printed, if that is enough for the least children
_MOST_DRAWN: Final = 10


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    run = _check(arguments)
    start_jax(few_searches=True)
    with display.working() as work, concluding(work.tell_interrupted):
        trained = load_named_run(run) if run is not None else None
        game = trained.game if trained is not None else load_game(arguments.game, work)
        check_has_picture(game, arguments.picture)
        history = load_history(game, arguments.history, anywhere=True)
        if arguments.compare is not None:
            compared = []
            for asked in _compared(arguments):
                one = search_state(game, trained, history, asked, work)
                assert isinstance(one, Searched)  # --memory is refused
                check_can_compare(one)
                compared.append(one)
        else:
            found = search_state(game, trained, history, arguments, work)
    if arguments.compare is not None:
        if arguments.json:
            searches = [_as_json(found) for found in compared]
            display.print_json(comparison_as_json(searches, compared))
        else:
            print_comparison(compared)
        return SUCCESS
    if isinstance(found, dict):
        _print_room(game, found, arguments)
        return SUCCESS
    with holding_interrupts():
        if arguments.svg is not None:
            _draw(found)
        if arguments.picture is not None:
            found.write_picture(arguments.picture)
        _print(found)
    return SUCCESS


def _check(arguments: argparse.Namespace) -> str | None:
    """Finds mistakes before the work begins; returns the run in the place of the game, if any."""
    read_changes(arguments)
    if arguments.svg is not None:
        check_target("--svg", arguments.svg, (".svg",))
    check_picture_name(arguments.picture)
    picture = arguments.picture
    if picture is not None and picture == arguments.svg:
        raise CommandError(f"--picture and --svg must be two files, got {picture} for both.")
    if arguments.memory:
        for name in ("svg", "picture"):
            if getattr(arguments, name) is not None:
                raise CommandError(f"--{name} has no effect with --memory, which searches nothing.")
    if arguments.compare is not None:
        _check_compared(arguments)
    with mistakes():
        is_run = names_run(arguments.game)
    if not is_run:
        return None
    if arguments.evaluator is not None:
        raise CommandError("--evaluator has no effect on a run folder, which has a network.")
    return str(arguments.game)


def _check_compared(arguments: argparse.Namespace) -> None:
    for name in ("simulations", "per_update", "svg", "picture", "memory"):
        if getattr(arguments, name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise CommandError(f"--compare names searches of its own; leave {option} out.")
    for text in arguments.compare:
        read_search(text, option="--compare")


def _compared(arguments: argparse.Namespace) -> list[argparse.Namespace]:
    """The options of each search of --compare."""
    searches = [read_search(text, option="--compare") for text in arguments.compare]
    return [
        argparse.Namespace(
            **{
                **vars(arguments),
                "simulations": search.num_simulations,
                "per_update": search.simulations_per_update,
            }
        )
        for search in searches
    ]


def _draw(found: Searched) -> None:
    path = found.arguments.svg
    picture = draw_search(
        found.outline(_LEVELS_DRAWN, _MOST_DRAWN), title=found.title, unit=found.game.unit
    )
    with writing(path, "the tree"):
        replace_file(path, picture)


def _print(found: Searched) -> None:
    if found.arguments.json:
        display.print_json(_as_json(found))
        return
    tree, chosen = found.result.tree, found.chosen
    kinds = [int(count[0]) for count in (tree.num_interior, tree.num_leaves, tree.num_terminals)]
    states = f"{len(found.nodes):,} ({kinds[0]:,} expanded, {kinds[1]:,} leaves, {kinds[2]:,} ends)"
    enumerating = (
        f" (enumerating {chosen.enumerate_seconds:.3g} s)" if chosen.num_public_states else ""
    )
    display.print_facts(
        found.title,
        [
            ("public states", states),
            ("leaves valued by", chosen.name),
            *_price(found),
            ("searching", f"{found.seconds:.3g} s, {_updates(found)}"),
            ("compiling", f"{found.compile_seconds:.3g} s{enumerating}"),
            *[("note", text) for text in left_out(found.result)],
        ],
    )
    print(f"\n{found.board}\n" if found.board else "")
    footer = (
        f"Percentages: how often average play gets there from the state searched.\n"
        f"Values: to player 0 in {found.game.unit}, those of an infostate to its player."
    )
    shown = _printed(found)
    display.print_table(as_table(shown), footer=footer)
    if node_tables := game_part(found.game, "node_tables"):
        for title, table in node_tables(shown.node):
            print()
            display.print_table(table, title)


def _price(found: Searched) -> list[tuple[str, str]]:
    if found.price is None:
        return []
    value = display.in_units(found.game, found.price.value)
    facts = found.price.facts(found.game, players_of(found.locks))
    return [("value to player 0", value), *facts]


def _printed(found: Searched) -> Outline:
    """The top of the tree, about a screenful."""
    most = _MOST_PRINTED
    while (shown := found.outline(_LEVELS_PRINTED, most)).size > _MOST_LINES:
        if most == _LEAST_PRINTED:
            break
        most -= 1
    return shown


def _print_room(game: Game[Any], room: dict[str, int], arguments: argparse.Namespace) -> None:
    total = sum(room.values())
    if arguments.json:
        display.print_json({"game": str(game), "bytes": total, "parts": room})
        return
    facts = [(name, in_bytes(amount)) for name, amount in room.items() if amount]
    there = available_bytes()
    if there is not None:
        facts.append(("free here", in_bytes(there)))
    display.print_facts(f"{display.short_name(game)}: one search takes {in_bytes(total)}", facts)


def _updates(found: Searched) -> str:
    made, total = int(found.result.num_updates[0]), found.settings.num_updates
    return f"{made:,} updates" + (f" of {total:,}" if made < total else "")


def _locks_as_json(found: Searched) -> dict[str, Any]:
    if found.price is None:
        return {}
    locks = [lock_as_json(found.game, lock) for lock in found.locks]
    return {
        "locks": locks,
        "value": found.price.value,
        **found.price.as_json(players_of(found.locks)),
    }


def _as_json(found: Searched) -> dict[str, Any]:
    tree = found.result.tree
    numbers = {node.row: number for number, node in enumerate(found.nodes)}
    return {
        "game": str(found.game),
        "unit": found.game.unit,
        "search": [found.settings.num_simulations, found.settings.simulations_per_update],
        "rule": found.settings.rule,
        "leaf_averaging": found.settings.leaf_averaging,
        "leaf_interval": found.settings.leaf_interval,
        "updates": int(found.result.num_updates[0]),
        "seed": found.arguments.seed,
        "evaluator": found.chosen.name,
        "root": {
            "node": numbers[int(found.result.slot[0])],
            "state": found.game.describe_state(found.history.state),
            "history": list(found.history.events),
        },
        "is_full": bool(tree.is_full[0]),
        "is_sampled": bool(tree.is_sampled[0]),
        "is_pruned": bool(tree.is_pruned[0]),
        "seconds": found.seconds,
        "compile_seconds": found.compile_seconds,
        "enumerate_seconds": found.chosen.enumerate_seconds,
        **_locks_as_json(found),
        "nodes": [
            node_as_json(number, None if node.parent is None else numbers[node.parent], node)
            for number, node in enumerate(found.nodes)
        ],
    }
