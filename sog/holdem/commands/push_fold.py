"""`sog push_fold`: exact jam or fold ranges before the flop, by stack depth."""

import argparse
from typing import Any, Final

import numpy as np

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, mistakes
from sog.cli.interrupts import concluding, holding_interrupts
from sog.holdem.commands.spot_node import square_of_hands
from sog.holdem.deck import Deck
from sog.holdem.hand_squares import action_colors
from sog.holdem.ranges import class_names, format_range
from sog.holdem.spots.push_fold import (
    PushFold,
    all_in_before_the_flop,
    check_stack,
    class_numbers,
    solve_push_fold,
)

_DECK: Final = Deck()
_DIGITS: Final = 3
"""Of probabilities in printed ranges."""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    stacks: list[float] = arguments.stacks
    with mistakes():
        for stack in stacks:
            check_stack(stack)
    start_jax(all_cores=True)
    with display.working() as work, concluding(work.report_interrupt):
        work.begin("counting all boards")
        equities = all_in_before_the_flop(_DECK)
        work.begin("solving", total=len(stacks))
        found = []
        for number, stack in enumerate(stacks):
            work.update(f"{stack:g} big blinds", number)
            found.append((stack, solve_push_fold(equities, stack)))
    with holding_interrupts():
        if arguments.json:
            display.print_json([_as_json(stack, one) for stack, one in found])
        elif len(found) == 1:
            _print_one(*found[0])
        else:
            _print_several(found)
    return SUCCESS


def _print_one(stack: float, found: PushFold) -> None:
    facts = [
        ("the small blind gets", f"{found.value:+.4f} big blinds a hand"),
        ("it jams", f"{100 * found.jam_share:.1f}%: {_range(found.jam)}"),
        ("the big blind calls", f"{100 * found.call_share:.1f}%: {_range(found.call)}"),
    ]
    display.print_facts(f"jam or fold with {stack:g} big blinds", facts)
    (color,) = action_colors(["allin"])
    names = class_names(_DECK)
    size = (len(names), len(names))
    for policy, title in ((found.jam, "the small blind jams"), (found.call, "the big blind calls")):
        print()
        square = square_of_hands(names, 100 * policy.reshape(size), color)
        display.print_table(square, f"{title}: how often, in percent")


def _print_several(found: list[tuple[float, PushFold]]) -> None:
    table = display.plain_table(right=("stack", "value", "jams", "calls"))
    for stack, one in found:
        shares = (f"{100 * share:.1f}%" for share in (one.jam_share, one.call_share))
        table.add_row(f"{stack:g}", f"{one.value:+.4f}", *shares)
    footer = "In big blinds, to the small blind. The hands: one stack, or --json."
    display.print_table(table, "jam or fold", footer=footer)


def _range(policy: np.ndarray) -> str:
    return format_range(np.round(policy[class_numbers(_DECK)], _DIGITS), _DECK)


def _as_json(stack: float, found: PushFold) -> dict[str, Any]:
    names = [name for row in class_names(_DECK) for name in row]

    def side(policy: np.ndarray, share: float) -> dict[str, Any]:
        classes = dict(zip(names, map(float, policy), strict=True))
        return {"share": share, "range": _range(policy), "classes": classes}

    return {
        "stack": stack,
        "value": found.value,
        "jams": side(found.jam, found.jam_share),
        "calls": side(found.call, found.call_share),
    }
