"""Our agents as policies of OpenSpiel, for its algorithms and bots: `AgentPolicy`.

    game = make("leduc")
    policy = AgentPolicy(game, lambda player: SearchAgent(game, ZeroEvaluator(), player=player))
    exploitability(policy.game, policy)       # open_spiel.python.algorithms.exploitability
    PolicyBot(0, numpy.random, policy)        # open_spiel.python.bots.policy
    table = python_policy_to_pyspiel_policy(policy.to_tabular())  # open_spiel.python.policy
    pyspiel.exploitability(policy.game, table)                    # what is written in C++

`policy.game` is OpenSpiel's game: for one of ours, its twin (`sog.openspiel.twins`), for a game
made by `sog.openspiel.game`, its original. Agents may use a trained network:
`load_trained(run).evaluator`. Importing this module needs the `openspiel` extra.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from sog.games.core import Game
from sog.openspiel.loading import MISSING_EXTRA
from sog.openspiel.places import Path, places_of
from sog.play.match import Agent
from sog.play.rules import after, first_state, situation

try:
    from open_spiel.python import policy as openspiel
except ImportError:
    raise ImportError(MISSING_EXTRA) from None


class AgentPolicy(openspiel.Policy):  # type: ignore[misc]  # OpenSpiel has no type information
    """An agent's policy at every information state.

    A search depends on earlier ones, so an agent follows the public events to each public state and
    searches at its own decisions on the way, once for every public history: agents are cached. So
    this is one fixed policy, as with `sog.evaluation.compose`, although searches are random.
    """

    def __init__(self, game: Game[Any], make_agent: Callable[[int], Agent]) -> None:
        """make_agent: returns an agent with `policy` for a player; it plays `game`, enumerated or
        not, and a copy of it (`copy.copy`) is independent.

        Raises ValueError for a game that OpenSpiel does not have.
        """
        self._map = places_of(game)
        super().__init__(self._map.spiel, [0, 1])
        self._game = game
        self._first = [make_agent(player) for player in (0, 1)]
        self._agents: dict[tuple[Path, int], Agent] = {}
        self._states: dict[Path, Any] = {(): first_state(game)}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action at a state of OpenSpiel's.

        player_id: the player to move, which is what None means too. Raises ValueError for another
        one, or for a state of another game.
        """
        player = state.current_player()
        if player_id not in (None, player):
            raise ValueError(f"player_id must be the player to move, {player}, got {player_id}.")
        if player < 0 or str(state.get_game()) != str(self.game):
            raise ValueError(f"state must be one of {self.game} with a move, got '{state}'.")
        place = self._map.locate(state)
        policy = self._asked(place.path, player).policy(place.infostate)
        return {number: float(policy[action]) for number, action in place.actions.items()}

    def _asked(self, path: Path, player: int) -> Agent:
        """A player's agent after some events, its search done if it decides there."""
        if (path, player) not in self._agents:
            agent = self._first[player]
            if path:
                agent = copy.copy(self._asked(path[:-1], player))
                agent.observe(path[-1])
            now = situation(self._game, self._state(path))
            if now.actor == player:
                # Its search covers all infostates from here on.
                agent.policy(int(np.flatnonzero(now.infostate_mask[player])[0]))
            self._agents[path, player] = agent
        return self._agents[path, player]

    def _state(self, path: Path) -> Any:
        if path not in self._states:
            self._states[path] = after(self._game, self._state(path[:-1]), path[-1])
        return self._states[path]
