"""Judges of choices: which players can be one, and the default."""

from collections.abc import Sequence
from typing import Any, Final

from sog.games import Game, make
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.table import entry_of
from sog.tabular.sizes import can_be_counted, count_public_tree

EXACT: Final = "tabular"
_ANYWHERE: Final = "rollout"
_SMALL: Final = 5000
"""Public states of a game that can be solved in seconds."""


def can_judge(player: str) -> bool:
    """Whether a player's agents have action values. player: as typed by users."""
    return entry_of(player).judges


def usual_judge(
    game: Game[Any], *, others: Sequence[str] = (), is_from_the_start: bool = True
) -> str:
    """The exact solution of a small game, else the first of `others` that can judge, else the
    shipped agent, else a search with random rollouts.

    is_from_the_start: False for a game that began at a position, which a solution does not have.
    """
    if is_from_the_start and can_be_counted(game) and count_public_tree(game, _SMALL) is not None:
        return EXACT
    able = (*filter(can_judge, others), *agents_of(game), _ANYWHERE)
    return able[0]


def agents_of(game: Game[Any]) -> list[str]:
    """The shipped agents that play a game: games are compared, not texts, which may omit
    parameters."""
    return [
        f"{AGENT_PREFIX}{name}" for name, one in read_agents().items() if make(one.game) == game
    ]
