"""Games of our servers against engines on clocks: no illegal move, crash or loss on time.

    python scripts/engine_games.py go --player agent:go5 --opponent "gnugo --mode gtp --level 1 \
        --chinese-rules --positional-superko --capture-all-dead" --clock 10+0.1
    python scripts/engine_games.py chess --player rollout --game chess --opponent stockfish

`sog gtp PLAYER` or `sog uci PLAYER` alternates colors. A clock is MAIN+INCREMENT, SECONDS
for each move, or MAIN+PERIODSxSECONDS, the byo-yomi of Go. The opponent checks our moves: in Go
each engine rejects moves that it finds illegal, and both score the end; in chess Stockfish's board
(`d`) must equal ours after every move. Prints a line per 10 games and a summary, which --out writes
as JSON; exit code 1 for any failure. An opponent that loses on time is no failure.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import math
import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from shared import game_text

from sog.boards.gtp.engine import COLORS, GtpEngine
from sog.boards.uci.engine import UciEngine
from sog.games import make
from sog.games.core import TERMINAL, Game
from sog.play.game_in_progress import Position
from sog.play.rules import situation, utility
from sog.players.engines.process import EngineError

_GAMES_PER_LINE: Final = 10
_PATIENCE: Final = 600.0  # seconds for an answer: the first one compiles
_PASS, _RESIGN = "pass", "resign"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Control:
    """The time control of each side, in seconds."""

    main: float = 0.0
    increment: float = 0.0
    periods: int = 0
    period: float = 0.0


def read_control(text: str) -> Control:
    """Parses "10+0.1", "1" or "5+3x1"; raises ArgumentTypeError for other texts."""
    number = r"(\d+(?:\.\d+)?)"
    if match := re.fullmatch(number, text):
        return Control(periods=1, period=float(match[1]))
    if match := re.fullmatch(rf"{number}\+(\d+)x{number}", text):
        return Control(main=float(match[1]), periods=int(match[2]), period=float(match[3]))
    if match := re.fullmatch(rf"{number}\+{number}", text):
        return Control(main=float(match[1]), increment=float(match[2]))
    raise argparse.ArgumentTypeError(f"must be 10+0.1, 1 or 5+3x1, for example, got {text!r}")


class Clocks:
    """Both sides' clocks in one game."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.left = [control.main, control.main]
        self.periods = [control.periods, control.periods]
        self.slowest = [0.0, 0.0]

    def has_time_after(self, side: int, seconds: float) -> bool:
        """Subtracts a move's time from a side's clock; returns whether it was in time."""
        self.slowest[side] = max(self.slowest[side], seconds)
        beyond = seconds - self.left[side]
        self.left[side] = max(-beyond, 0.0)
        if not self.control.period:
            self.left[side] += self.control.increment
            return beyond <= 0
        if beyond > 0:  # a period that ends is used up, except the last
            self.periods[side] -= math.ceil(beyond / self.control.period) - 1
        return self.periods[side] > 0


class GoSide(GtpEngine):
    """An engine of Go with a clock."""

    def begin(self, control: Control) -> None:
        """Clears the board and sets the clock; in GTP, only `time_left` can express increments."""
        self.ask("clear_board")
        byo = f"{control.period:.0f} 1" if control.period else "0 0"
        self.ask(f"time_settings {control.main:.0f} {byo}")

    def move(self, clocks: Clocks, side: int, position: Position) -> tuple[str, float]:
        """A move, and the seconds that it took."""
        left, in_period = (
            math.floor(clocks.left[side]),
            clocks.control.period and not clocks.left[side],
        )
        time_left = f"{clocks.control.period:.0f} 1" if in_period else f"{left} 0"
        self.ask(f"time_left {COLORS[side]} {time_left}")
        began = time.monotonic()
        answer = self.ask(f"genmove {COLORS[side]}", _PATIENCE)
        return answer, time.monotonic() - began


class ChessSide(UciEngine):
    """An engine of chess with a clock."""

    nodes: int | None = None
    """The maximum number of positions per move."""

    def begin(self, control: Control) -> None:
        """Starts a game."""
        self.moves: list[str] = []
        self._send("ucinewgame")
        self._synchronize()

    def move(self, clocks: Clocks, side: int, position: Position) -> tuple[str, float]:
        """A move, and the seconds that it took."""
        control, left = clocks.control, [round(1000 * one) for one in clocks.left]
        if control.period:
            limit = f"movetime {1000 * control.period:.0f}"
        else:
            added = f"{1000 * control.increment:.0f}"
            limit = f"wtime {left[0]} btime {left[1]} winc {added} binc {added}"
        if self.nodes is not None:
            limit += f" nodes {self.nodes}"
        self._show()
        began = time.monotonic()
        answer = self._ask(f"go {limit}", "bestmove", _PATIENCE)[-1].split()[1]
        return answer, time.monotonic() - began

    def check_board(self, fen: str) -> None:
        """Raises EngineError if its own board, if it shows one, differs from `fen`."""
        if "stockfish" in self.name.lower():
            self._show()
            shown = self._ask("d", "Fen:", _PATIENCE)[-1].removeprefix("Fen:").split()
            if shown[:2] != fen.split()[:2]:
                raise self.refuse(f"has the board {shown}, not {fen} after {self.moves[-1]}")

    def _show(self) -> None:
        played = f" moves {' '.join(self.moves)}" if self.moves else ""
        self._send(f"position startpos{played}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Played:
    """One game."""

    result: str
    """The score, or the winner and how it won."""
    won: float
    """1 if we won, 0.5 for a draw or a disputed end."""
    moves: int
    problem: str = ""


def play_go(sides: list[GoSide], ours: int, game: Game[Any], clocks: Clocks) -> Played:
    """Plays a game, Black first."""
    passes = moves = 0
    while passes < 2 and moves < game.max_depth:
        side = moves % 2
        move, seconds = sides[side].move(clocks, side, Position.of(game))
        if not clocks.has_time_after(side, seconds):
            return lost_on_time(side, ours, moves, seconds, "BW")
        if move.lower() == _RESIGN:
            return Played(result=f"{'WB'[side]} wins", won=float(side != ours), moves=moves)
        sides[1 - side].ask(f"play {COLORS[side]} {move}")
        passes = passes + 1 if move.lower() == _PASS else 0
        moves += 1
    scores = [engine.ask("final_score").removesuffix(".0") for engine in sides]
    if scores[0] != scores[1]:  # engines may disagree on dead stones
        return Played(result="not agreed", won=0.5, moves=moves)
    won = 0.5 if scores[0] == "0" else float(scores[0][0] == "BW"[ours])
    return Played(
        result="draw" if scores[0] == "0" else f"{scores[0][0]} wins", won=won, moves=moves
    )


def play_chess(sides: list[ChessSide], ours: int, game: Any, clocks: Clocks) -> Played:
    """Plays a game, White first, to the end by our rules; checks legality on both sides."""
    position = Position.of(game)
    while situation(game, position.state).actor != TERMINAL:
        side, number = len(position.outcomes) % 2, len(position.outcomes)
        move, seconds = sides[side].move(clocks, side, position)
        if not clocks.has_time_after(side, seconds):
            return lost_on_time(side, ours, number, seconds, "WB")
        position = position.after(game, game.read_action(position.state, move))
        for one in sides:
            one.moves.append(move)
        sides[1 - ours].check_board(game.fen(position.state))
    value = utility(game, position.state, np.zeros(2, np.int32)) * (1 if ours == 0 else -1)
    result = "draw" if not value else f"{'WB'[ours if value > 0 else 1 - ours]} wins"
    return Played(result=result, won=(1 + value / game.max_utility) / 2, moves=number + 1)


def lost_on_time(side: int, ours: int, moves: int, seconds: float, names: str) -> Played:
    """The result of a game that a side lost on time."""
    problem = f"{names[side]} lost on time: {seconds:.2f} s for move {moves + 1}"
    return Played(
        result=f"{names[1 - side]} wins on time",
        won=float(side != ours),
        moves=moves,
        problem=problem if side == ours else "",
    )


def start_sides(arguments: argparse.Namespace, game: Any, stack: Any) -> tuple[Any, Any]:
    """Starts our server and the opponent, which end with `stack`."""
    kind = "gtp" if arguments.kind == "go" else "uci"
    server = [sys.executable, "-m", "sog", kind, *arguments.player, "--game", str(game)]
    sides: list[Any] = []
    for command in (shlex.join(server), arguments.opponent):
        side: Any
        if kind == "gtp":
            side = GoSide(command, game, seconds=None, patience=_PATIENCE)
        else:
            side = ChessSide(command, game, options={}, limit={}, patience=_PATIENCE)
        stack.callback(side.close)
        sides.append(side)
    if kind == "uci":
        sides[1].nodes = arguments.nodes
    return sides[0], sides[1]


def play_all(arguments: argparse.Namespace) -> dict[str, Any]:
    """Plays all games, and prints progress; returns the summary."""
    game = make(arguments.game or ("go5" if arguments.kind == "go" else "chess"))
    play: Callable[..., Played] = play_go if arguments.kind == "go" else play_chess
    results, problems = collections.Counter[str](), list[str]()
    moves, won, slowest, played, began = 0, 0.0, 0.0, 0, time.monotonic()
    with contextlib.ExitStack() as stack:
        us, them = start_sides(arguments, game, stack)
        for number in range(arguments.games):
            ours = number % 2
            sides, clocks = [us, them][:: -1 if ours else 1], Clocks(arguments.clock)
            try:
                for side in sides:
                    side.begin(arguments.clock)
                one = play(sides, ours, game, clocks)
            except (EngineError, ValueError) as error:
                problems.append(f"game {number + 1}: {error}")
                print(problems[-1], flush=True)
                if isinstance(error, EngineError):
                    break
                continue
            played, moves, won = played + 1, moves + one.moves, won + one.won
            slowest = max(slowest, clocks.slowest[ours])
            results[one.result] += 1
            if one.problem:
                problems.append(f"game {number + 1}: {one.problem}")
                print(problems[-1], flush=True)
            if played % _GAMES_PER_LINE == 0:
                seconds = time.monotonic() - began
                print(f"{played} games, {moves:,} moves, {seconds:.0f} s", flush=True)
        name = them.name
    return {
        "opponent": name,
        "games": played,
        "moves": moves,
        "score": won,
        "slowest_move_seconds": round(slowest, 3),
        "minutes": round((time.monotonic() - began) / 60, 1),
        "results": dict(results.most_common()),
        "problems": problems,
    }


def main() -> None:
    """Plays, and prints the summary."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=("go", "chess"))
    parser.add_argument("--opponent", required=True, help="the command of the other engine")
    parser.add_argument(
        "--player",
        type=shlex.split,
        default=["rollout"],
        help="PLAYER of sog gtp or sog uci, with options (default: rollout)",
    )
    parser.add_argument(
        "--game", type=game_text, help="the game of our player (default: go5, chess)"
    )
    parser.add_argument("--games", type=int, default=50, help="(default: 50)")
    parser.add_argument(
        "--clock", type=read_control, default="10+0.1", help="time control (default: 10+0.1)"
    )
    parser.add_argument("--nodes", type=int, help="maximum per move of the chess engine")
    parser.add_argument("--out", type=Path, help="write the summary to this file, as JSON")
    arguments = parser.parse_args()
    if arguments.kind == "chess" and arguments.clock.periods and arguments.clock.main:
        parser.error("--clock: byo-yomi is for go")
    try:
        summary = play_all(arguments)
    except (EngineError, ValueError) as error:  # before the first game
        parser.error(str(error))
    print(json.dumps(summary))
    if arguments.out is not None:
        command = shlex.join(["python", "scripts/engine_games.py", *sys.argv[1:]])
        arguments.out.write_text(json.dumps({"command": command, **summary}, indent=1) + "\n")
    sys.exit(1 if summary["problems"] else 0)


if __name__ == "__main__":
    main()
