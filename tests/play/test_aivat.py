"""AIVAT, against expectations over every history of a game rather than over samples."""

import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import NetworkEvaluator, ZeroEvaluator
from gtcfr.evaluators.exact import policy_evaluator, uniform_play_evaluator
from gtcfr.settings import SearchSettings
from sog.games import Game, make
from sog.games.core import TERMINAL
from sog.play import RandomAgent, SearchAgent, TabularAgent
from sog.play.aivat import Aivat, _Step
from sog.play.aivat import _event as event
from sog.play.arena import AgentFactory, play_match
from sog.play.game_in_progress import PlayedGame
from sog.play.match import play_game
from sog.tabular import PublicTree, compile_tree, evaluate_policy
from sog.tabular.enumerated_game import EnumeratedGame
from tests.responses import random_policy

BOTH, FIRST, NEITHER = (True, True), (True, False), (False, False)
HOLDEM = "holdem(ranks=3,suits=2,hole_cards=2,deals=1,blinds=1/2,stack=6,bets=1/allin,caps=1)"
History = list[tuple[int, int, tuple[int, int]]]
"""(node, action that led there, infostates)."""


def random_network(game: Game[Any]) -> NetworkEvaluator:
    """Its values have to do with the public state and the ranges, and nothing with the game."""
    num_features = len(game.observe(game.root())) + 2 * game.num_infostates
    size = (num_features, 2 * game.num_infostates)

    def apply(params: jax.Array, features: jax.Array, ranges: jax.Array) -> Any:
        seen = jnp.concatenate([features, ranges.reshape(len(ranges), -1)], axis=1)
        logits = jnp.zeros((len(ranges), game.num_infostates, game.num_actions))
        return jnp.tanh(seen @ params).reshape(ranges.shape), logits

    params = np.random.default_rng(1).normal(size=size).astype(np.float32)
    return NetworkEvaluator(apply_fn=apply, params=params)


def histories(tree: PublicTree, policy: np.ndarray) -> Iterator[tuple[float, float, History]]:
    """(probability, utility, history) of every way the game can go, along the tree's flows."""
    steps: dict[tuple[int, int, int], list[tuple[int, int]]] = {}  # to (infostate, action)
    for player, flow in enumerate(tree.flows):
        for node, infostate, above, action in zip(
            flow.node, flow.infostate, flow.parent_infostate, flow.action, strict=True
        ):
            key = int(node), player, int(above)
            steps.setdefault(key, []).append((int(infostate), int(action)))
    payoff = {
        (int(node), *map(int, infostates)): float(value)
        for node, infostates, value in zip(
            tree.payoff_node, tree.payoff_infostates, tree.payoff, strict=True
        )
    }
    children: dict[int, list[int]] = {}
    for node in range(1, tree.num_nodes):
        children.setdefault(int(tree.node_parent[node]), []).append(node)

    world = jnp.eye(tree.game.num_infostates)

    @jax.jit
    def weights(state: Any) -> jax.Array:
        """[S, S]: chance's part, of both infostates."""

        def of_second(second: jax.Array) -> jax.Array:
            reach = jnp.stack([jnp.zeros_like(second), second])
            return tree.game.compatible_reach(state, reach)[0]

        return jax.vmap(of_second)(world).T

    ends = [int(node) for node in np.flatnonzero(tree.node_actor == TERMINAL)]
    chances = {node: np.asarray(weights(tree.state(node))) for node in ends}

    def below(reach: float, history: History) -> Iterator[tuple[float, float, History]]:
        node, _, held = history[-1]
        actor = int(tree.node_actor[node])
        if actor == TERMINAL:
            if (chance := float(chances[node][held])) > 0:
                yield reach * chance, payoff.get((node, *held), 0.0) / chance, history
            return
        for child in children[node]:
            for first, action_0 in steps.get((child, 0, held[0]), []):
                for second, action_1 in steps.get((child, 1, held[1]), []):
                    chosen, factor = 0, 1.0
                    if actor in (0, 1):
                        chosen = (action_0, action_1)[actor]
                        factor = float(policy[node, held[actor], chosen])
                    yield from below(reach * factor, [*history, (child, chosen, (first, second))])

    for first, second in np.argwhere(
        tree.node_mask[0, 0][:, None] & tree.node_mask[0, 1][None]
    ).tolist():
        yield from below(1.0, [(0, 0, (first, second))])


def as_played(
    tree: PublicTree,
    policy: np.ndarray,
    history: History,
    utility: float,
    exposed: tuple[bool, bool],
) -> PlayedGame:
    actors = [int(tree.node_actor[node]) for node, _, _ in history[:-1]]
    return PlayedGame(
        utility=utility,
        outcomes=tuple(int(tree.node_outcome[node]) for node, _, _ in history[1:]),
        actions=tuple(
            action if actor in (0, 1) else None
            for actor, (_, action, _) in zip(actors, history[1:], strict=True)
        ),
        infostates=tuple(held for _, _, held in history),
        policies=tuple(
            policy[node] if actor in (0, 1) and exposed[actor] else None
            for actor, (node, _, _) in zip(actors, history[:-1], strict=True)
        ),
        exposed=exposed,
    )


def estimates(
    tree: PublicTree, policy: np.ndarray, aivat: Aivat, exposed: tuple[bool, bool]
) -> np.ndarray:
    """[history, (probability, utility, estimate)]; what a known player held must not matter."""
    found, rows = {}, []
    for probability, utility, history in histories(tree, policy):
        seen: Any = tuple(
            (node, [infostate for player, infostate in enumerate(held) if not exposed[player]])
            for node, _, held in history
        )
        if (key := str(seen)) not in found:
            found[key] = aivat.estimate(as_played(tree, policy, history, utility, exposed))
        rows.append((probability, utility, found[key]))
    table = np.array(rows)
    assert table[:, 0].sum() == pytest.approx(1)
    return table


def spread(table: np.ndarray, column: int) -> float:
    """The exact standard deviation over all histories."""
    mean = table[:, 0] @ table[:, column]
    return float(np.sqrt(table[:, 0] @ (table[:, column] - mean) ** 2))


@pytest.mark.thorough(but=["kuhn", "liars_dice(faces=2)-tells3"])
@pytest.mark.parametrize("exposed", [BOTH, FIRST, NEITHER])
@pytest.mark.parametrize("name", ["kuhn", "ii_goofspiel(cards=3)", "liars_dice(faces=2)", HOLDEM])
def test_the_estimate_has_the_expectation_of_the_game_whatever_the_values_are(
    name: str, exposed: tuple[bool, bool]
) -> None:
    """In each of these games something else is hidden: cards, a move, dice that are bid on, hands
    that exclude each other and a board."""
    compiled = compile_tree(make(name))
    tree, policy = compiled.tree, random_policy(compiled.tree)
    table = estimates(tree, policy, Aivat(tree.game, random_network(tree.game)), exposed)
    truth = float(evaluate_policy(compiled, policy).value[0])
    assert table[:, 0] @ table[:, 1] == pytest.approx(truth, abs=1e-6)
    assert table[:, 0] @ table[:, 2] == pytest.approx(truth, abs=1e-5)
    assert spread(table, 2) > 0.01


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_with_the_values_of_what_both_play_nothing_is_left_to_luck(name: str) -> None:
    compiled = compile_tree(make(name))
    policy = random_policy(compiled.tree)
    game = EnumeratedGame(tree=compiled.tree)
    aivat = Aivat(game, policy_evaluator(game, policy))
    table = estimates(compiled.tree, policy, aivat, BOTH)
    truth = float(evaluate_policy(compiled, policy).value[0])
    np.testing.assert_allclose(table[:, 2], truth, atol=2e-5)
    assert spread(table, 1) > 1


@pytest.mark.thorough(but=["tells0"])
@pytest.mark.parametrize("exposed", [BOTH, FIRST])
def test_leduc_keeps_its_expectation_and_loses_most_of_its_variance(
    exposed: tuple[bool, bool],
) -> None:
    compiled = compile_tree(make("leduc"))
    tree, policy = compiled.tree, random_policy(compiled.tree)
    game = EnumeratedGame(tree=tree)
    table = estimates(tree, policy, Aivat(game, uniform_play_evaluator(game)), exposed)
    truth = float(evaluate_policy(compiled, policy).value[0])
    assert table[:, 0] @ table[:, 2] == pytest.approx(truth, abs=2e-5)
    assert spread(table, 2) < (0.2 if exposed == BOTH else 0.8) * spread(table, 1)


KUHN = compile_tree(make("kuhn"))
PLAYED_KUHN = EnumeratedGame(tree=KUHN.tree)


def tabular_player(policy: np.ndarray) -> AgentFactory:
    return lambda player, seed: TabularAgent(PLAYED_KUHN, policy, player=player, seed=seed)


class Silent(RandomAgent):
    """Plays at random, and does not say so."""

    exposes_policies = False

    def __init__(self, player: int, seed: int) -> None:
        super().__init__(KUHN.tree.game, player=player, seed=seed)


def test_a_match_has_the_same_games_and_a_narrower_interval() -> None:
    first, second = random_policy(KUHN.tree, 1), random_policy(KUHN.tree, 2)
    aivat = Aivat(PLAYED_KUHN, policy_evaluator(PLAYED_KUHN, first))
    factories = tabular_player(first), tabular_player(second)
    plain = play_match(KUHN.tree.game, *factories, 60)
    result = play_match(KUHN.tree.game, *factories, 60, aivat=aivat)
    assert result.utilities.tolist() == plain.utilities.tolist()
    truth = 0.0
    for player, sign in ((0, 1), (1, -1)):
        as_player = (KUHN.tree.node_actor == player)[:, None, None]
        mixed = np.where(as_player, first, second)
        truth += sign * float(evaluate_policy(KUHN, mixed).value[0]) / 2
    assert abs(result.corrected_mean - truth) < 3 * result.corrected_standard_error
    assert result.corrected_standard_error < 0.5 * result.standard_error
    ratio = (result.standard_error / result.corrected_standard_error) ** 2
    assert result.variance_ratio == pytest.approx(ratio)


@pytest.mark.thorough
def test_one_player_who_tells_is_enough_and_none_is_too_few() -> None:
    aivat = Aivat(PLAYED_KUHN, uniform_play_evaluator(PLAYED_KUHN))
    open_player = tabular_player(random_policy(KUHN.tree))
    result = play_match(KUHN.tree.game, open_player, Silent, 200, aivat=aivat)
    assert result.corrected_standard_error < result.standard_error
    with pytest.raises(ValueError, match="an agent that exposes its policy; neither does"):
        play_match(KUHN.tree.game, Silent, Silent, 2, aivat=aivat)


def test_what_chance_brought_counts_from_an_event_on(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [
        _Step(number=n, is_drawn=True, is_chance=n != 3, expected=0.0, value=10.0**n)
        for n in range(5)
    ]
    monkeypatch.setattr(Aivat, "_steps", lambda *_: iter(steps))
    played: Any = SimpleNamespace(exposed=BOTH)
    assert Aivat(make("kuhn"), ZeroEvaluator()).chance_part(played, 2) == 10_100


def test_a_game_recorded_without_policies_is_refused() -> None:
    agents = [RandomAgent(KUHN.tree.game, player=player) for player in (0, 1)]
    played = play_game(KUHN.tree.game, agents, jax.random.key(0))
    with pytest.raises(ValueError, match="must be recorded with_policies"):
        Aivat(PLAYED_KUHN, uniform_play_evaluator(PLAYED_KUHN)).estimate(played)


@pytest.mark.thorough
def test_agents_tell_the_policy_that_they_play() -> None:
    """At the start of Kuhn poker, of each card."""
    game = KUHN.tree.game
    settings = SearchSettings(num_simulations=4)
    for agent in (
        RandomAgent(game, player=0),
        TabularAgent(PLAYED_KUHN, random_policy(KUHN.tree), player=0),
        SearchAgent(game, ZeroEvaluator(), settings, player=0),
    ):
        told = agent.policies()
        assert told.shape == (3, 3)
        for card in range(3):
            np.testing.assert_allclose(told[card], agent.policy(card), atol=1e-6)
    greedy = SearchAgent(game, ZeroEvaluator(), settings, player=0, greedy=True)
    told = greedy.policies()
    assert told.max(axis=1).tolist() == [1, 1, 1]
    assert told.argmax(axis=1).tolist() == [greedy.act(card) for card in range(3)]


def test_samples_of_chance_have_the_expectation_of_all_its_outcomes() -> None:
    """All pairs of the six cards that may be dealt, each as likely as the others."""
    game = make("leduc")
    evaluator = random_network(game)
    state = game.root()
    for outcome in (1, 1):  # nobody bets
        state = game.apply(state, jnp.int32(outcome))
    size = (2, game.num_infostates)
    reach = np.random.default_rng(4).uniform(0.1, 1, size).astype(np.float32)
    legal = np.asarray(game.legal_actions(state), np.float32)
    cards = np.flatnonzero(game.legal_outcomes(state))

    def expected(some: Any) -> float:
        """Of these cards; the last is the one that came."""
        outcomes = np.append(some, cards[0]).astype(np.int32)
        scale = np.full(len(some), len(cards) / len(some), np.float32)
        before = np.float32(0.3)
        found = event(game, evaluator, state, reach, legal, outcomes, scale, before)
        return float(found[0])

    whole = expected(cards)
    pairs = [expected(pair) for pair in itertools.combinations(cards, 2)]
    assert np.mean(pairs) == pytest.approx(whole, abs=1e-6)
    assert np.std(pairs) > 0.01


@pytest.mark.thorough
def test_a_match_stays_right_where_chance_is_sampled() -> None:
    compiled = compile_tree(make("leduc"))
    game, policy = EnumeratedGame(tree=compiled.tree), random_policy(compiled.tree)
    aivat = Aivat(game, policy_evaluator(game, policy), most_outcomes=2)

    def player(player: int, seed: int) -> TabularAgent:
        return TabularAgent(game, policy, player=player, seed=seed)

    result = play_match(compiled.tree.game, player, player, 120, aivat=aivat)
    # The same policy on both sides: over a pair of seats nothing is won.
    assert abs(result.corrected_mean) < 3 * result.corrected_standard_error
    assert 0 < result.corrected_standard_error < 0.5 * result.standard_error
