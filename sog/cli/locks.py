"""`--lock`: what a player does at a public state is given, and what that costs him is told."""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.cli import display
from sog.cli.errors import mistakes
from sog.games import Game
from sog.tabular import CompiledGame, Solution, evaluate_policy
from sog.tabular.locks import Lock, read_locks


def load_locks(game: Game[Any], arguments: argparse.Namespace) -> tuple[Lock, ...]:
    """What is to be held; a mistake where a text or a table says something else."""
    with mistakes("--lock: "):
        return read_locks(game, arguments.lock)


def players_of(locks: Sequence[Lock]) -> list[int]:
    """Those of whom something is held."""
    return sorted({lock.player for lock in locks})


def lock_as_json(game: Game[Any], lock: Lock) -> dict[str, Any]:
    """Where it is, and of whom and what."""
    return {
        "state": game.describe_state(lock.state),
        "player": lock.player,
        "infostates": np.flatnonzero(lock.is_held).tolist(),
    }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Price:
    """What locks do to values, in the game's unit."""

    value: float
    """To player 0, where they hold."""
    free_value: float
    """To player 0, where nothing is held."""
    exploited: dict[int, float]
    """By player of whom something is held: what he loses to the best answer if he plays the free
    solution everywhere else, and does not adapt. Empty where that is not known."""

    def cost(self, player: int) -> float:
        """What a player gets less than without them, if both know of them."""
        lost = self.free_value - self.value
        return lost if player == 0 else -lost

    def facts(self, game: Game[Any], players: Sequence[int]) -> list[tuple[str, str]]:
        """Lines of a table."""
        facts = [("value without the lock", display.in_units(game, self.free_value))]
        for player in players:
            cost = display.in_milli_units(game, self.cost(player))
            facts.append((f"the lock costs player {player}", cost))
            if player in self.exploited:
                lost = display.in_milli_units(game, self.exploited[player])
                facts.append(("if he adapts nothing else", lost))
        return facts

    def as_json(self, players: Sequence[int]) -> dict[str, Any]:
        """The same numbers."""
        return {
            "free_value": self.free_value,
            "cost": {str(player): self.cost(player) for player in players},
            "exploited": {str(player): lost for player, lost in self.exploited.items()},
        }


def price_of(
    locked: CompiledGame, free: Solution, solution: Solution, players: Sequence[int]
) -> Price:
    """From the solutions of a game without and with its locks."""
    stubborn = evaluate_policy(locked, locked.with_held(free.policy))
    exploited = {}
    for player in players:
        other = 1 - player
        before = free.last.value if other == 0 else -free.last.value
        exploited[player] = float(stubborn.best_response_value[other, 0]) - before
    return Price(value=solution.last.value, free_value=free.last.value, exploited=exploited)
