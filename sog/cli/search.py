"""`sog search`: one growing-tree CFR search of a public state, and the tree it grew."""

import argparse
from collections import Counter
from typing import Any, Final

from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, mistakes, reject, write_file
from sog.cli.game_output import check_has_picture, write_picture
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_game, load_history, load_named_run
from sog.cli.players import describe_search, host_of, read_changes
from sog.cli.search_text import as_table, node_as_json
from sog.cli.searching import (
    FinishedSearch,
    check_size,
    choose_leaves,
    choose_settings,
    search_state,
)
from sog.drawing.nodes import left_out
from sog.drawing.outline import Outline
from sog.drawing.search_tree import draw_search
from sog.games import Game
from sog.games.parts import game_part
from sog.memory import available_bytes, in_bytes
from sog.players.runs import names_run
from sog.tabular.locks import read_locks

_LEVELS_PRINTED: Final = 2
_LEVELS_DRAWN: Final = 3
_MOST_PRINTED, _LEAST_PRINTED = 12, 3  # children of one node
_MOST_LINES: Final = 40  # of the printed tree, unless _LEAST_PRINTED children need more
_MOST_DRAWN: Final = 10


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    run = _check(arguments)
    start_jax(few_searches=True)
    with display.working() as work, concluding(work.report_interrupt):
        trained = load_named_run(run) if run is not None else None
        game = trained.game if trained is not None else load_game(arguments.game, work)
        base = SearchSettings() if trained is None else trained.settings
        requested = choose_settings(game, base, read_changes(arguments.search, arguments.set))
        with mistakes("--lock: "):
            locks = read_locks(game, arguments.lock)
        history = load_history(game, arguments.history, anywhere=True)
        check_has_picture(game, arguments.picture)
        if locks and history.start is not None:
            raise CommandError(
                "--lock needs events from the start of the game; --history starts later."
            )
        chosen = choose_leaves(game, trained, arguments.evaluator, host_of(arguments, work))
        settings, room = check_size(game, chosen, requested, len(history.outcomes))
        if not arguments.memory:
            asked = settings, room, locks, arguments.seed, arguments.seconds
            found = search_state(game, history, chosen, *asked, work)
    if arguments.memory:
        _print_room(game, room, arguments.json)
    else:
        with holding_interrupts():
            _write_files(found, arguments)
            _print(found, arguments)
    return SUCCESS


def _check(arguments: argparse.Namespace) -> str | None:
    """Checks options before the work begins; returns the run given in place of a game, if any."""
    read_changes(arguments.search, arguments.set)
    check_target("--svg", arguments.svg, (".svg",))
    check_target("--picture", arguments.picture, (".svg",))
    picture = arguments.picture
    if picture is not None and picture == arguments.svg:
        raise CommandError(f"--picture and --svg must be two files, got {picture} for both.")
    if arguments.memory:
        reject(arguments, ("svg", "picture"), "with --memory, which searches nothing")
    with mistakes():
        is_run = names_run(arguments.game)
    if not is_run:
        return None
    reject(arguments, ["evaluator"], "on a run folder, which has a network")
    return str(arguments.game)


def _write_files(found: FinishedSearch, arguments: argparse.Namespace) -> None:
    if arguments.svg is not None:
        shown = found.outline(arguments.depth or _LEVELS_DRAWN, _MOST_DRAWN)
        drawn = draw_search(shown, title=found.title, unit=found.game.unit)
        write_file(arguments.svg, drawn, "the tree")
    if arguments.picture is not None:
        write_picture(
            arguments.picture,
            found.game,
            found.history.state,
            title=f"{display.short_name(found.game)} by {describe_search(found.settings)}",
            ranges=found.ranges,
            what="the picture",
        )


def _print(found: FinishedSearch, arguments: argparse.Namespace) -> None:
    if arguments.json:
        display.print_json(_as_json(found, arguments.seed))
        return
    chosen, kinds = found.chosen, Counter(node.kind for node in found.nodes)
    states = (
        f"{len(found.nodes):,} ({kinds['interior']:,} expanded, {kinds['leaf']:,} leaves, "
        f"{kinds['terminal']:,} ends)"
    )
    enumerating = (
        f" (enumerating {chosen.enumerate_seconds:.3g} s)" if chosen.num_public_states else ""
    )
    price: list[tuple[str, str]] = []
    if found.price is not None:
        value = display.in_units(found.game, found.price.value)
        price = [("value to player 0", value), *found.price.facts()]
    display.print_facts(
        found.title,
        [
            ("public states", states),
            ("leaves valued by", chosen.name),
            *price,
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
    display.print_table(
        as_table(_printed(found, arguments.depth or _LEVELS_PRINTED)), footer=footer
    )
    if node_tables := game_part(found.game, "node_tables"):
        for title, table in node_tables(found.node):
            print()
            display.print_table(table, title)


def _printed(found: FinishedSearch, depth: int) -> Outline:
    """The top of the tree, about one screen."""
    for most in range(_MOST_PRINTED, _LEAST_PRINTED - 1, -1):
        shown = found.outline(depth, most)
        if shown.size <= _MOST_LINES:
            break
    return shown


def _print_room(game: Game[Any], room: dict[str, int], as_json: bool) -> None:
    total = sum(room.values())
    if as_json:
        display.print_json({"game": str(game), "bytes": total, "parts": room})
        return
    facts = [(name, in_bytes(amount)) for name, amount in room.items() if amount]
    there = available_bytes()
    if there is not None:
        facts.append(("free here", in_bytes(there)))
    display.print_facts(f"{display.short_name(game)}: one search takes {in_bytes(total)}", facts)


def _updates(found: FinishedSearch) -> str:
    made, total = int(found.result.num_updates[0]), found.settings.num_updates
    return f"{made:,} updates" + (f" of {total:,}" if made < total else "")


def _as_json(found: FinishedSearch, seed: int) -> dict[str, Any]:
    tree = found.result.tree
    numbers = {node.row: number for number, node in enumerate(found.nodes)}
    return {
        "game": str(found.game),
        "unit": found.game.unit,
        "search": [found.settings.num_simulations, found.settings.simulations_per_update],
        **display.values_of(found.settings, "growth_share", "grow_from", "rule"),
        **display.values_of(found.settings, "leaf_averaging", "leaf_smoothing", "leaf_interval"),
        "updates": int(found.result.num_updates[0]),
        "seed": seed,
        "evaluator": found.chosen.name,
        "root": {
            "node": numbers[found.node.row],
            "state": found.game.describe_state(found.history.state),
            "history": list(found.history.events),
        },
        **{name: bool(getattr(tree, name)[0]) for name in ("is_full", "is_sampled", "is_pruned")},
        **display.values_of(found, "seconds", "compile_seconds"),
        "enumerate_seconds": found.chosen.enumerate_seconds,
        **(found.price.as_json() if found.price else {}),
        "nodes": [
            node_as_json(number, None if node.parent is None else numbers[node.parent], node)
            for number, node in enumerate(found.nodes)
        ],
    }
