"""Searches with trees that grow: the same rules, the same samples and the same searches as with
enumerated games, and games that nobody can enumerate."""

import itertools
import random
from collections import Counter
from collections.abc import Hashable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.baselines.grown import oos
from sog.baselines.histories.arrays import HistoryTree
from sog.baselines.online.is_mcts import IsMcts
from sog.baselines.online.online_outcome_sampling import OnlineOutcomeSampling, OosTables
from sog.baselines.plain.games import infostate_game
from sog.baselines.plain.ii_goofspiel import PlainIIGoofspiel
from sog.baselines.plain.worlds import InfostateGame, Seen
from sog.games import make
from sog.games.bidding import WON_BY_0
from sog.games.core import TERMINAL
from sog.play.rules import first_state, situation
from sog.players.methods import make_method
from sog.players.player import Host
from tests.baselines.plain_histories import exact, history_tree, random_policy
from tests.tabular.small_games import node_after

GAMES = [
    "liars_dice(dice=2,faces=3,dice1=1)",
    "liars_dice(dice=1,faces=2)",
    "ii_goofspiel(cards=4)",
    "ii_goofspiel(cards=3,order=ascending,payoff=diff)",
    "kuhn",
    "generic_poker(types=2,cards=2,raises=1,bets=2)",
]
SAMPLES = 20_000


def plain(text: str) -> InfostateGame:
    """A game in plain Python."""
    found = infostate_game(make(text))
    assert found is not None
    return found


def seen_at(tree: HistoryTree, twin: InfostateGame, row: int) -> Seen:
    """What the player of a row sees there."""
    state = jax.tree.map(lambda leaf: leaf[tree.row_node[row]], tree.tree.node_state)
    return twin.seen(state, int(tree.histories.row_player[row]), int(tree.row_infostate[row]))


def key_of(twin: InfostateGame, seen: Seen) -> Hashable:
    """How trees know it."""
    return twin.worlds(seen)(random.Random(0)).key()


def full_tree(
    tree: HistoryTree, twin: InfostateGame, search: oos.OosTree, policy: Any
) -> list[Any]:
    """Puts all infostates in memory, with a policy as their regrets and sums; their keys by row."""
    keys = [key_of(twin, seen_at(tree, twin, row)) for row in range(tree.histories.num_rows)]
    assert len(set(keys)) == len(keys)
    counts = np.asarray(tree.histories.row_choices)
    for row, key in enumerate(keys):
        line = policy[row, : counts[row]].tolist()
        search.tree[key] = oos.OosNode(regret=line.copy(), policy_sum=line.copy())
    return keys


def oos_tree(twin: InfostateGame, **settings: Any) -> oos.OosTree:
    """A search."""
    usual = {"targeting": "ist", "delta": 0.6, "epsilon": 0.5, "gamma": 0.0, "budget": 100}
    return oos.OosTree(OnlineOutcomeSampling(**{**usual, **settings}), twin)


def some_rows(tree: HistoryTree) -> list[int]:
    """One for each player, in the middle of the game."""
    players = tree.histories.row_player
    return [int(rows[len(rows) // 2]) for rows in (np.flatnonzero(players == p) for p in (0, 1))]


@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize("text", GAMES)
def test_targets_weigh_as_in_the_enumerated_game(text: str, targeting: str) -> None:
    twin, tree = plain(text), history_tree(text)
    if targeting == "pst" and not twin.can_target_public:
        with pytest.raises(ValueError, match="targeting must be ist"):
            oos_tree(twin, targeting=targeting)
        return
    policy = random_policy(tree, seed=4)
    zeros, nowhere = jnp.zeros(policy.shape), jnp.zeros(len(policy), bool)
    known = OosTables(regret=zeros, policy_sum=jnp.asarray(policy), is_known=~nowhere)
    empty = OosTables(regret=zeros, policy_sum=zeros, is_known=nowhere)
    for row in some_rows(tree):
        search = oos_tree(twin, targeting=targeting)
        target = twin.target(seen_at(tree, twin, row), public=targeting == "pst")
        searcher = OnlineOutcomeSampling(targeting=targeting, delta=0.6).searcher(tree)
        assert search.weight(target) == pytest.approx(searcher.target(empty, row).weight, rel=1e-5)
        full_tree(tree, twin, search, policy)
        assert search.weight(target) == pytest.approx(searcher.target(known, row).weight, rel=1e-5)


@pytest.mark.thorough(but=["liars_dice(dice=1,faces=2)-ist"])
@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize(
    ("text", "targeting"),
    [
        ("liars_dice(dice=1,faces=2)", "ist"),
        ("liars_dice(dice=1,faces=2)", "pst"),
        ("ii_goofspiel(cards=3,order=ascending,payoff=diff)", "ist"),
        ("kuhn", "pst"),
        ("generic_poker(types=2,cards=2,raises=1,bets=1)", "ist"),
        ("generic_poker(types=2,cards=2,raises=1,bets=1)", "pst"),
    ],
)
def test_regrets_and_averages_are_unbiased(text: str, targeting: str, learner: int) -> None:
    """As those of the enumerated search (test_oos.py), whatever is targeted."""
    twin, tree = plain(text), history_tree(text)
    policy, row = random_policy(tree, seed=6), some_rows(tree)[learner]
    samples, _ = sampled(tree, twin, policy, row, targeting, learner, weight=1.0)
    assert_means_are(samples, tree, policy, learner, 1.0)


def sampled(
    tree: HistoryTree,
    twin: InfostateGame,
    policy: Any,
    row: int,
    targeting: str,
    learner: int,
    weight: float | None = None,
) -> tuple[np.ndarray, float]:
    """What each simulation directed at a row adds [sample, regrets and sums, row + 1, choice], all
    infostates being in memory; and the weight of simulations: the search's own if none is given."""
    search = oos_tree(twin, targeting=targeting)
    keys = full_tree(tree, twin, search, policy)
    target = twin.target(seen_at(tree, twin, row), public=targeting == "pst")
    weight = search.weight(target) if weight is None else weight
    samples = np.zeros((SAMPLES, 2, *policy.shape))
    for number in range(SAMPLES):
        search.simulate(target, weight, learner)
        for line, key in enumerate(keys):
            node = search.tree[key]
            size, start = len(node.regret), policy[line].tolist()
            if node.regret != start[:size] or node.policy_sum != start[:size]:
                samples[number, 0, line, :size] = node.regret
                samples[number, 1, line, :size] = node.policy_sum
                samples[number, :, line, :size] -= start[:size]
                search.tree[key] = oos.OosNode(regret=start[:size], policy_sum=start[:size])
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
def test_what_two_targets_of_different_weight_add_up_to_is_unbiased(learner: int) -> None:
    """Each weighs as often as it is come to: regrets and sums of both alike. What weights are is
    told by `test_targets_weigh_as_in_the_enumerated_game` and test_oos.py."""
    text = "liars_dice(dice=1,faces=2)"
    twin, tree = plain(text), history_tree(text)
    policy = random_policy(tree, seed=6)
    first, second = (
        sampled(tree, twin, policy, row, "ist", learner) for row in (0, some_rows(tree)[1])
    )
    assert max(first[1], second[1]) > 1.5 * min(first[1], second[1])
    assert_means_are(first[0] + second[0], tree, policy, learner, first[1] + second[1])


@pytest.mark.parametrize("text", GAMES)
def test_directed_simulations_get_there(text: str) -> None:
    twin, tree = plain(text), history_tree(text)
    for row in some_rows(tree):
        search = oos_tree(twin, delta=0.999999, gamma=0.1, budget=200)
        seen = seen_at(tree, twin, row)
        search.search(seen, int(tree.histories.row_choices[row]))
        key = key_of(twin, seen)
        before = sum(search.tree[key].policy_sum)
        target = twin.target(seen, public=False)
        search.simulate(target, 1.0, 1 - seen.player)  # the other one learns
        assert sum(search.tree[key].policy_sum) > before


def test_nothing_leads_on_where_the_card_that_is_needed_is_spent() -> None:
    game = PlainIIGoofspiel(cards=4, order="descending", payoff="wl")
    won = Seen(0, (2, 1), (WON_BY_0, WON_BY_0))  # by the cards 2 and 1: against 1 and 0
    target, world = game.target(won, public=False), game.deal(random.Random(0))
    world.play(2)
    assert target.leads(world) == [False, True, False, False]
    world.play(0)
    assert target.leads(world) is False
    world.play(1)
    assert target.leads(world) is False
    search = oos_tree(game, delta=0.1, gamma=0.2, budget=3000)
    assert sum(search.search(won, 2)) == pytest.approx(1)


@pytest.mark.thorough
@pytest.mark.parametrize("selection", ["uct", "rm"])
@pytest.mark.parametrize(
    ("text", "events"), [("liars_dice", [2, 5]), ("ii_goofspiel", [0, 1, 0]), ("leduc", [2, 1, 3])]
)
def test_is_mcts_is_that_of_the_enumerated_game(
    selection: str, text: str, events: list[int]
) -> None:
    twin, tree, searches = plain(text), history_tree(text), 300
    node = node_after(tree.tree, *events)
    row = int(np.flatnonzero(tree.row_node == node)[1])
    method = IsMcts(selection=selection, c=1.0, final="mixed", budget=60)
    seen, size = seen_at(tree, twin, row), int(tree.histories.row_choices[row])
    ours = np.array([method.grown(twin, n).search(seen, size) for n in range(searches)])
    keys = jax.random.split(jax.random.key(0), searches)
    found = method.searcher(tree).search_rows(np.full(searches, row), keys)
    theirs = method.final_policy(found)[:, :size]
    error = np.hypot(ours.std(axis=0), theirs.std(axis=0)) / np.sqrt(searches)
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() <= 4.5 * error.max()
    assert np.ptp(ours.mean(axis=0)) > 0.02


def test_bids_that_explain_the_results_are_as_likely() -> None:
    game = PlainIIGoofspiel(cards=5, order="descending", payoff="wl")
    seen = Seen(0, (1, 4, 0), (1, 0, 2))  # the opponent's was higher, lower, the same
    possible = {
        bids
        for bids in itertools.permutations(range(5), 3)
        if bids[0] > 1 and bids[1] < 4 and bids[2] == 0
    }
    draw, source = game.worlds(seen), random.Random(2)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(3000):
        world: Any = draw(source)
        assert world.seen() == seen
        counts[tuple(world.bids[1])] += 1
    assert set(counts) == possible
    expected = 3000 / len(possible)
    assert max(abs(n - expected) for n in counts.values()) < 5 * expected**0.5


@pytest.mark.parametrize("method", ["oos(tree=grown):200", "ismcts(tree=grown):200"])
def test_what_is_found_is_kept_for_the_next_move_and_not_for_the_next_game(method: str) -> None:
    agent: Any = make_method(method).agents(make("liars_dice(dice=2)"), Host())(0, 5)
    assert agent.policy(3).sum() == pytest.approx(1)
    tree = agent.search.tree
    known = len(tree)
    assert 1 < known <= 201
    assert np.array_equal(agent.policy(3), agent.policy(3))  # one search, until the next event
    agent.observe(agent.act(3))
    agent.observe(20)
    agent.act(3)
    assert agent.search.tree is tree
    assert len(tree) > known
    agent.begin()
    assert not agent.search.tree


def test_a_clock_ends_a_search() -> None:
    method = IsMcts(tree="grown", seconds=0.05, budget=1_000_000_000)
    tree = method.grown(plain("liars_dice(dice=2)"))
    found = tree.search(Seen(0, (2,), ()), 24)
    assert sum(found) == pytest.approx(1)
    (visits,) = (sum(node.visits) for key, node in tree.tree.items() if key == (2, 0))
    assert 16 <= visits < 100_000


def test_goofspiel_with_13_cards_is_played_to_the_end() -> None:
    game, source = PlainIIGoofspiel(cards=13, order="ascending", payoff="wl"), random.Random(1)
    search = oos_tree(game, budget=60)
    world = game.deal(source)
    while world.player != TERMINAL:
        actions = world.actions()
        policy = search.search(world.seen(), len(actions))
        (action,) = source.choices(actions, policy)
        world.play(action)
    assert world.finish(source) in (-1, 0, 1)


@pytest.mark.parametrize(
    ("method", "game", "message"),
    [
        ("oos(tree=grown)", "rps", "tree=grown needs liars_dice, generic_poker, leduc, kuhn, or"),
        ("ismcts(tree=grown)", "ii_goofspiel(order=random)", "in a fixed order, got ii_goof"),
        ("oos(tree=grown,targeting=pst)", "ii_goofspiel", "targeting must be ist"),
    ],
)
def test_a_method_needs_the_game_in_plain_python(method: str, game: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_method(method).check(make(game))


def test_programs_play_to_no_clock() -> None:
    with pytest.raises(ValueError, match="oos: seconds must be 0 with tree=whole"):
        make_method("oos(seconds=1)")


@pytest.mark.parametrize(
    ("method", "game"),
    [
        ("oos(tree=grown,seconds=0.05)", "liars_dice(dice=2)"),
        ("sm_search(seconds=0.05)", "goofspiel(cards=13)"),
        ("pimbot(seconds=0.05)", "glasses"),
    ],
)
def test_agents_play_to_a_clock(method: str, game: str) -> None:
    agents = make_method(f"{method}:2000000000").agents(make(game), Host())
    infostates = np.flatnonzero(situation(make(game), first_state(make(game))).infostate_mask[0])
    assert agents(0, 1).act(int(infostates[0])) >= 0


def test_a_tree_too_large_for_memory_is_told_with_who_plays_it_otherwise(sog: Any) -> None:
    code, _, err = sog("solve", "liars_dice(dice=3)", "--max-nodes", "100")
    assert code == 2
    assert err.endswith(" oos and ismcts can play it with tree=grown.\n")
