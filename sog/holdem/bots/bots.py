"""Simple bots to measure others against: fixed actions, or play by equity and pot odds."""

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from sog.games.core import Game, param
from sog.holdem.bots.calling_down import RUNOUTS, CallingDown, check_betting, staked, won
from sog.holdem.no_limit import CALL, FIRST_SIZE, FOLD
from sog.holdem.policy_agent import PolicyAgent
from sog.play.arena import AgentFactory
from sog.play.rules import after, situation
from sog.players.method import Method
from sog.players.player import Host

Rule = Callable[[Any, np.ndarray], Any]
"""From a public state and bool[A], what is legal for any infostate: the action of all infostates,
or [S], of each."""


def _agents(game: Game[Any], rule: Rule) -> AgentFactory:
    """Deterministic agents that play a rule."""

    def policy_of(state: Any) -> np.ndarray:
        rows = situation(game, state).legal_actions
        chosen = np.asarray(rule(state, np.asarray(rows.any(axis=0))))
        return np.asarray((np.arange(rows.shape[1]) == chosen[..., None]) & rows, float)

    return lambda player, seed: PolicyAgent(game, policy_of, player=player, seed=seed)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Fixed(Method, abc.ABC):
    """Plays every hand alike."""

    paper: ClassVar[str] = ""

    def check(self, game: Game[Any]) -> None:
        """Needs a game of betting."""
        check_betting(game)

    @abc.abstractmethod
    def action(self, game: Game[Any], state: Any, legal: np.ndarray) -> int:
        """The action at a public state; legal: bool[A]."""

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Deterministic agents."""
        return _agents(game, lambda state, legal: self.action(game, state, legal))


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlwaysFold(_Fixed):
    """Folds to any bet, else checks: no paper needed."""

    name = "always_fold"

    def action(self, game: Game[Any], state: Any, legal: np.ndarray) -> int:
        """Folds, if legal."""
        return FOLD if legal[FOLD] else CALL


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlwaysCall(_Fixed):
    """Calls any bet, and never makes one: no paper needed."""

    name = "always_call"

    def action(self, game: Game[Any], state: Any, legal: np.ndarray) -> int:
        """Calls, which is always legal."""
        return CALL


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlwaysRaise(_Fixed):
    """Bets or raises while that is legal, else calls: no paper needed."""

    name = "always_raise"

    size: str = param("smallest", "which legal size to use", choices=("smallest", "largest"))

    def action(self, game: Game[Any], state: Any, legal: np.ndarray) -> int:
        """Raises by its size, if any is legal."""
        sizes = ascending_sizes(game, state, legal)
        if not len(sizes):
            return CALL
        return int(sizes[0 if self.size == "smallest" else -1])


def ascending_sizes(game: Game[Any], state: Any, legal: np.ndarray) -> np.ndarray:
    """The legal bets and raises, the smallest first; the place of a drawn size is known only after
    the draw."""
    sizes = FIRST_SIZE + np.flatnonzero(legal[FIRST_SIZE:])
    chips = [staked(game, after(game, state, int(size))) for size in sizes]
    return sizes[np.argsort(chips)]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Equity(Method):
    """Plays by a hand's equity: its share of the pot at the showdown if nobody bets any more.

    The opponent is assumed to hold a uniformly random hand. With an equity of `raise_from` or more
    it bets or raises: of n legal sizes the smallest in the first n-th of the interval up to 1, and
    so on. Else it calls if the equity is at least the pot odds, the call's share of the pot after
    it; else it folds or checks. No paper needed.
    """

    name = "equity"
    paper: ClassVar[str] = ""

    raise_from: float = param(0.65, "the equity to bet with", minimum=0.0, maximum=0.99)
    runouts: int = param(
        RUNOUTS, "the most runouts of public cards; more are sampled", minimum=1, maximum=100_000
    )

    def check(self, game: Game[Any]) -> None:
        """Needs a game of betting."""
        check_betting(game)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Deterministic agents that share compiled programs."""
        worth, least = CallingDown(game, self.runouts), self.raise_from

        def rule(state: Any, legal: np.ndarray) -> np.ndarray:
            equities = worth.equities(state)
            chosen = np.full(game.num_infostates, CALL)
            if legal[FOLD]:
                called = (2 * equities - 1) * won(game, after(game, state, CALL))
                chosen[called < -won(game, state)] = FOLD
            sizes = ascending_sizes(game, state, legal)
            if len(sizes):
                # The better the hand, the more it bets.
                share = (equities - least) / (1 - least)
                number = np.clip((share * len(sizes)).astype(int), 0, len(sizes) - 1)
                chosen = np.where(equities >= least, sizes[number], chosen)
            return chosen

        return _agents(game, rule)
