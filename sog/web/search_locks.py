"""Locks on the pages of searches: read from forms, and what they cost."""

import functools
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from sog.drawing.nodes import NodeView
from sog.games.core import CHANCE, Game
from sog.tabular.locks import Lock, format_lock, read_locks
from sog.web.interfaces import RequestError, request_errors
from sog.web.numbers import weight, whole_number
from sog.web.snapshots import Snapshot
from sog.web.watched_search import WatchedSearch

_MOST_CELLS: Final = 600  # in the form
_MOST_LOCKS: Final = 32


def can_lock(node: NodeView) -> bool:
    """Whether a node has a lock form: a player has a choice, and the form is not too large."""
    return node.actor < CHANCE and 1 < int(node.legal.sum()) <= _MOST_CELLS


def lock_of(node: NodeView, outcomes: tuple[int, ...], form: Mapping[str, str]) -> Lock:
    """Reads fields `lock-INFOSTATE-ACTION`, unnormalized; infostates without weights stay free.

    outcomes: the public events that lead to the node.
    """
    if node.actor >= CHANCE:
        raise RequestError("No player acts there, so there is nothing to lock.")
    weights = np.zeros(node.legal.shape)
    for name, text in form.items():
        kind, _, rest = name.partition("-")
        if kind != "lock" or not text.strip():
            continue
        infostate, _, action = rest.partition("-")
        place = _number(infostate, len(weights)), _number(action, node.game.num_actions)
        if not node.legal[place]:
            raise RequestError(
                f"There is no action {action[:20]!r} of infostate {infostate[:20]!r}."
            )
        weights[place] = weight(text.strip())
    total = weights.sum(axis=-1)
    if not total.any():
        raise RequestError("A lock needs a weight that is not 0.")
    return Lock(
        outcomes=outcomes,
        state=node.state,
        player=node.actor,
        is_held=np.asarray(total > 0),
        policy=weights / np.where(total > 0, total, 1)[:, None],
    )


def locks_in(search: WatchedSearch, text: str) -> tuple[Lock, ...]:
    """Reads one lock per line, in the syntax of `sog search --lock`."""
    lines = [line for line in text.splitlines() if line.strip()]
    if search.start is not None and lines:
        raise RequestError("Locks need a search from the start of the game; this one began later.")
    if len(lines) > _MOST_LOCKS:
        raise RequestError(f"There may be at most {_MOST_LOCKS} locks, got {len(lines)}.")
    with request_errors("Locks: "):
        return read_locks(search.searcher.shown, lines)


def lock_at(search: WatchedSearch, outcomes: tuple[int, ...]) -> Lock | None:
    """The lock at a public state, if any."""
    return next((lock for lock in search.locks if lock.outcomes == outcomes), None)


def locks_context(search: WatchedSearch, snapshot: Snapshot) -> dict[str, Any]:
    """Template data about all locks: their texts, and what they cost."""
    game, value = search.searcher.shown, snapshot.nodes[snapshot.row].mean_value
    costs = []
    if search.locks and search.free_value is not None:
        for player in sorted({lock.player for lock in search.locks}):
            lost = (search.free_value - value) * (1 if player == 0 else -1)
            size = f"{1000 * abs(lost):.3g} {game.milli_unit}"
            costs.append(f"player {player} gets {size} {'less' if lost >= 0 else 'more'}")
    is_from_root = search.start is None
    return {
        "text": "\n".join(_text(game, lock) for lock in search.locks) if is_from_root else "",
        "places": [game.describe_state(lock.state) for lock in search.locks],
        "costs": [] if math.isnan(value) else costs,
        "is_from_root": is_from_root,
    }


@functools.lru_cache(maxsize=256)  # pages are reloaded often
def _text(game: Game[Any], lock: Lock) -> str:
    return format_lock(game, lock)


def _number(text: str, end: int) -> int:
    value = whole_number(text, end - 1)
    if value is None:
        raise RequestError(f"There is no infostate or action {text[:20]!r}.")
    return value
