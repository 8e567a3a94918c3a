"""AIVAT: what a played game was worth with the luck taken out (Burch et al. 2018).

    aivat = Aivat(EnumeratedGame(tree=tree), policy_evaluator(...))
    played = play_game(game, agents, key, with_policies=True)
    aivat.estimate(played)    # as `played.utility` in expectation, with a smaller variance

At every event whose distribution is known (chance events, and decisions of agents that expose their
policy) the estimate is corrected by the expected value less the value of what happened:

    E[u | public events] + sum over events t of (sum_k P(k) V(k) - V(k_t)).

P(k): the probability of public event k. V(k): an estimate of the value to player 0 after it, by an
evaluator queried with both ranges there. Each correction is 0 on average whatever the evaluator
returns, so the estimate is unbiased; better values give a smaller variance. If both policies are
known and the values are exact for them, the estimate is the expected utility.

It works on ranges, not on the cards held: the policy of a known player is known at all of its
infostates, so an average over them (the paper's imaginary observations) replaces the cards dealt.
An unknown opponent counts with the infostate it held, whose deal is corrected as a chance event.

With many chance outcomes, such as the 22,100 flops of hold'em, the expectation is estimated from a
sample drawn independently of what happened, so the corrections are still 0 on average.
"""

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, LeafQueries, evaluate
from gtcfr.flow import normalize
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, Game
from sog.play.game_in_progress import PlayedGame
from sog.play.history import state_at_beginning
from sog.play.rules import Situation, after, situation
from sog.precision import in_32_bits

_BOTH: Final = (PLAYER_0, PLAYER_1)
_MOST_OUTCOMES: Final = 64
_DEAL: Final = -1


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Step:
    """A deal or a public event, and the value to player 0 around it."""

    number: int
    """Of the event, or _DEAL."""
    is_drawn: bool
    """Whether its distribution is known."""
    is_chance: bool = False
    """Whether chance moved."""
    expected: float
    """The value before it."""
    value: float
    """The value after it."""


class Aivat:
    """Corrects played games with the values of one evaluator."""

    def __init__(
        self, game: Game[Any], evaluator: Evaluator, *, most_outcomes: int = _MOST_OUTCOMES
    ) -> None:
        """game: the evaluator's: the one played, or its `EnumeratedGame`.

        most_outcomes: of a chance state; if there are more, a sample is used.
        """
        self.game, self.evaluator, self._most_outcomes = game, evaluator, most_outcomes
        self._random = np.random.default_rng(0)

    @in_32_bits
    def estimate(self, played: PlayedGame) -> float:
        """An unbiased estimate of player 0's utility, in the game's unit.

        played: recorded `with_policies`, else ValueError.
        """
        if played.exposed is None:
            raise ValueError("played must be recorded with_policies.")
        estimate = value = 0.0
        for step in self._steps(played, played.exposed):
            value = step.value
            if step.is_drawn:
                estimate += step.expected - value
        return estimate + (value if played.resigned is None else played.utility)

    @in_32_bits
    def chance_part(self, played: PlayedGame, since: int) -> float:
        """What chance events from number `since` on gave player 0, relative to their mean.

        It is 0 on average. played: as in `estimate`; players without policies count with the
        infostate they held.
        """
        if played.exposed is None:
            raise ValueError("played must be recorded with_policies.")
        return sum(
            step.value - step.expected
            for step in self._steps(played, played.exposed)
            if step.is_chance and step.number >= since
        )

    def _steps(self, played: PlayedGame, exposed: tuple[bool, bool]) -> Iterator[_Step]:
        """The values before and after the deals and each event."""
        state = state_at_beginning(self.game, played.beginning)
        # Games that begin later have perfect information, where reach is 1 everywhere.
        reach = np.asarray(self.game.root_reach(), np.float32)
        value = 0.0
        for player in _BOTH:
            if not exposed[player]:
                held = played.infostates[0][player]
                expected, value, reach = self._ask(
                    _deal, state, reach, np.int32(player), np.int32(held)
                )
                yield _Step(number=_DEAL, is_drawn=True, expected=expected, value=value)
        for number, outcome in enumerate(played.outcomes):
            now, policy = situation(self.game, state), played.policies[number]
            is_chance = now.actor == CHANCE
            is_drawn = is_chance or policy is not None
            if policy is None:
                policy = now.legal_actions if is_chance else self._as_played(played, number)
            outcomes, scale = self._sample(now)
            arguments = (np.append(outcomes, outcome).astype(np.int32), scale, np.float32(value))
            expected, value, reach = self._ask(
                _event, state, reach, np.asarray(policy, np.float32), *arguments
            )
            yield _Step(
                number=number,
                is_drawn=is_drawn,
                is_chance=is_chance,
                expected=expected,
                value=value,
            )
            for player in _BOTH:
                if not exposed[player]:
                    held = played.infostates[number + 1][player]
                    reach[player] = np.arange(self.game.num_infostates) == held
            state = after(self.game, state, outcome)

    def _sample(self, now: Situation) -> tuple[np.ndarray, np.ndarray]:
        """int [n]: outcomes, all or a sample; float32 [n]: how many each stands for."""
        legal = np.flatnonzero(now.legal_outcomes)
        most = self.game.num_decision_outcomes
        if now.actor == CHANCE:
            most = min(self.game.num_chance_outcomes, self._most_outcomes)
        kept = legal
        if len(legal) > most:
            kept = self._random.choice(legal, most, replace=False)
        stands_for = np.full(len(kept), len(legal) / len(kept), np.float32)
        padding = (0, most - len(kept))
        return np.pad(kept, padding, mode="edge"), np.pad(stands_for, padding)

    def _as_played(self, played: PlayedGame, number: int) -> np.ndarray:
        """The action of a player with an unknown policy, as a policy of the infostate it held."""
        policy = np.zeros((self.game.num_infostates, self.game.num_actions))
        policy[:, played.actions[number]] = 1
        return policy

    def _ask(self, compiled: Any, *arguments: Any) -> tuple[float, float, np.ndarray]:
        expected, value, reach = jax.device_get(compiled(self.game, self.evaluator, *arguments))
        return float(expected), float(value), np.array(reach)


@functools.partial(jax.jit, static_argnums=0)
def _event(
    game: Game[Any],
    evaluator: Evaluator,
    state: Any,
    reach: Array,
    policy: Array,
    outcomes: Array,
    stands_for: Array,
    before: Array,
) -> tuple[Array, Array, Array]:
    """The values before and after a public event, and the reach [2, S] after it.

    policy: [S, A], the actor's; at chance, its legal actions. outcomes: int32[n + 1], the possible
    ones, then the one that happened. stands_for: [n], how many outcomes each represents. before:
    the previous estimate of the value, a control variate for samples.
    """
    actor = game.actor(state)
    acts_first = actor != PLAYER_1
    action_reach = jnp.where(acts_first, reach[0], reach[1])[:, None] * policy
    other_reach = jnp.where(acts_first, reach[1], reach[0])
    states = jax.vmap(lambda k: game.apply(state, k))(outcomes)
    reaches = jax.vmap(lambda k: game.advance(state, k, action_reach, other_reach))(outcomes)
    values, arriving, ranges = _values(game, evaluator, states, reaches)
    weights = stands_for * arriving[:-1]
    # Of a sample the weights need not sum to 1.
    whole = jnp.sum(reach[0] * game.compatible_reach(state, reach)[0])
    whole = jnp.where(jnp.any(stands_for > 1), whole, weights.sum())
    expected = before + weights @ (values[:-1] - before) / whole
    return expected, values[-1], ranges[-1]


@functools.partial(jax.jit, static_argnums=0)
def _deal(
    game: Game[Any], evaluator: Evaluator, state: Any, reach: Array, player: Array, held: Array
) -> tuple[Array, Array, Array]:
    """The same for the deal of one player's infostate; the state does not change."""
    size = game.num_infostates
    dealt = jnp.diag(reach[player])
    reaches = jnp.broadcast_to(reach, (size, *reach.shape)).at[:, player].set(dealt)
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (size, *jnp.shape(leaf))), state)
    values, arriving, ranges = _values(game, evaluator, states, reaches, can_be_over=False)
    return arriving @ values / arriving.sum(), values[held], ranges[held]


def _values(
    game: Game[Any], evaluator: Evaluator, states: Any, reaches: Array, *, can_be_over: bool = True
) -> tuple[Array, Array, Array]:
    """[n]: values to player 0 of states reached by [n, 2, S]; [n]: unnormalized probabilities;
    [n, 2, S]: the reaches, each row normalized unless it is 0."""
    masks = jax.vmap(game.infostate_mask)(states)
    ranges = jax.vmap(normalize)(reaches, masks)
    arriving = (reaches * jax.vmap(game.compatible_reach)(states, reaches)).sum(axis=2)[:, 0]
    compatible = jax.vmap(game.compatible_reach)(states, ranges)
    weight = (ranges * compatible).sum(axis=2)[:, PLAYER_0]
    can_be = (arriving > 0) & (weight > 0)
    queries = LeafQueries(
        encoded=jax.tree.map(
            lambda leaf: leaf[None], jax.vmap(lambda state: evaluator.encode(game, state))(states)
        ),
        ranges=ranges[None],
        is_valid=can_be[None],
    )
    answer = evaluate(game, evaluator, evaluator.start(game, 1), queries)
    guessed = (ranges * compatible * answer.values[0]).sum(axis=2)
    if can_be_over:
        is_over = ~jax.vmap(game.legal_outcomes)(states).any(axis=1)

        def earned() -> Array:
            found: Array = (ranges * jax.vmap(game.utilities)(states, ranges)).sum(axis=2)
            return jnp.where(is_over[:, None], found, guessed)

        # Usually no state is terminal, and showdowns are expensive.
        guessed = jax.lax.cond(is_over.any(), earned, lambda: guessed)
    # The game is zero-sum; the estimates for both players need not be.
    total = guessed @ jnp.array([0.5, -0.5])
    values = jnp.where(can_be, total / jnp.where(can_be, weight, 1), 0)
    return values, jnp.where(can_be, arriving, 0), ranges
