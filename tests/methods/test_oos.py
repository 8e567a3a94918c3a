"""Online outcome sampling: unbiased whatever it is directed at, and sound where IS-MCTS is not."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.methods import make_method
from sog.methods.method import Host
from sog.methods.online import on_device
from sog.methods.online_outcome_sampling import OnlineOutcomeSampling, OosTables
from tests.methods.plain_histories import exact, history_tree, random_policy
from tests.tabular.small_games import node_after

SAMPLES = 20_000


@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3,order=random)"])
def test_regrets_and_averages_are_unbiased_whatever_is_targeted(
    text: str, player: int, targeting: str
) -> None:
    tree = history_tree(text)
    policy = random_policy(tree, seed=6)
    method = OnlineOutcomeSampling(targeting=targeting, delta=0.6, epsilon=0.5, gamma=0)
    searcher = method.searcher(tree)
    state = OosTables(
        regret=jnp.asarray(policy, "float32"),
        policy_sum=jnp.zeros(policy.shape),
        is_known=jnp.ones(len(policy), bool),
    )
    # A decision in the middle of the game, so that something is to be avoided on the way.
    row = int(np.flatnonzero(tree.row_node == np.unique(tree.row_node)[3])[0])
    host_target = searcher.target(state, row)
    assert 0 < host_target.leads.mean() < 1
    target = on_device(dataclasses.replace(host_target, weight=np.float64(1)))
    histories = on_device(tree.histories)

    def one(key: jax.Array) -> OosTables:
        return method.simulate(histories, target, state, key, jnp.int32(player))

    after = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(2), SAMPLES))
    right = exact(tree, policy)
    players = tree.histories.row_player
    for samples, expected, rows in (
        (
            np.asarray(after.regret) - np.asarray(state.regret),
            right.regret,
            np.flatnonzero(players == player),
        ),
        (np.asarray(after.policy_sum), right.policy_sum, np.flatnonzero(players != player)),
    ):
        spread = samples.std(axis=0)[rows] / np.sqrt(SAMPLES)
        deviations = np.abs(samples.mean(axis=0) - expected)[rows] / np.maximum(spread, 1e-4)
        assert deviations.max() < 5
        assert np.abs(expected[rows]).max() > 0.02


def test_targeted_simulations_get_there_and_weigh_as_much_as_others() -> None:
    tree = history_tree("kuhn")
    node = node_after(tree.tree, 2)  # player 0 bets
    row = int(tree.row_of[node, 0])  # player 1 has the jack
    method = OnlineOutcomeSampling(delta=0.9, budget=2000)
    searcher = method.searcher(tree)
    # At random one game in three deals him the jack, and half of these begin with a bet.
    assert searcher.target(searcher.begin(), row).weight == pytest.approx(0.1 + 0.9 * 6)
    public = OnlineOutcomeSampling(delta=0.9, targeting="pst").searcher(tree)
    assert public.target(public.begin(), row).weight == pytest.approx(0.1 + 0.9 * 2)
    # Only the deals with that jack lead there, and betting with the other cards.
    leads = searcher.target(searcher.begin(), row).leads
    assert leads[:6].sum() == 2


def test_non_locality_is_seen() -> None:
    """Player 1 goes left one time in three (OOS paper, section 2.2)."""
    tree = history_tree("non_locality")
    row = int(np.flatnonzero(tree.histories.row_player == 1)[0])
    searcher = OnlineOutcomeSampling(targeting="ist", budget=20_000).searcher(tree)
    found = [searcher.search(searcher.begin(), row, jax.random.key(seed))[1] for seed in range(8)]
    assert np.mean(found, axis=0) == pytest.approx([1 / 3, 2 / 3], abs=0.06)


def test_a_simulation_adds_one_infostate_to_memory_at_most() -> None:
    tree = history_tree("leduc(suit_isomorphism=true)")
    for budget in (1, 2, 30):
        searcher = OnlineOutcomeSampling(budget=budget).searcher(tree)
        memory, _ = searcher.search(searcher.begin(), 0, jax.random.key(4))
        known = int(np.asarray(memory.is_known)[:-1].sum())
        assert min(budget, 2) <= known <= budget


def test_what_is_learned_stays_for_the_match_and_not_for_the_next() -> None:
    agent: Any = make_method("oos:50").agents(make("kuhn"), Host())(0, 5)
    agent.act(1)
    before = int(agent.memory.is_known.sum())
    agent.observe(1)
    agent.observe(2)
    agent.act(1)
    assert int(agent.memory.is_known.sum()) >= before > 0
    agent.reset()
    assert int(agent.memory.is_known.sum()) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("oos(delta=1)", "oos: delta must be <= 0.999999, got 1.0."),
        ("oos(targeting=all)", "oos: targeting must be one of ist, pst, got 'all'."),
        ("oos:0", "oos: budget must be >= 1, got 0."),
    ],
)
def test_a_mistake_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^oos: ") as caught:
        make_method(text)
    assert str(caught.value) == message
