"""A review as JSON: every choice and both players' totals."""

import math
from typing import Any, Final

from sog.games.core import PLAYER_0, PLAYER_1
from sog.play.choice import JudgedChoice
from sog.play.review import Review

_BOTH: Final = (PLAYER_0, PLAYER_1)


def record_of(found: Review) -> dict[str, Any]:
    """The review as JSON; unknown values are null."""
    return {
        "game": str(found.game),
        "unit": found.game.unit,
        "num_choices": found.num_choices,
        "choices": [_choice(found, choice) for choice in found.choices],
        "players": [
            {
                "utility": _known(found.utility(player)),
                "expected": _known(found.expected(player)),
                "lost": found.lost(player),
                "given": found.given(player),
                "luck": _known(found.luck(player)),
                "chance": _known(found.chance(player)),
                "hidden": _known(found.hidden(player)),
                "revised": _known(found.revised(player)),
            }
            for player in _BOTH
        ],
    }


def _choice(found: Review, choice: JudgedChoice) -> dict[str, Any]:
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
