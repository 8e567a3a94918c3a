"""Local best response: a lower bound on a player's exploitability (Lisy and Bowling 2017).

It knows the opponent's policy at every infostate, and so the opponent's range. It takes the action
that is best if nobody bets afterwards: a bet wins the pot from hands that fold to it, and goes to
showdown against the others. A best response wins at least as much, so a player that it beats by
much is at least that exploitable.
"""

import copy
import dataclasses
import functools
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_1, Game, param
from sog.holdem.acpc import is_limit
from sog.holdem.bots.bots import RuleAgent
from sog.holdem.bots.calling_down import RUNOUTS, CallingDown, check_betting
from sog.holdem.game import Holdem
from sog.holdem.no_limit import CALL, FIRST_SIZE, FOLD
from sog.play.arena import AgentFactory
from sog.play.match import Agent
from sog.play.rules import after, situation
from sog.players.method import Method
from sog.players.player import Host
from sog.precision import in_32_bits

NONE: Final = "none"
POT: Final = "pot"
ALL: Final = "all"


class LocalBestResponseAgent(RuleAgent):
    """Plays local best response against the agent given to `watch`."""

    watches = True

    def __init__(self, game: Game[Any], worth: CallingDown, bets: str, *, player: int) -> None:
        """worth: shared between agents, since it compiles. bets: see `LocalBestResponse`."""
        self._worth, self._bets = worth, bets
        self._other: Agent | None = None
        super().__init__(game, player=player)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start."""
        super().begin(state, seed)
        # Its own range stays as dealt: the rule is computed for all its infostates.
        self._reach = situation(self.game, self._state).infostate_mask.astype(np.float32)

    def watch(self, other: Agent) -> None:
        """Sets the opponent, which must reveal its policies, else ValueError."""
        if isinstance(other, LocalBestResponseAgent):
            raise ValueError("lbr cannot play itself: each would wait for the other's policy.")
        if not other.exposes_policies:
            raise ValueError(
                "lbr needs an opponent that reveals its policies, which this one does not."
            )
        self._other = other

    def observe(self, outcome: int) -> None:
        """Observes a public event; must be called before the opponent observes it."""
        now = situation(self.game, self._state)
        policies = np.asarray(now.legal_actions, np.float32)
        if now.actor == 1 - self.player:
            policies = np.asarray(self._opponent.policies(), np.float32)
        which = np.int32(outcome)
        reach = np.array(_reach_after(self.game, self._state, self._reach, policies, which))
        super().observe(outcome)
        if not reach[1 - self.player].any():  # by rounding: the policy does not expect this event
            reach = situation(self.game, self._state).infostate_mask.astype(np.float32)
        self._reach = reach

    def choose(self, state: Any, legal: np.ndarray) -> np.ndarray:
        """[S]: see `local_values`."""
        values = np.full((len(legal), self.game.num_infostates), -np.inf)
        for action in self._allowed(state, legal):
            values[action] = self._value(state, action)
        return np.asarray(values.argmax(axis=0))

    @property
    def _opponent(self) -> Agent:
        if self._other is None:
            raise ValueError(
                "lbr can only play where it sees its opponent's policy, as in matches."
            )
        return self._other

    def _allowed(self, state: Any, legal: np.ndarray) -> list[int]:
        """Folding and calling, where legal, and the bets to consider."""
        found = [action for action in (FOLD, CALL) if legal[action]]
        sizes = (FIRST_SIZE + np.flatnonzero(legal[FIRST_SIZE:])).tolist()
        if self._bets == ALL:
            return [*found, *sizes]
        if self._bets == POT and sizes:
            assert isinstance(self.game, Holdem)
            if self.game.num_public[int(state.betting.street)] == 0:
                return found
            pot = pot_size(self.game, state, sizes)
            return sorted({*found, pot, sizes[-1]})
        return found

    def _value(self, state: Any, action: int) -> np.ndarray:
        """[S]: the counterfactual value of an action, if nobody bets after it."""
        then, own = after(self.game, state, action), self.player
        if action in (FOLD, CALL):
            return np.asarray(self._worth.cfvs(then, self._reach)[own])
        # The reply comes from a copy of the opponent that observes the bet.
        other = copy.copy(self._opponent)
        other.observe(action)
        folds = np.asarray(other.policies(), np.float32)[:, FOLD]
        folding, staying = self._reach.copy(), self._reach.copy()
        folding[1 - own] *= folds
        staying[1 - own] *= 1 - folds
        folded = self._worth.cfvs(after(self.game, then, FOLD), folding)
        called = self._worth.cfvs(after(self.game, then, CALL), staying)
        return np.asarray((folded + called)[own])


def pot_size(game: Holdem, state: Any, sizes: list[int]) -> int:
    """The legal bet nearest to the size of the pot after a call."""
    stakes = np.asarray(state.betting.stakes)
    wanted = stakes.max() + game.pot + 2 * stakes.max()
    afterwards = np.asarray(game.betting.raised_stakes(state.betting)[0])
    chips = [abs(int(afterwards[size - FIRST_SIZE]) - wanted) for size in sizes]
    return sizes[int(np.argmin(chips))]


@in_32_bits
@functools.partial(jax.jit, static_argnums=0)
def _reach_after(
    game: Game[Any], state: Any, reach: Array, policies: Array, outcome: Array
) -> Array:
    """[2, S]: after a public event; policies: [S, A], of the player that acted."""
    second = game.actor(state) == PLAYER_1
    acting, other = jnp.where(second, reach[::-1], reach)
    return game.advance(state, outcome, acting[:, None] * policies, other)


@dataclasses.dataclass(frozen=True, kw_only=True)
class LocalBestResponse(Method):
    """Lisy and Bowling 2017, "Equilibrium approximation quality of current no-limit poker bots".

    bets: besides folding and calling it considers none; or, once there are public cards, the bet of
    the menu nearest to the pot and the largest, all-in; or always the whole menu.
    """

    name = "lbr"
    paper: ClassVar[str] = "Lisy and Bowling 2017, section 4"

    bets: str = param(
        "none", "bets to consider: none, pot and all-in, all", choices=(NONE, POT, ALL)
    )
    runouts: int = param(
        RUNOUTS, "the most runouts of public cards; more are sampled", minimum=1, maximum=100_000
    )

    def check(self, game: Game[Any]) -> None:
        """Needs a game with betting, and for pot-sized bets one without fixed limits."""
        check_betting(game)
        if self.bets == POT and (not isinstance(game, Holdem) or is_limit(game)):
            raise ValueError(f"bets must be none or all in {game.name}, which has fixed sizes.")

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that share compiled programs."""
        worth = CallingDown(game, self.runouts)
        return lambda player, seed: LocalBestResponseAgent(game, worth, self.bets, player=player)
