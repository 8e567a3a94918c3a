"""What actions are worth: plain sums over the deals of Kuhn poker, best responses, exact play."""

import functools

import jax
import numpy as np
import pytest

from gtcfr.action_values import action_values, action_values_at
from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.search import SearchResult, advance, begin, read
from gtcfr.settings import SearchSettings
from sog.drawing.nodes import NodeView, read_nodes
from sog.games import make
from sog.play.principal_variation import read_lines
from sog.tabular.profile_analysis import analyze_profile
from tests.gtcfr.grown_trees import run_search, whole_game
from tests.play.line_games import TIC_TAC_TOE
from tests.tabular import kuhn_histories as kuhn
from tests.tabular.small_games import compiled_game, node_after

KUHN = make("kuhn")
BETS = {(): "", (1,): "p", (2,): "b", (1, 2): "pb"}  # by public events: check 1, bet 2
LEDUC = "leduc(suit_isomorphism=true)"


def events_to(nodes: dict[int, NodeView], node: NodeView) -> tuple[int, ...]:
    if node.parent is None:
        return ()
    assert node.outcome is not None
    return (*events_to(nodes, nodes[node.parent]), node.outcome)


def profile(result: SearchResult, slots: dict[str, int]) -> kuhn.Policy:
    """What both players of Kuhn poker do in the next update."""
    current = np.asarray(result.tree.interior_statistics.policy[0], float)
    return {
        (card, bets): {move: current[slot, kuhn._ACTION[bets][move], card] for move in kuhn.MOVES}
        for bets, slot in slots.items()
        for card in range(3)
    }


@pytest.mark.thorough
def test_a_worth_is_the_average_of_what_the_action_brought_in_all_updates() -> None:
    """Update t counts t times, and a deal as much as the other player lets it come about."""
    updates = 20
    settings = whole_game(updates, 9)
    root, ask = start_of_game(KUHN, batch_size=1), {"evaluator": ZeroEvaluator()}
    state = begin(KUHN, root=root, key=jax.random.key(0), settings=settings, **ask)  # type: ignore[arg-type]
    one = jax.jit(functools.partial(advance, KUHN, count=1, settings=settings))
    nodes = {node.row: node for node in read_nodes(KUHN, read(KUHN, one(state=state, **ask)))}
    events = {row: events_to(nodes, node) for row, node in nodes.items()}
    slots = {BETS[path]: row for row, path in events.items() if path in BETS}
    brought: dict[tuple[int, str, str], np.ndarray] = {}
    for step in range(1, updates + 1):
        policy = profile(read(KUHN, state), slots)
        for cards in kuhn.DEALS:
            for bets, actor in kuhn.ACTOR.items():
                let = step * np.prod(
                    [
                        policy[cards[1 - actor], bets[:at]][move]
                        for at, move in enumerate(bets)
                        if kuhn.ACTOR[bets[:at]] != actor
                    ]
                )
                for move in kuhn.MOVES:
                    utility = kuhn.expected_utility(policy, cards, bets + move)
                    gained = let * np.array([utility if actor == 0 else -utility, 1])
                    key = cards[actor], bets, move
                    brought[key] = brought.get(key, np.zeros(2)) + gained
        state = one(state=state, **ask)
    tree = jax.tree.map(lambda leaf: leaf[0], state.tree)
    for bets, slot in slots.items():
        told = np.asarray(action_values_at(KUHN, tree, np.int32(slot)))  # type: ignore[arg-type]
        for (card, at, move), (gained, weight) in brought.items():
            if at == bets:
                value = told[card, kuhn._ACTION[bets][move]]
                assert value == pytest.approx(gained / weight, abs=1e-5)


def test_a_worth_is_what_a_best_response_gets_after_the_action() -> None:
    """On Leduc, also of actions that are never taken, after which average policies are uniform.

    By an examination of the average policy, in plain NumPy.
    """
    game, tree = make(LEDUC), compiled_game(LEDUC).tree
    result = run_search(game, whole_game(300, tree.num_nodes))
    nodes = {node.row: node for node in read_nodes(game, result)}
    policy = np.where(tree.node_legal, 1 / np.maximum(tree.node_legal.sum(2, keepdims=True), 1), 0)
    places = {row: node_after(tree, *events_to(nodes, node)) for row, node in nodes.items()}
    for row, node in nodes.items():
        known = ~np.isnan(node.policy).any(axis=1) & node.legal.any(axis=1)
        policy[places[row], known] = node.policy[known]
    policy /= np.maximum(policy.sum(axis=2, keepdims=True), 1e-9)
    found, num_compared, num_never = analyze_profile(tree, policy), 0, 0
    for row, node in nodes.items():
        place = places[row]
        if node.actor > 1 or node.depth > 3:
            continue
        weight = found.compatible_reach[place, node.actor][:, None]
        often = (weight > 0.02) & node.legal
        best = np.divide(
            found.best_cfvs.of_actions[place], weight, where=often, out=np.zeros(often.shape)
        )
        off = np.abs(node.action_values - best)[often]
        assert off.max() < 0.05, node.event
        num_compared += int(often.sum())
        num_never += int((often & (node.policy < 0.01)).sum())
    assert num_compared > 60
    assert num_never > 8


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["XOX/OXO/...", "OXX/XO./O..", "XOX/OOX/X.."])
def test_worths_of_moves_are_those_of_best_play(text: str) -> None:
    """By exhaustive search in plain Python; of every move, also of one that is never made."""
    game = make("tic_tac_toe")
    moves = game.parse(text)
    result = searched_board(moves)
    told = np.asarray(action_values(game, result))[0, 0]
    stones = [frozenset(divmod(cell, 3) for cell in moves[side::2]) for side in (0, 1)]
    mover = len(moves) % 2
    exact = {
        action: -TIC_TAC_TOE.value(after)
        for action, after in TIC_TAC_TOE.moves((stones[mover], stones[1 - mover]))
    }
    assert np.flatnonzero(~np.isnan(told)).tolist() == sorted(exact)
    for action, value in exact.items():
        assert told[action] == pytest.approx(value, abs=0.15)


def searched_board(moves: tuple[int, ...]) -> SearchResult:
    game, path = make("tic_tac_toe"), np.array([(*moves, *[NO_EVENT] * 8)[:8]], np.int32)
    root = start_of_game(game, batch_size=1, path=path)
    return run_search(game, SearchSettings(num_simulations=400), root=root)


@pytest.mark.thorough
def test_all_who_tell_what_a_move_is_worth_tell_the_same() -> None:
    """Pages and files of searches, lines of analysis, and what an agent says of its choices."""
    game, moves = make("tic_tac_toe"), make("tic_tac_toe").parse("XO./OX./...")
    result = searched_board(moves)
    told = np.asarray(action_values(game, result))[0, 0]
    lines = read_lines(game, result)
    assert lines.values == pytest.approx(told[lines.actions])
    nodes = {node.row: node for node in read_nodes(game, result)}
    shown = nodes[int(result.slot[0])]
    np.testing.assert_allclose(shown.action_values[0], told, rtol=1e-6)
    for child in (nodes[row] for row in shown.children):
        sign = 1 if shown.actor == 0 else -1
        assert sign * child.mean_value == pytest.approx(told[child.outcome], abs=1e-5)
