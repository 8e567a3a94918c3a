"""Output of a solved spot's decision: in the terminal, and as JSON."""

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
from sog.holdem.hand_squares import action_colors, class_means, read_hand_grid
from sog.holdem.ranges import class_names
from sog.holdem.spots.network import value_errors
from sog.holdem.spots.walk import SpotNode

_NOTHING: Final = "."


def print_node(node: SpotNode, game: Holdem) -> None:
    """Frequencies and values of the range, and a square of hands for each action."""
    deck = game.deck
    after = " ".join(node.history) or "the start"
    board = " ".join(map(deck.card_name, node.board))
    table = display.plain_table("", right=("of the range", "mean value"))
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
    """A number for people; a dash for NaN, as at an empty range."""
    return "-" if math.isnan(value) else f"{value:{form}}{unit}"


def square_of_hands(
    names: Sequence[Sequence[str]],
    values: np.ndarray,
    color: str | None = None,
    *,
    decimals: int = 1,
) -> Table:
    """A table of numbers by class of hands, whose names are such as "AKs"; NaN for none. With a
    color they are percentages, highlighted from 50 on; else those below 10 have decimals."""
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


def print_network(node: SpotNode, network_node: SpotNode, game: Holdem, network: str) -> None:
    """Prints the errors of a network's values, and its policy and values as squares."""
    table = display.plain_table("", right=("exact", "network", "off by", "of the pot"))
    for player, error in enumerate(value_errors(node, network_node)):
        values = (node.value(player), network_node.value(player))
        cells = (*(shown(v, "+.4g") for v in values), shown(error, ".3g"))
        table.add_row(f"  player {player}", *cells, shown(100 * error / node.pot, ".1f", "%"))
    display.print_table(table, f"{network}: values in chips, means over hands")
    actions = ", ".join(
        f"{action} {shown(100 * share, '.1f', '%')}"
        for action, share in zip(network_node.actions, network_node.frequency, strict=True)
    )
    display.print_text(f"\nit begins a search with: {actions}\n")
    if game.hole_cards == 2:
        grid = read_hand_grid(network_node, game.deck)
        display.print_table(square_of_hands(grid.names, grid.value), "its values")


def network_as_json(node: SpotNode, network_node: SpotNode, game: Holdem) -> dict[str, Any]:
    """A network's decision, see `node_as_json`, and the errors of its values."""
    errors = [_number(error) for error in value_errors(node, network_node)]
    return {**node_as_json(network_node, game), "value_errors": errors}


def node_as_json(node: SpotNode, game: Holdem) -> dict[str, Any]:
    """All numbers of every hand of both players."""
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
    """Titles and tables of each action's frequency, and of values; none unless hands have two cards
    and a player is to act."""
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
