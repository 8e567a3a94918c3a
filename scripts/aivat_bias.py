"""Tests whether AIVAT with a network is unbiased on hold'em: prints its mean and the plain one.

Example:
    python scripts/aivat_bias.py --games 20000 --outcomes 8

The network of `agent:holdem` plays its policy without search, at ranges as if it sat in both seats,
against an agent that always calls. Prints a line of JSON after every hundred games, in thousandths
of a big blind: each mean with its standard error, and their difference over the same games.
"""

import functools
import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from shared import script_parser

from gtcfr.evaluator import evaluate_beliefs
from gtcfr.flow import normalize
from sog.games.core import PLAYER_1, Game
from sog.holdem.bots.bots import AlwaysCall
from sog.play.aivat import Aivat
from sog.play.arena import MatchResult, play_match
from sog.play.rules import after, first_state
from sog.play.simple_agents import SamplingAgent
from sog.players.player import Host
from sog.players.runs import load_run
from sog.precision import in_32_bits


class NetworkAgent(SamplingAgent):
    """Plays a network's policy without search."""

    def __init__(self, game: Game[Any], evaluator: Any, seed: int) -> None:
        self._game, self._evaluator = game, evaluator
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Starts a new game."""
        self._state = first_state(self._game)
        self._reach = np.asarray(self._game.root_reach(), np.float32)
        super().begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Advances by a public event, and updates both ranges by the network's policy."""
        inputs = (self._game, self._evaluator, self._state, self._reach, np.int32(outcome))
        self._reach = np.asarray(_advance(*inputs))
        self._state = after(self._game, self._state, outcome)

    def policies(self) -> np.ndarray:
        """[S, A]."""
        found = _policy(self._game, self._evaluator, self._state, self._reach)
        return np.asarray(found, np.float64)


@in_32_bits
@functools.partial(jax.jit, static_argnums=0)
def _policy(game: Game[Any], evaluator: Any, state: Any, reach: Array) -> Array:
    ranges = normalize(reach, game.infostate_mask(state))
    states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
    logits = evaluate_beliefs(game, evaluator, states, ranges[None]).policy_logits[0]
    legal = game.legal_actions(state)
    return jax.nn.softmax(jnp.where(legal, logits, -1e9), axis=-1) * legal


@in_32_bits
@functools.partial(jax.jit, static_argnums=0)
def _advance(game: Game[Any], evaluator: Any, state: Any, reach: Array, outcome: Array) -> Array:
    is_players = game.actor(state) <= PLAYER_1
    policy = jnp.where(
        is_players, _policy(game, evaluator, state, reach), game.legal_actions(state)
    )
    own, other = jnp.where(game.actor(state) != PLAYER_1, reach, reach[::-1])
    reach = game.advance(state, outcome, own[:, None] * policy, other)
    return normalize(reach, game.infostate_mask(game.apply(state, outcome)))


def main() -> None:
    """Plays the games and prints the means."""
    parser = script_parser(__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument(
        "--outcomes", type=int, default=64, help="chance outcomes at most (default: 64)"
    )
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    run = load_run("agent:holdem")
    game, evaluator = run.game, run.evaluator

    def show(result: MatchResult) -> None:
        if result.num_games % 100 or result.corrected is None:
            return
        luck = (result.utilities - result.corrected).mean(axis=1)
        found = {
            "plain": (result.mean, result.standard_error),
            "aivat": (result.corrected_mean, result.corrected_standard_error),
            "difference": (luck.mean(), luck.std(ddof=1) / len(luck) ** 0.5),
        }
        milli = {name: [round(1000 * float(x), 1) for x in pair] for name, pair in found.items()}
        print(json.dumps({"games": result.num_games, **milli}), flush=True)

    play_match(
        game,
        lambda player, seed: NetworkAgent(game, evaluator, seed),
        AlwaysCall().agents(game, Host()),
        arguments.games,
        arguments.seed,
        show,
        aivat=Aivat(game, evaluator, most_outcomes=arguments.outcomes),
    )


if __name__ == "__main__":
    main()
