"""An agent's assessment of a decision, at its infostate and at others it could have."""

import dataclasses
from typing import Any, Final

import numpy as np

from sog.games.core import Game
from sog.games.notation import describe_path
from sog.play.match import Agent
from sog.play.rules import situation

_MOST_NOTED: Final = 12  # infostates of a decision


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Assessment:
    """An agent's policy and value at an infostate."""

    infostate: int
    name: str
    """Text of the infostate."""
    policy: list[tuple[str, float]]
    """Legal actions and their probabilities, the most likely first."""
    value: float | None
    """None if unknown."""
    line: tuple[str, ...] = ()
    """Its principal variation as text; empty if it has none."""


def assess(game: Game[Any], state: Any, agent: Agent, player: int, infostate: int) -> Assessment:
    """Assesses an infostate of the agent's player, who is to move."""
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
    """Assesses all possible infostates if few, else the actual one; none without a choice."""
    now = situation(game, state)
    if not now.has_choice:
        return []
    possible = np.flatnonzero(now.infostate_mask[player]).tolist()
    noted = possible if len(possible) <= _MOST_NOTED else [infostate]
    return [assess(game, state, agent, player, one) for one in noted]
