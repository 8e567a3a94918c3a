"""Games of our servers against engines, on clocks: no illegal move, crash or loss on time.

    python scripts/engine_games.py go --opponent "gnugo --mode gtp --level 1 --chinese-rules \
        --positional-superko --capture-all-dead"
    python scripts/engine_games.py chess --opponent stockfish

`sog gtp PLAYER` or `sog uci PLAYER` plays either color in turn, each side with so many seconds for
a game. In Go each side is told the other's moves and refuses what it holds illegal, and both score
the end; in chess python-chess (GPL, none of our requirements) starts both, knows the rules and ends
games by them. Prints a line per 20 games and a summary; exit code 1 if anything went wrong.
"""

import argparse
import collections
import contextlib
import shlex
import sys
import time
from typing import Any, Final

from sog.games import make
from sog.players.engines.gtp import COLORS, GtpEngine
from sog.players.engines.process import EngineError, split_command

_GAMES_PER_LINE: Final = 20
_PATIENCE: Final = 120.0  # seconds for an answer: programs are compiled in the first
_START: Final = 10.0  # seconds for a chess engine to begin
_PASS, _RESIGN = "pass", "resign"


class ClockError(ValueError):
    """Somebody lost on time."""


class Clocks:
    """Seconds that are left to each side."""

    def __init__(self, seconds: float) -> None:
        self.left = [seconds, seconds]

    def take(self, side: int, began: float) -> None:
        """A move of a side was made that began then."""
        self.left[side] -= time.monotonic() - began
        if self.left[side] < 0:
            raise ClockError(f"side {side} lost on time")


def play_go(sides: list[GtpEngine], seconds: float, most_moves: int) -> tuple[str, int]:
    """A game, Black first: its result as both score it, and its moves. ValueError if it fails."""
    clocks, passes, moves = Clocks(seconds), 0, 0
    for engine in sides:
        engine.ask("clear_board")
        engine.ask(f"time_settings {seconds:.0f} 0 0")
    while passes < 2 and moves < most_moves:
        side = moves % 2
        engine, other, color = sides[side], sides[1 - side], COLORS[side]
        engine.ask(f"time_left {color} {max(clocks.left[side], 0):.0f} 0")
        began = time.monotonic()
        move = engine.ask(f"genmove {color}", _PATIENCE)
        clocks.take(side, began)
        if move.lower() == _RESIGN:
            return f"{'WB'[side]}+R", moves
        other.ask(f"play {color} {move}")
        passes = passes + 1 if move.lower() == _PASS else 0
        moves += 1
    scores = [engine.ask("final_score") for engine in sides]
    # Who takes no dead stones off leaves them to the other's opinion.
    return scores[0] if scores[0] == scores[1] else f"{scores[0]} or {scores[1]}", moves


def go_games(arguments: argparse.Namespace) -> list[str]:
    """Plays all games of Go; what went wrong."""
    game = make(arguments.game or "go5")
    server = [sys.executable, "-m", "sog", "gtp", *arguments.player, "--game", str(game)]

    def play(number: int) -> tuple[str, int, str]:
        sides = [ours, theirs] if number % 2 == 0 else [theirs, ours]
        result, moves = play_go(sides, arguments.seconds, game.max_depth)
        won = result[:1] == "BW"[number % 2] and " or " not in result
        return result, moves, "won" if won else "not won"

    with contextlib.ExitStack() as stack:

        def start(command: str) -> GtpEngine:
            engine = GtpEngine(command, game, seconds=None, patience=_PATIENCE)
            stack.callback(engine.close)
            return engine

        theirs, ours = start(arguments.opponent), start(shlex.join(server))
        return play_all(arguments.games, play)


def chess_games(arguments: argparse.Namespace) -> list[str]:
    """Plays all games of chess; what went wrong."""
    import chess
    import chess.engine

    command = [sys.executable, "-m", "sog", "uci", *arguments.player]
    command += ["--game", arguments.game or "chess"]

    def play(number: int) -> tuple[str, int, str]:
        sides = [ours, theirs] if number % 2 == 0 else [theirs, ours]
        board, clocks = chess.Board(), Clocks(arguments.seconds)
        while not board.is_game_over(claim_draw=True):
            side = 0 if board.turn == chess.WHITE else 1
            limit = chess.engine.Limit(
                white_clock=clocks.left[0],
                black_clock=clocks.left[1],
                white_inc=0,
                black_inc=0,
                nodes=None if sides[side] is ours else arguments.nodes,
            )
            began = time.monotonic()
            # Refuses illegal moves, and engines that are gone.
            answer = sides[side].play(board, limit, game=number)
            clocks.take(side, began)
            board.push(answer.move)
        result = board.result(claim_draw=True)
        won = result == ("1-0", "0-1")[number % 2]
        return result, board.ply(), "won" if won else "not won"

    with contextlib.ExitStack() as stack:

        def start(command: list[str], patience: float) -> Any:
            try:
                engine = chess.engine.SimpleEngine.popen_uci(command, timeout=patience)
            except chess.engine.EngineError as error:
                raise EngineError(f"{shlex.join(command)}: {error}") from None
            stack.callback(engine.close)
            return engine

        theirs = start(split_command(arguments.opponent), _START)
        ours = start(command, _PATIENCE)
        ours.ping()  # as every program does before its clock runs: it may compile
        return play_all(arguments.games, play)


def play_all(count: int, play: Any) -> list[str]:
    """Plays so many games, and tells of them; what went wrong."""
    results: collections.Counter[str] = collections.Counter()
    problems: list[str] = []
    moves, began = 0, time.monotonic()
    for number in range(count):
        try:
            result, length, ours = play(number)
        except Exception as error:  # whatever it is, it counts
            problems.append(f"game {number + 1}: {type(error).__name__}: {error}")
            print(problems[-1], flush=True)
            if isinstance(error, EngineError):
                break
            continue
        moves += length
        results[ours] += 1
        results[result] += 1
        if (number + 1) % _GAMES_PER_LINE == 0:
            seconds = time.monotonic() - began
            print(f"{number + 1} games, {moves:,} moves, {seconds:.0f} s", flush=True)
    print(f"{count} games, {moves:,} moves, {len(problems)} problems; {dict(results)}")
    return problems


def main() -> None:
    """Plays, and tells what happened."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=("go", "chess"))
    parser.add_argument("--opponent", required=True, help="the command of the other engine")
    parser.add_argument(
        "--player", type=shlex.split, default=["random"], help="of sog gtp or sog uci, with options"
    )
    parser.add_argument("--game", help="of ours (default: go5, chess)")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each side for a game")
    parser.add_argument("--nodes", type=int, default=100, help="of a move of the chess engine")
    arguments = parser.parse_args()
    run = go_games if arguments.kind == "go" else chess_games
    try:
        problems = run(arguments)
    except (EngineError, ValueError) as error:  # before the first game
        parser.error(str(error))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
