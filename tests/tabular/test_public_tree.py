"""The enumerated public tree: known sizes, order, and agreement with the game it came from."""

import functools
import re
from collections import Counter
from typing import Any

import jax
import numpy as np
import pytest

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.games.registry import make
from sog.tabular import PublicTree, TreeTooLargeError, enumerate_public_tree, public_tree
from sog.tabular.linear_maps import bytes_per_node
from sog.tabular.public_tree import NO_PARENT, TreeMemoryError
from tests.tabular.small_games import VARIOUS_GAMES, node_after, tree_of

CHECK, BET, FOLD, CALL = 1, 2, 0, 1  # public events of a betting round


@pytest.fixture(scope="module", params=VARIOUS_GAMES)
def tree(request: pytest.FixtureRequest) -> PublicTree:
    return tree_of(request.param)


def test_kuhn_has_nine_public_states() -> None:
    # The start, check, bet, then check-check, check-bet, bet-fold, bet-call, and two after
    # check-bet, level by level.
    tree = tree_of("kuhn")
    assert tree.node_parent.tolist() == [NO_PARENT, 0, 0, 1, 1, 2, 2, 4, 4]
    assert tree.node_outcome.tolist()[1:] == [CHECK, BET, CHECK, BET, FOLD, CALL, FOLD, CALL]
    assert tree.node_depth.tolist() == [0, 1, 1, 2, 2, 2, 2, 3, 3]
    zero, one, over = PLAYER_0, PLAYER_1, TERMINAL
    assert tree.node_actor.tolist() == [zero, one, one, over, zero, over, over, over, over]


@pytest.mark.parametrize(
    ("game", "public_states", "decisions", "infostates"),
    [
        ("kuhn", 9, 4, (6, 6)),
        # A betting round can stand in 15 ways, 3 of them each player's turn; 5 of the others close
        # the first round, with 6 cards to come, none of them in a player's hand.
        ("leduc", 15 + 5 * 6 * 15, 6 + 5 * 6 * 6, (3 * 6 + 5 * 6 * 3 * 5,) * 2),
        # Without suits. The same as generic poker with one size of bets.
        ("leduc(suit_isomorphism=true)", 15 + 5 * 3 * 15, 6 + 5 * 3 * 6, (144, 144)),
        ("generic_poker(cards=2,bets=1)", 15 + 5 * 3 * 15, 6 + 5 * 3 * 6, (144, 144)),
        # The sets of bids, and all but the empty one again with a call.
        ("liars_dice", 2**12 + 2**12 - 1, 2**12, (2**11 * 6, 2**11 * 6)),
        ("non_locality", 5, 2, (1, 1)),
    ],
)
def test_known_numbers_of_public_states_and_infostates(
    game: str, public_states: int, decisions: int, infostates: tuple[int, int]
) -> None:
    tree = tree_of(game)
    assert tree.num_nodes == public_states
    assert (tree.node_actor < CHANCE).sum() == decisions
    assert (tree.num_infostates(0), tree.num_infostates(1)) == infostates


def test_nodes_are_in_breadth_first_order(tree: PublicTree) -> None:
    parent = tree.node_parent[1:]
    assert tree.node_parent[0] == NO_PARENT
    assert (parent >= 0).all()
    assert (np.diff(parent) >= 0).all()
    assert (tree.node_depth[1:] == tree.node_depth[parent] + 1).all()
    siblings = np.diff(parent) == 0
    assert (np.diff(tree.node_outcome[1:])[siblings] > 0).all()


def test_every_legal_outcome_has_one_child(tree: PublicTree) -> None:
    expected = [tuple(edge) for edge in np.argwhere(_ask(tree.game, tree.node_state)[1]).tolist()]
    edges = zip(tree.node_parent[1:].tolist(), tree.node_outcome[1:].tolist(), strict=True)
    assert Counter(edges) == Counter(expected)


def test_nodes_are_what_the_game_says_of_their_states(tree: PublicTree) -> None:
    actor, _, mask, legal = _ask(tree.game, tree.node_state)
    np.testing.assert_array_equal(tree.node_actor, actor)
    np.testing.assert_array_equal(tree.node_mask, mask)
    np.testing.assert_array_equal(tree.node_legal, legal)


@functools.partial(jax.jit, static_argnums=0)
def _ask(game: Game[Any], states: Any) -> tuple[jax.Array, ...]:
    """What the game says of each state: actor, legal outcomes, infostates, legal actions."""

    def ask(state: Any) -> tuple[jax.Array, ...]:
        return (
            game.actor(state),
            game.legal_outcomes(state),
            game.infostate_mask(state),
            game.legal_actions(state),
        )

    return jax.vmap(ask)(states)


def test_a_nodes_state_is_its_parents_after_the_outcome(tree: PublicTree) -> None:
    apply = jax.jit(tree.game.apply)
    for node in range(1, min(tree.num_nodes, 100)):
        expected = apply(tree.state(int(tree.node_parent[node])), tree.node_outcome[node])
        jax.tree.map(np.testing.assert_array_equal, tree.state(node), expected)


def test_a_tree_can_start_in_the_middle_of_the_game() -> None:
    whole = tree_of("leduc(suit_isomorphism=true)")
    king = 2
    top = node_after(whole, CHECK, CHECK, king)
    part = enumerate_public_tree(whole.game, root=whole.state(top))
    assert (part.num_nodes, part.node_parent[0], part.node_outcome[0]) == (15, NO_PARENT, 0)
    jax.tree.map(np.testing.assert_array_equal, part.state(0), whole.state(top))
    paid = {tuple(pair) for pair in part.payoff_infostates.tolist()}
    assert (0, 0) in paid  # two jacks meet when one of them folds
    assert (king, king) not in paid  # there is no third king


def test_a_tree_beyond_the_limit_is_refused_with_limit_and_count() -> None:
    game = make("leduc(suit_isomorphism=true)")
    # 1, 2 (check, bet), 5 (2 after check, 3 after bet), ... public states a level.
    expected = f"the public tree of {game} has more than max_nodes = 7 nodes (reached 8 at depth 2)"
    with pytest.raises(TreeTooLargeError, match=re.escape(expected)):
        enumerate_public_tree(game, max_nodes=7)
    assert issubclass(TreeTooLargeError, ValueError)


def test_a_tree_of_exactly_the_limit_is_enumerated() -> None:
    assert enumerate_public_tree(make("kuhn"), max_nodes=9).num_nodes == 9


def test_progress_is_told_level_by_level() -> None:
    told: list[int] = []
    enumerate_public_tree(make("kuhn"), progress=told.append)
    assert told == [3, 7, 9]


@pytest.mark.parametrize("name", ["leduc", "liars_dice(faces=4)", "ii_goofspiel"])
def test_the_bytes_of_a_node_are_those_of_its_arrays_and_of_as_many_flows_as_infostates(
    name: str,
) -> None:
    tree = tree_of(name)
    tables = (tree.node_state, tree.node_actor, tree.node_mask, tree.node_legal)
    of_tables = sum(leaf.nbytes for leaf in jax.tree.leaves(tables))
    of_flows = sum(array.nbytes for flow in tree.flows for array in vars(flow).values())
    most = tree.num_nodes * 2 * tree.game.num_infostates * 4 * 4
    assert of_tables < bytes_per_node(tree.game) * tree.num_nodes == of_tables + most
    assert of_flows <= most


def test_a_tree_that_would_not_fit_into_memory_is_refused_with_the_count_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(public_tree, "_MOST_BYTES", 100 * bytes_per_node(make("leduc")))
    with pytest.raises(TreeMemoryError, match=r"hold 100 of its nodes \(reached \d+ at depth"):
        enumerate_public_tree(make("leduc"))


def test_payoffs_that_would_not_fit_into_memory_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kuhn poker's ends are worth 1 or 2 chips by the cards, or 1 to either: 4 kinds of 6 deals."""
    needed = 4 * 6 * 32
    monkeypatch.setattr("sog.memory.available_bytes", lambda: needed)
    enumerate_public_tree(make("kuhn"))
    monkeypatch.setattr("sog.memory.available_bytes", lambda: needed - 1)
    with pytest.raises(TreeMemoryError, match="is too large: what its ends pay would take"):
        enumerate_public_tree(make("kuhn"))
