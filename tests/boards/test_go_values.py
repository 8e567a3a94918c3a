"""Values of the smallest boards of Go, found by the project's own tools."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.go import Go
from sog.boards.go_rules import GoState
from sog.games.core import TERMINAL
from sog.tabular import compile_tree, solve_lp


@pytest.mark.thorough
@pytest.mark.parametrize("move_limit", [9, pytest.param(11, marks=pytest.mark.slow)])
def test_2_x_2_is_worth_one_point_to_black(move_limit: int) -> None:
    # By area and positional superko, as W. Taylor proved, https://senseis.xmp.net/?2x2Board, and
    # J. Tromp's program finds, https://tromp.github.io/java/go/twoxtwo.html. Games end after so
    # many moves here, which is no matter: with 9 to 13 of them the value is the same.
    game = Go(size=2, komi=0.0, move_limit=move_limit, payoff="diff")
    assert solve_lp(compile_tree(game)).value == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
def test_black_takes_all_of_3_x_3_from_the_center() -> None:
    # +9 by area, https://senseis.xmp.net/?SmallBoardGo (T. Drange); more cannot be had. All nine
    # points beat a komi of 8.5, and nothing less does.
    game = Go(size=3, komi=8.5)
    proof = Proof(game)
    after_b2 = game.start("B2")
    assert proof.wins(after_b2, 15)
    assert not proof.wins(after_b2, 9)  # that soon White can still hold out


class Proof:
    """Whether Black can force a win in so many moves, by depth-first search with what is known of
    positions that came about in other ways; rules are asked of the game alone."""

    def __init__(self, game: Go) -> None:
        def look(state: GoState) -> tuple[jax.Array, GoState, jax.Array]:
            actions = jnp.arange(game.num_actions, dtype=jnp.int32)
            after = jax.vmap(game.apply, (None, 0))(state, actions)
            won = jnp.where(
                jax.vmap(game.actor)(after) == TERMINAL, jax.vmap(game.result)(after), 0
            )
            return game.legal_outcomes(state), after, won

        self._game, self._look = game, jax.jit(look)
        self._known: dict[bytes, tuple[bool, int]] = {}

    def wins(self, state: GoState, depth: int) -> bool:
        """Deepens step by step, which finds the shortest way."""
        return any(self._wins(state, upto) for upto in range(1, depth + 1, 2))

    def _wins(self, state: GoState, depth: int) -> bool:
        # What was shown before the present position changes nothing.
        parts = (np.asarray(state.shown) & 3, state.earlier, state.num_moves, state.num_passes)
        key = b"".join(np.asarray(part).tobytes() for part in parts)
        wins, upto = self._known.get(key, (False, -1))
        if (wins and upto <= depth) or (not wins and upto >= depth):
            return wins
        legal, children, won = jax.device_get(self._look(state))
        is_black = int(state.num_moves) % 2 == 0
        # White's pass first, which asks Black to show it; Black tries the center and sides first.
        order = [4, 1, 3, 5, 7, 0, 2, 6, 8]
        order = [*order, 9] if is_black else [9, *order]
        answers = (
            won[action] > 0 if won[action] != 0 else self._below(children, action, depth - 1)
            for action in order
            if legal[action]
        )
        found = any(answers) if is_black else all(answers)
        self._known[key] = (found, depth)
        return found

    def _below(self, children: GoState, action: int, depth: int) -> bool:
        child = jax.tree.map(lambda leaf: leaf[action], children)
        return depth > 0 and self._wins(child, depth)
