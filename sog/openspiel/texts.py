"""Names of public events, and OpenSpiel's drawings of its states without hidden information."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import jax.numpy as jnp
import numpy as np

from sog.games.core import PLAYER_0, PLAYER_1
from sog.openspiel.loading import is_public, one_line

if TYPE_CHECKING:
    from sog.openspiel.game import OpenSpiel, OpenSpielState

MOST_COMPARED: Final = 1000
"""Histories of an infostate to compare; with more, nothing is drawn."""
_MOST_SHOWN: Final = 4


def name_event(game: "OpenSpiel", state: "OpenSpielState", outcome: int) -> str:
    """The moves and chance events that an outcome may be; "hidden" if it reveals nothing.

    If the same moves lead to several public states, each has a number, and the information that is
    particular to it.
    """
    children = game.tables.children.at(int(state.node))
    events = [_moves_to(game, child) for child in range(children.start, children.stop)]
    numbers = list(events[outcome])
    if len(events) == 1 and len(numbers) != 1:
        return "hidden" if numbers else "wait"
    words = []
    for number in numbers[:_MOST_SHOWN]:
        before = game.spiel_state(int(game.histories.parent[events[outcome][number]]))
        words.append(one_line(before.action_to_string(before.current_player(), number)))
    words += ["..."] * (len(numbers) > _MOST_SHOWN)
    name = "|".join(words) or "wait"
    alike = [other for other, event in enumerate(events) if list(event) == numbers]
    if len(alike) == 1:
        return name
    return f"{name} #{outcome + 1}{_difference(game, state, outcome, alike)}"


def _moves_to(game: "OpenSpiel", node: int) -> dict[int, int]:
    """OpenSpiel's moves and chance events that lead to a node, and a history for each."""
    members = game.tables.members.at(node)
    came = game.tables.member_history[members][~game.tables.member_waited[members]]
    numbers, first = np.unique(game.histories.action[came], return_index=True)
    return dict(zip(numbers.tolist(), came[first].tolist(), strict=True))


def _difference(game: "OpenSpiel", state: "OpenSpielState", outcome: int, alike: list[int]) -> str:
    """Information after an outcome that others lack; empty if it has no words."""
    after = [game.apply(state, jnp.int32(other)) for other in alike]
    place = alike.index(outcome)
    next_to_move = int(game.actor(after[place]))
    for player in (PLAYER_1, PLAYER_0) if next_to_move == PLAYER_1 else (PLAYER_0, PLAYER_1):
        known = [_known(game, other, player) for other in after]
        if known.count(known[place]) == 1:
            return f" (player {player}: {known[place]})"
    return ""


def _known(game: "OpenSpiel", state: "OpenSpielState", player: int) -> str:
    """The first infostates of a player."""
    count = int(game.tables.entries[player].count[int(state.node)])
    shown = [game.describe_infostate(state, player, one) for one in range(min(count, _MOST_SHOWN))]
    return "|".join([*dict.fromkeys(shown), *["..."] * (count > _MOST_SHOWN)])


def public_picture(state: Any) -> str:
    """OpenSpiel's drawing of a state of perfect information; empty for other games."""
    return _tidy(str(state)) if is_public(state.get_game()) else ""


def private_picture(states: Iterable[Any], player: int) -> str:
    """OpenSpiel's drawing of a player's observation, if it has several lines; else empty.

    states: one for each history of an infostate. Differences between them are not drawn, so that
    nothing hidden is shown.
    """
    seen = set()
    for state in states:
        game = state.get_game()
        if is_public(game) or not game.get_type().provides_observation_string:
            return ""
        seen.add(_tidy(state.observation_string(player)))
    return seen.pop() if len(seen) == 1 and "\n" in next(iter(seen)) else ""


def _tidy(text: str) -> str:
    """Strips empty lines around the text and trailing spaces."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).rstrip("\n")
