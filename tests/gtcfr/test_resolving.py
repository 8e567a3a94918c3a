"""What passes from one search to the next belongs together: a range, and values against it."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.resolving import next_root
from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.pytree import pytree

KUHN = make("kuhn")
CHECK, BET = 1, 2


@pytree
class OneSidedEvaluator(ZeroEvaluator):
    """Every infostate of the opponent is worth 1; what the player's are worth makes him learn."""

    player: int = dataclasses.field(default=0, metadata={"static": True})

    def encode(self, game: Any, state: Any) -> Any:
        """A number that is another in every public state."""
        features = game.observe(state).reshape(-1)
        return jnp.sin(100 * jnp.sum(features * jnp.arange(len(features))))

    def evaluate(self, game: Any, memory: Any, queries: LeafQueries) -> LeafEvaluation:
        answer = super().evaluate(game, memory, queries)
        is_player = (jnp.arange(2) == self.player)[None, None, :, None]
        values = jnp.where(is_player, queries.encoded[:, :, None, None], 1.0)
        return dataclasses.replace(answer, values=jnp.broadcast_to(values, answer.values.shape))


@functools.cache
def searched(rule: str, player: int) -> SearchResult:
    """Trees of two public events, so that whatever follows them is a leaf."""
    settings = SearchSettings(num_simulations=3, lookahead=2, grow=False, capacity=8, rule=rule)
    evaluator = OneSidedEvaluator(player=player)
    run: Any = jax.jit(functools.partial(search, KUHN, evaluator=evaluator, settings=settings))
    result: SearchResult = run(root=start_of_game(KUHN), key=jax.random.key(0))
    return result


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("rule", ["sog", "dcfr", "pcfr+"])
def test_terminating_is_worth_what_the_range_is_that_is_handed_on(rule: str, player: int) -> None:
    """At a leaf where all is worth 1 a cfv is the reach of the compatible cards of the other."""
    result = searched(rule, player)
    root = next_root(KUHN, result, jnp.array([[CHECK, BET]]), jnp.array([player]))
    assert root.opponent.tolist() == [1 - player]
    assert np.asarray(root.path).tolist() == [[NO_EVENT, NO_EVENT]]
    state = jax.tree.map(lambda leaf: leaf[0], root.state)
    compatible = KUHN.compatible_reach(state, root.ranges[0])
    np.testing.assert_allclose(root.terminate_cfvs[0], compatible[1 - player], atol=1e-6)
