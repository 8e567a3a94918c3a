"""Our agents as policies of OpenSpiel, to be measured by its tools: `AgentPolicy`.

    game = make("openspiel:leduc_poker")
    policy = AgentPolicy(game, lambda player: SearchAgent(game, ZeroEvaluator(), player=player))
    exploitability(policy.game, policy)    # open_spiel.python.algorithms.exploitability

For games made by `sog.games.openspiel`, which know the way back to OpenSpiel's information states.
Importing this module needs the `openspiel` extra.
"""

import copy
from collections.abc import Callable
from typing import Any, Protocol

import jax.numpy as jnp
import numpy as np

from sog.games.core import CHANCE
from sog.games.openspiel import OpenSpiel, OpenSpielState
from sog.games.openspiel_histories import MISSING_EXTRA, load_spiel
from sog.play.match import Agent

try:
    from open_spiel.python import policy as openspiel
except ImportError:
    raise ImportError(MISSING_EXTRA) from None


class CopiedAgent(Agent, Protocol):
    """An agent that can say what it would do; a copy (`copy.copy`) goes on by itself."""

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: probabilities of its actions, the same each time until the next event."""


class AgentPolicy(openspiel.Policy):  # type: ignore[misc]  # OpenSpiel has no type information
    """What an agent would do at every information state.

    A search depends on the searches before it, so an agent is led along the public events to each
    public state and asked on the way at its own decisions, once for every public history: agents
    there are kept. So this is one fixed policy, as that of `sog.evaluation.compose`, although
    searches draw random numbers.
    """

    def __init__(self, game: OpenSpiel, make_agent: Callable[[int], CopiedAgent]) -> None:
        """make_agent: an agent from its player; it plays `game`, enumerated or not."""
        super().__init__(load_spiel(game.text), [0, 1])
        self._game = game
        self._agents: dict[tuple[int, int], CopiedAgent] = {
            (game.tables.root, player): make_agent(player) for player in (0, 1)
        }
        self._place = _places(game)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action at a state of OpenSpiel's.

        player_id: the player to move, which is what None means too. Raises ValueError for another
        one, or for a state of another game.
        """
        player = state.current_player()
        if player_id not in (None, player):
            raise ValueError(f"player_id must be the player to move, {player}, got {player_id}.")
        key = player, _string(state, player)
        if key not in self._place:
            raise ValueError(f"state must be one of {self._game} with a move, got '{state}'.")
        node, infostate = self._place[key]
        policy = self._asked(node, player).policy(infostate)
        found = {
            self._game.spiel_action(_state(node), action): float(policy[action])
            for action in np.flatnonzero(policy).tolist()
        }
        return {action: found.get(action, 0.0) for action in state.legal_actions()}

    def _asked(self, node: int, player: int) -> CopiedAgent:
        """The agent of a player at a node, with its search done if it decides there."""
        agent = self._agents.get((node, player))
        if agent is None:
            parent = int(self._game.tables.node_parent[node])
            agent = copy.copy(self._asked(parent, player))
            agent.observe(node - int(self._game.tables.children.start[parent]))
            self._agents[node, player] = agent
        if int(self._game.tables.node_actor[node]) == player:
            agent.policy(0)  # it answers for all infostates from here on
        return agent


def _places(game: OpenSpiel) -> dict[tuple[int, str], tuple[int, int]]:
    """Where (player, OpenSpiel's string of an information state) is: node and infostate."""
    places: dict[tuple[int, str], tuple[int, int]] = {}
    tables = game.tables
    for node in range(tables.root, len(tables.node_actor)):
        player = int(tables.node_actor[node])
        if player >= CHANCE:
            continue
        for infostate in range(int(tables.entries[player].count[node])):
            legal = tables.legal[tables.legal_start[node] + infostate]
            first = int(np.flatnonzero(legal)[0])
            if game.spiel_action(_state(node), first) is not None:  # else it waits here
                string = game.spiel_infostate(_state(node), player, infostate)
                places[player, string] = node, infostate
    return places


def _state(node: int) -> OpenSpielState:
    return OpenSpielState(node=jnp.int32(node))


def _string(state: Any, player: int) -> str:
    if state.get_game().get_type().provides_information_state_string:
        return str(state.information_state_string(player))
    return str(state.history_str())
