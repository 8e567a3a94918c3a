"""Local best response: a lower bound on a player's exploitability (Lisy and Bowling 2017).

It knows the opponent's policy at every infostate, and so the opponent's range. It takes the action
that is best if nobody bets afterwards: a bet wins the pot from hands that fold to it, and goes to
showdown against the others. A best response wins at least as much, so a player that it beats by
much is at least that exploitable.
"""

import copy
import dataclasses
from typing import Any, ClassVar, Final

import numpy as np

from sog.games.core import Game, param
from sog.holdem.acpc import is_limit
from sog.holdem.bots.calling_down import RUNOUTS, CallingDown, check_betting
from sog.holdem.game import Holdem
from sog.holdem.no_limit import CALL, FIRST_SIZE, FOLD
from sog.play.arena import AgentFactory
from sog.play.responding_agent import RespondingAgent
from sog.play.rules import after
from sog.players.method import Method
from sog.players.player import Host

NONE: Final = "none"
POT: Final = "pot"
ALL: Final = "all"


class LocalBestResponseAgent(RespondingAgent):
    """Plays local best response against the agent given to `watch`."""

    name = "lbr"

    def __init__(self, game: Game[Any], worth: CallingDown, bets: str, *, player: int) -> None:
        """worth: shared between agents, since it compiles. bets: see `LocalBestResponse`."""
        self._worth, self._bets = worth, bets
        super().__init__(game, player=player)

    def respond(self, legal: np.ndarray) -> np.ndarray:
        """1 for the best of the actions allowed, see `_value`."""
        values = np.full((legal.shape[1], self.game.num_infostates), -np.inf)
        for action in self._allowed(self._state, np.asarray(legal.any(axis=0))):
            values[action] = self._value(self._state, action)
        return np.asarray(np.eye(len(values))[values.argmax(axis=0)])

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
        other = copy.copy(self.opponent)
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
