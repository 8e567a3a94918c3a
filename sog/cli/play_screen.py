"""Text in- and output of `sog play` and of `--walk`: boards, lists of actions, answers."""

import dataclasses
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from sog.cli import display
from sog.cli.lines import fold
from sog.games import PLAYER_0, Game

_MOST_COLUMNS: Final = 78
_STYLES: Final = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "": ""}
_MOST_SHARES: Final = 6  # actions of a policy that are listed
_PIECE_SIGNS: Final = "♟♞♝♜♛♚"
_PLAIN_TERMINALS: Final = ("", "dumb", "linux", "vt100", "vt220")
_WALK_HELP: Final = "  b) back   t) top   q) quit"
State = TypeVar("State")


def columns() -> int:
    """The width of lines, which is limited for readability."""
    return min(_MOST_COLUMNS, display.width())


class Quit(Exception):  # noqa: N818 (not an error)
    """The person quits, or stdin has ended."""


class Terminal:
    """Lines on stdout and answers from stdin; plain text unless both are terminals."""

    def __init__(self) -> None:
        self._is_colored = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.has_pieces = self._is_colored and _can_show(_PIECE_SIGNS, sys.stdout.encoding)
        """Whether it can show colored squares with chess pieces."""

    def say(self, text: str = "", style: str = "") -> None:
        """Prints lines, wrapped to fit."""
        code, text = _STYLES[style], fold(text, display.width())
        print(f"\033[{code}m{text}\033[0m" if code and self._is_colored else text, flush=True)

    def ask(self, prompt: str) -> str:
        """Reads a line, stripped. Raises Quit at the end of stdin."""
        if sys.stdin.isatty():
            try:
                return input(prompt).strip()
            except EOFError:
                self.say()
                raise Quit from None
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        self.say(line.strip())  # echo, since stdin is not a terminal
        if not line:
            raise Quit
        return line.strip()


@dataclasses.dataclass(frozen=True, kw_only=True)
class ListedAction:
    """A legal action, and how to type it."""

    action: int
    label: int
    text: str


def choices(
    game: Game[Any], state: Any, infostate: int, legal: Sequence[int]
) -> list[ListedAction]:
    """Numbers the legal actions from 1; actions that are numbers keep theirs."""
    return [
        ListedAction(
            action=action,
            label=action + 1 if game.counts_actions else place,
            text=game.describe_action(state, infostate, action),
        )
        for place, action in enumerate(legal, start=1)
    ]


def find_choices(
    offered: Sequence[ListedAction], answer: str, meant: int | None = None
) -> list[ListedAction]:
    """The actions that match an answer: by number, by text, else by the beginning of their text.

    meant: the action that the game's notation (as Nf3) reads in it; goes before beginnings.
    """
    wanted = answer.casefold()
    numbered = [choice for choice in offered if str(choice.label) == wanted]
    named = [choice for choice in offered if choice.text.casefold() == wanted]
    written = [choice for choice in offered if choice.action == meant]
    begun = [choice for choice in offered if choice.text.casefold().startswith(wanted)]
    return numbered or named or written or (begun if wanted else [])


def list_choices(offered: Sequence[ListedAction]) -> str:
    """The actions in one line if they fit, else in columns."""
    cells = [f"{choice.label}) {choice.text}" for choice in offered]
    line = "   ".join(cells)
    if len(line) <= columns() - 2:
        return f"  {line}"
    width = max(map(len, cells)) + 3
    rows = -(-len(cells) // max(1, (columns() - 2) // width))
    return "\n".join(
        ("  " + "".join(cell.ljust(width) for cell in cells[row::rows])).rstrip()
        for row in range(rows)
    )


def draw_state(
    game: Game[Any],
    state: Any,
    ranges: np.ndarray | None = None,
    *,
    player: int = PLAYER_0,
    has_pieces: bool = False,
) -> str:
    """A public state as text. ranges: as for `Game.draw`. has_pieces: whether a board may be in
    color, as the player sees it."""
    view = None
    if has_pieces:
        view = game.view(state, infostates=(0, None) if player == PLAYER_0 else (None, 0))
    colored = "" if view is None else view.colored()
    return textwrap.indent(colored or game.draw(state, ranges), "  ")


def _can_show(signs: str, encoding: str | None) -> bool:
    """Whether the terminal claims to show these signs and 256 colors."""
    try:
        signs.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return os.environ.get("TERM", "") not in _PLAIN_TERMINALS


def signed_units(game: Game[Any], value: float) -> str:
    """A utility as "+1 chip" or "-0.25 chips"."""
    text = display.number(value)
    unit = game.unit.removesuffix("s") if text in ("1", "-1") else game.unit
    return f"{'+' if value > 0 and text != '0' else ''}{text} {unit}"


def worth_of(game: Game[Any], value: float) -> str:
    """A value as "worth -0.25 chips"."""
    return f"worth {round(value, 2) + 0.0:+.2f} {game.unit}"


def shares(policy: Sequence[tuple[str, float]]) -> str:
    """Actions and their probabilities, as "check 67%, bet1 33%"."""
    listed = [(text, share) for text, share in policy if share >= 0.005][:_MOST_SHARES]
    return ", ".join(f"{text} {share:.0%}" for text, share in listed)


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
            terminal.say(_WALK_HELP)
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
