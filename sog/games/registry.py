"""Games by name: `make("leduc(ranks=4)")`.

To add a game, write one file in this folder and add its line to `GAMES`.
"""

import dataclasses
import importlib
import re
from collections.abc import Callable
from typing import Any, Final

from sog.games.core import Game

OPENSPIEL_PREFIX: Final = "openspiel:"

GAMES: Final[dict[str, tuple[str, str]]] = {
    "matching_pennies": ("sog.games.matrix", "MatchingPennies"),
    "rps": ("sog.games.matrix", "RockPaperScissors"),
    "biased_rps": ("sog.games.matrix", "BiasedRockPaperScissors"),
    "non_locality": ("sog.games.non_locality", "NonLocality"),
    "kuhn": ("sog.games.kuhn", "Kuhn"),
    "leduc": ("sog.games.leduc", "Leduc"),
    "generic_poker": ("sog.games.generic_poker", "GenericPoker"),
    "board_poker": ("sog.games.board_poker", "BoardPoker"),
    "liars_dice": ("sog.games.liars_dice", "LiarsDice"),
    "goofspiel": ("sog.games.goofspiel", "Goofspiel"),
    "ii_goofspiel": ("sog.games.ii_goofspiel", "IIGoofspiel"),
    "glasses": ("sog.games.scotland_yard.game", "Glasses"),
    "quarter": ("sog.games.scotland_yard.game", "Quarter"),
    "london": ("sog.games.scotland_yard.game", "London"),
    "scotland_yard": ("sog.games.scotland_yard.game", "ScotlandYard"),
    "tic_tac_toe": ("sog.games.tic_tac_toe", "TicTacToe"),
    "connect_four": ("sog.games.connect_four", "ConnectFour"),
}
"""Name on the command line -> (module, class); the module is imported when the game is made."""


def game_class(name: str) -> type[Game[Any]]:
    """The class of a game; ValueError for a name that is not in `GAMES`."""
    if name not in GAMES:
        import difflib

        near = difflib.get_close_matches(name, GAMES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(GAMES)}."
        raise ValueError(f"unknown game {name!r}: {hint}")
    module, attribute = GAMES[name]
    found: type[Game[Any]] = getattr(importlib.import_module(module), attribute)
    return found


def make(text: str, *, progress: Callable[[str], None] | None = None) -> Game[Any]:
    """A game from its name and parameters, as `str(game)` prints them.

    `make("leduc")`, `make("liars_dice(dice=1,faces=6)")`, or
    `make("openspiel:leduc_poker(suit_isomorphism=True)")` with the `openspiel` extra installed.
    progress: called with how far it is, for a game of OpenSpiel's, which is enumerated here.
    Raises ValueError that names the game, the parameter, the value and the rule.
    """
    text = text.strip()
    if text.startswith(OPENSPIEL_PREFIX):
        from sog.games.openspiel.game import load_openspiel

        return load_openspiel(text.removeprefix(OPENSPIEL_PREFIX), progress=progress)
    match = re.fullmatch(r"(\w+)\s*(?:\((.*)\))?", text, re.DOTALL)
    if match is None:
        raise ValueError(f"game must look like 'name' or 'name(key=value,...)', got {text!r}.")
    name, arguments = match.group(1), match.group(2) or ""
    cls = game_class(name)
    fields = {field.name: field for field in dataclasses.fields(cls) if field.metadata}
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in arguments.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ValueError(f"{name}: write parameters as key=value, got {part!r}.")
        if key not in fields:
            known = ", ".join(fields) or "none"
            raise ValueError(f"{name}: unknown parameter {key!r}; its parameters: {known}.")
        if key in values:
            raise ValueError(f"{name}: {key} is given twice.")
        values[key] = _parse(f"{name}: {key}", fields[key].type, value)
    return cls(**values)


def _parse(where: str, wanted: Any, text: str) -> Any:
    if wanted is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{where} must be true or false, got {text!r}.")
        return text.lower() == "true"
    if wanted in (int, float):
        try:
            return wanted(text)
        except ValueError:
            kind = "an integer" if wanted is int else "a number"
            raise ValueError(f"{where} must be {kind}, got {text!r}.") from None
    return text
