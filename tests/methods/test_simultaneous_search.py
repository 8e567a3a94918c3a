"""SM-MCTS on demand: its Goofspiel against the game's, and against exact values of the subgames."""

import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.games.core import CHANCE, PLAYER_0, TERMINAL
from sog.games.goofspiel import Goofspiel
from sog.methods.backward_induction import ExactSolver
from sog.methods.goofspiel_world import GoofspielWorld
from sog.methods.histories import ROOT
from sog.methods.method import Host
from sog.methods.registry import make_method
from sog.methods.simultaneous_search import SimultaneousAgent, SimultaneousSearch
from sog.play.arena import play_match
from tests.methods.plain_histories import history_tree


@pytest.mark.parametrize("order", ["random", "descending"])
def test_worlds_keep_the_rules_of_the_game(order: str) -> None:
    game = Goofspiel(cards=5, order=order, payoff="diff")
    legal, apply = jax.jit(game.legal_actions), jax.jit(game.apply)
    utilities, source = jax.jit(game.utilities), random.Random(1)
    one = jnp.zeros((2, game.num_infostates)).at[:, 0].set(1)
    for number in range(12):
        state: Any = game.root()
        world: GoofspielWorld | None = None
        while int(state.stage) != TERMINAL:
            if int(state.stage) == CHANCE:
                shown = np.flatnonzero(np.asarray(game.legal_outcomes(state)))
                state = apply(state, jnp.int32(source.choice(shown.tolist())))
                continue
            fresh = GoofspielWorld.at(game, jax.device_get(state))
            if world is not None and order == "descending":
                assert world == fresh  # as after `play`
            hands = [np.flatnonzero(np.asarray(legal(state))[0]) + 1]
            state = apply(state, jnp.int32(0))
            hands.append(np.flatnonzero(np.asarray(legal(state))[0]) + 1)
            assert [own.tolist() for own in hands] == list(fresh.hands)
            places = [source.randrange(len(own)) for own in hands]
            bids = [int(own[place]) - 1 for own, place in zip(hands, places, strict=True)]
            state = apply(state, jnp.int32(bids[0] * game.cards + bids[1]))
            world = fresh
            world.play(places[0], places[1], random.Random(number))
        assert world is not None
        assert world.is_over
        probability = 1 / 120 if order == "random" else 1
        if order == "random":  # whatever card the world drew, the game knows which it was
            world.card = int(state.point_cards[-1])
        utility = float(utilities(state, one)[0, 0]) / probability
        assert world.final_lead() == pytest.approx(utility)


def test_random_ends_are_as_likely_as_they_should_be() -> None:
    """Three cards, the first for 3: of 36 pairs of orders of bids, each as likely."""
    world = GoofspielWorld.at(Goofspiel(cards=3), jax.device_get(Goofspiel(cards=3).root()))
    source, leads = random.Random(0), []
    for _ in range(6000):
        end = world.copy()
        end.finish(source)
        leads.append(end.final_lead())
    # Orders of one hand against the other: 1-1 2-2 3-3 and so on, 6 relative ones of the same odds,
    # and any of 6 assignments to point cards.
    counts: dict[int, int] = {}
    for first in ((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)):
        for second in ((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)):
            lead = sum(
                card * ((a > b) - (a < b))
                for card, a, b in zip((3, 2, 1), first, second, strict=True)
            )
            counts[lead] = counts.get(lead, 0) + 1
    assert set(leads) == set(counts)
    for lead, count in counts.items():
        assert leads.count(lead) / 6000 == pytest.approx(count / 36, abs=0.03)


@pytest.mark.parametrize(
    ("selection", "most"),
    [("exp3", 0.12), ("rm", 0.12), ("oos", 0.12), ("oos_plus", 0.12), ("duct_mix", 0.5)],
)
def test_the_root_comes_close_to_an_equilibrium_of_the_exact_matrix(
    selection: str, most: float
) -> None:
    text = "goofspiel(cards=4,order=ascending)"
    tree = history_tree(text)
    solver = ExactSolver("none", tree, Host())
    stage = solver.stages.stage[ROOT]
    assert stage is not None
    matrix = np.array([[solver.value_of(child) for child in line] for line in stage.children])
    game: Any = make(text)
    search = SimultaneousSearch(selection=selection).tree_search(game, seed=2)
    world = GoofspielWorld.at(game, jax.device_get(game.root()))
    root = search.node(world)
    for _ in range(20_000):
        search.simulate(root, world.copy())
    first, second = (np.array(search.strategy(root, player)) for player in (0, 1))
    assert solver.value == 0
    loss = max(matrix @ second) - min(first @ matrix)  # both players', 0 in an equilibrium
    assert loss < most
    assert max(matrix.mean(axis=1)) - min(matrix.mean(axis=0)) > 0.5  # of uniform play


def test_the_subtree_of_what_was_played_is_kept() -> None:
    game = Goofspiel(cards=4)
    agent = SimultaneousAgent(SimultaneousSearch(budget=300), game, player=PLAYER_0, seed=0)
    agent.act(0)
    root = agent._root
    assert root is not None
    (joint, card), child = max(root.children.items(), key=lambda item: sum(item[1].mean_n))
    visits = sum(child.mean_n)
    assert visits > 0
    assert card == 3  # the next point card
    agent.observe(0)
    agent.observe(joint)  # all cards are in the hands, so that places are actions
    policy = agent.policy(0)
    assert agent._root is child
    assert sum(child.mean_n) == visits + 300
    assert policy[joint // 4] == 0  # that card is spent
    assert policy.sum() == pytest.approx(1)


def test_search_wins_against_random_play_in_a_game_too_large_to_enumerate() -> None:
    game: Any = make("goofspiel(cards=8,order=random)")
    method, opponent = make_method("sm_search:200"), make_method("random")
    method.check(game)
    agents = (method.agents(game, Host()), opponent.agents(game, Host()))
    assert play_match(game, *agents, num_games=30).win_rate > 0.65


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^goofspiel is needed, which ii_goofspiel is not;"):
        SimultaneousSearch().check(make("ii_goofspiel"))
