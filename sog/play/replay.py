"""A finished game for a file: what was done, known and seen, in numbers and in words."""

from typing import Any

from sog.games import Game
from sog.play.match import PlayedGame
from sog.play.rules import after, first_state, situation


def replay_of(game: Game[Any], human: int, played: PlayedGame) -> dict[str, Any]:
    """A game as `sog play --save` writes it, which its help describes; human: the person's player.

    Everything is in it, also what was hidden.
    """
    state, moves, names = first_state(game), [], [_names(game, first_state(game), played, 0)]
    for number, (outcome, action) in enumerate(zip(played.outcomes, played.actions, strict=True)):
        moves.append(
            {
                "state": game.describe_state(state),
                "actor": situation(game, state).actor,
                "action": action,
                "text": None if action is None else _action_text(game, state, played, number),
                "outcome": outcome,
                "event": game.describe_outcome(state, outcome),
            }
        )
        state = after(game, state, outcome)
        names.append(_names(game, state, played, number + 1))
    return {
        "human": human,
        "utility": played.utility,
        **({} if played.resigned is None else {"resigned": played.resigned}),
        "moves": moves,
        "infostates": [list(pair) for pair in played.infostates],
        "names": names,
    }


def _action_text(game: Game[Any], state: Any, played: PlayedGame, number: int) -> str:
    infostate = played.infostates[number][situation(game, state).actor]
    return game.describe_action(state, infostate, played.actions[number] or 0)


def _names(game: Game[Any], state: Any, played: PlayedGame, number: int) -> list[str]:
    pair = played.infostates[number]
    return [game.describe_infostate(state, player, pair[player]) for player in (0, 1)]
