"""What is read off a game: how reach flows from state to state, and what its ends pay."""

import jax
import numpy as np
import pytest

from sog.tabular import enumerate_public_tree, linear_maps
from sog.tabular.public_tree import NO_PAYOFF
from tests.tabular.small_games import (
    node_after,
    tree_of,
)

CHECK, BET, FOLD, CALL = 1, 2, 0, 1  # public events of a betting round


def test_payoffs_of_kuhn_are_chips_over_the_six_deals() -> None:
    tree = tree_of("kuhn")
    bet_call, bet_fold = node_after(tree, BET, CALL), node_after(tree, BET, FOLD)
    found = {
        (int(node), *map(int, infostates)): payoff * 6
        for node, infostates, payoff in zip(
            tree.payoff_node, tree.payoff_infostates, tree.payoff, strict=True
        )
    }
    jack, queen, king = range(3)
    assert found[bet_call, king, queen] == pytest.approx(2)
    assert found[bet_call, jack, king] == pytest.approx(-2)
    assert found[bet_fold, jack, king] == pytest.approx(1)
    assert (bet_call, queen, queen) not in found  # there is one queen
    assert len(found) == 5 * 6


def test_ends_that_pay_the_same_are_of_one_kind() -> None:
    tree = tree_of("kuhn")
    check_fold = node_after(tree, CHECK, BET, FOLD)
    check_call, bet_call = node_after(tree, CHECK, BET, CALL), node_after(tree, BET, CALL)
    kinds = tree.node_payoff.tolist()
    assert kinds[check_call] == kinds[bet_call]
    assert kinds[check_fold] != kinds[node_after(tree, BET, FOLD)]  # another player has won
    assert sorted(set(kinds)) == [NO_PAYOFF, 0, 1, 2, 3]


def test_chunks_do_not_change_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tree_of("leduc(suit_isomorphism=true)")
    monkeypatch.setattr(linear_maps, "_SMALL_CHUNK", 4)
    monkeypatch.setattr(linear_maps, "_LARGE_CHUNK", 7)
    in_parts = enumerate_public_tree(whole.game)
    for name in ("node_state", "node_parent", "node_outcome", "node_mask", "node_legal"):
        jax.tree.map(np.testing.assert_array_equal, getattr(in_parts, name), getattr(whole, name))
    for name in ("payoff_node", "payoff_infostates", "payoff"):
        np.testing.assert_array_equal(getattr(in_parts, name), getattr(whole, name))
    for part, flow in zip(in_parts.flows, whole.flows, strict=True):
        for name in ("node", "infostate", "parent_infostate", "action"):
            np.testing.assert_array_equal(getattr(part, name), getattr(flow, name))
