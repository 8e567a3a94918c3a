"""Showdowns of spots in sorted order, beside the matrix of all pairs of hands."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sog.holdem.spots import SpotSolver, solve_spot, solver, spot_of
from sog.holdem.spots.showdowns import against, at_showdown
from tests.holdem.games import holdem

SMALL = "ranks=5,suits=3,board={},pot=10,stack=10,bets=1,caps=1"
ENDS = 3


SHOW = jax.jit(at_showdown, static_argnums=(0, 3, 4, 6))
MEET = jax.jit(against, static_argnums=(0, 2))


def sorted_solver(text: str, ranges: np.ndarray) -> SpotSolver:
    """A solver that sorts hands however few they are."""
    game = holdem(f"holdem({text})")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_MANY_PAIRS", 0)
        return SpotSolver(spot_of(game), ranges)


def compare(spot: SpotSolver, reach: np.ndarray, board: int = 0, size: int = 1) -> None:
    """reach: [player, board, end, hand], of hands that may be on these boards."""
    last, by_pairs = spot.layout.last, dataclasses.replace(spot.cards, in_order=None)
    assert spot.cards.in_order is not None
    for player in (0, 1):
        masks = [spot.boards[last].mask[who][board : board + size, None] for who in (0, 1)]
        met = jnp.asarray(reach[1 - player] * masks[1 - player], jnp.float32)
        rest = (spot.equities, player, last, jnp.int32(board), size, met)
        found, right = (np.asarray(SHOW(spot.layout, c, *rest)) for c in (spot.cards, by_pairs))
        most = 2e-6 * np.asarray(met).sum(axis=-1, keepdims=True)
        assert (np.abs(found - right) * masks[player] <= most).all()
        pairs = spot.hands.compatible if player == 1 else spot.hands.compatible.T
        exact = np.asarray(met, np.float64) @ pairs
        assert (np.abs(MEET(spot.layout, spot.cards, player, met) - exact) <= most).all()
        assert (found[exact == 0] == 0).all()  # whatever is left would produce regrets


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_ranges_on_any_board_win_what_they_win_pair_by_pair(data: st.DataObject) -> None:
    """Blocked cards, ties, hands of one range only, and reach of very different sizes."""
    order = data.draw(st.permutations(range(105)))
    cards = data.draw(st.permutations(range(15)))[:5]
    names = "".join("TJQKA"[card // 3] + "shd"[card % 3] for card in cards)
    ranges = np.zeros((2, 105))
    ranges[0, order[:60]], ranges[1, order[30:90]] = 1, 1
    spot = sorted_solver(SMALL.format(names), ranges)
    sizes = st.sampled_from([0.0, 1e-30, 1e-6, 0.3, 1.0])
    shape = [len(number) for number in spot.hands.number]
    reach = [np.array(data.draw(st.lists(sizes, min_size=n, max_size=n))) for n in shape]
    compare(spot, [one[None, None] * np.arange(ENDS)[:, None] for one in reach])  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("text", ["board=KsTh7s4d", "board=AsKsQsJs", "board=2c2d2h2s"])
def test_whole_ranges_on_rivers_below_a_turn_win_what_they_win_pair_by_pair(
    text: str, size: int
) -> None:
    """Also where the board is the best hand, and for several boards at once."""
    spot = sorted_solver(f"{text},pot=100,stack=100,bets=1,raises=none", np.ones((2, 1326)))
    shape = (2, size, ENDS, len(spot.hands.number[0]))
    reach = np.random.default_rng(0).random(shape) ** 8
    compare(spot, reach, board=spot.boards[1].size - size, size=size)


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("ranks=5,suits=2,board=AsAhKsKh,blinds=none,pot=10,stack=20,bets=1/allin,caps=1", 45),
        ("ranks=3,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=20,bets=2c|4c,caps=2", 6),
    ],
)
def test_iterations_find_the_same_in_sorted_order(text: str, hands: int) -> None:
    """Two streets, all-in before the last, suits that may change places; and one hole card."""
    ranges = np.random.default_rng(1).random((2, hands))
    both = [sorted_solver(text, ranges) for _ in range(2)]
    both[1].cards = dataclasses.replace(both[1].cards, in_order=None)
    for spot in both:
        spot.run(2)  # later on, which of two equal actions is chosen depends on rounding
    for player in (0, 1):
        assert both[0].values(player) == pytest.approx(both[1].values(player), abs=1e-4)
    assert both[0].exploitability() == pytest.approx(both[1].exploitability(), abs=1e-4)
    solution = solve_spot(both[0], iterations=400)
    assert solution.last.value == pytest.approx(
        solve_spot(both[1], iterations=400).last.value, abs=0.02
    )
    assert solution.last.exploitability < 0.02


def test_few_hands_are_compared_pair_by_pair_and_many_are_sorted() -> None:
    game = holdem("holdem(board=KsTh7s4d2c,pot=100,stack=100,bets=1,raises=none)")
    ranges = np.ones((2, 1326))
    assert SpotSolver(spot_of(game), ranges).cards.in_order is not None
    ranges[:, 300:] = 0
    assert SpotSolver(spot_of(game), ranges).cards.in_order is None
