"""What is read off a game: how reach flows from state to state, and what its ends pay."""

import functools
from collections import Counter
from typing import Any

import jax
import numpy as np
import pytest

from sog.games.core import TERMINAL, Game
from sog.tabular import PublicTree, enumerate_public_tree, linear_maps
from tests.tabular.small_games import (
    VARIOUS_GAMES,
    node_after,
    push_reach,
    random_policy,
    tree_of,
)

BET, FOLD, CALL = 2, 0, 1  # public events of a betting round


@pytest.fixture(scope="module", params=VARIOUS_GAMES)
def tree(request: pytest.FixtureRequest) -> PublicTree:
    return tree_of(request.param)


def test_flows_carry_reach_as_the_game_advances_it(tree: PublicTree) -> None:
    policy = random_policy(tree, seed=1)
    mask = tree.node_mask[0]
    root_reach = np.random.default_rng(2).random(mask.shape) * mask
    np.testing.assert_allclose(
        reach_by_flows(tree, policy, root_reach),
        push_reach(tree, policy, root_reach),
        atol=1e-12,
    )


def reach_by_flows(tree: PublicTree, policy: np.ndarray, root_reach: np.ndarray) -> np.ndarray:
    """[node, 2, S]: as the docstring of `Flow` reads, entry by entry."""
    reach = np.zeros(tree.node_mask.shape)
    reach[0] = root_reach
    for player, flow in enumerate(tree.flows):
        for node, infostate, before, action in zip(
            flow.node, flow.infostate, flow.parent_infostate, flow.action, strict=True
        ):
            parent = tree.node_parent[node]
            acted = tree.node_actor[parent] == player
            probability = policy[parent, before, action] if acted else 1
            reach[node, player, infostate] += reach[parent, player, before] * probability
    return reach


def test_payoffs_are_the_games_utilities(tree: PublicTree) -> None:
    size = tree.game.num_infostates
    dense = np.zeros((tree.num_nodes, size, size))
    first, second = tree.payoff_infostates.T
    dense[tree.payoff_node, first, second] = tree.payoff
    reach = np.random.default_rng(3).random(tree.node_mask.shape) * tree.node_mask
    ends = np.flatnonzero(tree.node_actor == TERMINAL)
    assert np.isin(tree.payoff_node, ends).all()
    with jax.enable_x64(True):
        states = jax.tree.map(lambda leaf: leaf[ends], tree.node_state)
        expected = np.asarray(_all_utilities(tree.game, states, reach[ends]))
    by_player_0 = np.einsum("nst,nt->ns", dense[ends], reach[ends, 1])
    by_player_1 = -np.einsum("nst,ns->nt", dense[ends], reach[ends, 0])
    found = np.stack([by_player_0, by_player_1], axis=1)
    np.testing.assert_allclose(found, np.where(tree.node_mask[ends], expected, 0), atol=1e-12)


@functools.partial(jax.jit, static_argnums=0)
def _all_utilities(game: Game[Any], states: Any, reach: jax.Array) -> jax.Array:
    return jax.vmap(game.utilities)(states, reach)


def test_merged_infostates_have_several_ways_to_them() -> None:
    # Mr X's station tells all that matters, so stations that he can reach in two ways are merged.
    flow = tree_of("glasses").flows[0]
    ways = Counter(zip(flow.node.tolist(), flow.infostate.tolist(), strict=True))
    assert max(ways.values()) > 1


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


def test_payoffs_are_in_64_bits_whatever_the_caller_computes_in() -> None:
    tree = tree_of("kuhn")
    assert tree.payoff.dtype == np.float64
    assert set(np.round(np.abs(tree.payoff) * 6, 12)) == {1.0, 2.0}
    assert np.abs(tree.payoff * 6 - np.round(tree.payoff * 6)).max() < 1e-15


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
