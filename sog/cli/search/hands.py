"""What a search of hold'em found for the hands of who is to act, as squares of their classes."""

from collections.abc import Iterator

import numpy as np
from rich.table import Table

from sog.cli.spot_node import square_of_hands
from sog.drawing.hand_grid import action_colors, class_means
from sog.drawing.nodes import NodeView
from sog.games.cards.holdem import Holdem
from sog.games.cards.ranges import class_names
from sog.games.core import CHANCE


def hand_squares(node: NodeView) -> Iterator[tuple[str, Table]]:
    """Titles and squares: how often each action is chosen, and values; none in other games, nor
    where nobody is to act."""
    game, actor = node.game, node.actor
    if not isinstance(game, Holdem) or game.hole_cards != 2 or actor >= CHANCE:
        return
    names, weights = class_names(game.deck), np.where(node.is_possible, node.ranges, 0)[actor]
    actions = np.flatnonzero(node.legal.any(axis=0)).tolist()
    words = [game.describe_outcome(node.state, action) for action in actions]
    for action, word, color in zip(actions, words, action_colors(words), strict=True):
        means = class_means(game.deck, weights, 100 * node.policy[:, action])
        yield f"{word}: how often, in percent", square_of_hands(names, means, color)
    means = class_means(game.deck, weights, node.values[actor])
    yield f"value in {game.unit}", square_of_hands(names, means, decimals=2)
