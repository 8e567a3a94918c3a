"""SM-MCTS on demand: against exact values of the subgames, and against updates worked by hand."""

import copy
import dataclasses
import itertools
import random
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

from sog.baselines.histories.arrays import ROOT
from sog.baselines.plain.goofspiel import GoofspielWorld, PlainGoofspiel
from sog.baselines.simultaneous.backward_induction import ExactSolver
from sog.baselines.simultaneous.learner import SimultaneousMcts
from sog.baselines.simultaneous.search import SimultaneousSearch
from sog.baselines.simultaneous.selection import SELECTIONS
from sog.baselines.simultaneous.tree import MatrixNode, MatrixSearch
from sog.games import make
from sog.games.core import PLAYER_0
from sog.games.goofspiel import Goofspiel
from sog.play.arena import play_match
from sog.players.methods import make_method
from sog.players.player import Host
from tests.baselines import matrix_updates as by_hand
from tests.baselines.plain_histories import history_tree


def first_round(game: Goofspiel) -> GoofspielWorld:
    """The world before any bid, of a game without chance."""
    return PlainGoofspiel(game).round(jax.device_get(game.root()), random.Random(0))


def test_random_ends_are_as_likely_as_they_should_be() -> None:
    """Three cards, the first for 3: of 36 pairs of orders of bids, each as likely."""
    world = first_round(Goofspiel(cards=3, payoff="diff"))
    source = random.Random(0)
    leads = [world.copy().finish(source) for _ in range(6000)]
    # Orders of one hand against the other: 1-1 2-2 3-3 and so on, 6 relative ones of the same odds,
    # and any of 6 assignments to point cards.
    counts: dict[int, int] = {}
    for first, second in itertools.product(itertools.permutations((1, 2, 3)), repeat=2):
        rounds = zip((3, 2, 1), first, second, strict=True)
        lead = sum(card * ((a > b) - (a < b)) for card, a, b in rounds)
        counts[lead] = counts.get(lead, 0) + 1
    assert set(leads) == set(counts)
    for lead, count in counts.items():
        assert leads.count(lead) / 6000 == pytest.approx(count / 36, abs=0.03)


@pytest.mark.thorough(but=["rm-"])
@pytest.mark.parametrize(
    ("selection", "most"),
    [
        ("exp3", 0.12),
        ("rm", 0.12),
        ("oos", 0.12),
        ("oos_plus", 0.12),
        ("sm_oos", 0.12),
        ("duct_mix", 0.5),
    ],
)
def test_the_root_comes_close_to_an_equilibrium_of_the_exact_matrix(
    selection: str, most: float
) -> None:
    text = "goofspiel(cards=4,order=ascending)"
    tree = history_tree(text)
    solver = ExactSolver("none", tree, Host())
    stage = solver.stages.stage[ROOT]
    assert stage is not None
    matrix = np.array([[solver.value_of(child) for child in line] for line in stage.children])
    game: Any = make(text)
    method = SimultaneousSearch(selection=selection)
    search, world = method.tree_search(PlainGoofspiel(game), random.Random(2)), first_round(game)
    root = search.node(world)
    for _ in range(20_000):
        search.simulate(root, world.copy())
    first, second = (np.array(search.strategy(root, player)) for player in (0, 1))
    assert solver.value == 0
    loss = max(matrix @ second) - min(first @ matrix)  # both players', 0 in an equilibrium
    assert loss < most
    assert max(matrix.mean(axis=1)) - min(matrix.mean(axis=0)) > 0.5  # of uniform play


# One update, see `matrix_updates.py`.


def search_by_hand(selection: str, c: float = by_hand.C) -> tuple[MatrixSearch, GoofspielWorld]:
    """A search, and the start of the game."""
    game: Any = make(by_hand.GAME)
    method = SimultaneousSearch(selection=selection, gamma=by_hand.GAMMA, c=c)
    return method.tree_search(PlainGoofspiel(game), random.Random(1)), first_round(game)


def tree_by_hand() -> MatrixNode:
    """`matrix_updates.BEFORE` in every round."""

    def node(before: by_hand.Tables) -> MatrixNode:
        made = MatrixNode(len(before.mean), tries_all=False)
        for name in ("visits", "total", "policy"):
            setattr(made, name, copy.deepcopy(getattr(before, name)))
        made.mean_n = np.ravel(before.mean_n).tolist()
        made.mean_x = np.multiply(before.mean, before.mean_n).ravel().tolist()
        return made

    root = node(by_hand.BEFORE[0])
    root.children = {(joint, 2): node(by_hand.BEFORE[1]) for joint in range(9)}  # for 2 points
    return root


def simulate_by_hand(
    selection: str, explorer: int, c: float = by_hand.C
) -> Iterator[tuple[tuple[tuple[int, int], ...], tuple[MatrixNode, MatrixNode]]]:
    """One simulation at a time: what was bid, and both rounds after it."""
    search, start = search_by_hand(selection, c)
    while True:
        search._explorer = 1 - explorer  # they take turns
        root = tree_by_hand()
        search.simulate(root, start.copy())
        (first,) = np.flatnonzero(np.subtract(root.mean_n, 2))
        later = root.children[int(first), 2]
        (second,) = np.flatnonzero(np.subtract(later.mean_n, [4, 2, 1, 2]))
        yield (divmod(int(first), 3), divmod(int(second), 2)), (root, later)


@pytest.mark.parametrize("explorer", [0, 1])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_one_update_is_that_worked_by_hand(selection: str, explorer: int) -> None:
    found = itertools.islice(simulate_by_hand(selection, explorer), 1000)
    rounds = next(nodes for bids, nodes in found if bids == by_hand.PATH)
    name = selection.removesuffix("_max").removesuffix("_mix")
    expected = by_hand.change(name, explorer)
    for before, after, change, (first, second) in zip(
        by_hand.BEFORE, rounds, expected, by_hand.PATH, strict=True
    ):
        for player in (0, 1):
            added = np.subtract(after.total[player], before.total[player])
            np.testing.assert_allclose(added, change.total[player], rtol=1e-12, atol=1e-12)
            if name in ("rm", "oos", "oos_plus", "sm_oos"):  # the others make no use of it
                added = np.subtract(after.policy[player], before.policy[player])
                np.testing.assert_allclose(added, change.policy[player], rtol=1e-12, atol=1e-12)
            if name in ("duct", "exp3"):
                added = np.subtract(after.visits[player], before.visits[player])
                assert np.flatnonzero(added).tolist() == [(first, second)[player]]
                assert added.sum() == 1
        joint = first * after.size + second
        assert after.mean_n[joint] == before.mean_n[first][second] + 1
        if name not in ("oos", "sm_oos"):  # which have no use for means
            kept = before.mean_n[first][second] * before.mean[first][second]
            assert after.mean_x[joint] == kept + 0.75


@pytest.mark.parametrize("explorer", [0, 1])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_players_select_with_the_odds_worked_by_hand(selection: str, explorer: int) -> None:
    simulations = 1000
    seen = itertools.islice(simulate_by_hand(selection, explorer), simulations)
    is_chosen = np.array([bids for bids, _ in seen]) == by_hand.PATH  # [simulation, round, player]
    shares = is_chosen.mean(axis=0).ravel().tolist()
    for share, odds in zip(shares, by_hand.odds_of_choices(selection, explorer), strict=True):
        assert share == pytest.approx(odds, abs=by_hand.error_of(odds, simulations))


def test_sm_oos_learns_where_a_state_joins_the_tree_and_oos_later() -> None:
    learned = {}
    for selection in ("oos", "sm_oos"):
        search, world = search_by_hand(selection)
        root = search.node(world)
        search.simulate(root, world.copy())
        (child,) = root.children.values()
        assert not child.children
        learned[selection] = sum(child.mean_n)
    assert learned == {"oos": 0, "sm_oos": 1}


def test_constants_are_those_of_the_paper_unless_they_are_set() -> None:
    """Table 1, on rewards in [0, 1]: C is 150 points of 182, and Exp3's eta 0.01 for a point."""
    exp3, duct = SimultaneousSearch(selection="exp3"), SimultaneousMcts(selection="duct_max")
    assert exp3.constants == (0, 0.2, 0.2)
    assert dataclasses.replace(exp3, tuned="points").constants == pytest.approx((0, 0.01, 1.82))
    assert dataclasses.replace(exp3, gamma=0.3).constants == (0, 0.3, 0.3)
    assert dataclasses.replace(exp3, eta=0.5).constants == (0, 0.2, 0.5)
    assert duct.constants == (1.5, 0, 0)
    assert dataclasses.replace(duct, tuned="points").constants == (0.82, 0, 0)
    assert SimultaneousSearch().constants == SimultaneousMcts().constants == (0, 0.025, 0.025)


def test_duct_changes_its_mind_where_the_bounds_cross() -> None:
    """Second round, player 0: 1/2 + c sqrt(ln 10 / 6) and 1/4 + c sqrt(ln 10 / 4) meet at 1.796."""
    first, (_, second) = by_hand.PATH
    bids, _ = next(simulate_by_hand("duct_mix", 0, c=1.85))
    assert bids == (first, (1, second))


@pytest.mark.parametrize("selection", SELECTIONS)
def test_what_is_played_in_the_end_is_that_worked_by_hand(selection: str) -> None:
    search, _ = search_by_hand(selection)
    root = tree_by_hand()
    for node, strategies in zip(
        (root, root.children[0, 2]), by_hand.STRATEGIES[selection], strict=True
    ):
        for player, line in enumerate(strategies):
            np.testing.assert_allclose(search.strategy(node, player), line, rtol=1e-12)


def test_the_subtree_of_what_was_played_is_kept() -> None:
    game = Goofspiel(cards=4)
    agent: Any = SimultaneousSearch(budget=300).agents(game, Host())(PLAYER_0, 0)
    agent.act(0)
    root = agent.search.root
    assert root is not None
    (joint, card), child = max(root.children.items(), key=lambda item: sum(item[1].mean_n))
    visits = sum(child.mean_n)
    assert visits > 0
    assert card == 3  # the next point card
    agent.observe(0)
    agent.observe(joint)  # all cards are in the hands, so that places are actions
    policy = agent.policy(0)
    assert agent.search.root is child
    assert sum(child.mean_n) == visits + 300
    assert policy[joint // 4] == 0  # that card is spent
    assert policy.sum() == pytest.approx(1)


@pytest.mark.thorough
def test_search_wins_against_random_play_in_a_game_too_large_to_enumerate() -> None:
    game: Any = make("goofspiel(cards=8,order=random)")
    method, opponent = make_method("sm_search:200"), make_method("random")
    method.check(game)
    agents = (method.agents(game, Host()), opponent.agents(game, Host()))
    assert play_match(game, *agents, num_games=30).win_rate > 0.65


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^the game must be goofspiel, got ii_goofspiel;"):
        SimultaneousSearch().check(make("ii_goofspiel"))
