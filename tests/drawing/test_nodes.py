"""A search as a list of nodes, against plain sums over the deals of Kuhn poker."""

import dataclasses
import functools
import itertools
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from sog.drawing.nodes import NodeView, left_out, read_nodes
from sog.games.core import CHANCE, TERMINAL
from sog.games.registry import make
from sog.tabular.enumerated_game import EnumeratedGame
from tests.tabular.small_games import tree_of

CHECK, BET = 1, 2
DEALS = list(itertools.permutations(range(3), 2))
LEDUC = "leduc(suit_isomorphism=true)"


@functools.cache
def searched(
    text: str, path: tuple[int, ...] = (), *, simulations: int = 20, enumerated: bool = False
) -> SearchResult:
    """A batch of two."""
    game = EnumeratedGame(tree=tree_of(text)) if enumerated else make(text)
    settings = SearchSettings(num_simulations=simulations)
    run = jax.jit(functools.partial(search, game, settings=settings))
    root = start_of_game(game, batch_size=2, path=np.array([path] * 2, np.int32))
    result: SearchResult = run(evaluator=ZeroEvaluator(), root=root, key=jax.random.key(1))
    return result


def nodes_of(text: str, *arguments: Any, search: int = 0, **options: Any) -> list[NodeView]:
    return read_nodes(make(text), searched(text, *arguments, **options), search)


def history(nodes: list[NodeView], node: NodeView) -> list[NodeView]:
    """The nodes from the root down to this one, both included."""
    by_row, line = {each.row: each for each in nodes}, [node]
    while line[0].parent is not None:
        line.insert(0, by_row[line[0].parent])
    return line


def events(nodes: list[NodeView], node: NodeView) -> str:
    return " ".join(each.event for each in history(nodes, node)[1:])


def named(nodes: list[NodeView]) -> dict[str, NodeView]:
    return {events(nodes, node): node for node in nodes}


def played(nodes: list[NodeView], node: NodeView, deal: tuple[int, int]) -> float:
    """How likely the average policies lead to a node in this deal; in Kuhn outcomes are actions."""
    line, probability = history(nodes, node), 1.0
    for above, below in itertools.pairwise(line):
        assert below.outcome is not None
        probability *= above.policy[deal[above.actor], below.outcome]
    return float(probability)


@pytest.mark.thorough
def test_a_search_of_kuhn_poker_shows_the_whole_game() -> None:
    nodes = named(nodes_of("kuhn"))
    assert list(nodes) == [
        *("", "check", "check check", "check bet1", "check bet1 fold", "check bet1 call"),
        *("bet1", "bet1 fold", "bet1 call"),
    ]
    assert [node.kind for node in nodes.values() if node.actor == TERMINAL] == ["terminal"] * 5
    assert [node.kind for node in nodes.values() if node.actor != TERMINAL] == ["interior"] * 4
    assert [node.depth for node in nodes.values()] == [0, 1, 2, 2, 3, 3, 1, 2, 2]
    assert [node.actor for node in nodes.values() if node.actor != TERMINAL] == [0, 1, 0, 1]


@pytest.mark.thorough
def test_the_searched_state_reads_as_in_the_result() -> None:
    result, nodes = searched(LEDUC, (CHECK, BET)), nodes_of(LEDUC, (CHECK, BET), search=1)
    (node,) = [each for each in nodes if each.row == int(result.slot[1])]
    assert events(nodes, node) == "check bet2"
    np.testing.assert_allclose(node.policy, result.policy[1], atol=1e-6)
    np.testing.assert_allclose(node.ranges, result.ranges[1], atol=1e-6)
    np.testing.assert_allclose(node.values, result.values[1], atol=1e-6)
    assert node.num_visits == 20


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "told"),
    [("is_full", "full"), ("is_pruned", "best actions"), ("is_sampled", "sampled")],
)
def test_what_a_tree_does_not_have_is_told(name: str, told: str) -> None:
    result = searched("kuhn")
    assert left_out(result, 0) == left_out(result, 1) == ()
    changed: dict[str, Any] = {name: np.array([False, True])}
    lacking = dataclasses.replace(result, tree=dataclasses.replace(result.tree, **changed))
    assert left_out(lacking, 0) == ()
    (text,) = left_out(lacking, 1)
    assert told in text


@pytest.mark.thorough
def test_probabilities_are_those_of_average_play() -> None:
    nodes = nodes_of("kuhn")
    for node in nodes:
        wanted = np.mean([played(nodes, node, deal) for deal in DEALS])
        assert node.probability == pytest.approx(wanted, abs=1e-6)


@pytest.mark.thorough
def test_values_of_ends_are_what_their_worlds_win() -> None:
    """The winner gets 1 chip, 2 after a call; who folds loses 1."""
    nodes = nodes_of("kuhn")
    stakes = {"check check": 1, "check bet1 call": 2, "bet1 call": 2}
    folds = {"check bet1 fold": -1.0, "bet1 fold": 1.0}
    for name, node in named(nodes).items():
        if name in folds:
            assert node.mean_value == pytest.approx(folds[name])
        if name in stakes:
            weight = [played(nodes, node, deal) for deal in DEALS]
            won = [stakes[name] * np.sign(first - second) for first, second in DEALS]
            assert node.mean_value == pytest.approx(np.average(won, weights=weight), abs=1e-5)


def test_a_card_in_ones_own_hand_is_not_in_the_others() -> None:
    """A king called by a queen wins 2; with a king, only the jack and the queen can call."""
    end = named(nodes_of("kuhn"))["bet1 call"]
    np.testing.assert_allclose(end.values[0, 2], 2)
    np.testing.assert_allclose(end.values[1, 2], 2)
    np.testing.assert_allclose(end.values[0, 0], -2)


def test_values_and_ranges_of_the_root_are_those_of_the_game() -> None:
    root = nodes_of("kuhn")[0]
    np.testing.assert_allclose(root.ranges, np.full((2, 3), 1 / 3), rtol=1e-6)
    assert root.mean_value == pytest.approx(root.values[0].mean(), abs=1e-6)
    assert root.probability == pytest.approx(1)
    assert (root.parent, root.outcome, root.event) == (None, None, "")


@pytest.mark.thorough(but=["20"])
@pytest.mark.parametrize("simulations", [1, 20])
def test_every_node_of_the_tree_is_shown_once_and_after_its_parent(simulations: int) -> None:
    path = (CHECK, BET)
    nodes = nodes_of(LEDUC, path, simulations=simulations, search=1)
    tree = searched(LEDUC, path, simulations=simulations).tree
    rows = [node.row for node in nodes]
    assert len(set(rows)) == len(rows) == int(tree.num_nodes[1])
    for kind, count in (("leaf", tree.num_leaves), ("terminal", tree.num_terminals)):
        assert sum(node.kind == kind for node in nodes) == int(count[1])
    for node in nodes:
        assert node.parent is None or rows.index(node.parent) < rows.index(node.row)
        assert all(nodes[rows.index(child)].parent == node.row for child in node.children)


@pytest.mark.thorough
def test_what_was_added_after_the_last_update_is_undefined() -> None:
    """One update, then one simulation: it makes an interior node of one leaf."""
    nodes = nodes_of(LEDUC, (CHECK, BET), simulations=1)
    (expanded,) = [node for node in nodes if node.kind == "interior" and node.depth == 3]
    assert np.isnan(expanded.policy).all()
    assert np.isfinite(expanded.values[expanded.is_possible]).all()  # as a leaf it was there
    new = [node for node in nodes if node.parent == expanded.row]
    assert len(new) >= 2
    for node in new:
        assert np.isnan([node.probability, node.mean_value]).all()
        assert np.isnan(node.values).all()
        assert np.isnan(node.ranges).all()


@pytest.mark.thorough
def test_nobody_chooses_at_chance_and_at_the_end() -> None:
    for node in nodes_of(LEDUC, (CHECK, BET)):
        decides = node.kind == "interior" and node.actor < CHANCE
        assert decides == bool(np.isfinite(node.policy).any()) or node.num_visits == 0
        if node.actor >= CHANCE:
            assert not node.legal.any()
            assert node.num_visits == 0


@pytest.mark.slow
def test_an_enumerated_game_reads_as_the_game_itself() -> None:
    plain = nodes_of("kuhn")
    game = EnumeratedGame(tree=tree_of("kuhn"))
    nodes = read_nodes(game, searched("kuhn", enumerated=True))
    assert [node.description for node in nodes] == [node.description for node in plain]
    for node, same in zip(nodes, plain, strict=True):
        assert node.mean_value == pytest.approx(same.mean_value, abs=1e-5)
        assert node.game == make("kuhn")
