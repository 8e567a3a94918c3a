"""Chains of searches in one batch."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.play.chained_search import Chain, LastSearch, Searching, search_chains

LEDUC = make("leduc")
CHECK = CALL = 1
BET = RAISE = QUEEN = 2
HOW = Searching(
    game=LEDUC,
    evaluator=ZeroEvaluator(),
    settings=SearchSettings(num_simulations=4, resolve_from="deepest"),
    seconds=None,
)


def after(outcomes: tuple[int, ...]) -> Any:
    state = LEDUC.root()
    for outcome in outcomes:
        state = LEDUC.apply(state, jnp.int32(outcome))
    return state


def chain_to(outcomes: tuple[int, ...], last: LastSearch | None = None, since: int = 0) -> Chain:
    """Where a chain is after some events. since: how many of them the last search had seen."""
    state = after(outcomes)
    return Chain(player=int(LEDUC.actor(state)), state=state, last=last, path=outcomes[since:])


@pytest.mark.slow
def test_searches_go_on_together_whose_last_ones_had_room_for_other_numbers_of_events() -> None:
    # Player 1 searches for the first time in the second round, player 0 at once; then each again.
    keys = [jax.random.key(number) for number in range(2)]
    chains = []
    late, early = (BET, RAISE, CALL, QUEEN, CHECK), ()
    for events, more in ((late, (BET, RAISE)), (early, (CHECK, BET))):
        (last,) = search_chains(HOW, [chain_to(events)], keys[:1])
        chains.append(chain_to((*events, *more), last, since=len(events)))
    shapes = {chain.last.summary.state.shape for chain in chains if chain.last is not None}
    assert len(shapes) == 2
    together = search_chains(HOW, chains, keys, batch_size=2)
    for chain, key, found in zip(chains, keys, together, strict=True):
        (alone,) = search_chains(HOW, [chain], [key])
        np.testing.assert_allclose(found.policy, alone.policy, atol=1e-6)
