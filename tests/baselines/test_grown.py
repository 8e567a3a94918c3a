"""Searches whose trees are kept, of games too large to enumerate."""

from typing import Any

import numpy as np
import pytest

from sog.games import make
from sog.play.rules import first_state, situation
from sog.players.methods import make_method
from sog.players.player import Host


@pytest.mark.parametrize("method", ["oos(tree=grown):200", "ismcts(tree=grown):200"])
def test_what_is_found_is_kept_for_the_next_move_and_not_for_the_next_game(method: str) -> None:
    make_agent = make_method(method).agents(make("liars_dice(dice=2)"), Host())
    agent: Any = make_agent(0, 5)
    assert agent.policy(3).sum() == pytest.approx(1)
    assert np.array_equal(agent.policy(3), make_agent(0, 5).policy(3))  # seeds reproduce
    tree = agent.search.tree
    known = len(tree)
    assert 1 < known <= 201
    assert np.array_equal(agent.policy(3), agent.policy(3))  # one search, until the next event
    agent.observe(agent.act(3))
    agent.observe(20)
    agent.act(3)
    assert agent.search.tree is tree
    assert len(tree) > known
    agent.begin()
    assert not agent.search.tree


@pytest.mark.parametrize("game", ["liars_dice(dice=2)", "kuhn"])
def test_a_clock_ends_a_search(game: str) -> None:
    tree = "grown" if game.startswith("liars") else "whole"
    method = make_method(f"ismcts(tree={tree},seconds=0.05):1000000000")
    agent: Any = method.agents(make(game), Host())(0, 1)
    assert agent.policy(2).sum() == pytest.approx(1)
    assert 16 <= max(sum(node.visits) for node in agent.search.tree.values()) < 100_000


@pytest.mark.parametrize(
    ("method", "game"),
    [
        ("oos(tree=grown,seconds=0.05)", "liars_dice(dice=2)"),
        ("oos(tree=grown,seconds=0.05)", "ii_goofspiel"),
        ("sm_search(seconds=0.05)", "goofspiel(cards=13)"),
        ("pimbot(seconds=0.05)", "glasses"),
    ],
)
def test_agents_play_to_a_clock(method: str, game: str) -> None:
    agents = make_method(f"{method}:2000000000").agents(make(game), Host())
    infostates = np.flatnonzero(situation(make(game), first_state(make(game))).infostate_mask[0])
    assert agents(0, 1).act(int(infostates[0])) >= 0
