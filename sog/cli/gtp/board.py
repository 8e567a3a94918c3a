"""What a GTP board shows of a position: its stones, and its score."""

from typing import Any

import numpy as np

from sog.games.core import TERMINAL, Game
from sog.play.rules import situation, utility


def board_text(game: Game[Any], state: Any) -> str:
    """A board, without the empty lines that would end an answer."""
    return "\n".join(line for line in game.draw(state).split("\n") if line.strip())


def score_text(game: Game[Any], state: Any) -> str:
    """As "B+3.5", "W+2" or "0"; of a game without points who has won, "B+" or "W+".

    ValueError where there are no points, and nobody has won yet.
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
