"""What an agent would do at a decision, with what it holds and with what it could hold."""

import dataclasses
from typing import Any, Final

import numpy as np

from sog.games.core import Game
from sog.play.history import describe_path
from sog.play.match import Agent
from sog.play.rules import situation

_MOST_NOTED: Final = 12  # infostates of a decision


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Assessment:
    """What an agent would do at an infostate, and what it expects to get there."""

    infostate: int
    name: str
    """Of the infostate."""
    policy: list[tuple[str, float]]
    """Legal actions and their probabilities, the likeliest first."""
    value: float | None
    """None for an agent that does not know."""
    line: tuple[str, ...] = ()
    """How it expects the game to go on, its own action first; nothing for one who does not say."""


def assess(game: Game[Any], state: Any, agent: Agent, player: int, infostate: int) -> Assessment:
    """What the agent would do here with an infostate of its player, who is to move."""
    policy = agent.policy(infostate)
    legal = np.flatnonzero(situation(game, state).legal_actions[infostate]).tolist()
    likely = sorted(legal, key=lambda action: -policy[action])
    return Assessment(
        infostate=infostate,
        name=game.describe_infostate(state, player, infostate),
        policy=[(game.describe_action(state, infostate, a), float(policy[a])) for a in likely],
        value=agent.value(infostate),
        line=describe_path(game, state, agent.line(infostate))[0],
    )


def assess_all(
    game: Game[Any], state: Any, agent: Agent, player: int, infostate: int
) -> list[Assessment]:
    """The same with all that the player could hold, if that is not too much, else with what he
    holds; nothing where there is no choice."""
    now = situation(game, state)
    if not now.has_choice:
        return []
    possible = np.flatnonzero(now.infostate_mask[player]).tolist()
    noted = possible if len(possible) <= _MOST_NOTED else [infostate]
    return [assess(game, state, agent, player, one) for one in noted]
