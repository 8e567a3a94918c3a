"""The Universal Chess Interface: the controller's side, `uci:COMMAND?nodes=2000&Skill Level=0`.

The engine lists its options first, and settings are checked against them: engines silently ignore
unknown options, among them variants of chess. Each `go` follows the whole game so far, so that one
process serves several games.
"""

import dataclasses
import functools
import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sog.boards.engine_agent import Engine, EnginePlayer
from sog.boards.protocol_games import uci_game
from sog.games.core import Game
from sog.parameters import near_name
from sog.players.engines.limits import patience_in, split_text, take_number
from sog.players.engines.process import Deadline, split_command
from sog.players.player import Host

LIMITS: Final = ("nodes", "movetime", "depth")
"""Limits of a move as `go` names them: positions, milliseconds, half-moves."""
_DEFAULT_LIMIT: Final = {"nodes": 10_000}
_MOST_LINES: Final = 1000
"""Lines kept of an answer; earlier ones do not matter."""
_VARIANT: Final = "UCI_Variant"
_CHESS: Final = "chess"
_WORDS: Final = re.compile(r"\b(name|type|default|min|max|var)\b")


@dataclasses.dataclass(frozen=True, kw_only=True)
class UciOption:
    """An option of an engine."""

    name: str
    kind: str
    """check, spin, combo, button or string."""
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def problem(self, value: str) -> str:
        """What is wrong with a value; empty if it is valid."""
        if self.kind == "check" and value not in ("true", "false"):
            return "must be true or false"
        if self.kind == "combo" and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}"
        if self.kind == "spin":
            least, most = self.least or 0, self.most if self.most is not None else 2**31
            if not re.fullmatch(r"-?\d{1,15}", value) or not least <= int(value) <= most:
                return f"must be an integer from {least} to {most}"
        return ""


def read_option(line: str) -> UciOption | None:
    """An option from "option name NAME type TYPE ..."; None for any other line."""
    found: dict[str, list[str]] = {}
    pieces = _WORDS.split(line.removeprefix("option").strip())
    for word, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        if word in ("name", "type", "default") and word in found:  # a word of a name, or a value
            continue
        found.setdefault(word, []).append(rest.strip())
    try:
        return UciOption(
            name=found["name"][0],
            kind=found["type"][0],
            default=found.get("default", [""])[0],
            least=int(found["min"][0]) if "min" in found else None,
            most=int(found["max"][0]) if "max" in found else None,
            choices=tuple(found.get("var", [])),
        )
    except (KeyError, ValueError):
        return None


class UciEngine(Engine):
    """An engine that speaks UCI."""

    def __init__(
        self,
        command: str,
        game: Game[Any],
        *,
        options: Mapping[str, str],
        limit: Mapping[str, int],
        patience: float,
    ) -> None:
        """Starts it, sets its options, and waits until it is ready. Raises EngineError."""
        self._game, self._wanted, self._patience = uci_game(game), options, patience
        self._go = " ".join(["go", *(f"{name} {value}" for name, value in limit.items())])
        self._patience_of_a_move = patience + limit.get("movetime", 0) / 1000
        self._last_game_id: int | None = None
        super().__init__(command)

    def text_of(self, state: Any, action: int) -> str:
        """As "e2e4"."""
        return self._game.uci_of_action(state, action)

    def choose(self, game_id: int, start: Any, moves: Sequence[str], state: Any) -> int:
        """Sends the whole game first."""
        if game_id != self._last_game_id:  # its hash tables are of another game
            self._send("ucinewgame")
            self._synchronize()
            self._last_game_id = game_id
        begin = "startpos" if start is None else f"fen {self._game.fen(start)}"
        played = f" moves {' '.join(moves)}" if moves else ""
        self._send(f"position {begin}{played}")
        words = self._ask(self._go, "bestmove", self._patience_of_a_move)[-1].split()
        text = words[1] if len(words) > 1 else "nothing"
        try:
            return self._game.read_action(state, text)
        except ValueError:
            at = self._game.fen(state)
            raise self._process.error(f"played {text!r}, which is no move at '{at}'") from None

    def _get_ready(self) -> None:
        self.name, self._options = "", dict[str, UciOption]()
        for line in self._ask("uci", "uciok", self._patience):
            word, _, rest = line.partition(" ")
            if word == "id" and rest.startswith("name "):
                self.name = rest.removeprefix("name ").strip()
            elif word == "option" and (option := read_option(line)) is not None:
                self._options[option.name.lower()] = option
        self._set(self._with_variant())
        self._synchronize()

    def _with_variant(self) -> dict[str, str]:
        options, variant = dict(self._wanted), self._game.uci_variant
        for name in options:
            if name.lower() == _VARIANT.lower():
                raise self._process.error(f"plays the variant of the game: leave {name} out")
        known = self._options.get(_VARIANT.lower())
        if variant == _CHESS and (known is None or variant not in known.choices):
            return options  # an engine for chess
        if known is None or variant not in known.choices:
            raise self._process.error(f"cannot play {self._game.name}, variant {variant!r} of UCI")
        return {_VARIANT: variant, **options}

    def _set(self, options: Mapping[str, str]) -> None:
        for name, value in options.items():
            option = self._options.get(name.lower())
            if option is None:
                near = near_name(name, [one.name for one in self._options.values()])
                hint = f"; did you mean {near}?" if near else ""
                raise self._process.error(f"has no option {name!r}{hint}")
            if problem := option.problem(value):
                raise self._process.error(f"option {option.name} {problem}, got {value!r}")
            text = "" if option.kind == "button" else f" value {value}"
            self._send(f"setoption name {option.name}{text}")

    def _synchronize(self) -> None:
        self._ask("isready", "readyok", self._patience)

    def _ask(self, question: str, answer: str, within: float) -> list[str]:
        """The lines up to and including the first that begins with the answer."""
        deadline, lines = Deadline(within), deque[str](maxlen=_MOST_LINES)
        self._process.send(question, deadline)
        failure = f"did not answer {question!r} with {answer!r}"
        while not lines or lines[-1].split(maxsplit=1)[:1] != [answer]:
            lines.append(self._process.read_line(deadline, failure).strip())
        return list(lines)

    def _send(self, line: str) -> None:
        self._process.send(line, Deadline(self._patience))


def read_uci(text: str, host: Host) -> EnginePlayer:
    """The player of "uci:COMMAND?name=value&..."; EngineError if there is no such program.

    nodes, movetime and depth limit a move, `timeout` the wait for an answer; all others are options
    of the engine.
    """
    command, values = split_text(text, "uci")
    where = f"uci:{command}"
    patience = patience_in(values, where)
    limit = {
        name: int(value)
        for name in LIMITS
        if (value := take_number(values, name, where, whole=True)) is not None
    }
    split_command(command)
    return EnginePlayer(
        start=functools.partial(
            UciEngine, command, options=values, limit=limit or _DEFAULT_LIMIT, patience=patience
        )
    )
