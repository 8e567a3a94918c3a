"""`--lock`: fixes a player's policy at public states, and computes what that costs the player."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.cli import display
from sog.games import Game
from sog.tabular import CompiledGame, Solution, evaluate_policy
from sog.tabular.locks import Lock


@dataclasses.dataclass(frozen=True, kw_only=True)
class Price:
    """The effect of locks on values, in the game's unit."""

    game: Game[Any]
    locks: Sequence[Lock]
    value: float
    """To player 0, with the locks."""
    free_value: float
    """To player 0, without locks."""
    exploited: dict[int, float] = dataclasses.field(default_factory=dict)
    """By locked player: its loss to a best response if it keeps the free solution elsewhere. Empty
    if not known."""

    @property
    def costs(self) -> dict[int, float]:
        """By locked player: its loss if both players adapt to the locks."""
        lost = self.free_value - self.value
        return {player: -lost if player else lost for player in players_of(self.locks)}

    def facts(self) -> list[tuple[str, str]]:
        """Names and values to print."""
        facts = [("value without the lock", display.in_units(self.game, self.free_value))]
        for player, cost in self.costs.items():
            price = display.in_milli_units(self.game, cost)
            facts.append((f"the lock costs player {player}", price))
            if player in self.exploited:
                lost = display.in_milli_units(self.game, self.exploited[player])
                facts.append(("if it adapts nowhere else", lost))
        return facts

    def as_json(self) -> dict[str, Any]:
        """The locks and the same numbers, for JSON."""
        return {
            "locks": [
                {
                    "state": self.game.describe_state(lock.state),
                    "player": lock.player,
                    "infostates": np.flatnonzero(lock.is_held).tolist(),
                }
                for lock in self.locks
            ],
            "value": self.value,
            "free_value": self.free_value,
            "cost": self.costs,
            "exploited": self.exploited,
        }


def players_of(locks: Sequence[Lock]) -> list[int]:
    """The players with a lock."""
    return sorted({lock.player for lock in locks})


def price_of(
    locked: CompiledGame, locks: Sequence[Lock], free: Solution, solution: Solution
) -> Price:
    """Compares the solutions of a game without and with its locks."""
    stubborn = evaluate_policy(locked, locked.with_held(free.policy))
    exploited = {}
    for player in players_of(locks):
        other = 1 - player
        before = free.last.value if other == 0 else -free.last.value
        exploited[player] = float(stubborn.best_response_value[other, 0]) - before
    return Price(
        game=locked.tree.game,
        locks=locks,
        value=solution.last.value,
        free_value=free.last.value,
        exploited=exploited,
    )
