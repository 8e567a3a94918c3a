"""The luck that public chance events brought a player in a reviewed game, given its infostate.

Each chance event counts with the value after it less the mean over all its outcomes: AIVAT's
correction, for a player who knows its own infostate and expects the opponent to follow its adviser.
It is 0 on average, and as accurate as the values.
"""

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

from gtcfr.evaluator import ZeroEvaluator
from sog.games.core import PLAYER_0
from sog.play.aivat import Aivat
from sog.play.game_in_progress import PlayedGame
from sog.play.match import Agent


def chance_part(
    played: PlayedGame,
    adviser: Agent,
    player: int,
    since: int,
    policies: Mapping[int, np.ndarray],
) -> float:
    """The player's luck at events from number `since` on, in utility units; NaN if unknown.

    adviser: the player's. policies: [S, A] of the opponent's adviser, by number of the event.
    """
    if None not in played.actions[since:]:
        return 0.0
    if adviser.knows_all_values:
        return _by_values(played, adviser, player, since)
    # An evaluator that returns 0 would show no luck.
    if adviser.evaluator is None or isinstance(adviser.evaluator, ZeroEvaluator):
        return math.nan
    # Query the evaluator of the searches for all possible outcomes.
    numbers = range(len(played.outcomes))
    # The player counts with its actual infostate and actions.
    own = dataclasses.replace(
        played,
        policies=tuple(policies.get(number) for number in numbers),
        exposed=(player != PLAYER_0, player == PLAYER_0),
    )
    part = Aivat(adviser.game, adviser.evaluator).chance_part(own, since)
    return part if player == PLAYER_0 else -part


def _by_values(played: PlayedGame, adviser: Agent, player: int, since: int) -> float:
    """An exact value at a chance node is the mean over its outcomes."""
    adviser.begin()
    total = 0.0
    for number, (outcome, action) in enumerate(zip(played.outcomes, played.actions, strict=True)):
        before = adviser.value_anywhere(played.infostates[number][player])
        adviser.observe(outcome)
        if action is None and number >= since:
            total += adviser.value_anywhere(played.infostates[number + 1][player]) - before
    return total
