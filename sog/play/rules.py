"""The rules of a game, compiled for one public state at a time."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.games.on_host import call_rules
from sog.kept_programs import HostProgram
from sog.precision import in_32_bits


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Situation:
    """Actor, legal moves and possible infostates of a public state, on the host."""

    actor: int  # as `Game.actor`
    legal_outcomes: np.ndarray  # [K] bool
    legal_actions: np.ndarray  # [S, A] bool
    infostate_mask: np.ndarray  # [player, S] bool

    @property
    def has_choice(self) -> bool:
        """Whether the acting player has more than one legal action at some infostate."""
        return bool((self.legal_actions.sum(axis=1) > 1).any())


def first_state(game: Game[Any]) -> Any:
    """The initial public state."""
    return call_rules(game, "root")[0]


def after(game: Game[Any], state: Any, outcome: int) -> Any:
    """The public state after a legal outcome."""
    return call_rules(game, "apply", state, np.int32(outcome))[0]


def situation(game: Game[Any], state: Any) -> Situation:
    """The `Situation` of a public state."""
    functions = "actor legal_outcomes legal_actions infostate_mask"
    actor, outcomes, actions, mask = call_rules(game, functions, state)
    return Situation(
        actor=int(actor), legal_outcomes=outcomes, legal_actions=actions, infostate_mask=mask
    )


def step(
    game: Game[Any], key: Array, state: Any, infostates: np.ndarray, action: int
) -> tuple[int, np.ndarray]:
    """Samples a step of a world: the outcome, and both infostates [2] after it."""
    given = key, state, infostates, np.int32(action)
    ((outcome, infostates),) = call_rules(game, "transition", *given)
    return int(outcome), infostates


def key_of_event(key: Array, actions: Sequence[int | None], *, is_chance: bool) -> Array:
    """The key of the event after these actions (None where chance moved).

    It depends on the number of chance events so far and of decisions since the last one, so games
    with one key share all their cards, whatever is bet between. Decisions need randomness, too:
    games of OpenSpiel may draw something hidden after one.
    """
    num_chance = sum(action is None for action in actions)
    since = next((i for i, action in enumerate(reversed(actions)) if action is None), len(actions))
    return jax.random.fold_in(jax.random.fold_in(key, num_chance), 0 if is_chance else 1 + since)


def deal(game: Game[Any], key: Array) -> np.ndarray:
    """[2] int32: samples a deal."""
    dealt: np.ndarray = call_rules(game, "deal", key)[0]
    return dealt


def utility(game: Game[Any], state: Any, infostates: np.ndarray) -> float:
    """Player 0's utility in a terminal world."""
    return float(call_rules(game, "world_utility", state, infostates)[0])


def sample(key: Array, policy: np.ndarray) -> int:
    """Samples an action from a policy [A]; never one of probability 0."""
    upto = np.cumsum(policy)
    point = float(_uniform(key)) * upto[-1]
    last = int(np.flatnonzero(policy)[-1])  # rounding must not lead beyond it
    return min(int(np.searchsorted(upto, point, side="right")), last)


@in_32_bits
@HostProgram
def _uniform(key: Array) -> Array:
    return jax.random.uniform(key)
