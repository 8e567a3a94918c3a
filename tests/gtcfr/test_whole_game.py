"""With the whole game in the tree, search is tabular CFR, regret by regret (DESIGN: soundness)."""

import numpy as np
import pytest

from sog.games import PLAYER_1, TERMINAL, make
from sog.tabular import Solver
from tests.gtcfr.grown_trees import Sums, run_search, sums_of, tree_number, uneven_root, whole_game
from tests.tabular.small_games import compiled_game, tree_of

_UPDATES = 6


def _searched(text: str, rule: str) -> Sums:
    tree = tree_of(text)
    settings = whole_game(_UPDATES, tree.num_nodes, rule=rule)
    result = run_search(make(text), settings, root=uneven_root(text))
    assert not result.is_full.any()
    return sums_of(tree, tree_number(result))


def _tabular(text: str, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative regrets and average policy of the solver, [node, S, A]."""
    compiled = compiled_game(text)
    ranges = np.asarray(uneven_root(text).ranges[0], np.float64)
    solver = Solver(compiled, rule, root_reach=ranges[:, :, None], precision="float64")
    solver.planned = _UPDATES
    solver.run(_UPDATES)
    first, second = (
        tuple(np.asarray(layer)[..., 0] for layer in player)
        for player in solver.state.cumulative_regret
    )
    return compiled.to_tree((first, second)), solver.average_policy()[..., 0]


@pytest.mark.thorough(but=["leduc"])
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("kuhn", "sog"),
        pytest.param("kuhn", "cfr+", marks=pytest.mark.slow),
        ("kuhn", "dcfr"),
        pytest.param("kuhn", "pcfr+", marks=pytest.mark.slow),
        ("kuhn", "pdcfr+"),
        ("kuhn", "hs-dcfr"),
        ("leduc(suit_isomorphism=true)", "sog"),
        pytest.param("liars_dice(dice=1,faces=3)", "sog", marks=pytest.mark.slow),
        ("ii_goofspiel(cards=3,order=random)", "sog"),
        ("glasses(rounds=2)", "sog"),
        pytest.param("leduc", "sog", marks=pytest.mark.slow),
        pytest.param("liars_dice(dice=1,faces=4)", "sog", marks=pytest.mark.slow),
        pytest.param("ii_goofspiel(cards=4)", "sog", marks=pytest.mark.slow),
        ("connect_four(rows=2,columns=3,run_length=2)", "sog"),
    ],
)
def test_search_with_the_whole_game_in_its_tree_equals_the_tabular_solver(
    text: str, rule: str
) -> None:
    found, tree = _searched(text, rule), tree_of(text)
    regret, policy = _tabular(text, rule)
    np.testing.assert_array_equal(found.is_interior, tree.node_actor != TERMINAL)
    choice = tree.has_choice & (tree.node_actor <= PLAYER_1)[:, None]
    scale = np.abs(regret[choice]).max()
    np.testing.assert_allclose(found.regret[choice], regret[choice], atol=2e-5 * scale)
    weight = found.policy[choice].astype(np.float64)
    total = weight.sum(axis=-1)
    # Where all regrets are rounding errors, so is what regret matching makes of them.
    is_tie = np.abs(regret[choice]).max(axis=-1) <= 2e-5 * scale
    known = (total > 1e-6) & ~is_tie
    average = weight[known] / total[known, None]
    np.testing.assert_allclose(average, policy[choice][known], atol=2e-3)
