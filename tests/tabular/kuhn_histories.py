"""Kuhn poker as histories, in plain Python, and the CFR family on it as the papers write it.

An oracle: it shares nothing with the code under test, and is slow and short. A history is both
cards and the bets so far, a string of p (pass: check or fold) and b (bet or call).
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from sog.tabular import PublicTree
from tests.tabular.small_games import node_after

Cards = tuple[int, int]
Infostate = tuple[int, str]  # own card, bets so far
Policy = dict[Infostate, dict[str, float]]
Regrets = dict[Infostate, dict[str, float]]

DEALS: Final = tuple(itertools.permutations(range(3), 2))  # of jack, queen, king; equally likely
ACTOR: Final = {"": 0, "p": 1, "b": 1, "pb": 0}
MOVES: Final = "pb"

_FREE, _FACING = {"p": 1, "b": 2}, {"p": 0, "b": 1}
_ACTION: Final = {"": _FREE, "p": _FREE, "b": _FACING, "pb": _FACING}  # ours: fold, call, raise


def infostates(player: int) -> list[Infostate]:
    return [(card, bets) for bets in ACTOR if ACTOR[bets] == player for card in range(3)]


def uniform() -> Policy:
    return {
        infostate: dict.fromkeys(MOVES, 0.5)
        for player in (0, 1)
        for infostate in infostates(player)
    }


def utility(cards: Cards, bets: str) -> float:
    """Of player 0, at the end of the game."""
    if bets == "bp":
        return 1.0
    if bets == "pbp":
        return -1.0
    stake = 2.0 if bets.endswith("bb") else 1.0
    return stake if cards[0] > cards[1] else -stake


def expected_utility(policy: Policy, cards: Cards, bets: str = "") -> float:
    """Of player 0, from a history on."""
    if bets not in ACTOR:
        return utility(cards, bets)
    probability = policy[cards[ACTOR[bets]], bets]
    return sum(
        probability[move] * expected_utility(policy, cards, bets + move)
        for move in MOVES
        if probability[move] > 0
    )


def value(policy: Policy) -> float:
    """Of the game to player 0."""
    return sum(expected_utility(policy, cards) for cards in DEALS) / len(DEALS)


def reach(policy: Policy, player: int, card: int, bets: str) -> float:
    """A player's own contribution to the probability of the bets."""
    return math.prod(
        policy[card, bets[:i]][bets[i]] for i in range(len(bets)) if ACTOR[bets[:i]] == player
    )


def pure_policies(player: int) -> Iterator[Policy]:
    """All 64 ways to fix a move at each infostate of a player; the other's are left out."""
    own = infostates(player)
    for moves in itertools.product(MOVES, repeat=len(own)):
        yield {
            infostate: {other: float(other == move) for other in MOVES}
            for infostate, move in zip(own, moves, strict=True)
        }


def best_response_value(policy: Policy, player: int) -> float:
    """What a player wins with the best of his pure policies against the other's part."""
    sign = 1 if player == 0 else -1
    return max(sign * value({**policy, **pure}) for pure in pure_policies(player))


def instant_regrets(policy: Policy, player: int) -> Regrets:
    """r(I, a) = sum over h in I of pi_-i(h) (u_i(h a) - u_i(h)), chance being part of pi_-i."""
    sign = 1 if player == 0 else -1
    regrets: Regrets = {}
    for card, bets in infostates(player):
        regrets[card, bets] = dict.fromkeys(MOVES, 0.0)
        for cards in DEALS:
            if cards[player] != card:
                continue
            others = reach(policy, 1 - player, cards[1 - player], bets) / len(DEALS)
            here = expected_utility(policy, cards, bets)
            for move in MOVES:
                after = expected_utility(policy, cards, bets + move)
                regrets[card, bets][move] += others * sign * (after - here)
    return regrets


class Recipe(NamedTuple):
    """What sets the members of the CFR family apart."""

    accumulate: Callable[[float, float, int], float]
    """The cumulative regret from the one before, the instant regret and the iteration."""
    weight: Callable[[int], float]
    """Of an iteration's policy in the average."""
    alternating: bool = True
    expected: Callable[[float, float, int], float] = lambda regret, instant, t: regret
    """The regret that the next policy follows, from the same."""


def average_policy(recipe: Recipe, iterations: int) -> Policy:
    """CFR by the recipe."""
    current = uniform()
    cumulative = {infostate: dict.fromkeys(MOVES, 0.0) for infostate in current}
    sums = {infostate: dict.fromkeys(MOVES, 0.0) for infostate in current}
    for t in range(1, iterations + 1):
        before = dict(current)
        for player in (0, 1):
            met = current if recipe.alternating else before
            instant = instant_regrets(met, player)
            for card, bets in infostates(player):
                own = reach(before, player, card, bets)
                here = card, bets
                for move in MOVES:
                    sums[here][move] += recipe.weight(t) * own * before[here][move]
                    cumulative[here][move] = recipe.accumulate(
                        cumulative[here][move], instant[here][move], t
                    )
            for infostate in infostates(player):
                regrets, new = cumulative[infostate], instant[infostate]
                current[infostate] = normalized(
                    {m: max(recipe.expected(regrets[m], new[m], t), 0.0) for m in MOVES}
                )
    return {infostate: normalized(weights) for infostate, weights in sums.items()}


def normalized(weights: dict[str, float]) -> dict[str, float]:
    """Probabilities in proportion to the weights; uniform if they are 0."""
    total = sum(weights.values())
    return {move: weights[move] / total if total > 0 else 1 / len(weights) for move in weights}


def to_tree(tree: PublicTree, policy: Policy) -> np.ndarray:
    """[node, S, A]: a policy in the public tree of our Kuhn poker."""
    out = np.zeros(tree.node_legal.shape)
    for (card, bets), probabilities in policy.items():
        steps = [_ACTION[bets[:i]][bets[i]] for i in range(len(bets))]
        for move, probability in probabilities.items():
            out[node_after(tree, *steps), card, _ACTION[bets][move]] = probability
    return out
