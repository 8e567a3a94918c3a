"""The loop of `--walk`: browses public states, event by event."""

from collections.abc import Callable
from typing import Final, TypeVar

from sog.cli.play_screen import Quit, Terminal

_HELP: Final = "  b) back   t) top   q) quit"
State = TypeVar("State")


def browse(
    start: State,
    show: Callable[[Terminal, State], object],
    follow: Callable[[Terminal, State, str], State | None],
) -> None:
    """Shows a public state and lets the user browse from there, until they quit or stdin ends.

    show: prints a state and what may happen there. follow: the state after an answer; None if there
    is no such event, which it prints.
    """
    terminal, way = Terminal(), [start]
    try:
        while True:
            show(terminal, way[-1])
            terminal.say(_HELP)
            while not _moves(terminal, way, follow):
                pass
            terminal.say()
    except Quit:
        return


def _moves(
    terminal: Terminal, way: list[State], follow: Callable[[Terminal, State, str], State | None]
) -> bool:
    """Asks once for the state to show next, the last of `way`; whether there is one."""
    answer = terminal.ask("> ")
    match answer.casefold():
        case "q" | "quit":
            raise Quit
        case "":
            return False
        case "t" | "top":
            del way[1:]
        case "b" | "back":
            if len(way) == 1:
                terminal.say("this is where the walk started.")
                return False
            way.pop()
        case _:
            found = follow(terminal, way[-1], answer)
            if found is None:
                return False
            way.append(found)
    return True
