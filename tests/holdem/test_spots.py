"""Exact solutions of spots: known values, and the same game enumerated as any other."""

import dataclasses
import itertools

import numpy as np
import pytest

from sog.holdem.deck import Deck
from sog.holdem.ranges import parse_range
from sog.holdem.spots import (
    SpotSolver,
    solve_spot,
    split_history,
    spot_of,
    walk,
)
from sog.holdem.spots.boards import _is_symmetry, list_hands
from sog.tabular import compile_tree, evaluate_policy
from sog.tabular.public_tree import PublicTree
from tests.holdem.games import solver_of, spot_game


def test_two_hands_against_a_bluff_catcher_are_the_textbook_game() -> None:
    solver = solver_of("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin", "AA,QQ", "KK")
    solution = solve_spot(solver, iterations=1000)
    assert solution.last.value == pytest.approx(25, abs=0.01)  # 75 to 25 of the pot
    assert solution.last.exploitability < 0.1
    deck = solver.spot.deck
    first = walk(solver, [])
    aces, queens = parse_range("AA", deck) > 0, parse_range("QQ", deck) > 0
    bets = first.policy[first.actions.index("allin100")]
    assert bets[aces].min() > 0.999
    assert np.mean(bets[queens]) == pytest.approx(0.5, abs=0.01)
    facing = walk(solver, ["allin100"])
    calls = facing.policy[facing.actions.index("call")]
    assert np.nanmean(calls) == pytest.approx(0.5, abs=0.01)
    # He is indifferent: a call wins 200 from a bluff and loses 100, half of the pot being his.
    assert facing.action_value[0][parse_range("KK") > 0] == pytest.approx(-50, abs=1e-3)
    assert facing.action_value[1][parse_range("KK") > 0] == pytest.approx(-50, abs=0.5)


@pytest.mark.parametrize(("bluffs", "value"), [(1, 0), (0.25, -50)])
def test_a_spot_may_begin_with_a_bet_that_is_called_if_it_is_a_bluff_often_enough(
    bluffs: float, value: float
) -> None:
    spot = spot_of(spot_game("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin"))
    spot = dataclasses.replace(spot, stakes=(0, 100), words=("allin100",))
    bettor = parse_range("AA", spot.deck) + bluffs * parse_range("QQ", spot.deck)
    solver = SpotSolver(spot, np.stack([parse_range("KK", spot.deck), bettor]))
    solution = solve_spot(solver, iterations=200)
    assert solution.last.exploitability < 0.01
    assert solution.last.value == pytest.approx(value, abs=0.02)


@pytest.mark.parametrize("rule", ["cfr", "dcfr", "pcfr+"])
def test_every_rule_goes_to_the_equilibrium(rule: str) -> None:
    text = "board=Ts3h2h5c9s,pot=100,stack=100,bets=allin"
    solution = solve_spot(solver_of(text, "AA,QQ", "KK", rule=rule), iterations=400)
    assert solution.last.value == pytest.approx(25, abs=0.3)
    assert solution.last.exploitability < 1.5
    assert solution.last.exploitability < solution.checkpoints[0].exploitability / 4


def test_uniform_play_of_all_hands_has_the_value_by_hand_on_any_board() -> None:
    # A bet of 30 into 60 that is folded to half of the time wins 60, else 60 of 120 less 30.
    for board in ("Ts3h2h5c9s", "AsAhKdKc2s"):
        solver = solver_of(f"board={board},pot=60,stack=500,bets=0.5,raises=none")
        node = walk(solver, [])
        bet, check = node.actions.index("bet30"), node.actions.index("check")
        range_ = node.ranges[0].range_
        share = [30 + np.nansum(range_ * node.action_value[action]) for action in (check, bet)]
        assert share[bet] == pytest.approx(45, abs=1e-4)
        # If only he may bet, he gets 30 for a check, and 37.5 in the mean of both.
        assert (30 + share[bet]) / 2 == pytest.approx(37.5, abs=1e-4)
        assert share[check] == pytest.approx((30 + (0 + 30) / 2) / 2, abs=1e-4)
        assert solver.values(0)[0] == pytest.approx(-solver.values(1)[0], abs=1e-4)
        assert node.ranges[0].equity[range_ > 0] == pytest.approx(node.ranges[0].equity[range_ > 0])


def test_leduc_by_the_engine_of_spots_has_its_known_value() -> None:
    game = spot_game(
        "ranks=3,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=20,bets=2c|4c,caps=2"
    )
    solver = SpotSolver(spot_of(game), np.ones((2, game.num_infostates)))
    solution = solve_spot(solver, iterations=1000)
    assert solution.last.value == pytest.approx(-0.0856064, abs=5e-4)
    assert solution.last.exploitability < 1e-3


ENUMERATED = [
    # Two cards each and two streets; suits that may change places.
    "ranks=5,suits=2,board=AsAhKsKh,blinds=none,pot=10,stack=20,bets=1/allin,caps=1",
    # Three streets and a raise: lines of several kinds.
    pytest.param(
        "ranks=3,suits=2,hole_cards=1,deals=1/1,blinds=none,pot=4,stack=14,bets=1,caps=2",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        "ranks=4,suits=3,hole_cards=1,deals=1/1/1,board=Kh,blinds=none,pot=4,stack=9,"
        "bets=1/allin,caps=1",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.thorough
@pytest.mark.parametrize("text", ENUMERATED)
def test_the_whole_game_enumerated_finds_the_same_value_and_exploitability(text: str) -> None:
    game = spot_game(text)
    solver = SpotSolver(spot_of(game), np.ones((2, game.num_infostates)))
    solver.run(7)  # far from an equilibrium, so that mistakes show
    compiled = compile_tree(game)
    evaluation = evaluate_policy(compiled, policy_on(compiled.tree, solver))
    assert solver.values(0)[0] == pytest.approx(float(evaluation.value[0]), abs=2e-5)
    assert solver.exploitability()[0] == pytest.approx(
        float(evaluation.exploitability[0]), rel=1e-4
    )
    assert evaluation.exploitability[0] > 0.01


def policy_on(tree: PublicTree, solver: SpotSolver) -> np.ndarray:
    """[node, S, A]: the average policy of a spot on its public tree."""
    policy = np.where(tree.node_legal, 1.0, 0.0)
    policy /= np.maximum(policy.sum(axis=-1, keepdims=True), 1)
    words: dict[int, tuple[str, ...]] = {0: ()}
    for node in range(1, tree.num_nodes):
        parent, outcome = int(tree.node_parent[node]), int(tree.node_outcome[node])
        word = tree.game.describe_outcome(tree.state(parent), outcome)
        words[node] = (*words[parent], word)
    for node in range(tree.num_nodes):
        if tree.node_actor[node] > 1:
            continue
        found = walk(solver, words[node])
        state = tree.state(node)
        known = np.isfinite(found.policy[0])
        for action in np.flatnonzero(tree.node_legal[node].any(axis=0)).tolist():
            place = found.actions.index(tree.game.describe_outcome(state, action))
            policy[node, known, action] = found.policy[place, known]
    return policy


def test_suits_may_change_places_among_the_first_cards_but_not_among_those_dealt_later() -> None:
    deck = Deck(ranks=3, suits=2)
    ranges = np.ones((2, deck.num_hands()))
    hands, pair = list_hands(deck, 2, ranges[None]), [4, 5]
    assert _is_symmetry(hands, (1, 0), pair, 2, ranges)
    assert not _is_symmetry(hands, (1, 0), pair, 0, ranges)


def test_on_boards_that_stand_for_others_hands_keep_their_names() -> None:
    """All three suits are alike on the flop: the hands with a card of the true board are gone."""
    solver = solver_of("ranks=5,suits=3,board=AsAhAd,pot=10,stack=10,bets=1,caps=1", "100%", "100%")
    deck = solver.spot.deck
    for turn, river in itertools.product(("Ks", "Kh", "Kd"), ("Qs", "Qh", "Qd")):
        node = walk(solver, ["check", "check", turn, "check", "check", river])
        is_there = ~np.isin(deck.hands(), deck.parse_cards(f"AsAhAd{turn}{river}")).any(axis=1)
        for player in (0, 1):
            np.testing.assert_array_equal(node.ranges[player].range_ > 0, is_there)


@pytest.mark.thorough
def test_cards_that_stand_for_others_change_no_value() -> None:
    text = "board=QhJh2h7s,pot=20,stack=30,bets=allin"
    folded = solver_of(text, "AA,KhTh,77", "KK,QJs,98s")
    # Hands of no weight to speak of break the symmetry of clubs and diamonds.
    whole = solver_of(text, "AA,KhTh,77,8c7c:1e-10", "KK,QJs,98s")
    assert (folded.boards[1].size, whole.boards[1].size) == (35, 48)
    for solver in (folded, whole):
        solver.run(2)  # later on only such hands come to some states, where they alone count
    assert folded.values(0)[0] == pytest.approx(whole.values(0)[0], abs=1e-4)
    assert folded.exploitability()[0] == pytest.approx(whole.exploitability()[0], abs=1e-4)
    for card in ("5c", "5d"):  # one stands for the other
        first, second = (
            walk(one, split_history(f"check check [{card}]")) for one in (folded, whole)
        )
        known = np.isfinite(first.ranges[0].value)
        assert 10 <= known.sum() <= 13
        for found, right in (
            (first.ranges[0].value, second.ranges[0].value),
            (first.policy[0], second.policy[0]),
        ):
            np.testing.assert_allclose(found[known], right[known], atol=1e-3)


@pytest.mark.slow
def test_a_flop_has_the_value_that_public_solvers_found() -> None:
    # 19.0 +- 0.1 to player 0 beyond half of the pot, by two public solvers.
    solver = solver_of(
        "board=9s8h3s,pot=100,stack=100,bets=0.5/allin",
        "AA,KK,QQ,AK,AQs,A5s",
        "QQ,JJ,TT,99,AKo,AQ,AJs,ATs,KQs,KJs,KTs,QJs,JTs,T9s",
        rule="dcfr",
    )
    solution = solve_spot(solver, iterations=1000, until=0.1)
    assert solution.last.exploitability <= 0.1
    assert solution.last.value == pytest.approx(19.0, abs=0.1)
