"""What the networks of shipped agents answered when they were shipped, in `shipped_answers.json`.

It notices what else would not be noticed: features in another order, another meaning of a layer,
a file exchanged. Where agents are shipped anew, or are to answer otherwise, write it again:

    python -m tests.players.shipped_answers
"""

import json
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import PLAYER_1, TERMINAL
from sog.players.agents import read_agents
from sog.players.shipped import load_agent

RECORD: Final = Path(__file__).with_suffix(".json")
DIGITS: Final = 4
_STATES: Final = 3
_NUMBERS: Final = 6  # of each kind, of every state


def answers(name: str) -> list[dict[str, Any]]:
    """Of the first states of a game at which a player is to move: values and the policy, a few.

    Each state follows the last one by the legal event in the middle. Ranges are 1, 2, 3, ... over
    the infostates that can be, in proportion. Values are those of player 0's infostates and then
    player 1's, the policy that of the actor's infostates, row by row; evenly spread.
    """
    agent = load_agent(name)
    game, found = agent.game, list[dict[str, Any]]()
    state, events = game.root(), list[int]()
    while len(found) < _STATES and (actor := int(game.actor(state))) != TERMINAL:
        if actor <= PLAYER_1:
            mask = np.asarray(game.infostate_mask(state))
            weight = np.cumsum(mask, axis=1) * mask
            ranges = jnp.asarray(weight / weight.sum(axis=1, keepdims=True), jnp.float32)
            kept = agent.evaluator.encode(game, state)
            values, logits = (
                part[0]
                for part in agent.evaluator.apply_fn(
                    agent.evaluator.params, kept[None], ranges[None]
                )
            )
            legal = np.asarray(game.legal_actions(state))
            policy = jax.nn.softmax(jnp.where(legal, logits, -jnp.inf), axis=1)
            found.append(
                {
                    "events": list(events),
                    "values": _some(np.asarray(values)[mask]),
                    "policy": _some(np.asarray(policy)[legal]),
                }
            )
        legal_events = np.flatnonzero(np.asarray(game.legal_outcomes(state)))
        events.append(int(legal_events[len(legal_events) // 2]))
        state = game.apply(state, jnp.int32(events[-1]))
    return found


def _some(numbers: np.ndarray) -> list[float]:
    places = np.unique(np.linspace(0, len(numbers) - 1, _NUMBERS).round().astype(int))
    return [round(float(number), DIGITS) for number in numbers[places]]


if __name__ == "__main__":
    RECORD.write_text(
        json.dumps({name: answers(name) for name in read_agents()}, indent=1) + "\n", "utf-8"
    )
