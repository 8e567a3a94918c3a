"""How many bytes a search has room for, told before it is compiled."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.layout import BY_EVENT, BY_PRIOR
from gtcfr.memory_estimate import search_memory, summary_shapes, tree_shapes
from gtcfr.packing import packed_width
from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.search import begin
from gtcfr.settings import SearchSettings
from gtcfr.shape import children_added, tree_layout, tree_shape
from networks.cvpn import make_network
from selfplay.recipe import make_evaluator
from selfplay.runs.config import load_config
from sog.boards.connect_four import ConnectFour
from sog.games import make
from sog.memory import bytes_of
from tests.games.broken_games import kuhn
from tests.gtcfr.gamble import Gamble

GAMBLE = Gamble(won=12 * (0.5,))
GO = make("go19")
GIGABYTE = 10**9


@pytest.mark.thorough
@pytest.mark.parametrize("batch_size", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_it_is_what_the_arrays_of_a_search_take(batch_size: int) -> None:
    game, settings = make("kuhn"), SearchSettings(num_simulations=5, num_queries=2, rule="pcfr+")
    path = np.full((batch_size, 2), NO_EVENT, np.int32)
    root = start_of_game(game, batch_size=batch_size, path=path)
    start = jax.jit(functools.partial(begin, game, settings=settings))
    state = start(evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0))
    room = search_memory(game, ZeroEvaluator(), settings, 2, batch_size)
    held = {
        "states that were expanded": (state.tree.interior, state.tree.interior_statistics),
        "leaves": (state.tree.leaf, state.tree.leaf_statistics),
        "answers about leaves": state.answers,
        "queries": state.queries,
    }
    for name, arrays in held.items():
        assert room[name] == sum(leaf.nbytes for leaf in jax.tree.leaves(arrays)) > 0
    everything = sum(
        leaf.nbytes for leaf in jax.tree.leaves(state) if leaf.dtype != state.keys.dtype
    )
    assert 0.9 * everything < sum(room.values()) <= everything


def test_a_search_of_holdem_takes_little_whatever_flops_there_are() -> None:
    """22,100 flops and 1326 hands: a tree has a sample of the flops, so it is small."""
    config = load_config("holdem_small")
    game, settings = make(config.game), config.run.evaluate_search
    evaluator = make_evaluator(*make_network(game, config.network))
    assert game.num_chance_outcomes == 22_100
    room = search_memory(game, evaluator, settings, config.selfplay.max_events)
    chain = bytes_of(summary_shapes(game, settings, config.selfplay.max_events))
    assert 0.9 * 20.4 < sum(room.values()) / 10**6 <= 20.4  # as below: lower where it takes less
    assert 0.9 * 2.05 < chain / 10**6 <= 2.05


def test_london_fits_a_laptop() -> None:
    room = search_memory(make("london"), ZeroEvaluator(), SearchSettings(num_simulations=20), 8)
    assert sum(room.values()) < GIGABYTE / 10


@pytest.mark.parametrize(
    ("name", "megabytes", "of_a_chain", "state_bytes"),
    [("chess", 4.03, 0.041, 592), ("go9", 3.82, 0.035, 392), ("go19", 7.4, 0.157, 1592)],
)
def test_board_games_with_their_history_take_no_more_than_they_do(
    name: str, megabytes: float, of_a_chain: float, state_bytes: int
) -> None:
    """By default, 800 simulations; the positions that must not come again are in a state, too."""
    game, settings = make(name), SearchSettings(num_simulations=800)
    room = search_memory(game, ZeroEvaluator(), settings, 4)
    assert 0.9 * megabytes < sum(room.values()) / 10**6 <= megabytes
    assert 0.9 * of_a_chain < bytes_of(summary_shapes(game, settings, 4)) / 10**6 <= of_a_chain
    assert 4 * packed_width(game) == state_bytes


def test_more_public_states_than_can_be_numbered_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^num_simulations = 2000000000 could add more public"):
        tree_shapes(make("kuhn"), (), SearchSettings(num_simulations=2_000_000_000), 0)


def test_chunks_are_as_many_as_a_tree_can_fill() -> None:
    """A chain of nodes has a chunk each; what is beside it fills chunks."""
    leduc = make("leduc")
    shape = tree_shape(leduc, SearchSettings(num_simulations=100, chunk_size=4), 4)
    depth, interior = leduc.max_depth + 1, 1 + 4 + 100
    assert shape.num_chunks == depth + (interior - depth) // 4
    assert tree_shape(make("london"), SearchSettings(num_simulations=2), 0).num_chunks == 3


def test_room_follows_the_depth_of_a_tree_and_not_that_of_the_game() -> None:
    """A tree of 100 nodes may be a line of 37 and the way to it; Go may be 722 moves long."""
    settings = SearchSettings(num_simulations=100)
    assert tree_shape(GO, settings, 4).depth == 1 + 4 + 16 + 2 * 10
    assert tree_shape(make("tic_tac_toe"), settings, 4).depth == 9 + 1
    whole = SearchSettings(num_simulations=100, lookahead=2, capacity=900)
    assert tree_shape(GO, whole, 4).depth == 723


def test_chance_counts_for_half_of_the_simulations() -> None:
    """Twelve outcomes of chance and two of a decision, 14 events; 11 expansions at most."""
    settings = SearchSettings(num_simulations=10, num_children=12)
    assert tree_shape(GAMBLE, settings, 0).num_leaves == 1 + 14 + 10 * 2 + 5 * (12 - 2)


def test_a_node_that_is_large_is_a_chunk_by_itself() -> None:
    settings = SearchSettings(num_simulations=400)
    assert tree_shape(make("leduc"), settings, 0).chunk_size > 1
    shape = tree_shape(make("london"), settings, 8)
    assert (shape.chunk_size, shape.num_interior) == (1, 1 + 8 + 400)


def test_a_sample_of_chance_needs_no_more_room_than_a_decision() -> None:
    """Mr X may show himself at 199 stations, but at most 26 events follow a move."""
    london = make("london")
    least = london.num_decision_outcomes
    settings = SearchSettings(num_simulations=20, max_outcomes=least)
    assert least == tree_shape(london, settings, 8).layout.num_children == 26
    with pytest.raises(ValueError, match=r"^max_outcomes must be at least 26 in london.*, got 25"):
        tree_shape(london, SearchSettings(max_outcomes=25), 8)


def test_a_sample_of_chance_has_room_for_what_was_and_what_stands_for_the_rest() -> None:
    """Here no decision has more than one public outcome."""
    game = kuhn(num_decision_outcomes=1)
    assert tree_shape(game, SearchSettings(max_outcomes=2), 2).layout.num_children == 2
    with pytest.raises(ValueError, match=r"^max_outcomes must be at least 2 in kuhn.*, got 1\.$"):
        tree_shape(game, SearchSettings(max_outcomes=1), 2)


def test_how_many_children_are_added_follows_from_the_game() -> None:
    """One where information is perfect, all where something is hidden; and what was said."""
    perfect, hidden, everything = make("connect_four"), make("kuhn"), SearchSettings()
    assert children_added(perfect, everything) == 1
    assert children_added(hidden, everything) is None
    assert children_added(perfect, SearchSettings(num_children=3)) == 3
    assert children_added(perfect, SearchSettings(num_children=7)) is None
    assert children_added(perfect, SearchSettings(grow=False)) is None


def test_a_game_says_how_many_of_its_actions_a_search_considers() -> None:
    """Chess has 4672, of which few are ever legal; whoever searches may want others."""

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Narrow(ConnectFour):
        num_searched_actions = 3

    layout = tree_layout(Narrow(), SearchSettings())
    assert (layout.num_actions, layout.decisions) == (3, BY_PRIOR)
    assert tree_layout(Narrow(), SearchSettings(max_actions=5)).num_actions == 5
    assert tree_layout(Narrow(), SearchSettings(max_actions=7)).decisions == BY_EVENT


def test_a_game_says_how_many_outcomes_of_chance_a_search_keeps() -> None:
    """There are 22,100 flops."""
    holdem = make("holdem")
    layout = tree_layout(holdem, SearchSettings())
    assert (layout.num_children, layout.samples_chance) == (16, True)
    assert tree_layout(holdem, SearchSettings(max_outcomes=30)).num_children == 30
    assert not tree_layout(make("leduc"), SearchSettings()).samples_chance


def test_a_tree_that_looks_ahead_has_room_for_it_unless_told_otherwise() -> None:
    """Three levels of 7 columns each, and a child for each simulation."""
    game = make("connect_four")
    settings = SearchSettings(num_simulations=10, lookahead=3)
    assert tree_shape(game, settings, 0).num_leaves == 1 + 7 + 7**2 + 7**3 + 10
    assert tree_shape(game, dataclasses.replace(settings, capacity=99), 0).num_leaves == 99


def test_the_actions_of_a_game_without_chance_can_be_limited() -> None:
    """No game of perfect information needs to say that it has none."""
    assert tree_shape(GO, SearchSettings(max_actions=2), 0).layout.num_actions == 2
    with pytest.raises(
        ValueError, match=r"^max_actions must be left out in gamble, where chance may"
    ):
        tree_shape(GAMBLE, SearchSettings(max_actions=2), 0)
