"""`sog search --compare`: searches of one public state side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.columns import Columns
from rich.console import Group
from rich.text import Text

from sog.cli import display
from sog.cli.errors import CommandError
from sog.cli.search.searching import Searched
from sog.cli.search.text import policy_table
from sog.cli.search_numbers import name_of
from sog.drawing.nodes import NodeView
from sog.drawing.outline import signed
from sog.games.core import CHANCE


def check_can_compare(found: Searched) -> None:
    """Raises CommandError where no player acts, so that there is no policy to compare."""
    if searched(found).actor >= CHANCE:
        raise CommandError("--compare shows the policy of who acts, and no player acts here.")


def searched(found: Searched) -> NodeView:
    """The node of the public state that was searched."""
    row = int(found.result.slot[0])
    return next(node for node in found.nodes if node.row == row)


def difference(one: NodeView, other: NodeView) -> float:
    """How far two policies of one state are apart: total variation, weighted by the range."""
    weights = np.nan_to_num(one.ranges[one.actor])
    apart = 0.5 * np.abs(np.nan_to_num(one.policy) - np.nan_to_num(other.policy)).sum(axis=-1)
    return float(weights @ apart / weights.sum())


def print_comparison(compared: Sequence[Searched]) -> None:
    """Prints a table of each search, beside each other where they fit."""
    first, nodes = compared[0], [searched(found) for found in compared]
    facts = []
    for found, node in zip(compared, nodes, strict=True):
        told = f"value {signed(node.mean_value)}, {len(found.nodes):,} public states, "
        told += f"{found.seconds:.3g} s"
        if found is not first:
            apart = difference(nodes[0], node)
            told += f"; {apart:.1%} of the policy differs from {name_of(first.settings)}"
        facts.append((name_of(found.settings), told))
    display.print_facts(first.titled("several searches"), facts)
    print(f"\n{first.board}\n" if first.board else "")
    tables = [
        Group(Text(name_of(found.settings), style="bold"), policy_table(node))
        for found, node in zip(compared, nodes, strict=True)
    ]
    footer = f"Values: to player 0 in {first.game.unit}, those of an infostate to its player."
    display.print_table(Columns(tables, padding=(1, 4)), footer=footer)


def comparison_as_json(searches: Sequence[dict[str, Any]], compared: Sequence[Searched]) -> Any:
    """The searches as `--json` prints each, and how far each is from the first."""
    first = searched(compared[0])
    return {
        "searches": list(searches),
        "differences": [difference(first, searched(found)) for found in compared],
    }
