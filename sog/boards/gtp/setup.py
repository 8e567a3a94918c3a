"""GTP commands that set up a board: handicap stones, positions, games from SGF files, and rules."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from sog.boards.gtp.session import GtpSession, read_color, read_number
from sog.boards.protocol_games import SetUpGame
from sog.files import read_any_text
from sog.games.core import PLAYER_0, PLAYER_1
from sog.play.history import read_opening
from sog.play.rules import situation

_MOST_BYTES: Final = 2**22  # of an SGF file
_ALIVE: Final = "alive"
_STATUSES: Final = (_ALIVE, "seki", "dead")


def load_file(session: GtpSession, words: Sequence[str]) -> None:
    """`loadsgf`: loads a game with its setup stones, board size and komi.

    words: the file's name, which may contain spaces, then optionally the number of the move to stop
    before. Raises ValueError and OSError, and then changes nothing.
    """
    others, last = words[:-1], words[-1]
    before = int(last) if others and last.isdecimal() else None
    name = " ".join(words if before is None else others)
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # ~name of an unknown user
        path = Path(name)
    text = read_any_text(path, _MOST_BYTES)
    game = session.variant(session.game.rules_in(text))
    opening = read_opening(game, text)
    session.change(game)
    end = len(opening.outcomes) if before is None else max(0, before - 1)
    session.begin(opening.start, opening.outcomes[:end])


class BoardSetup:
    """Stones on the board before the game: Black's handicap, or a whole position.

    The game begins after them, so `undo` does not remove them.
    """

    def __init__(self, session: GtpSession, choose: Callable[[int], int]) -> None:
        """choose: the thinker's best action for a player."""
        self._session, self._choose = session, choose

    @property
    def commands(self) -> dict[str, Callable[[Sequence[str]], str]]:
        """Commands of GTP 2 and KataGo, for a game whose board can be set up; else none."""
        if self._session.board is None:
            return {}
        return {
            "fixed_handicap": self._put_on_fixed_points,
            "place_free_handicap": self._place,
            "set_free_handicap": self._put,
            "set_position": self._set_position,
            "final_status_list": self._list_status,
        }

    def _set_position(self, words: Sequence[str]) -> str:
        """Reads stones as "B D4 W C3"; Black moves next."""
        if len(words) % 2:
            raise ValueError("syntax error: set_position needs pairs of a color and a vertex")
        try:
            players = [read_color(word) for word in words[::2]]
            points = self._points(words[1::2])
            stones = dict(zip(points, players, strict=True))
            self._session.begin(self._board.set_up(stones, PLAYER_0))
        except ValueError as error:
            raise ValueError(f"invalid position: {error}") from None
        return ""

    def _list_status(self, words: Sequence[str]) -> str:
        """All stones on the board are alive: area scoring without a dispute phase."""
        if words[0] not in _STATUSES:
            raise ValueError(f"syntax error: the status must be one of {', '.join(_STATUSES)}")
        stones = self._board.stones_of(self._session.position.state) if words[0] == _ALIVE else ()
        return self._vertices(sorted(stones))

    @property
    def _board(self) -> SetUpGame:
        assert self._session.board is not None
        return self._session.board

    def _empty_board(self) -> SetUpGame:
        if self._board.stones_of(self._session.position.state):
            raise ValueError("board not empty")
        return self._board

    def _begin(self, points: Sequence[int], first: int = PLAYER_1) -> None:
        self._session.begin(self._board.set_up(dict.fromkeys(points, PLAYER_0), first))

    def _vertices(self, points: Sequence[int]) -> str:
        return " ".join(self._session.gtp_game.vertex_of_action(point) for point in points)

    def _put_on_fixed_points(self, words: Sequence[str]) -> str:
        number, board = read_number(words[0], int), self._empty_board()
        try:
            points = board.handicap(number)
        except ValueError as error:
            raise ValueError(f"invalid number of stones: {error}") from None
        self._begin(points)
        return self._vertices(points)

    def _place(self, words: Sequence[str]) -> str:
        """Uses the fixed points first, then the thinker's favorite ones."""
        number, board = read_number(words[0], int), self._empty_board()
        self._check_number(number, "invalid number of stones")
        fixed = min(number, board.most_handicap)
        points = list(board.handicap(fixed)) if fixed else []
        while len(points) < number:
            self._begin(points, PLAYER_0)
            points.append(self._best_point())
        self._begin(points)
        return self._vertices(points)

    def _best_point(self) -> int:
        action = self._choose(PLAYER_0)
        if action < self._num_points:
            return action
        state = self._session.position.state  # the player passes: any point will do
        legal = situation(self._session.game, state).legal_outcomes[: self._num_points]
        return int(np.argmax(legal))

    def _put(self, words: Sequence[str]) -> str:
        self._empty_board()
        self._check_number(len(words), "bad vertex list")
        try:
            self._begin(self._points(words))
        except ValueError as error:
            raise ValueError(f"bad vertex list: {error}") from None
        return ""

    def _points(self, words: Sequence[str]) -> list[int]:
        points = [self._session.gtp_game.action_of_vertex(word) for word in words]
        if any(point >= self._num_points for point in points):
            raise ValueError("a stone cannot pass")
        if len(set(points)) < len(points):
            raise ValueError("repeated vertex")
        return points

    @property
    def _num_points(self) -> int:
        return self._session.gtp_game.size**2

    def _check_number(self, number: int, refusal: str) -> None:
        most = self._num_points - 1
        if not 2 <= number <= most:
            raise ValueError(f"{refusal}: there must be from 2 to {most} stones, got {number}")


_SUPERKO: Final = {
    **dict.fromkeys(("tromp-taylor", "chinese-ogs", "chinese-kgs"), "positional"),
    "chinese": "simple",
}
"""By KataGo's name of rules that equal ours, except that suicide is never legal and that White gets
no compensation for handicap stones."""


def rules_commands(session: GtpSession) -> dict[str, Callable[[Sequence[str]], str]]:
    """`kata-set-rules` and `kata-get-rules`, for a game with a choice of ko rules; else none.

    https://lightvector.github.io/KataGo/rules.html
    """
    if not hasattr(session.game, "superko"):
        return {}

    def choose(words: Sequence[str]) -> str:
        name = words[0].lower()
        if name not in _SUPERKO:
            raise ValueError(f"unsupported rules: they must be one of {', '.join(_SUPERKO)}")
        session.change(session.variant({"superko": _SUPERKO[name]}))
        return ""

    def describe(words: Sequence[str]) -> str:
        rules = {
            "ko": session.game.superko.upper(),  # type: ignore[attr-defined]
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": False,
            "hasButton": False,
            "whiteHandicapBonus": "0",
            "friendlyPassOk": False,
        }
        return json.dumps(rules)

    return {"kata-set-rules": choose, "kata-get-rules": describe}
