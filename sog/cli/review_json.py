"""What `sog review --json` prints."""

import math
from typing import Any

from sog.games import PLAYER_0, PLAYER_1
from sog.play.choice import Choice
from sog.play.review import Review
from sog.players.player import Player


def as_json(found: Review, human: int, number: int, player: Player) -> dict[str, Any]:
    """What the help of the command describes."""
    return {
        "game": str(found.game),
        "unit": found.game.unit,
        "number": number,
        "human": human,
        "by": player.as_json(),
        "num_choices": found.num_choices,
        "choices": [_choice_as_json(found, choice) for choice in found.choices],
        "players": [
            {
                "utility": found.utility(seat),
                "expected": _known(found.expected(seat)),
                "lost": found.lost(seat),
                "given": found.given(seat),
                "luck": _known(found.luck(seat)),
                "chance": _known(found.chance(seat)),
                "hidden": _known(found.hidden(seat)),
                "revised": _known(found.revised(seat)),
            }
            for seat in (PLAYER_0, PLAYER_1)
        ],
    }


def _choice_as_json(found: Review, choice: Choice) -> dict[str, Any]:
    return {
        "move": choice.number + 1,
        "player": choice.player,
        "state": found.game.describe_state(choice.state),
        "infostate": choice.infostate,
        "action": choice.action,
        "best": choice.best_action,
        "loss": _known(choice.loss),
        "grade": choice.grade(found.game.max_utility),
        "actions": [
            {
                "action": action,
                "text": found.game.describe_action(choice.state, choice.infostate, action),
                "policy": float(choice.policy[action]),
                "value": _known(choice.values[action]),
            }
            for action in range(len(choice.legal))
            if choice.legal[action]
        ],
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
