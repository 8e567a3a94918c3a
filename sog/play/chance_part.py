"""What chance brought a player in a game that is judged, given what he held.

Every public event of chance counts with what the game was worth to him after it, less what it was
worth on average over all that could have come: the correction of AIVAT, seen by a player who knows
his own infostate and expects the other one to play as he is advised. It is 0 on average whatever is
known, and as right as the values are.
"""

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

from gtcfr.evaluator import ZeroEvaluator
from sog.games.core import PLAYER_0
from sog.play.agent import SearchAgent
from sog.play.aivat import Aivat
from sog.play.game_in_progress import PlayedGame
from sog.play.match import Agent
from sog.play.simple_agents import TabularAgent


def chance_part(
    played: PlayedGame,
    adviser: Agent,
    player: int,
    since: int,
    policies: Mapping[int, np.ndarray],
) -> float:
    """To the player, by the events from number `since` on, in utility units; NaN if unknown.

    adviser: his. policies: [S, A], of the other one's adviser, by the number of the event that they
    led to.
    """
    if None not in played.actions[since:]:
        return 0.0
    if isinstance(adviser, TabularAgent):
        return _by_table(played, adviser, player, since)
    # Who values everything at 0 would say that chance brings nothing.
    if isinstance(adviser, SearchAgent) and not isinstance(adviser.evaluator, ZeroEvaluator):
        return _by_evaluator(played, adviser, player, since, policies)
    return math.nan


def _by_table(played: PlayedGame, adviser: TabularAgent, player: int, since: int) -> float:
    """An exact solution's value of a place where chance moves is the mean over what can come."""
    adviser.begin()
    total = 0.0
    for number, (outcome, action) in enumerate(zip(played.outcomes, played.actions, strict=True)):
        before = adviser.value_anywhere(played.infostates[number][player])
        adviser.observe(outcome)
        if action is None and number >= since:
            total += adviser.value_anywhere(played.infostates[number + 1][player]) - before
    return total


def _by_evaluator(
    played: PlayedGame,
    adviser: SearchAgent,
    player: int,
    since: int,
    policies: Mapping[int, np.ndarray],
) -> float:
    """The evaluator of the searches is asked about all that could have come."""
    numbers = range(len(played.outcomes))
    # Of the player himself it counts what he held and did.
    own = dataclasses.replace(
        played,
        policies=tuple(policies.get(number) for number in numbers),
        exposed=(player != PLAYER_0, player == PLAYER_0),
    )
    part = Aivat(adviser.game, adviser.evaluator).chance_part(own, since)
    return part if player == PLAYER_0 else -part
