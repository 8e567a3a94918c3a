"""Games whose public states are the numbered nodes of an enumerated tree."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from networks.cvpn import NetworkSettings, make_network
from sog.games.conformance import check_game
from sog.games.registry import make
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.public_tree import enumerate_public_tree
from tests.tabular.small_games import tree_of


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text", ["kuhn", pytest.param("glasses(rounds=1)", marks=pytest.mark.slow)]
)
def test_an_enumerated_game_keeps_the_contract(text: str) -> None:
    report = check_game(EnumeratedGame(tree=tree_of(text)))
    assert report.exhaustive
    assert report.num_states == tree_of(text).num_nodes


def test_it_goes_by_the_name_and_unit_of_the_game_that_it_wraps() -> None:
    game = EnumeratedGame(tree=tree_of("leduc(suit_isomorphism=true)"))
    leduc = make("leduc(suit_isomorphism=true)")
    assert str(game) == str(leduc)
    assert (game.name, game.unit, game.milli_unit) == (leduc.name, leduc.unit, leduc.milli_unit)
    assert game.params() == leduc.params()


def test_it_is_searched_and_seen_by_networks_as_the_game_that_it_wraps() -> None:
    cards = "ranks=6,suits=3,hole_cards=1,deals=1"
    plain = make(f"holdem({cards},blinds=none,pot=2,stack=1,bets=1c)")
    game = EnumeratedGame(tree=enumerate_public_tree(plain))
    assert game.num_searched_outcomes == plain.num_searched_outcomes
    assert game.num_searched_actions == plain.num_searched_actions
    state, node = plain.root(), game.root()
    np.testing.assert_array_equal(game.outcomes_in_order(node), plain.outcomes_in_order(state))
    network, _ = make_network(plain, NetworkSettings(torso="hands", width=8, depth=1))
    seen = network.encode(game, node), network.encode(plain, state)
    jax.tree.map(np.testing.assert_array_equal, *seen)


def test_two_of_them_are_equal_if_they_share_the_tree() -> None:
    tree = tree_of("kuhn")
    assert EnumeratedGame(tree=tree) == EnumeratedGame(tree=tree)
    assert hash(EnumeratedGame(tree=tree)) == hash(EnumeratedGame(tree=tree))
    assert EnumeratedGame(tree=tree) != EnumeratedGame(tree=enumerate_public_tree(make("kuhn")))


@pytest.mark.thorough(but=["leduc"])
@pytest.mark.parametrize("text", ["leduc(suit_isomorphism=true)", "ii_goofspiel(cards=3)"])
def test_a_play_passes_through_the_states_of_the_game_that_it_wraps(text: str) -> None:
    """A random play of both, by the same outcomes."""
    plain, rng = make(text), np.random.default_rng(0)
    game = EnumeratedGame(tree=tree_of(text) if "leduc" in text else enumerate_public_tree(plain))
    state, node = plain.root(), game.root()
    for _ in range(plain.max_depth):
        legal = np.asarray(game.legal_outcomes(node))
        assert legal.tolist() == np.asarray(plain.legal_outcomes(state)).tolist()
        assert game.describe_state(node) == plain.describe_state(state)
        jax.tree.map(np.testing.assert_array_equal, game.state_of(node), state)
        if not legal.any():
            break
        outcome = jnp.int32(rng.choice(np.flatnonzero(legal)))
        state, node = plain.apply(state, outcome), game.apply(node, outcome)
    assert int(game.actor(node)) == int(plain.actor(state))
