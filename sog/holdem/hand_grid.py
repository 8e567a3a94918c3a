"""A decision of a spot as a square of hands: pairs on the diagonal, suited hands above it."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Final

import numpy as np

from sog.drawing.outline import percent, signed
from sog.holdem.deck import Deck
from sog.holdem.ranges import class_names, class_of_hands
from sog.holdem.spots.walk import SpotNode

_FOLD, _PASS = "#3b6ea5", "#5a9e5f"
_BETS: Final = ("#e8a13d", "#d9673a", "#b83227", "#7d1a2e")
_ALL_IN: Final = "#8e2a8c"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class HandGrid:
    """Means over the hands of each class, weighted by the range; NaN for empty classes."""

    player: int
    """The player whose hands they are."""
    actions: tuple[str, ...]
    """None if it is not the player's turn."""
    names: tuple[tuple[str, ...], ...]
    """[row][column]: names such as "AKs"."""
    share: np.ndarray
    """[row, column]: shares of the range; sums to 1."""
    weight: np.ndarray
    """[row, column]: the mean weight, from 0 to 1 (if no weight is above 1)."""
    policy: np.ndarray
    """[action, row, column]."""
    action_value: np.ndarray
    """[action, row, column]: chips."""
    value: np.ndarray
    """[row, column]: chips."""
    equity: np.ndarray
    """[row, column]."""


def read_hand_grid(node: SpotNode, deck: Deck, player: int | None = None) -> HandGrid:
    """The hands of a player by class; None for the player to act."""
    player = node.actor if player is None else player
    acts = player == node.actor
    seen = node.ranges[player]
    mean = functools.partial(class_means, deck, seen.range_)

    def by_action(values: np.ndarray) -> np.ndarray:
        nothing = np.zeros((0, deck.ranks, deck.ranks))
        return np.stack([mean(one) for one in values]) if acts else nothing

    holds = deck.holds()[:, list(node.board)].any(axis=1)
    possible = _class_sums(deck, np.logical_not(holds))
    return HandGrid(
        player=player,
        actions=node.actions if acts else (),
        names=class_names(deck),
        share=_class_sums(deck, seen.range_),
        weight=_class_sums(deck, seen.weight) / np.maximum(possible, 1),
        policy=by_action(node.policy),
        action_value=by_action(node.action_value),
        value=mean(seen.value),
        equity=mean(seen.equity),
    )


def class_means(deck: Deck, weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """[row, column]: weighted means of values over each class's hands; NaN for empty classes.
    weights, values: [hand]; values that are not finite are ignored."""
    known = np.isfinite(values) & (weights > 0)
    weighed = _class_sums(deck, np.where(known, values, 0) * weights)
    over = _class_sums(deck, known * weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(over > 0, weighed / over, np.nan))


def _class_sums(deck: Deck, values: np.ndarray) -> np.ndarray:
    rows, columns = class_of_hands(deck).T
    found = np.zeros((deck.ranks, deck.ranks))
    np.add.at(found, (rows, columns), values)
    return found


def action_colors(actions: Sequence[str]) -> list[str]:
    """A color for each: folds blue, checks and calls green, bets redder the larger they are; all-in
    always the same."""
    colors, bets = [], iter(_BETS)
    for action in actions:
        if action in ("fold", "check", "call"):
            colors.append(_FOLD if action == "fold" else _PASS)
        elif action.startswith("allin"):
            colors.append(_ALL_IN)
        else:
            colors.append(next(bets, _BETS[-1]))
    return colors


def describe_hands(grid: HandGrid, row: int, column: int) -> str:
    """One line with all numbers of a class."""
    name = grid.names[row][column]
    if not grid.share[row, column] > 0:
        return f"{name}: not in the range"
    parts = [f"{name}: {percent(float(grid.share[row, column]))} of the range"]
    parts += [
        f"{action} {percent(float(grid.policy[number, row, column]))}, "
        f"EV {signed(float(grid.action_value[number, row, column]))}"
        for number, action in enumerate(grid.actions)
    ]
    parts.append(f"value {signed(float(grid.value[row, column]))} chips")
    parts.append(f"equity {percent(float(grid.equity[row, column]))}")
    return "; ".join(parts)
