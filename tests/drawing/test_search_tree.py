"""The picture of a search tree: what is written in its boxes, and how many there are."""

import pytest

from sog.drawing.outline import outline
from sog.drawing.search_tree import _last_words
from tests.drawing.test_nodes import LEDUC, nodes_of

DETECTIVES = [f"detective 1 to {station} by taxi" for station in (88, 108, 116)]


def test_a_name_that_has_no_room_loses_the_words_that_all_share() -> None:
    assert _last_words(DETECTIVES[1], DETECTIVES) == "… 108 by taxi"
    assert _last_words("Mr X takes a taxi", ["Mr X takes a taxi", "Mr X plays"]) == "… takes a taxi"
    assert _last_words("call", ["call", "fold"]) == "call"
    assert _last_words("only one", ["only one"]) == "only one"


@pytest.mark.thorough
def test_fewer_children_may_be_shown_of_those_below() -> None:
    nodes = nodes_of(LEDUC)
    whole = outline(nodes, nodes[0].row, depth=2, most_children=3)
    pruned = outline(nodes, nodes[0].row, depth=2, most_children=3, most_below=1)
    assert len(pruned.children) == len(whole.children) == 2
    assert all(len(child.children) <= 1 for child in pruned.children)
    assert any(len(child.children) > 1 for child in whole.children)
    for child in pruned.children:
        assert len(child.children) + child.num_hidden == len(child.node.children)
