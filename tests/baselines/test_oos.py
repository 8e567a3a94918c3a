"""Online outcome sampling: unbiased whatever it is directed at, and sound where IS-MCTS is not."""

import random
from collections.abc import Hashable
from typing import Any

import jax
import numpy as np
import pytest

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, HistoryTree
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.online.method import infostate_game
from sog.baselines.online.oos import OnlineOutcomeSampling, OosNode, OosTree
from sog.baselines.plain.worlds import InfostateGame, Seen
from sog.games import make
from sog.games.core import CHANCE
from sog.players.methods import make_method
from tests.baselines.plain_histories import exact, history_tree, random_policy
from tests.tabular.small_games import node_after

SAMPLES = 20_000
DELTA = 0.6


def game_of(text: str, tree: str) -> InfostateGame:
    """A game as searches with this `tree` walk it."""
    found = infostate_game(make(text)) if tree == "grown" else HistoryGame(history_tree(text))
    assert found is not None
    return found


def seen_at(tree: HistoryTree, game: InfostateGame, row: int) -> Seen:
    """What the player of a row sees there."""
    if isinstance(game, HistoryGame):
        return game.seen_at(row)
    state = jax.tree.map(lambda leaf: leaf[tree.row_node[row]], tree.tree.node_state)
    return game.seen(state, int(tree.histories.row_player[row]), int(tree.row_infostate[row]))


def key_of(game: InfostateGame, seen: Seen) -> Hashable:
    """How trees know it."""
    return game.worlds(seen)(random.Random(0)).key()


def search_of(game: InfostateGame, **settings: Any) -> OosTree:
    """A search."""
    usual = {"targeting": "ist", "delta": DELTA, "epsilon": 0.5, "gamma": 0.0, "budget": 100}
    return OnlineOutcomeSampling(**{**usual, **settings}).search(game)


def full_tree(tree: HistoryTree, search: OosTree, policy: Any) -> list[Any]:
    """Puts all infostates in memory, with a policy as their regrets and sums; their keys by row."""
    game = search.game
    keys = [key_of(game, seen_at(tree, game, row)) for row in range(tree.histories.num_rows)]
    assert len(set(keys)) == len(keys)
    counts = np.asarray(tree.histories.row_choices)
    for row, key in enumerate(keys):
        line = policy[row, : counts[row]].tolist()
        search.tree[key] = OosNode(regret=line.copy(), policy_sum=line.copy())
    return keys


def some_rows(tree: HistoryTree) -> list[int]:
    """One for each player, in the middle of the game."""
    players = tree.histories.row_player
    return [int(rows[len(rows) // 2]) for rows in (np.flatnonzero(players == p) for p in (0, 1))]


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


WHOLE = ["kuhn", "ii_goofspiel(cards=3,order=random)", "leduc(ranks=2,suits=2,max_raises=1)"]
GROWN = ["liars_dice(dice=2,faces=3,dice1=1)", "liars_dice(dice=1,faces=2)"]
GAMES = [*((text, "whole") for text in WHOLE), *((text, "grown") for text in GROWN)]


@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize(("text", "storage"), GAMES)
def test_targets_weigh_as_much_more_as_they_are_come_to(
    text: str, storage: str, targeting: str
) -> None:
    game, tree, public = game_of(text, storage), history_tree(text), targeting == "pst"
    policy = random_policy(tree, seed=4)
    legal = np.asarray(tree.histories.legal, float)
    uniform = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
    for row in some_rows(tree):
        search = search_of(game, targeting=targeting)
        target = game.target(seen_at(tree, game, row), public=public)
        assert search.weight(target) == pytest.approx(weight_of(tree, uniform, row, public))
        full_tree(tree, search, policy)
        assert search.weight(target) == pytest.approx(weight_of(tree, policy, row, public))


def test_targeted_simulations_weigh_as_much_as_others() -> None:
    tree = history_tree("kuhn")
    row = int(tree.row_of[node_after(tree.tree, 2), 0])  # player 0 bets; player 1 has the jack
    for targeting, weight in (("ist", 6), ("pst", 2)):
        search = search_of(HistoryGame(tree), delta=0.9)
        target = search.game.target(seen_at(tree, search.game, row), public=targeting == "pst")
        # At random one game in three deals them the jack, and half of these begin with a bet.
        assert search.weight(target) == pytest.approx(0.1 + 0.9 * weight)


@pytest.mark.thorough(but=["whole-kuhn", "liars_dice(dice=1,faces=2)-ist"])
@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize(
    ("storage", "text"),
    [
        *(("whole", text) for text in WHOLE),
        ("grown", "liars_dice(dice=1,faces=2)"),
    ],
)
def test_regrets_and_averages_are_unbiased_whatever_is_targeted(
    text: str, storage: str, targeting: str, learner: int
) -> None:
    tree = history_tree(text)
    policy, row = random_policy(tree, seed=6), some_rows(tree)[learner]
    samples, _ = sampled(tree, game_of(text, storage), policy, row, targeting, learner, weight=1.0)
    assert_means_are(samples, tree, policy, learner, 1.0)


def sampled(
    tree: HistoryTree,
    game: InfostateGame,
    policy: Any,
    row: int,
    targeting: str,
    learner: int,
    weight: float | None = None,
) -> tuple[np.ndarray, float]:
    """What each simulation directed at a row adds [sample, regrets and sums, row + 1, choice], all
    infostates being in memory; and the weight of simulations: the search's own if none is given."""
    search = search_of(game, targeting=targeting)
    keys = full_tree(tree, search, policy)
    target = game.target(seen_at(tree, game, row), public=targeting == "pst")
    weight = search.weight(target) if weight is None else weight
    samples = np.zeros((SAMPLES, 2, *policy.shape))
    lines = [policy[line, : len(search.tree[key].regret)].tolist() for line, key in enumerate(keys)]
    for number in range(SAMPLES):
        search.simulate(target, weight, learner)
        for line, key in enumerate(keys):
            node, start = search.tree[key], lines[line]
            if node.regret != start or node.policy_sum != start:
                samples[number, 0, line, : len(start)] = node.regret
                samples[number, 1, line, : len(start)] = node.policy_sum
                samples[number, :, line, : len(start)] -= start
                search.tree[key] = OosNode(regret=start.copy(), policy_sum=start.copy())
    return samples, weight


def assert_means_are(
    samples: np.ndarray, tree: HistoryTree, policy: Any, learner: int, scale: float
) -> None:
    """Regrets of the learner, and sums of the other, are exact times a number, within 5 sigma."""
    right, players = exact(tree, policy), tree.histories.row_player
    for which, expected, rows in (
        (0, right.regret, np.flatnonzero(players == learner)),
        (1, right.policy_sum, np.flatnonzero(players != learner)),
    ):
        spread = samples[:, which].std(axis=0)[rows] / np.sqrt(SAMPLES)
        error = np.abs(samples[:, which].mean(axis=0) - scale * expected)[rows]
        assert (error / np.maximum(spread, 1e-4)).max() < 5
        assert np.abs(expected[rows]).max() > 0.02


@pytest.mark.thorough
@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize(
    ("storage", "text"), [("whole", "kuhn"), ("grown", "liars_dice(dice=1,faces=2)")]
)
def test_what_two_targets_of_different_weight_add_up_to_is_unbiased(
    text: str, storage: str, learner: int
) -> None:
    """Each weighs as often as it is come to: regrets and sums of both alike."""
    tree = history_tree(text)
    policy = random_policy(tree, seed=6)
    first, second = (
        sampled(tree, game_of(text, storage), policy, row, "ist", learner)
        for row in (0, some_rows(tree)[1])
    )
    assert max(first[1], second[1]) > 1.5 * min(first[1], second[1])
    assert_means_are(first[0] + second[0], tree, policy, learner, first[1] + second[1])


@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize(("text", "storage"), GAMES)
def test_directed_simulations_get_there(text: str, storage: str, targeting: str) -> None:
    game, tree = game_of(text, storage), history_tree(text)
    for row in some_rows(tree):
        search = search_of(game, targeting=targeting, delta=0.999999, gamma=0.1, budget=200)
        seen = seen_at(tree, game, row)
        search.search(seen, int(tree.histories.row_choices[row]))
        at_row = tree.row_node == tree.row_node[row]
        rows = np.flatnonzero(at_row) if targeting == "pst" else [row]
        nodes = [search.tree.get(key_of(game, seen_at(tree, game, int(one)))) for one in rows]
        before = [sum(node.policy_sum) for node in nodes if node is not None]
        target = game.target(seen, public=targeting == "pst")
        search.simulate(target, 1.0, 1 - seen.player)  # the other one learns
        assert sum(sum(n.policy_sum) for n in nodes if n is not None) > sum(before)


@pytest.mark.thorough
def test_non_locality_is_seen() -> None:
    """Player 1 goes left one time in three (OOS paper, section 2.2)."""
    tree = history_tree("non_locality")
    game, row = HistoryGame(tree), int(np.flatnonzero(tree.histories.row_player == 1)[0])
    method = OnlineOutcomeSampling(targeting="ist", budget=20_000)
    found = [method.search(game, seed).search(game.seen_at(row), 2) for seed in range(8)]
    assert np.mean(found, axis=0) == pytest.approx([1 / 3, 2 / 3], abs=0.06)


def test_a_simulation_adds_one_infostate_to_memory_at_most() -> None:
    game = HistoryGame(history_tree("leduc(suit_isomorphism=true)"))
    for budget in (1, 2, 30):
        search = OnlineOutcomeSampling(budget=budget).search(game, 4)
        search.search(game.seen_at(0), 2)
        assert min(budget, 2) <= len(search.tree) <= budget


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
