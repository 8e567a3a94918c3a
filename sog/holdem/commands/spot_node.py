"""A decision of a solved spot: in the terminal, and as JSON."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from rich.table import Table
from rich.text import Text

from sog.cli import display
from sog.drawing.nodes import NodeView
from sog.games.core import CHANCE
from sog.holdem.game import Holdem
from sog.holdem.hand_grid import action_colors, class_means, read_hand_grid
from sog.holdem.ranges import class_names
from sog.holdem.spots.network import value_errors
from sog.holdem.spots.walk import SpotNode

_NOTHING: Final = "."


def print_node(node: SpotNode, game: Holdem) -> None:
    """Frequencies and values of the range, and a square of hands for each action."""
    deck = game.deck
    after = " ".join(node.history) or "the start"
    board = " ".join(map(deck.card_name, node.board))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "of the range", "mean value"):
        table.add_column(column, justify="right" if column else "left")
    for number, action in enumerate(node.actions):
        often = shown(100 * node.frequency[number], ".1f", "%")
        table.add_row(f"  {action}", often, shown(node.value_of(number), "+.4g"))
    display.print_table(
        table,
        f"after {after}: board {board or 'empty'}, pot {node.pot}, behind "
        f"{node.stacks[0]} and {node.stacks[1]}; player {node.actor} to act",
    )
    if game.hole_cards != 2:
        return
    grid = read_hand_grid(node, deck)
    colors = action_colors(grid.actions)
    squares: list[tuple[np.ndarray, str, str | None]] = [
        (100 * grid.policy[number], f"{action}: how often, in percent", colors[number])
        for number, action in enumerate(node.actions)
    ]
    squares.append((grid.value, "value in chips, beyond half of the pot", None))
    squares.append(
        (100 * grid.equity, "equity in percent, against all that the other can have", None)
    )
    for values, title, color in squares:
        print()
        display.print_table(square_of_hands(grid.names, values, color), title)


def shown(value: float, form: str, unit: str = "") -> str:
    """A number as people read it; a dash for none, as where nobody arrives."""
    return "-" if math.isnan(value) else f"{value:{form}}{unit}"


def square_of_hands(
    names: Sequence[Sequence[str]],
    values: np.ndarray,
    color: str | None = None,
    *,
    decimals: int = 1,
) -> Table:
    """A square of numbers of classes of hands, which have names as "AKs"; NaN for none. In a color
    they are percent, and stand out from 50 on; else they have decimals below 10."""
    letters = [row[number][0] for number, row in enumerate(names)]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("")
    for letter in letters:
        table.add_column(letter, justify="right", min_width=3 if color else 3 + decimals)
    for row in range(len(names)):
        cells = []
        for value in values[row]:
            if math.isnan(value):
                cells.append(Text(_NOTHING, style="dim"))
            else:
                kept = 0 if color is not None or abs(value) >= 10 else decimals
                style = f"bold {color}" if color and value >= 50 else ""
                shown = round(value, kept) + 0.0  # no -0.0
                cells.append(Text(f"{shown:.{kept}f}", style=style))
        table.add_row(Text(letters[row], style="bold"), *cells)
    return table


def print_network(node: SpotNode, told: SpotNode, game: Holdem, network: str) -> None:
    """How far a network is from the exact values, and squares of what it says."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "exact", "network", "off by", "of the pot"):
        table.add_column(column, justify="right" if column else "left")
    for player, error in enumerate(value_errors(node, told)):
        values = (node.value(player), told.value(player))
        cells = (*(shown(v, "+.4g") for v in values), shown(error, ".3g"))
        table.add_row(f"  player {player}", *cells, shown(100 * error / node.pot, ".1f", "%"))
    display.print_table(table, f"{network}: values in chips, means over hands")
    actions = ", ".join(
        f"{action} {shown(100 * share, '.1f', '%')}"
        for action, share in zip(told.actions, told.frequency, strict=True)
    )
    display.print_text(f"\nit begins a search with: {actions}\n")
    if game.hole_cards == 2:
        grid = read_hand_grid(told, game.deck)
        display.print_table(square_of_hands(grid.names, grid.value), "its values")


def network_as_json(node: SpotNode, told: SpotNode, game: Holdem) -> dict[str, Any]:
    """What a network says, as `node_as_json`, and how far its values are off."""
    errors = [_number(error) for error in value_errors(node, told)]
    return {**node_as_json(told, game), "value_errors": errors}


def node_as_json(node: SpotNode, game: Holdem) -> dict[str, Any]:
    """All that is known of every hand of both players."""
    deck, hole_cards = game.deck, game.hole_cards
    names = [deck.cards_name(hand) for hand in deck.hands(hole_cards)]
    players = []
    for player, seen in enumerate(node.ranges):
        hands = []
        for hand in np.flatnonzero(seen.range_ > 0)[::-1].tolist():
            found: dict[str, Any] = {
                "hand": names[hand],
                "range": float(seen.range_[hand]),
                "weight": float(seen.weight[hand]),
                "value": _number(seen.value[hand]),
                "equity": _number(seen.equity[hand]),
            }
            if player == node.actor:
                found["policy"] = [float(p) for p in node.policy[:, hand]]
                found["action_values"] = [_number(v) for v in node.action_value[:, hand]]
            hands.append(found)
        players.append({"value": _number(node.value(player)), "hands": hands})
    return {
        "history": list(node.history),
        "board": [deck.card_name(card) for card in node.board],
        "pot": node.pot,
        "stacks": list(node.stacks),
        "actor": node.actor,
        "actions": list(node.actions),
        "frequencies": [_number(f) for f in node.frequency],
        "players": players,
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def node_tables(node: NodeView) -> Iterator[tuple[str, Table]]:
    """Titles and squares: how often each action is chosen, and values; none where
    hands are not of two cards, nor where nobody is to act."""
    game: Any = node.game
    actor = node.actor
    if game.hole_cards != 2 or actor >= CHANCE:
        return
    names, weights = class_names(game.deck), np.where(node.is_possible, node.ranges, 0)[actor]
    actions = np.flatnonzero(node.legal.any(axis=0)).tolist()
    words = [game.describe_outcome(node.state, action) for action in actions]
    for action, word, color in zip(actions, words, action_colors(words), strict=True):
        means = class_means(game.deck, weights, 100 * node.policy[:, action])
        yield f"{word}: how often, in percent", square_of_hands(names, means, color)
    means = class_means(game.deck, weights, node.values[actor])
    yield f"value in {game.unit}", square_of_hands(names, means, decimals=2)
