"""`sog search`: one growing-tree CFR search of a public state, and the tree it grew."""

import argparse
import dataclasses
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jax
import numpy as np

from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.timed import timed_search
from gtcfr.view import NodeView, read_nodes
from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, reason
from sog.cli.evaluators import ChosenEvaluator, choose_evaluator
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_game, load_history
from sog.cli.picture_file import check_has_picture, check_picture_name, write_picture
from sog.cli.room import check_room
from sog.cli.runs import load_run, names_run
from sog.cli.search.text import as_table, node_as_json
from sog.cli.search_numbers import describe_search, read_method
from sog.drawing.outline import Outline, outline
from sog.drawing.search_tree import draw_search
from sog.games import Game
from sog.memory import available_bytes, in_bytes
from sog.play.history import History

if TYPE_CHECKING:
    from selfplay.trained import Trained

_LEVELS_PRINTED: Final = 2
_LEVELS_DRAWN: Final = 3
_MOST_PRINTED: Final = 12  # children of one node
_MOST_DRAWN: Final = 10


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Found:
    """What is printed and drawn."""

    arguments: argparse.Namespace
    game: Game[Any]
    history: History
    settings: SearchSettings
    chosen: ChosenEvaluator
    result: SearchResult
    nodes: list[NodeView]
    compile_seconds: float
    seconds: float

    def outline(self, depth: int, most_children: int) -> Outline:
        """The tree below the public state that was searched."""
        levels = depth if self.arguments.depth is None else self.arguments.depth
        row = int(self.result.slot[0])
        return outline(self.nodes, row, depth=levels, most_children=most_children)

    @property
    def ranges(self) -> np.ndarray:
        """[2, S]: both players' ranges at the public state that was searched."""
        return np.asarray(self.result.ranges[0])

    def write_picture(self, path: Path) -> None:
        """Draws that public state."""
        title = f"{display.short_name(self.game)} by {describe_search(self.settings)}"
        write_picture(path, self.game, self.history.state, title=title, ranges=self.ranges)

    @property
    def board(self) -> str:
        """That public state where the game draws more than its description; else empty."""
        state = self.history.state
        drawn = self.game.draw(state, self.ranges)
        return "" if drawn == self.game.describe_state(state) else drawn

    @property
    def title(self) -> str:
        """What was searched, and how."""
        after = f" after {' '.join(self.history.events)}" if self.history.events else ""
        return f"{display.short_name(self.game)}{after} by {describe_search(self.settings)}"


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    run = _check(arguments)
    start_jax()
    with display.working() as work, concluding(work.tell_interrupted):
        trained = load_run(run) if run is not None else None
        game = trained.game if trained is not None else load_game(arguments.game, work)
        check_has_picture(game, arguments)
        history = load_history(game, arguments.history)
        found = _search(game, trained, history, arguments, work)
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
    read_method(arguments)
    if arguments.svg is not None:
        check_target("--svg", arguments.svg, (".svg",))
    check_picture_name(arguments)
    picture = arguments.picture
    if picture is not None and picture == arguments.svg:
        raise CommandError(f"--picture and --svg must be two files, got {picture} for both.")
    if not names_run(arguments.game):
        return None
    if arguments.evaluator is not None:
        raise CommandError("--evaluator has no effect on a run folder, which has a network.")
    return str(arguments.game)


def _search(
    game: Game[Any],
    trained: "Trained | None",
    history: History,
    arguments: argparse.Namespace,
    work: display.Work,
) -> _Found | dict[str, int]:
    base = SearchSettings() if trained is None else trained.settings
    settings = _settings(game, arguments, base)  # mistakes first
    if trained is None:
        chosen = choose_evaluator(game, arguments, work, asked=f"--evaluator {arguments.evaluator}")
    else:
        chosen = ChosenEvaluator(
            name=f"{trained.name} at step {trained.step:,}",
            evaluator=trained.evaluator,
            game=game,
            enumerate_seconds=0.0,
        )
    settings = _with_room(game, settings, len(history.outcomes), chosen.num_public_states)
    path_length, hint = len(history.outcomes), "--simulations S, --lookahead D or --max-outcomes N"
    room = check_room(chosen.game, chosen.evaluator, settings, path_length, hint=hint)
    if arguments.memory:
        return room
    work.begin("compiling the search")
    total, moments = settings.num_updates, [time.perf_counter()]

    def show(done: int) -> None:
        moments.append(time.perf_counter())
        if done == 0:
            work.begin("searching", total=total)
        else:
            left = work.time_left(done, total)
            work.update(f"update {done:,} of {total:,}{left}", done)

    result = timed_search(
        chosen.game,
        evaluator=chosen.evaluator,
        root=start_of_game(chosen.game, path=history.path),
        key=jax.random.key(arguments.seed),
        settings=settings,
        seconds=arguments.seconds,
        progress=show,
    )
    began, compiled_at, *_, searched_at = moments
    check_result(chosen.game, result)
    work.begin("reading the tree")
    return _Found(
        arguments=arguments,
        game=game,
        history=history,
        settings=settings,
        chosen=chosen,
        result=result,
        nodes=read_nodes(chosen.game, result),
        compile_seconds=compiled_at - began,
        seconds=searched_at - compiled_at,
    )


def _settings(
    game: Game[Any], arguments: argparse.Namespace, base: SearchSettings
) -> SearchSettings:
    """What was asked for; the rest as in `base`."""
    children = base.num_children if arguments.children is None else arguments.children
    is_hidden = game.num_infostates > 1
    if arguments.children is None and not is_hidden and game.num_outcomes >= game.num_actions:
        children = 1
    elif children == "all":
        children = None
    if children is not None and is_hidden:
        raise CommandError(
            f"--children must be all in {game.name}: where things are hidden, an infostate could "
            f"be left without an action."
        )
    if arguments.max_actions is not None and (is_hidden or game.has_chance):
        raise CommandError(
            f"--max-actions is for games of perfect information, which {game.name} is not."
        )
    least = game.num_decision_outcomes
    if arguments.max_outcomes is not None and arguments.max_outcomes < least:
        raise CommandError(
            f"--max-outcomes must be at least {least} in {game.name}, for all outcomes of a "
            f"decision, got {arguments.max_outcomes}."
        )
    given = {
        "num_simulations": arguments.simulations,
        "simulations_per_update": arguments.per_update,
        "c_puct": arguments.c_puct,
        "lookahead": arguments.lookahead,
        "max_actions": arguments.max_actions,
        "max_outcomes": arguments.max_outcomes,
        "first_outcomes": arguments.first_outcomes,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    simulations = changes.get("num_simulations", base.num_simulations)
    per_phase = math.ceil(changes.get("simulations_per_update", base.simulations_per_update))
    if simulations % per_phase:
        raise CommandError(
            f"--simulations must be a multiple of {per_phase:.10g}, the simulations --per-update "
            f"makes in one phase, got {simulations}."
        )
    if changes.get("lookahead", base.lookahead) >= game.max_depth:
        changes["lookahead"] = WHOLE_GAME
    try:
        return dataclasses.replace(
            read_method(arguments, base),
            **changes,
            num_children=children,
            capacity=None,  # see `_with_room`
            num_queries=0,  # those are for training
        )
    except ValueError as error:
        raise CommandError(str(error)) from None


def _with_room(
    game: Game[Any], settings: SearchSettings, path_length: int, whole_game: int | None
) -> SearchSettings:
    """Makes room for all that `lookahead` and the simulations can add; checks the sizes."""
    bounds = (settings.max_outcomes, settings.max_actions, game.num_outcomes)
    width = min(bound for bound in bounds if bound is not None)
    room = 1 + (path_length + 1 + settings.num_simulations) * width
    if settings.lookahead > 1:
        levels = min(settings.lookahead, game.max_depth)
        room += sum(width**level for level in range(2, levels + 1))
        room = max(min(room, whole_game or room), 1 + (path_length + 1) * 2)
        settings = dataclasses.replace(settings, capacity=room)
    try:
        settings.shape(game, path_length)
    except ValueError as error:
        raise CommandError(f"{error}") from None
    return settings


def _draw(found: _Found) -> None:
    path = found.arguments.svg
    picture = draw_search(
        found.outline(_LEVELS_DRAWN, _MOST_DRAWN), title=found.title, unit=found.game.unit
    )
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {path}: {reason(error)}.") from None


def _print(found: _Found) -> None:
    if found.arguments.json:
        display.print_json(_as_json(found))
        return
    tree, chosen = found.result.tree, found.chosen
    kinds = [int(count[0]) for count in (tree.num_interior, tree.num_leaves, tree.num_terminals)]
    states = f"{len(found.nodes):,} ({kinds[0]:,} expanded, {kinds[1]:,} leaves, {kinds[2]:,} ends)"
    enumerating = (
        f" (enumerating {chosen.enumerate_seconds:.3g} s)" if chosen.num_public_states else ""
    )
    notes = []
    if tree.is_full[0]:
        notes.append(("note", "the tree ran out of room, so something was not added"))
    if tree.is_pruned[0]:
        notes.append(("note", "of some states only the best actions were considered"))
    if tree.is_sampled[0]:
        notes.append(("note", "of some chance events only a sample is in the tree"))
    display.print_facts(
        found.title,
        [
            ("public states", states),
            ("leaves valued by", chosen.name),
            ("searching", f"{found.seconds:.3g} s, {_updates(found)}"),
            ("compiling", f"{found.compile_seconds:.3g} s{enumerating}"),
            *notes,
        ],
    )
    print(f"\n{found.board}\n" if found.board else "")
    footer = (
        f"Percentages: how often average play gets there from the state searched. Values: to "
        f"player 0\nin {found.game.unit}, those of an infostate to its player."
    )
    display.print_table(as_table(found.outline(_LEVELS_PRINTED, _MOST_PRINTED)), footer=footer)


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


def _updates(found: _Found) -> str:
    made, total = int(found.result.num_updates[0]), found.settings.num_updates
    return f"{made:,} updates" + (f" of {total:,}" if made < total else "")


def _as_json(found: _Found) -> dict[str, Any]:
    tree = found.result.tree
    numbers = {node.row: number for number, node in enumerate(found.nodes)}
    return {
        "game": str(found.game),
        "unit": found.game.unit,
        "search": [found.settings.num_simulations, found.settings.simulations_per_update],
        "rule": found.settings.rule,
        "leaf_averaging": found.settings.leaf_averaging,
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
        "nodes": [
            node_as_json(number, None if node.parent is None else numbers[node.parent], node)
            for number, node in enumerate(found.nodes)
        ],
    }
