"""One search of `sog search`: its settings from the options, and its result."""

import dataclasses
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import jax
import numpy as np

from gtcfr.locks import nothing_held
from gtcfr.root import SearchRoot
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.shape import tree_layout, tree_shape
from sog.cli import display
from sog.cli.compilation_cache import keep_time, last_time
from sog.cli.errors import mistakes
from sog.cli.loading import explaining_size
from sog.cli.locks import Price
from sog.cli.players import describe_search
from sog.drawing.nodes import NodeView, read_nodes
from sog.drawing.outline import Outline, outline
from sog.games import Game
from sog.play.history import History
from sog.play.locked import hold_locks
from sog.play.thinking import first_root, think
from sog.players.leaf_search import ChosenEvaluator, choose_evaluator
from sog.players.player import Host
from sog.players.searching import changed, check_room
from sog.tabular.locks import Lock

if TYPE_CHECKING:
    from sog.players.trained import Trained


_LITTLE_WORK: Final = 2 * 10**8
"""Bytes times updates: at most a few tenths of a second, of which compiling without optimizations
costs half, and saves seconds."""
_LESS: Final = "--search S,C, or a smaller lookahead or max_outcomes (--set NAME=N)"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class FinishedSearch:
    """A finished search, to print and draw."""

    game: Game[Any]
    history: History
    settings: SearchSettings
    chosen: ChosenEvaluator
    result: SearchResult
    nodes: list[NodeView]
    compile_seconds: float
    seconds: float
    price: Price | None
    """Of the locks, at the public state that was searched; None without locks."""

    @property
    def node(self) -> NodeView:
        """The public state that was searched."""
        return _searched(self.nodes, self.result)

    def outline(self, depth: int, most_children: int) -> Outline:
        """The tree below it."""
        return outline(self.nodes, self.node.row, depth=depth, most_children=most_children)

    @property
    def ranges(self) -> np.ndarray:
        """[2, S]: both players' ranges there."""
        ranges: np.ndarray = np.asarray(self.result.ranges)[0]
        return ranges

    @property
    def board(self) -> str:
        """The game's drawing of the state; "" if that is only its description."""
        state = self.history.state
        drawn = self.game.draw(state, self.ranges)
        return "" if drawn == self.game.describe_state(state) else drawn

    @property
    def title(self) -> str:
        """The public state that was searched, and the search."""
        after = f" after {' '.join(self.history.events)}" if self.history.events else ""
        return f"{display.short_name(self.game)}{after} by {describe_search(self.settings)}"


def choose_settings(
    game: Game[Any], base: SearchSettings, changes: Mapping[str, Any]
) -> SearchSettings:
    """`base` with the changes, for one search of this game."""
    with mistakes():
        # Only training needs queries.
        settings = changed(base, {"capacity": None, "num_queries": 0, **changes})
        tree_layout(game, settings)
    if settings.lookahead >= game.max_depth:
        settings = dataclasses.replace(settings, lookahead=WHOLE_GAME)
    return settings


def choose_leaves(
    game: Game[Any], trained: "Trained | None", evaluator: str | None, host: Host
) -> ChosenEvaluator:
    """The leaf evaluator. trained: the run given in place of the game, if any."""
    if trained is not None:
        return ChosenEvaluator(
            name=trained.title, evaluator=trained.evaluator, game=game, enumerate_seconds=0.0
        )
    where = f"--evaluator {evaluator}: "
    with mistakes(where), explaining_size(where):
        return choose_evaluator(game, evaluator, host)


def check_size(
    game: Game[Any], chosen: ChosenEvaluator, settings: SearchSettings, path_length: int
) -> tuple[SearchSettings, dict[str, int]]:
    """Settings with a capacity of at most the enumerated game, and the bytes of a search.
    Raises CommandError if they do not fit into memory."""
    whole_game = chosen.num_public_states
    with mistakes():
        shape = tree_shape(game, settings, path_length)
        if settings.lookahead != 1 and whole_game is not None:
            least = 1 + (path_length + 1) * 2
            capacity = max(min(shape.num_leaves, whole_game), least)
            settings = dataclasses.replace(settings, capacity=capacity)
        room = check_room(chosen.game, chosen.evaluator, settings, path_length, hint=_LESS)
    return settings, room


def search_state(
    game: Game[Any],
    history: History,
    chosen: ChosenEvaluator,
    settings: SearchSettings,
    room: Mapping[str, int],
    locks: Sequence[Lock],
    seed: int,
    seconds: float | None,
    work: display.Work,
) -> FinishedSearch:
    """Searches a public state, with locks also without them. room: see `check_size`."""
    clock = "" if seconds is None else f" (not counted in its {seconds:g} s)"
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
            key=jax.random.key(seed),
            settings=settings,
            is_draft=seconds is None and sum(room.values()) * settings.num_updates <= _LITTLE_WORK,
            seconds=seconds,
            progress=show,
        )
        check_result(chosen.game, found)
        return found

    root = first_root(chosen.game, history.path, history.start)
    if locks:
        root = dataclasses.replace(root, held=hold_locks(chosen.game, locks))
    result = jax.device_get(search(root))
    began, compiled_at, *_, searched_at = moments
    keep_time(game, "search", compiled_at - began)
    if root.held is not None:
        work.begin("searching without the lock")
        free = search(dataclasses.replace(root, held=nothing_held(root.held)))
        free_value = _searched(read_nodes(chosen.game, free), free).mean_value
    work.begin("reading the tree")
    nodes, price = read_nodes(chosen.game, result), None
    if root.held is not None:
        value = _searched(nodes, result).mean_value
        price = Price(game=game, locks=locks, value=value, free_value=free_value)
    for lock in locks:
        if not _is_expanded(nodes, lock):
            where = game.describe_state(lock.state)
            display.note(f"the tree does not hold '{where}', so the lock there has no effect yet.")
    return FinishedSearch(
        game=game,
        history=history,
        settings=settings,
        chosen=chosen,
        result=result,
        nodes=nodes,
        compile_seconds=compiled_at - began,
        seconds=searched_at - compiled_at,
        price=price,
    )


def _searched(nodes: Sequence[NodeView], result: SearchResult) -> NodeView:
    row = int(result.slot[0])
    return next(node for node in nodes if node.row == row)


def _is_expanded(nodes: Sequence[NodeView], lock: Lock) -> bool:
    """Whether a lock's public state is in the tree, with a policy."""
    at = nodes[0]
    for outcome in lock.outcomes:
        below = [one for one in nodes if one.parent == at.row and one.outcome == outcome]
        if not below:
            return False
        at = below[0]
    return at.kind == "interior"
