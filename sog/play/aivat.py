"""AIVAT: what a played game was worth with the luck taken out (Burch et al. 2018).

    aivat = Aivat(EnumeratedGame(tree=tree), policy_evaluator(...))
    played = play_game(game, agents, key, with_policies=True)
    aivat.estimate(played)    # as `played.utility` in expectation, with a smaller variance

Wherever it is known how an event was drawn, at chance events and at decisions of agents that tell
their policy, the estimate is corrected by what was to be expected and what came instead:

    E[u | public events] + sum over events t of (sum_k P(k) V(k) - V(k_t)).

P(k): the probability of public event k. V(k): a guess of what the game is worth to player 0 after
it, by an evaluator that is asked about both ranges there. Each correction is 0 on average, whatever
the evaluator says, so that the estimate is unbiased, and it varies the less the better the values
are. With values of what the players really do from there on, and both of them known, nothing
is left but the expected utility.

All of it is about ranges, not about the cards that were held: the policy of a known player is known
at all of his infostates, so one average over them (the paper's imaginary observations) takes the
place of the cards dealt to him. The opponent of whom nothing is known counts with what he held, and
the deal of that is corrected as an event of chance.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, LeafQueries, evaluate
from gtcfr.flow import normalize
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, Game
from sog.play.history import first_state
from sog.play.match import PlayedGame
from sog.play.rules import after, situation
from sog.precision import in_32_bits

_BOTH: Final = (PLAYER_0, PLAYER_1)


class Aivat:
    """Corrects played games with the values of one evaluator."""

    def __init__(self, game: Game[Any], evaluator: Evaluator) -> None:
        """game: what the evaluator is asked about: the played one, or its `EnumeratedGame`."""
        self.game, self.evaluator = game, evaluator

    @in_32_bits
    def estimate(self, played: PlayedGame) -> float:
        """Of the utility of player 0, in the game's unit.

        played: recorded `with_policies`, else ValueError.
        """
        if played.tells is None:
            raise ValueError("played must be recorded with_policies.")
        state = first_state(self.game, played.beginning)
        # Elsewhere than at the root only with perfect information, where reach is 1 everywhere.
        reach = np.asarray(self.game.root_reach(), np.float32)
        estimate = value = 0.0
        for player in _BOTH:
            if not played.tells[player]:
                held = played.infostates[0][player]
                expected, value, reach = self._ask(
                    _deal, state, reach, np.int32(player), np.int32(held)
                )
                estimate += expected - value
        for number, outcome in enumerate(played.outcomes):
            now, policy = situation(self.game, state), played.policies[number]
            if policy is None:
                is_drawn = now.actor == CHANCE
                policy = now.legal_actions if is_drawn else self._as_played(played, number)
            else:
                is_drawn = True
            expected, value, reach = self._ask(
                _event, state, reach, np.asarray(policy, np.float32), np.int32(outcome)
            )
            if is_drawn:
                estimate += expected - value
            for player in _BOTH:
                if not played.tells[player]:
                    held = played.infostates[number + 1][player]
                    reach[player] = np.arange(self.game.num_infostates) == held
            state = after(self.game, state, outcome)
        return estimate + (value if played.resigned is None else played.utility)

    def _as_played(self, played: PlayedGame, number: int) -> np.ndarray:
        """The action of somebody who does not tell, as the policy of the one who holds it."""
        policy = np.zeros((self.game.num_infostates, self.game.num_actions))
        policy[:, played.actions[number]] = 1
        return policy

    def _ask(self, compiled: Any, *arguments: Any) -> tuple[float, float, np.ndarray]:
        expected, value, reach = jax.device_get(compiled(self.game, self.evaluator, *arguments))
        return float(expected), float(value), np.array(reach)


@functools.partial(jax.jit, static_argnums=0)
def _event(
    game: Game[Any], evaluator: Evaluator, state: Any, reach: Array, policy: Array, outcome: Array
) -> tuple[Array, Array, Array]:
    """What the game was worth before a public event, and after it; the reach [2, S] there.

    policy: [S, A], of the actor; of chance, as its legal actions.
    """
    actor = game.actor(state)
    acts_first = actor != PLAYER_1
    action_reach = jnp.where(acts_first, reach[0], reach[1])[:, None] * policy
    other_reach = jnp.where(acts_first, reach[1], reach[0])
    outcomes = jnp.arange(game.num_outcomes, dtype=jnp.int32)
    states = jax.vmap(lambda k: game.apply(state, k))(outcomes)
    reaches = jax.vmap(lambda k: game.advance(state, k, action_reach, other_reach))(outcomes)
    legal = game.legal_outcomes(state)
    reaches = jnp.where(legal[:, None, None], reaches, 0)
    return _expect(game, evaluator, states, reaches, legal, outcome)


@functools.partial(jax.jit, static_argnums=0)
def _deal(
    game: Game[Any], evaluator: Evaluator, state: Any, reach: Array, player: Array, held: Array
) -> tuple[Array, Array, Array]:
    """The same of the deal of one player's infostate; the state stays as it is."""
    size = game.num_infostates
    is_dealt = reach[player] > 0
    dealt = jnp.diag(reach[player])
    reaches = jnp.broadcast_to(reach, (size, *reach.shape)).at[:, player].set(dealt)
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (size, *jnp.shape(leaf))), state)
    return _expect(game, evaluator, states, reaches, is_dealt, held)


def _expect(
    game: Game[Any],
    evaluator: Evaluator,
    states: Any,
    reaches: Array,
    is_legal: Array,
    which: Array,
) -> tuple[Array, Array, Array]:
    """The expected value over some states [n] with their reaches [n, 2, S]; that of one of them,
    and its reach, of which each row that is not 0 sums to 1."""
    masks = jax.vmap(game.infostate_mask)(states)
    ranges = jax.vmap(normalize)(reaches, masks)
    queries = LeafQueries(
        encoded=jax.tree.map(
            lambda leaf: leaf[None], jax.vmap(lambda state: evaluator.encode(game, state))(states)
        ),
        ranges=ranges[None],
        is_valid=is_legal[None],
    )
    answer = evaluate(game, evaluator, evaluator.start(game, 1), queries)
    compatible = jax.vmap(game.compatible_reach)(states, ranges)
    weight = (ranges * compatible).sum(axis=2)[:, PLAYER_0]
    guessed = (ranges * compatible * answer.values[0]).sum(axis=2)
    is_over = ~jax.vmap(game.legal_outcomes)(states).any(axis=1)
    earned = (ranges * jax.vmap(game.utilities)(states, ranges)).sum(axis=2)
    # The game is zero-sum, the guesses for both players need not be.
    total = jnp.where(is_over[:, None], earned, guessed) @ jnp.array([0.5, -0.5])
    can_be = is_legal & (weight > 0)
    values = jnp.where(can_be, total / jnp.where(can_be, weight, 1), 0)
    arriving = (reaches * jax.vmap(game.compatible_reach)(states, reaches)).sum(axis=2)[:, 0]
    probability = jnp.where(can_be, arriving, 0) / jnp.where(can_be, arriving, 0).sum()
    return probability @ values, values[which], ranges[which]
