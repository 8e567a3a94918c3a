"""Online outcome sampling: unbiased whatever it is directed at, and sound where IS-MCTS is not."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW
from sog.baselines.online.method import on_device
from sog.baselines.online.online_outcome_sampling import OnlineOutcomeSampling, OosTables
from sog.games import make
from sog.games.core import CHANCE
from sog.players.methods import make_method
from sog.players.player import Host
from tests.baselines.plain_histories import exact, history_tree, random_policy
from tests.tabular.small_games import node_after

SAMPLES = 20_000
DELTA = 0.6


@functools.cache
def simulations(text: str, targeting: str) -> Any:
    """Jitted: (target, tables, player, keys) -> what each simulation adds to regrets and sums."""
    method = OnlineOutcomeSampling(targeting=targeting, delta=DELTA, epsilon=0.5, gamma=0)
    histories = on_device(history_tree(text).histories)

    def one(target: Any, state: OosTables, player: Any, key: jax.Array) -> Any:
        after = method.simulate(histories, target, state, key, player)
        return after.regret - state.regret, after.policy_sum - state.policy_sum

    return jax.jit(jax.vmap(one, (None, None, None, 0)))


def all_in_memory(policy: np.ndarray) -> OosTables:
    """Regrets and average policies that are the policy."""
    table = jnp.asarray(policy, "float32")
    return OosTables(regret=table, policy_sum=table, is_known=jnp.ones(len(policy), bool))


def assert_means_are(
    samples: Any, tree: Any, policy: np.ndarray, player: int, scale: float
) -> None:
    """Regrets of the player, and sums of the other, are exact times a number, within 5 sigma."""
    right, players = exact(tree, policy), tree.histories.row_player
    regret, policy_sum = map(np.asarray, samples)
    for found, expected, rows in (
        (regret, right.regret, np.flatnonzero(players == player)),
        (policy_sum, right.policy_sum, np.flatnonzero(players != player)),
    ):
        spread = found.std(axis=0)[rows] / np.sqrt(len(found))
        deviations = np.abs(found.mean(axis=0) - scale * expected)[rows] / np.maximum(spread, 1e-4)
        assert deviations.max() < 5
        assert np.abs(expected[rows]).max() > 0.02


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3,order=random)"])
def test_regrets_and_averages_are_unbiased_whatever_is_targeted(
    text: str, player: int, targeting: str
) -> None:
    tree = history_tree(text)
    policy = random_policy(tree, seed=6)
    state = all_in_memory(policy)
    # A decision in the middle of the game, so that something is to be avoided on the way.
    row = int(np.flatnonzero(tree.row_node == np.unique(tree.row_node)[3])[0])
    searcher = OnlineOutcomeSampling(targeting=targeting, delta=DELTA).searcher(tree)
    host_target = searcher.target(state, row)
    assert 0 < host_target.leads.mean() < 1
    target = on_device(dataclasses.replace(host_target, weight=np.float64(1)))
    keys = jax.random.split(jax.random.key(2), SAMPLES)
    samples = simulations(text, targeting)(target, state, jnp.int32(player), keys)
    assert_means_are(samples, tree, policy, player, 1.0)


@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize("player", [0, 1])
def test_what_two_targets_of_different_weight_add_up_to_is_unbiased(
    player: int, targeting: str
) -> None:
    """Each weighs as often as it is come to: regrets and sums of both alike."""
    tree = history_tree("kuhn")
    policy = random_policy(tree, seed=6)
    state, searcher = (
        all_in_memory(policy),
        OnlineOutcomeSampling(targeting=targeting, delta=DELTA).searcher(tree),
    )
    rows = [int(tree.row_of[node_after(tree.tree, *events), 0]) for events in ([2], [1, 2])]
    weights, sums = [], []
    for number, row in enumerate(rows):
        target = on_device(searcher.target(state, row))
        keys = jax.random.split(jax.random.key(number), SAMPLES)
        sums.append(simulations("kuhn", targeting)(target, state, jnp.int32(player), keys))
        weights.append(weight_of(tree, policy, row, targeting == "pst"))
    assert max(weights) > 1.5 * min(weights)
    added = [np.asarray(first) + np.asarray(second) for first, second in zip(*sums, strict=True)]
    assert_means_are(added, tree, policy, player, sum(weights))


def weight_of(tree: Any, policy: np.ndarray, row: int, public: bool) -> float:
    """How much more often simulations get there that are directed, delta of which are sure to."""

    def arrives(history: int) -> float:
        facts = tree.histories.facts[history].tolist()
        where = tree.node[history], tree.row_node[row]
        if facts[ROW] == row or (public and where[0] == where[1]):
            return 1.0
        first, count = facts[FIRST_EDGE], facts[NUM_EDGES]
        by_chance = facts[ACTOR] == CHANCE
        odds = tree.histories.probability[first:] if by_chance else policy[facts[ROW]]
        children = tree.histories.child[first : first + count].tolist()
        return float(sum(p * arrives(child) for p, child in zip(odds, children, strict=False)))

    return 1 - DELTA + DELTA / arrives(ROOT)


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


@pytest.mark.thorough
def test_non_locality_is_seen() -> None:
    """Player 1 goes left one time in three (OOS paper, section 2.2)."""
    tree = history_tree("non_locality")
    row = int(np.flatnonzero(tree.histories.row_player == 1)[0])
    searcher = OnlineOutcomeSampling(targeting="ist", budget=20_000).searcher(tree)
    found = [searcher.search(searcher.begin(), row, jax.random.key(seed))[1] for seed in range(8)]
    assert np.mean(found, axis=0) == pytest.approx([1 / 3, 2 / 3], abs=0.06)


@pytest.mark.thorough
def test_a_simulation_adds_one_infostate_to_memory_at_most() -> None:
    tree = history_tree("leduc(suit_isomorphism=true)")
    for budget in (1, 2, 30):
        searcher = OnlineOutcomeSampling(budget=budget).searcher(tree)
        memory, _ = searcher.search(searcher.begin(), 0, jax.random.key(4))
        known = int(np.asarray(memory.is_known)[:-1].sum())
        assert min(budget, 2) <= known <= budget


@pytest.mark.thorough
def test_what_is_learned_stays_for_the_match_and_not_for_the_next() -> None:
    agent: Any = make_method("oos:50").agents(make("kuhn"), Host())(0, 5)
    agent.act(1)
    before = int(agent.memory.is_known.sum())
    agent.observe(1)
    agent.observe(2)
    agent.act(1)
    assert int(agent.memory.is_known.sum()) >= before > 0
    agent.begin()
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
