"""What a GTP board shows of a position: its stones, and its score."""

from typing import Any

from sog.games.core import Game


def board_text(game: Game[Any], state: Any) -> str:
    """A board, without the empty lines that would end an answer."""
    return "\n".join(line for line in game.draw(state).split("\n") if line.strip())


def score_text(game: Game[Any], state: Any) -> str:
    """As "B+3.5", "W+2" or "0"; ValueError for a game without points."""
    score = getattr(game, "score", None)
    if score is None:
        raise ValueError(f"cannot score: {game.name} has no points")
    lead = float(score(state))
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"
