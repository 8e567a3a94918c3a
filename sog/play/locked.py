"""Locks (`sog.tabular.locks`) for a search, perhaps of the enumerated game."""

from collections.abc import Sequence
from typing import Any

from gtcfr.locks import HeldPolicies, held_policies
from sog.games.core import Game
from sog.play.rules import after, first_state
from sog.tabular.locks import Lock


def hold_locks(game: Game[Any], locks: Sequence[Lock], *, start: Any = None) -> HeldPolicies:
    """Locked policies for search roots: `dataclasses.replace(root, held=hold_locks(game, locks))`.

    game: the one to search. start: where the events of the locks begin, if not at its root.
    """
    held = []
    for lock in locks:
        state = first_state(game) if start is None else start
        for outcome in lock.outcomes:
            state = after(game, state, outcome)
        held.append((state, lock.is_held, lock.policy))
    return held_policies(game, held)
