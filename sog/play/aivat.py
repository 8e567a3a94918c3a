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

Where chance has many outcomes, as the 22,100 flops of hold'em, what was to be expected is estimated
from a sample of them, drawn without regard to what came: the corrections are 0 on average still.
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
    """A deal or a public event, and what the game was worth to player 0."""

    number: int
    """Of the event, or _DEAL."""
    is_drawn: bool
    """Whether it is known how."""
    is_chance: bool = False
    """Whether it is an event of chance."""
    expected: float
    """Before it."""
    value: float
    """After it."""


class Aivat:
    """Corrects played games with the values of one evaluator."""

    def __init__(
        self, game: Game[Any], evaluator: Evaluator, *, most_outcomes: int = _MOST_OUTCOMES
    ) -> None:
        """game: what the evaluator is asked about: the played one, or its `EnumeratedGame`.

        most_outcomes: of chance, at one state; of more a sample stands for all.
        """
        self.game, self.evaluator, self._most_outcomes = game, evaluator, most_outcomes
        self._random = np.random.default_rng(0)

    @in_32_bits
    def estimate(self, played: PlayedGame) -> float:
        """Of the utility of player 0, in the game's unit.

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
        """What chance brought player 0 by its public events from a number on, against the mean.

        It is 0 on average. played: as of `estimate`; of who does not tell what he held counts.
        """
        if played.exposed is None:
            raise ValueError("played must be recorded with_policies.")
        return sum(
            step.value - step.expected
            for step in self._steps(played, played.exposed)
            if step.is_chance and step.number >= since
        )

    def _steps(self, played: PlayedGame, exposed: tuple[bool, bool]) -> Iterator[_Step]:
        """What the game was worth before and after the deals, and before and after each event."""
        state = state_at_beginning(self.game, played.beginning)
        # Elsewhere than at the root only with perfect information, where reach is 1 everywhere.
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
        """int [n]: outcomes, all or some; float32 [n]: how many each of them stands for."""
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
        """The action of somebody who does not tell, as the policy of the one who holds it."""
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
    """What the game was worth before a public event, and after it; the reach [2, S] there.

    policy: [S, A], of the actor; of chance, as its legal actions. outcomes: int32[n + 1], those
    that could happen, and the one that did. stands_for: [n], how many outcomes each of them is
    taken for. before: what the game was worth, as was known before; it makes samples differ less.
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
    """The same of the deal of one player's infostate; the state stays as it is."""
    size = game.num_infostates
    dealt = jnp.diag(reach[player])
    reaches = jnp.broadcast_to(reach, (size, *reach.shape)).at[:, player].set(dealt)
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (size, *jnp.shape(leaf))), state)
    values, arriving, ranges = _values(game, evaluator, states, reaches, can_be_over=False)
    return arriving @ values / arriving.sum(), values[held], ranges[held]


def _values(
    game: Game[Any], evaluator: Evaluator, states: Any, reaches: Array, *, can_be_over: bool = True
) -> tuple[Array, Array, Array]:
    """[n]: what states are worth to player 0 that players reach by [n, 2, S]; [n]: how likely each
    is, in proportion; [n, 2, S]: the reaches, of which each row that is not 0 sums to 1."""
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

        # Mostly none is over, and showdowns are dear.
        guessed = jax.lax.cond(is_over.any(), earned, lambda: guessed)
    # The game is zero-sum, the guesses for both players need not be.
    total = guessed @ jnp.array([0.5, -0.5])
    values = jnp.where(can_be, total / jnp.where(can_be, weight, 1), 0)
    return values, jnp.where(can_be, arriving, 0), ranges
