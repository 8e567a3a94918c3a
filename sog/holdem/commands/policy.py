"""`sog policy SPOT.spot`: shows a solved spot of hold'em without solving it again."""

import argparse
from typing import Final

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, mistakes, reject, write_file
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.play_screen import Terminal, browse
from sog.domain import policy_tables
from sog.holdem.commands.spot_node import node_as_json, print_node, shown
from sog.holdem.game import Holdem
from sog.holdem.hand_squares import draw_hand_grid
from sog.holdem.spots.spot_file import ENDING, SavedSpot, load_spot
from sog.holdem.spots.walk import SpotNode, SpotPause, look, split_history, walk

_WITHOUT_EFFECT: Final = (
    *("player", "table", *policy_tables(), "iterations", "search", "set", "seed"),
    "max_nodes",
)
History = tuple[str, ...]


def takes(arguments: argparse.Namespace) -> bool:
    """Whether the source of `sog policy` is a spot; CommandError for --svg if it is not."""
    is_spot = str(arguments.source).lower().endswith(ENDING)
    if not is_spot:
        reject(arguments, ["svg"], "without a spot of hold'em")
    return is_spot


def _check(arguments: argparse.Namespace) -> None:
    """Raises CommandError for options that do not apply to spots."""
    if arguments.walk and arguments.json:
        raise CommandError("--walk has no effect with --json, which prints one public state.")
    check_target("--svg", arguments.svg, (".svg",))
    reject(arguments, _WITHOUT_EFFECT, "on a solved spot")


def run(arguments: argparse.Namespace) -> int:
    """Shows the decision that the history leads to; returns the exit code."""
    _check(arguments)
    start_jax(all_cores=True)
    with display.working() as work, concluding(work.report_interrupt):
        work.begin("dealing")
        with mistakes():
            saved = load_spot(arguments.source)
        if arguments.svg is not None and saved.game.hole_cards != 2:
            raise CommandError("--svg draws hands of two cards; leave it out.")
        with mistakes("--history: "):
            node = walk(saved.solver, split_history(arguments.history))
        exploitability = float(saved.solver.exploitability()[0])
    title = f"{display.short_name(saved.game)}, {arguments.source}"
    percent = 100 * exploitability / saved.solver.spot.pot
    title = f"{title}; exploitability {percent:.3g}% of the pot"
    with holding_interrupts():
        if arguments.svg is not None:
            write_file(arguments.svg, draw_hand_grid(node, saved.game.deck, title), "the picture")
        if arguments.json:
            display.print_json(
                {
                    "game": str(saved.game),
                    "source": arguments.source,
                    "unit": "chips",
                    "iterations": saved.solver.iteration,
                    "exploitability": exploitability,
                    "node": node_as_json(node, saved.game),
                }
            )
            return SUCCESS
        display.print_text(f"{title}\n")
        if not arguments.walk:
            print_node(node, saved.game)
            return SUCCESS
    browse(
        tuple(node.history),
        lambda terminal, history: _show(terminal, look(saved.solver, history), saved.game),
        lambda terminal, history, answer: _follow(terminal, saved, history, answer),
    )
    return SUCCESS


def _show(terminal: Terminal, now: SpotNode | SpotPause, game: Holdem) -> None:
    if isinstance(now, SpotNode):
        print_node(now, game)
        pairs = zip(now.actions, now.frequency, strict=True)
        text = "   ".join(f"{action} {shown(100 * often, '.0f', '%')}" for action, often in pairs)
    elif now.cards:
        text = f"a card comes, such as {game.deck.card_name(now.cards[-1])}"
    else:
        text = f"the hand is over, the pot is {now.pot}"
    terminal.say(f"\n  {text}")


def _follow(terminal: Terminal, saved: SavedSpot, history: History, answer: str) -> History | None:
    """The history after an answer; None if there is no such event, which it prints."""
    try:
        further = (*history, *split_history(answer))
        look(saved.solver, further)
    except ValueError as error:
        terminal.say(str(error))
        return None
    return further
