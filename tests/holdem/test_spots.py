"""Exact solutions of spots: known values, and the same game enumerated as any other."""

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.holdem.deck import Deck
from sog.holdem.game import Holdem
from sog.holdem.ranges import parse_range
from sog.holdem.spots import (
    SpotPause,
    SpotSolver,
    betting,
    boards,
    look,
    solve_spot,
    split_history,
    spot_of,
    walk,
)
from sog.holdem.spots.betting import BettingLine, End, SpotDecision, build_street
from sog.holdem.spots.boards import _is_symmetry, list_hands
from sog.holdem.spots.solver import PROGRAMS, _run
from sog.holdem.spots.tables import pack, read
from sog.holdem.spots.walk import _bet, _deal, _spread, _start
from sog.memory import bytes_of
from sog.tabular import compile_tree, evaluate_policy
from sog.tabular.public_tree import PublicTree


def holdem(text: str) -> Holdem:
    game = make(f"holdem({text})")
    assert isinstance(game, Holdem)
    return game


def solver_of(text: str, *ranges: str, rule: str = "cfr+", **options: Any) -> SpotSolver:
    game = holdem(text)
    weights = np.stack([parse_range(one, game.deck) for one in ranges or ("100%", "100%")])
    return SpotSolver(spot_of(game), weights, rule, **options)


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
    spot = spot_of(holdem("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin"))
    spot = dataclasses.replace(spot, stakes=(0, 100), words=("allin100",))
    bettor = parse_range("AA", spot.deck) + bluffs * parse_range("QQ", spot.deck)
    solver = SpotSolver(spot, np.stack([parse_range("KK", spot.deck), bettor]))
    solution = solve_spot(solver, iterations=200)
    assert solution.last.exploitability < 0.01
    assert solution.last.value == pytest.approx(value, abs=0.02)


def test_what_follows_some_actions_is_a_street_of_its_own() -> None:
    """The same decisions, named from the one who acts first."""
    (menu,) = holdem("board=Ts3h2h5c9s,pot=200,stack=1900,bets=0.5/1/allin,caps=3").betting.menus

    def street(*line: Any) -> SpotDecision:
        (start,) = build_street([BettingLine(*line)], menu, smallest_bet=100, last=True).starts
        return start

    def same(part: SpotDecision | End, whole: SpotDecision | End, turned: bool) -> int:
        if isinstance(part, End):
            assert isinstance(whole, End)
            sign = -1 if turned and part.kind == "fold" else 1
            assert (part.kind, sign * part.payoff) == (whole.kind, whole.payoff)
            return 0
        assert isinstance(whole, SpotDecision)
        assert (part.words, part.actions) == (whole.words, whole.actions)
        assert part.stakes == (whole.stakes[::-1] if turned else whole.stakes)
        below = zip(part.children, whole.children, strict=True)
        return 1 + sum(same(one, other, turned) for one, other in below)

    start, seen = street(200, 1900), []
    for words in (("check",), ("bet100",), ("check", "bet200"), ("bet200", "raise800")):
        whole: SpotDecision | End = start
        for word in words:
            assert isinstance(whole, SpotDecision)
            whole = whole.children[whole.actions.index(word)]
        assert isinstance(whole, SpotDecision)
        turned = bool(whole.level % 2)
        stakes = whole.stakes[::-1] if turned else whole.stakes
        seen.append(same(street(200, 1900, stakes, words), whole, turned))
    assert min(seen) > 1
    spot = spot_of(holdem("board=Ts3h2h5c,pot=200,stack=1900,bets=1"))
    with pytest.raises(ValueError, match=r"must begin with a street, .* got words \('check',\)"):
        dataclasses.replace(spot, words=("check",))
    with pytest.raises(ValueError, match=r"must begin with a street, .* stakes \(0, 100\)"):
        dataclasses.replace(spot, stakes=(0, 100))


def test_a_raise_is_at_least_as_large_as_the_one_before() -> None:
    """A tenth of the pot is less: 100, and 100 more each time."""
    (menu,) = holdem("board=Ts3h2h5c9s,pot=200,stack=1900,bets=0.1,caps=3").betting.menus
    at: SpotDecision | End
    (at,) = build_street([BettingLine(200, 1900)], menu, smallest_bet=100, last=True).starts
    for word in ("bet100", "raise200", "raise300"):
        assert isinstance(at, SpotDecision)
        assert at.actions[-1] == word
        at = at.children[-1]
    line = BettingLine(200, 1900, (0, 300), ("bet300",))
    (later,) = build_street([line], menu, smallest_bet=100, last=True).starts
    assert later.actions == ("fold", "call", "raise600")


@pytest.mark.parametrize("rule", ["cfr", "dcfr", "pcfr+"])
def test_every_rule_goes_to_the_equilibrium(rule: str) -> None:
    text = "board=Ts3h2h5c9s,pot=100,stack=100,bets=allin"
    solution = solve_spot(solver_of(text, "AA,QQ", "KK", rule=rule), iterations=400)
    assert solution.last.value == pytest.approx(25, abs=0.3)
    assert solution.last.exploitability < 1.5
    assert solution.last.exploitability < solution.checkpoints[0].exploitability / 4


@pytest.mark.thorough
def test_sixteen_bits_find_the_same_in_half_of_the_memory() -> None:
    text = "board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin"
    whole, half = (
        solver_of(text, "AA,QQ,T9s", "KK,JJ", rule="dcfr", precision=precision)
        for precision in ("float32", "int16")
    )
    for solver in (whole, half):
        solver.run(300)
    assert bytes_of(half.memory) < 0.6 * bytes_of(whole.memory)
    assert half.values(0)[0] == pytest.approx(whole.values(0)[0], abs=0.02)
    assert half.exploitability()[0] < 0.1
    first, second = walk(whole, ["bet50"]), walk(half, ["bet50"])
    assert second.frequency == pytest.approx(first.frequency, abs=0.01)
    assert not np.array_equal(first.policy, second.policy)  # it was rounded
    with pytest.raises(ValueError, match="float32, int16, got int8"):
        solver_of(text, precision="int8")


def test_packed_numbers_are_off_by_half_a_part_of_the_largest_of_their_decision() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([1e-20, 1.0, 3e12])[:, None]
    numbers = rng.normal(size=(2, 3, 3, 50)) * sizes
    numbers[1, :, 2] = 0
    packed = pack(jnp.asarray(numbers, jnp.float32))
    assert packed.parts.dtype == np.int16
    largest = np.abs(numbers).max(axis=(1, 3), keepdims=True)
    back = np.stack([np.asarray(read(packed, jnp.int32(board), 1)[0]) for board in (0, 1)])
    assert (np.abs(back - numbers) <= 0.501 * largest / 32767).all()
    assert np.abs(np.asarray(packed.parts)).max() == 32767


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
    game = holdem(
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
    game = holdem(text)
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
    deck, start = solver.spot.deck, _start(solver, 0)
    for turn, river in itertools.product(("Ks", "Kh", "Kd"), ("Qs", "Qh", "Qd")):
        place = start
        for word in ("check", "check", turn, "check", "check", river):
            place = (_deal if isinstance(place.at, End) else _bet)(solver, place, word)
        cards = deck.parse_cards(f"AsAhAd{turn}{river}")
        is_there = ~np.isin(deck.hands(), cards).any(axis=1)
        for player in (0, 1):
            reach = _spread(solver, place, player, place.reach[player], 0.0)
            np.testing.assert_array_equal(reach > 0, is_there)


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


def test_hands_that_fill_up_a_list_change_nothing_and_are_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, ranges = "board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin", ("AA,QQ,T9s", "KK,JJ,98s")
    found = []
    for step in (1, 32):
        monkeypatch.setattr(boards, "_LEAST_STEP", step)
        found.append(solver_of(text, *ranges, precision="int16"))
        found[-1].run(50)
    shapes = [[len(number) for number in solver.hands.number] for solver in found]
    held = [[one.sum() for one in solver.hands.is_held] for solver in found]
    assert shapes[1] == [32, 32] != shapes[0]
    assert held[0] == held[1]
    assert found[1].values(0) == pytest.approx(found[0].values(0), abs=1e-3)
    first, second = (walk(solver, ["bet50"]) for solver in found)
    np.testing.assert_allclose(second.policy, first.policy, atol=1e-3)  # NaN at the same hands
    np.testing.assert_array_equal(second.ranges[0].range_ > 0, first.ranges[0].range_ > 0)


@pytest.mark.thorough
def test_many_spots_in_one_program_equal_each_by_itself() -> None:
    text = "board=Ts3h2h5c9s,pot=100,stack=100,bets=0.5/allin"
    game = holdem(text)
    boards = [
        game.deck.parse_cards(b) for b in ("Ts3h2h5c9s", "AsAhKdKc2s", "8c7c6cQd2h", "2d3d4d5d9d")
    ]
    weights = np.stack([parse_range("77+,A9s+"), parse_range("55+,KTs+")])
    together = SpotSolver(spot_of(game), weights, boards=boards, chunk=2)
    together.run(30)
    values, exploited = together.values(0), together.exploitability()
    for number in (0, 3):
        name = "".join(map(game.deck.card_name, boards[number]))
        alone = SpotSolver(spot_of(holdem(text.replace("Ts3h2h5c9s", name))), weights)
        alone.run(30)
        assert values[number] == pytest.approx(alone.values(0)[0], abs=1e-3)
        assert exploited[number] == pytest.approx(alone.exploitability()[0], abs=1e-3)


def test_spots_that_differ_in_cards_and_chips_share_a_program() -> None:
    sizes = []
    for board, stack in (("Ts3h2h5c9s", 100), ("Td3s2s5h9d", 50)):
        text = f"board={board},pot=100,stack={stack},bets=allin"
        solver = solver_of(text, "AA,QQ", "KK", rule="dcfr")
        solver.run(1000)
        bluffs = stack / (100 + stack)  # of QQ, as often as makes a caller indifferent
        assert solver.values(0)[0] == pytest.approx(50 * bluffs, abs=0.05)
        assert solver.exploitability()[0] < 0.1
        sizes.append([program._cache_size() for program in PROGRAMS])  # type: ignore[attr-defined]
    assert sizes[0] == sizes[1]
    solver_of(text, "AA,JJ,87s", "KK,98o", rule="dcfr").run(1)  # nor do ranges matter
    assert sizes[0][0] == _run._cache_size()  # type: ignore[attr-defined]
    deeper = solver_of("board=Ts3h2h5c9s,pot=100,stack=300,bets=1/allin", "AA,QQ", "KK")
    assert deeper.layout != solver.layout


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ("bet", "'bet' is not possible"),
        ("check check check", "the hand is over"),
        ("check check", "there is no decision"),
    ],
)
def test_a_history_that_is_not_possible_is_told(history: str, words: str) -> None:
    solver = solver_of("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin", "AA,QQ", "KK")
    with pytest.raises(ValueError, match=words):
        walk(solver, split_history(history))


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        (("TsTh", "AA"), "share a pair"),  # one has a card of the board
        (("AhAd", "AhAd"), "share a pair"),
        # Too little for 32 bits, where products of weights would be 0.
        (("AhKd:1e-42", "AA"), "a weight of at least 1e-06, got at most 1e-42"),
    ],
)
def test_ranges_without_a_deal_that_counts_are_refused(ranges: tuple[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solver_of("board=Ts3h2h5c9s,pot=100,stack=100", *ranges)


def test_a_game_that_begins_before_the_flop_is_no_spot() -> None:
    with pytest.raises(ValueError, match="board"):
        spot_of(holdem(""))
    with pytest.raises(ValueError, match="flop"):
        spot_of(holdem("blinds=none,pot=10,stack=20,bets=allin"))
    with pytest.raises(ValueError, match="draw_bets must be none"):
        spot_of(holdem("board=Ts3h2h5c9s,pot=10,stack=20,bets=drawn,draw_bets=0.5/1"))


def test_whoever_waits_is_told_when_the_first_iteration_begins() -> None:
    solver, told = solver_of("board=Ts3h2h5c9s,pot=100,stack=100,bets=allin"), list[int]()
    solve_spot(
        solver,
        iterations=2,
        on_start=lambda: told.append(solver.iteration),
        on_checkpoint=lambda point: told.append(point.iteration),
    )
    assert told[0] == 0
    assert told[-1] == 2


def test_more_betting_than_memory_can_hold_is_refused_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone_through = []

    def add(node: Any, *others: Any) -> None:
        gone_through.append(node)
        add_choice(node, *others)

    add_choice = betting._add_choice
    monkeypatch.setattr(betting, "_add_choice", add)
    menu = "/".join(f"{part / 10:g}" for part in range(1, 17))
    spot = spot_of(holdem(f"board=Ts3h2h,pot=1,stack=1000000,bets={menu},caps=100"))
    with pytest.raises(ValueError, match="a street must have at most 200,000 decisions"):
        spot.streets()
    assert len(gone_through) < 200_000


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.memory.available_bytes", lambda: 10_000_000)
    with pytest.raises(ValueError, match=r"regrets and sums of policies would take .* of memory"):
        solver_of("board=Ts3h2h5c,pot=100,stack=1000,bets=0.5/1/allin")


def test_programs_are_compiled_before_there_are_tables_and_not_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    solver = solver_of("ranks=5,suits=2,board=AsAhKsKh,pot=10,stack=10,bets=1,caps=1")
    has_tables = list[bool]()

    def compiled() -> None:
        has_tables.append("memory" in vars(solver))
        assert "Compiling jit(_run)" in caplog.text
        caplog.clear()

    monkeypatch.setattr("sog.holdem.spots.solver.return_unused_memory", compiled)
    with jax.log_compiles():
        solver.warm_up()
        solver.run(1)
        solver.exploitability()
    assert has_tables == [False]
    assert "jit(_run)" not in caplog.text
    assert "jit(evaluate)" not in caplog.text


def test_where_a_card_is_due_a_word_is_answered_with_cards() -> None:
    solver = solver_of("ranks=5,suits=2,board=AsAhKsKh,pot=10,stack=20,bets=1,caps=1")
    with pytest.raises(ValueError, match=r"'check' cannot be dealt; choose one of Ts, Th, Js, "):
        walk(solver, ["check", "check", "check"])
    due = look(solver, ["bet10", "call"])
    assert isinstance(due, SpotPause)
    assert (due.pot, due.stacks) == (30, (10, 10))


@pytest.mark.thorough
def test_what_a_pass_works_with_is_counted() -> None:
    """XLA's own count of a river with much betting: what it keeps, and what it needs beside it."""
    made = solver_of("board=Ts3h2h5c9s,pot=10,stack=400,bets=0.5/1/allin", "22+,A2s+", "22+,A2s+")
    arguments = (made.layout, made.cards, made.equities, made.reach, made.rule, made.memory)
    program = _run.lower(*arguments, *map(jnp.int32, (1, 1, 0))).compile()
    found = program.memory_analysis()
    assert found is not None
    needed = found.argument_size_in_bytes + found.temp_size_in_bytes
    assert needed / 2 < sum(made.memory_parts().values()) < needed * 2
    counted = made.memory_parts()["a pass through the betting"]
    assert counted / 4 < found.temp_size_in_bytes < 1.2 * counted


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
