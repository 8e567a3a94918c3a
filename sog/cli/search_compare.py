"""Several searches of one public state, side by side."""

from collections.abc import Sequence

import numpy as np
from rich.columns import Columns
from rich.console import Group
from rich.text import Text

from sog.cli import display
from sog.cli.search_options import name_of
from sog.cli.search_text import policy_table
from sog.cli.searching import FinishedSearch
from sog.drawing.outline import signed


def print_comparison(compared: Sequence[FinishedSearch]) -> None:
    """Prints a table per search, side by side if they fit."""
    first, facts = compared[0], []
    for found, apart in zip(compared, differences(compared), strict=True):
        text = f"value {signed(found.node.mean_value)}, {len(found.nodes):,} public states, "
        text += f"{found.seconds:.3g} s"
        if found is not first:
            text += f"; {apart:.1%} of the policy differs from {name_of(first.settings)}"
        facts.append((name_of(found.settings), text))
    display.print_facts(first.titled("several searches"), facts)
    print(f"\n{first.board}\n" if first.board else "")
    tables = [
        Group(Text(name_of(found.settings), style="bold"), policy_table(found.node))
        for found in compared
    ]
    footer = f"Values: to player 0 in {first.game.unit}, those of an infostate to its player."
    display.print_table(Columns(tables, padding=(1, 4)), footer=footer)


def differences(compared: Sequence[FinishedSearch]) -> list[float]:
    """The total variation distance of each policy from the first, weighted by the range."""
    first = compared[0].node
    weights, policy = np.nan_to_num(first.ranges[first.actor]), np.nan_to_num(first.policy)
    apart = [abs(np.nan_to_num(found.node.policy) - policy).sum(axis=-1) / 2 for found in compared]
    return [float(weights @ one / weights.sum()) for one in apart]
