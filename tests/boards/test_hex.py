"""Rules of Hex."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.hex import Hex
from sog.games import make
from sog.games.core import TERMINAL
from sog.games.views import BoardView
from tests.boards.backward_induction import BackwardInduction


def winning_openings(game: Hex) -> set[str]:
    values = BackwardInduction(game).values(game.root())
    return {
        game.describe_action(game.root(), 0, cell) for cell in np.flatnonzero(values == 1).tolist()
    }


def test_the_winning_openings_of_small_boards_are_the_known_ones() -> None:
    # https://www.hexwiki.net/index.php/Small_boards
    assert winning_openings(Hex(size=2)) == {"b1", "a2"}
    assert winning_openings(Hex(size=3)) == {"c1", "a2", "b2", "c2", "a3"}


@pytest.mark.thorough
def test_a_swap_takes_over_the_first_stone_on_the_other_side() -> None:
    game: Any = make("hex(size=3,swap=true)")
    state = game.start("b1 swap")
    assert game.describe_state(state) == ".../O../... (X to move)"
    assert game.describe_state(game.start("b1")) == ".X./.../... (O to move)"
    assert np.flatnonzero(game.legal_outcomes(game.start("b1"))).tolist() == [0, *range(2, 10)]
    for text in ("", "b1 swap", "b1 a1"):
        assert not game.legal_outcomes(game.start(text))[9]
    # O, who has a2 from the swap, wins along the second row.
    over = game.start("b1 swap a1 b2 b1 c2")
    assert game.actor(over) == TERMINAL
    assert game.result(over) == -1


def test_features_show_which_stones_are_joined_to_which_side() -> None:
    game = make("hex(size=3)")
    state = game.start("b1 a3 b2 c1")
    planes = np.asarray(game.observe(state)).reshape(7, 3, 3)
    own, other, first, top, bottom, left, right = planes
    assert np.argwhere(own).tolist() == [[0, 1], [1, 1]] == np.argwhere(top).tolist()
    assert np.argwhere(other).tolist() == [[0, 2], [2, 0]]
    assert first.all()
    assert not bottom.any()
    assert np.argwhere(left).tolist() == [[2, 0]]
    assert np.argwhere(right).tolist() == [[0, 2]]
    after = np.asarray(game.observe(game.start("b1 a3 b2"))).reshape(7, 3, 3)
    assert np.argwhere(after[0]).tolist() == [[2, 0]] == np.argwhere(after[3]).tolist()
    assert not after[2].any()
    assert np.argwhere(after[5]).tolist() == [[0, 1], [1, 1]]


def test_the_board_is_drawn_as_a_rhombus_and_its_winning_chain_is_marked() -> None:
    game = make("hex(size=3)")
    state = game.start("b1a1b2a2a3")
    assert game.draw(state).split("\n") == ["  a b c", "1 O X .", " 2 O X .", "  3 X . ."]
    view = game.view(state)
    assert isinstance(view, BoardView)
    assert view.is_rhombus
    assert view.won == {1, 4, 6}
    assert game.describe_state(state) == "OX./OX./X.. (X has won)"


@pytest.mark.parametrize("size", [1, 20])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=rf"^hex: size must be .*, got {size}\.$"):
        Hex(size=size)


def test_a_turned_board_is_that_of_the_turned_moves() -> None:
    game = Hex(size=3)
    state, turned = game.root(), game.root()
    for cell in (1, 3, 4):  # at the top, at the left, and one that joins the first
        state, turned = (
            game.apply(at, jnp.int32(c)) for at, c in ((state, cell), (turned, 8 - cell))
        )
    twins = [game.random_symmetry(jax.random.key(seed), state) for seed in range(8)]
    for twin, _, actions in twins:
        wanted = state if actions[0] == 0 else turned
        np.testing.assert_array_equal(twin.labels, wanted.labels)
    assert len({int(actions[0]) for _, _, actions in twins}) == 2
