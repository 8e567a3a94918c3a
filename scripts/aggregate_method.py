"""The exploitability of a method that searches: at the root, and by the aggregate method.

"Online Monte Carlo counterfactual regret minimization for search in imperfect information games"
(Lisy, Lanctot, Bowling 2015), section 4.2: no single search has a policy everywhere, so the method
plays many matches against random play, and the results of all searches are added up.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, HistoryTree
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.online.method import TreeSearch
from sog.games.core import CHANCE, TERMINAL

_NOTHING_LEARNED_SEED: Final = 0


def aggregate(search: TreeSearch[Any], matches: int, *, seed: int = 0) -> np.ndarray:
    """[row + 1, choice]: the sum of the searches of `matches` matches, as a policy.

    search: of a `HistoryGame`. It plays every other match as player 0. Each search adds its
    statistics of the searching player's infostates there and below. Infostates without statistics
    get a fixed choice, drawn at random.
    """
    if matches < 2:
        raise ValueError(f"matches must be >= 2, so that both seats are played, got {matches}.")
    tree = _tree_of(search)
    learned = np.zeros((tree.histories.num_rows + 1, tree.histories.max_choices))
    rng, below = np.random.default_rng(seed), functools.cache(functools.partial(rows_below, tree))
    for number in range(matches):
        search.reset(int(rng.integers(2**32)))
        _play(search, number % 2, rng, below, learned)
    return _complete(tree, learned)


def at_the_root(search: TreeSearch[Any], *, seed: int = 0) -> np.ndarray:
    """[row + 1, choice]: the policy of one search of the whole game, before the deal.

    Infostates without statistics are completed as in `aggregate` (section "Convergence at the root"
    of the paper).
    """
    tree = _tree_of(search)
    search.reset(seed)
    search.search_game()
    learned = np.zeros((tree.histories.num_rows + 1, tree.histories.max_choices))
    _add_learned(search, range(tree.histories.num_rows), learned)
    return _complete(tree, learned)


def _tree_of(search: TreeSearch[Any]) -> HistoryTree:
    assert isinstance(search.game, HistoryGame)
    return search.game.tree


def _add_learned(search: TreeSearch[Any], rows: Iterable[int], learned: np.ndarray) -> None:
    """Adds the weights of a search at some rows."""
    for row in rows:
        node = search.tree.get(row)
        if node is not None:
            weights = search.learned(node)
            learned[row, : len(weights)] += weights


def _complete(tree: HistoryTree, learned: np.ndarray) -> np.ndarray:
    """A policy from statistics of choices; fixed choices where there are none."""
    legal = np.asarray(tree.histories.legal)
    fixed = np.random.default_rng(_NOTHING_LEARNED_SEED).random(legal.shape) * legal
    certain = fixed == fixed.max(axis=1, keepdims=True)
    learned = np.where(learned.sum(axis=1, keepdims=True) > 0, learned, certain & legal)
    return np.asarray(learned / np.maximum(learned.sum(axis=1, keepdims=True), 1e-30))


def rows_below(tree: HistoryTree, row: int) -> list[int]:
    """The infostates of a player at or after one of its infostates."""
    histories = tree.histories
    reached, parent = histories.facts[:, ROW] == row, histories.edge_parent
    for _ in range(histories.depth):
        reached[histories.child[reached[parent]]] = True
    rows = np.unique(histories.facts[reached, ROW])
    rows = rows[rows < histories.num_rows]
    found: list[int] = rows[histories.row_player[rows] == histories.row_player[row]].tolist()
    return found


def _play(
    search: TreeSearch[Any],
    player: int,
    rng: np.random.Generator,
    below: Callable[[int], list[int]],
    learned: np.ndarray,
) -> None:
    """Plays one match; adds to `learned`."""
    game = search.game
    assert isinstance(game, HistoryGame)
    histories, history = game.tree.histories, ROOT
    while (facts := histories.facts[history].tolist())[ACTOR] != TERMINAL:
        first, count = facts[FIRST_EDGE], facts[NUM_EDGES]
        if facts[ACTOR] == player:
            odds = np.array(search.search(game.seen_at(facts[ROW]), count))
            _add_learned(search, below(facts[ROW]), learned)
        elif facts[ACTOR] == CHANCE:
            odds = histories.probability[first : first + count]
        else:
            odds = np.ones(count)
        history = int(histories.child[first + rng.choice(count, p=odds / odds.sum())])
