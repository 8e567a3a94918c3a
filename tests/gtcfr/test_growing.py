"""Growing trees against the plain NumPy oracle: every regret, average, cfv and reach of every node.

The oracle is told when each node was expanded, and values leaves by the same table. A wrong scale
of leaf values (trap 5), an evaluator asked with old ranges (trap 9), averages without own reach
(trap 10) or with other weights than t (trap 11), rows mixed up between infostates (trap 12), sums
that a leaf slot kept from its last user (trap 13) and hidden moves that lose a way to reach an
infostate (trap 16) all show as other numbers.
"""

import numpy as np
import pytest

from sog.games.core import PLAYER_1
from tests.gtcfr.growing_cases import CASES, EVERY_SEARCH, node_now, replayed, searched
from tests.gtcfr.grown_trees import Array, public_tree, sums_of, tree_number
from tests.gtcfr.plain_search import joint_weights, normalized


@pytest.mark.thorough(but=["poker, SoG(s, 1)"])
@pytest.mark.parametrize(("name", "number"), EVERY_SEARCH)
def test_a_growing_tree_sums_up_what_the_plain_oracle_does(name: str, number: int) -> None:
    oracle = replayed(name, number)
    found = sums_of(public_tree(CASES[name].text), tree_number(searched(name), number))
    there = found.is_there
    wanted: dict[str, tuple[Array, Array]] = {
        "regrets": (found.regret[there], oracle.regrets[there]),
        "policies": (found.policy[there], oracle.policy_sum[there]),
        "cfvs": (found.cfv[:, there], oracle.cfv_sum[:, there]),
        "reach": (found.reach[:, there], oracle.reach_sum[:, there]),
    }
    for what, (mine, its) in wanted.items():
        np.testing.assert_allclose(
            mine, its, rtol=1e-4, atol=2e-5 * np.abs(its).max(), err_msg=what
        )


@pytest.mark.thorough(but=["poker, SoG(s, 1)"])
@pytest.mark.parametrize(("name", "number"), EVERY_SEARCH)
def test_the_result_is_the_oracles_average_at_the_end_of_the_branch(name: str, number: int) -> None:
    """Trap 6: values are expected utilities, cfvs divided by compatible reach."""
    oracle, result = replayed(name, number), searched(name)
    public, now = public_tree(CASES[name].text), node_now(name, number)
    if public.node_actor[now] <= PLAYER_1:
        np.testing.assert_allclose(result.policy[number], oracle.average_policy[now], atol=1e-4)
    reach, joint = oracle.reach_sum[:, now], joint_weights(public)[now]
    wanted = normalized(reach, public.node_mask[now])
    np.testing.assert_allclose(result.ranges[number], wanted, atol=1e-5)
    compatible = np.stack([joint @ reach[1], reach[0] @ joint])
    assert (compatible[public.node_mask[now]] > 0).any()
    values = oracle.cfv_sum[:, now] / np.where(compatible > 0, compatible, 1)
    scale = public.game.max_utility
    np.testing.assert_allclose(result.values[number], values, atol=1e-4 * scale)
