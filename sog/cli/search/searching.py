"""One search of `sog search`: its settings from the options, and what was found."""

import argparse
import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gtcfr.extent import WHOLE_GAME
from gtcfr.locks import nothing_held
from gtcfr.root import SearchRoot
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.compilation_cache import keep_time, last_time
from sog.cli.errors import CommandError, mistakes
from sog.cli.loading import explaining_size
from sog.cli.locks import Price, load_locks
from sog.cli.picture_file import write_picture
from sog.cli.players import host_of
from sog.cli.search_numbers import describe_search, naming_options, read_changes
from sog.drawing.nodes import NodeView, read_nodes
from sog.drawing.outline import Outline, outline
from sog.games import Game
from sog.play.history import History
from sog.play.locked import hold_locks
from sog.play.thinking import first_root, think
from sog.players.evaluators import ChosenEvaluator, choose_evaluator
from sog.players.searching import changed, check_room
from sog.tabular.locks import Lock

if TYPE_CHECKING:
    from sog.players.trained import Trained


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Searched:
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
    locks: tuple[Lock, ...] = ()
    price: Price | None = None
    """What they cost at the public state that was searched, if there are any."""

    def outline(self, depth: int, most_children: int) -> Outline:
        """The tree below the public state that was searched."""
        levels = depth if self.arguments.depth is None else self.arguments.depth
        row = int(self.result.slot[0])
        return outline(self.nodes, row, depth=levels, most_children=most_children)

    @property
    def ranges(self) -> np.ndarray:
        """[2, S]: both players' ranges at the public state that was searched."""
        ranges: np.ndarray = np.asarray(self.result.ranges)[0]
        return ranges

    def write_picture(self, path: Path) -> None:
        """Draws that public state."""
        title = f"{display.short_name(self.game)} by {describe_search(self.settings)}"
        state, ranges = self.history.state, self.ranges
        write_picture(path, self.game, state, title=title, ranges=ranges, what="the picture")

    @property
    def board(self) -> str:
        """That public state where the game draws more than its description; else empty."""
        state = self.history.state
        drawn = self.game.draw(state, self.ranges)
        return "" if drawn == self.game.describe_state(state) else drawn

    @property
    def title(self) -> str:
        """What was searched, and how."""
        return self.titled(describe_search(self.settings))

    def titled(self, by: str) -> str:
        """What was searched, and by what."""
        after = f" after {' '.join(self.history.events)}" if self.history.events else ""
        return f"{display.short_name(self.game)}{after} by {by}"


def search_state(
    game: Game[Any],
    trained: "Trained | None",
    history: History,
    arguments: argparse.Namespace,
    work: display.Work,
) -> Searched | dict[str, int]:
    """Searches a public state as the options say; with --memory, only counts its bytes.

    trained: the run that stands for the game, if one does.
    """
    base = SearchSettings() if trained is None else trained.settings
    settings = _settings(game, arguments, base)  # mistakes first
    locks = load_locks(game, arguments)
    if locks and history.start is not None:
        raise CommandError(
            "--lock is of events from the start of the game; --history begins later."
        )
    if trained is None:
        asked = f"--evaluator {arguments.evaluator}: "
        with mistakes(asked), explaining_size(asked):
            chosen = choose_evaluator(game, arguments.evaluator, host_of(arguments, work))
    else:
        chosen = ChosenEvaluator(
            name=trained.title,
            evaluator=trained.evaluator,
            game=game,
            enumerate_seconds=0.0,
        )
    settings = _with_room(game, settings, len(history.outcomes), chosen.num_public_states)
    path_length, hint = len(history.outcomes), "--simulations S, --lookahead D or --max-outcomes N"
    with mistakes():
        room = check_room(chosen.game, chosen.evaluator, settings, path_length, hint=hint)
    if arguments.memory:
        return room
    clock = "" if arguments.seconds is None else f" (not counted in its {arguments.seconds:g} s)"
    work.begin(f"compiling the search{clock}{last_time(game, 'search')}")
    total, moments = settings.num_updates, [time.perf_counter()]

    def show(done: int) -> None:
        moments.append(time.perf_counter())
        if done == 0:
            work.begin("searching", total=total)
        else:
            left = work.time_left(done, total)
            work.update(f"update {done:,} of {total:,}{left}", done)

    def search(root: SearchRoot) -> SearchResult:
        found = think(
            chosen.game,
            evaluator=chosen.evaluator,
            root=root,
            key=jax.random.key(arguments.seed),
            settings=settings,
            seconds=arguments.seconds,
            progress=show,
        )
        check_result(chosen.game, found)
        return found

    root = first_root(chosen.game, history.path, history.start)
    if locks:
        root = dataclasses.replace(root, held=hold_locks(chosen.game, locks))
    result = search(root)
    began, compiled_at, *_, searched_at = moments
    keep_time(game, "search", compiled_at - began)
    price = None
    if root.held is not None:
        work.begin("searching without the lock")
        free = search(dataclasses.replace(root, held=nothing_held(root.held)))
        free_value = _value(read_nodes(chosen.game, free), free)
    work.begin("reading the tree")
    nodes = read_nodes(chosen.game, result)
    if root.held is not None:
        price = Price(value=_value(nodes, result), free_value=free_value, exploited={})
    for lock in locks:
        if not _is_expanded(nodes, lock):
            where = game.describe_state(lock.state)
            display.note(f"the tree does not hold '{where}', so the lock there has no effect yet.")
    return Searched(
        arguments=arguments,
        game=game,
        history=history,
        settings=settings,
        chosen=chosen,
        result=result,
        nodes=nodes,
        compile_seconds=compiled_at - began,
        seconds=searched_at - compiled_at,
        locks=locks,
        price=price,
    )


def _value(nodes: list[NodeView], result: SearchResult) -> float:
    """To player 0, at the public state that was searched."""
    return next(node.mean_value for node in nodes if node.row == int(result.slot[0]))


def _is_expanded(nodes: list[NodeView], lock: Lock) -> bool:
    """Whether a lock's public state is in the tree, with a policy."""
    at = nodes[0]
    for outcome in lock.outcomes:
        below = [one for one in nodes if one.parent == at.row and one.outcome == outcome]
        if not below:
            return False
        at = below[0]
    return at.kind == "interior"


def _settings(
    game: Game[Any], arguments: argparse.Namespace, base: SearchSettings
) -> SearchSettings:
    """What was asked for; the rest as in `base`."""
    # Queries are for training.
    changes = {"capacity": None, "num_queries": 0, **read_changes(arguments)}
    if arguments.children is not None:
        everything = None if game.hides_information else game.num_actions
        changes["num_children"] = everything if arguments.children == "all" else arguments.children
    with naming_options(arguments):
        settings = changed(base, changes)
        settings.layout(game)
    if settings.lookahead >= game.max_depth:
        settings = dataclasses.replace(settings, lookahead=WHOLE_GAME)
    return settings


def _with_room(
    game: Game[Any], settings: SearchSettings, path_length: int, whole_game: int | None
) -> SearchSettings:
    """No tree gets larger than the game, of whose size we know if it was enumerated."""
    with mistakes():
        shape = settings.shape(game, path_length)
    if settings.lookahead == 1 or whole_game is None:
        return settings
    least = 1 + (path_length + 1) * 2
    return dataclasses.replace(settings, capacity=max(min(shape.num_leaves, whole_game), least))
