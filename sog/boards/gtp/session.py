"""The state of a GTP server: a game, its thinker, and the moves played."""

import dataclasses
import functools
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

import numpy as np

from sog.boards.protocol_games import gtp_game, set_up_game
from sog.boards.protocol_server import SECONDS_TO_READY, await_compiling, begin_compiling
from sog.boards.thinker import Thinker
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.play.game_in_progress import Position
from sog.play.rules import situation, utility

COLORS: Final = ("black", "white")
"""By player."""
PLAYERS: Final = {"b": PLAYER_0, "black": PLAYER_0, "w": PLAYER_1, "white": PLAYER_1}


def comment(text: str) -> None:
    """Prints what is no response: programs may show what an engine writes to stderr."""
    print(f"# {text}", file=sys.stderr, flush=True)


def read_color(text: str) -> int:
    """The player of a color; ValueError for any other text."""
    if text.lower() not in PLAYERS:
        raise ValueError(f"syntax error: a color must be black or white, got {text[:20]!r}")
    return PLAYERS[text.lower()]


def read_number(text: str, kind: type) -> Any:
    """A number of a kind, int or float; ValueError for any other text."""
    try:
        return kind(text)
    except ValueError:
        what = "an integer" if kind is int else "a number"
        raise ValueError(f"syntax error: {what} is needed, got {text[:20]!r}") from None


class GtpSession:
    """A game in progress, whose moves can be undone."""

    def __init__(self, game: Game[Any], make_thinker: Callable[[Game[Any]], Thinker]) -> None:
        """make_thinker: also for another size or komi; ValueError if the player cannot play it.

        Raises ValueError for a game that GTP does not support.
        """
        self.game, self.gtp_game = game, gtp_game(game)
        self.board = set_up_game(game)
        """The game if its board can be set up, else None."""
        self.thinker = make_thinker(game)
        self._make_thinker = make_thinker
        self._begun = Position.of(game)
        self._moves = list[tuple[int, int, Position]]()
        """Player and action of each move, and the position after it."""
        self._turned: tuple[Position, int, Position] | None = None
        self._prepared: Future[None] | None = None

    @property
    def position(self) -> Position:
        """The present position."""
        return self._moves[-1][2] if self._moves else self._begun

    @property
    def actor(self) -> int:
        """Whose turn it is, see `Game.actor`."""
        return situation(self.game, self.position.state).actor

    def prepare(self, most: float = math.inf) -> None:
        """Compiles, before a clock is likely to run. most: seconds to wait."""
        if self._prepared is None:
            self._prepared = begin_compiling(functools.partial(_compile, self.game, self.thinker))
        await_compiling(self._prepared, comment, most)

    def variant(self, parameters: Mapping[str, Any]) -> Game[Any]:
        """The game with other parameters; ValueError for an unknown one or a wrong value."""
        try:
            changed: Game[Any] = dataclasses.replace(self.game, **parameters)
        except TypeError as error:
            raise ValueError(str(error)) from None
        return changed

    def change(self, game: Game[Any]) -> None:
        """Changes to another variant, perhaps with another thinker, and keeps the moves.

        After another board size call `begin`. Raises ValueError, and changes nothing, if the player
        cannot play the variant.
        """
        if game == self.game:
            return
        thinker, was_prepared = self._make_thinker(game), self._prepared is not None
        self.thinker.close()
        self.game, self.gtp_game, self.board = game, gtp_game(game), set_up_game(game)
        self.thinker, self._turned, self._prepared = thinker, None, None
        if was_prepared:  # a clock may be running
            self.prepare(SECONDS_TO_READY)

    def begin(self, start: Any = None, outcomes: Sequence[int] = ()) -> None:
        """Begins a new game, from a position or the root, with the moves played in it."""
        self.thinker.forget()
        self._begun, self._moves, self._turned = Position.of(self.game, start), [], None
        for outcome in outcomes:
            self.move(self.actor, outcome)

    def turned_to(self, player: int) -> Position:
        """The position with the given player to move: GTP lets the controller choose the color, and
        resume a finished game.

        Raises ValueError if the rules allow no such position.
        """
        position, actor = self.position, self.actor
        if actor == player:
            return position
        if self.board is None:
            if actor == TERMINAL:
                raise ValueError("the game is over")
            raise ValueError(f"it is {COLORS[actor]}'s turn")
        if self._turned is None or self._turned[:2] != (position, player):
            # Kept, since a thinker recognizes its tree by the object it began from.
            turned = Position.of(self.game, self.board.with_turn(position.state, player))
            self._turned = position, player, turned
        return self._turned[2]

    @property
    def last_pass(self) -> int | None:
        """The pass after the end of a game, which changes nothing; None before."""
        if self.board is None or self.actor != TERMINAL:
            return None
        return self.gtp_game.action_of_vertex("pass")

    def move(self, player: int, action: int) -> None:
        """Plays a move; ValueError if it is illegal."""
        if action == self.last_pass:
            reached = self.position
        else:
            reached = self.turned_to(player).after(self.game, action)
        self._moves.append((player, action, reached))

    @property
    def last_move(self) -> str:
        """As "white D4"; ValueError if there is none."""
        if not self._moves:
            raise ValueError("no previous move known")
        player, action, _ = self._moves[-1]
        return f"{COLORS[player]} {self.gtp_game.vertex_of_action(action)}"

    def undo(self) -> None:
        """Undoes the last move. Raises ValueError if there is none."""
        if not self._moves:
            raise ValueError("cannot undo")
        self._moves.pop()


def _compile(game: Game[Any], thinker: Thinker) -> None:
    begin = Position.of(game)  # the rules first: moves may be played meanwhile
    begin.after(game, int(np.argmax(situation(game, begin.state).legal_outcomes)))
    thinker.prepare()


def board_text(game: Game[Any], state: Any) -> str:
    """A drawn board, without empty lines, which would end a GTP response."""
    return "\n".join(line for line in game.draw(state).split("\n") if line.strip())


def score_text(game: Game[Any], state: Any) -> str:
    """The score as "B+3.5", "W+2" or "0"; in games without points "B+" or "W+" for the winner.

    Raises ValueError in an unfinished game without points.
    """
    score = getattr(game, "score", None)
    if score is not None:
        lead = float(score(state))
        return f"{_winner(lead)}+{abs(lead):g}" if lead else "0"
    if situation(game, state).actor != TERMINAL:
        raise ValueError(f"cannot score: {game.name} has no points, and is not over")
    worth = utility(game, state, np.zeros(2, np.int32))
    return f"{_winner(worth)}+" if worth else "0"


def _winner(lead: float) -> str:
    return "B" if lead > 0 else "W"
