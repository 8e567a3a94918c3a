"""`sog policy --walk`: browses the public tree of a strategy, one event at a time."""

from collections.abc import Callable
from typing import Final

from sog.cli.play_screen import ListedAction, Quit, Terminal, find_choices, list_choices
from sog.drawing.grid import Event, Grid
from sog.drawing.outline import percent

_HELP: Final = "  b) back   t) top   q) quit"


def walk(node: int, show: Callable[[int], Grid]) -> None:
    """Shows a public state and lets the user browse from there, until they quit or stdin ends.

    show: prints the grid of a node and returns it.
    """
    terminal = Terminal()
    way = [node]
    grid = show(node)
    try:
        while True:
            chosen = _ask(terminal, grid, way)
            if chosen != way[-1]:
                way = way[: way.index(chosen) + 1] if chosen in way else [*way, chosen]
                terminal.say()
                grid = show(chosen)
    except Quit:
        return


def _ask(terminal: Terminal, grid: Grid, way: list[int]) -> int:
    """Asks for the node to show next: that of an event, or one on the way here."""
    offered = [
        ListedAction(action=event.node, label=label, text=event.name)
        for label, event in enumerate(grid.events, start=1)
    ]
    terminal.say()
    if offered:
        shares = [_with_share(*pair) for pair in zip(offered, grid.events, strict=True)]
        terminal.say(list_choices(shares))
    terminal.say(_HELP)
    while True:
        answer = terminal.ask("> ")
        word = answer.casefold()
        if word in ("q", "quit"):
            raise Quit
        if word in ("t", "top"):
            return way[0]
        if word in ("b", "back"):
            if len(way) > 1:
                return way[-2]
            terminal.say("this is where the walk started.")
            continue
        found = find_choices(offered, answer)
        if len(found) == 1:
            return found[0].action
        events = f"a number from 1 to {len(offered)}, " if offered else ""
        many = "more than one" if found else "none"
        terminal.say(f"{answer!r} is {many} of them: type {events}b, t or q.")


def _with_share(choice: ListedAction, event: Event) -> ListedAction:
    text = f"{choice.text} {percent(event.probability)}"
    return ListedAction(action=choice.action, label=choice.label, text=text)
