"""A game between two agents: the cards are dealt, and each is told what it may know."""

import dataclasses
from collections.abc import Generator, Sequence
from typing import Any, Protocol, runtime_checkable

import jax
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.play.history import AT_THE_ROOT, Beginning, Opening, state_at_beginning
from sog.play.rules import Situation, after, deal, key_of_event, situation, step, utility


class Resignation(Exception):  # noqa: N818 (it is no error)
    """Raised by `Agent.act` where the agent gives the game up: it loses as much as one can."""


class Agent(Protocol):
    """Who can sit at the table, for one game after another; `sog.play.SearchAgent` is one."""

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """A new game begins.

        state: the public state that it begins with, None for the start of the game; ValueError from
        an agent that cannot begin there. seed: of what the agent draws at random from here on; None
        for going on with the numbers that it has, so that games differ.
        """

    def observe(self, outcome: int) -> None:
        """A public event happened; those of the agent's own moves are told too."""

    def act(self, infostate: int) -> int:
        """The action to take, knowing this infostate; Resignation where it gives up."""

    def close(self) -> None:
        """Nobody plays with it any more: what it holds, as a process, is to end."""
        return  # most hold nothing


@runtime_checkable
class TellingAgent(Agent, Protocol):
    """An agent that can say how it plays, as a variance reduction wants to know."""

    def policies(self) -> np.ndarray:
        """[S, A]: the probabilities with which `act` chooses here, at each infostate.

        Called before `act`. It must not depend on what the agent holds, nor change what it does.
        Rows of infostates that cannot occur are 0.
        """


@runtime_checkable
class WatchingAgent(Agent, Protocol):
    """An agent that is let in on how the other plays, to measure him."""

    def watch(self, other: Agent) -> None:
        """Right after `begin`: who sits opposite; ValueError for one who cannot be watched.

        Of each public event a watching agent is told before the other, who can still be asked for
        his policies then.
        """


def check_plays_unseen(agent: Agent) -> None:
    """ValueError for one who has to watch the other, where nobody may."""
    if isinstance(agent, WatchingAgent):
        raise ValueError("who watches how the opponent plays, as lbr, can play in matches only.")


@runtime_checkable
class RecordingAgent(Agent, Protocol):
    """An agent that is told, when a game is over, what both players held."""

    def record(self, infostates: tuple[int, int]) -> None:
        """After the last event: the infostates of both at the end."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """A game from the deal to the end."""

    utility: float
    """Of player 0, in the game's unit; player 1 has as much less."""
    outcomes: tuple[int, ...]
    """The public events."""
    actions: tuple[int | None, ...]
    """The action behind each of them, None where chance moved."""
    infostates: tuple[tuple[int, int], ...]
    """Of both players, before each event and at the end."""
    policies: tuple[np.ndarray | None, ...] = ()
    """[S, A]: of the player who moved, None where chance did or he does not tell it."""
    resigned: int | None = None
    """The player who gave up; None for a game that came to its end."""
    agreed: bool = False
    """Whether the players agreed on a draw, as files of other programs tell."""
    beginning: Beginning | None = None
    """Where it began, if not at the root."""
    tells: tuple[bool, bool] | None = None
    """Who tells his policies (`TellingAgent`); None if nobody was asked."""


def outcome_of(
    game: Game[Any],
    state: Any,
    infostates: np.ndarray,
    resigned: int | None,
    *,
    agreed: bool = False,
) -> float:
    """What player 0 gets in a game that is over, was given up by a player, or agreed drawn."""
    if agreed:
        return 0.0
    if resigned is None:
        return utility(game, state, infostates)
    return game.max_utility if resigned == PLAYER_1 else -game.max_utility


def only_at_the_start(state: Any) -> None:
    """Raises ValueError for an agent that cannot begin a game at this public state."""
    if state is not None:
        raise ValueError("this agent can begin at the start of a game only, got another state.")


def play_game(
    game: Game[Any],
    agents: Sequence[Agent],
    key: Array,
    *,
    with_policies: bool = False,
    opening: Opening = AT_THE_ROOT,
) -> PlayedGame:
    """Plays one game; agents[0] is player 0.

    Every agent sees its own infostate and the public events, and nothing else. key: for the deal
    and for chance. with_policies: also records how agents play who tell it. opening: as of
    `course_of_game`. Raises ValueError if
    there are not two agents, or if one chooses an illegal action.
    """
    course = course_of_game(game, agents, key, with_policies=with_policies, opening=opening)
    while True:
        try:
            next(course)
        except StopIteration as ended:
            played: PlayedGame = ended.value
            return played


def course_of_game(
    game: Game[Any],
    agents: Sequence[Agent],
    key: Array,
    *,
    with_policies: bool = False,
    seeds: tuple[int | None, int | None] = (None, None),
    opening: Opening = AT_THE_ROOT,
) -> Generator[Agent, None, PlayedGame]:
    """The same game, which halts before each move: yields the agent that is to move.

    So agents of several games can search together (`sog.play.together`). seeds: of the agents in
    this game, as of `Agent.begin`. opening: how it begins; later than at its root only with perfect
    information.
    """
    if len(agents) != 2:
        raise ValueError(f"agents must be two, one for each player, got {len(agents)}.")
    for agent, seed in zip(agents, seeds, strict=True):
        agent.begin(None if opening.beginning is None else opening.beginning.state, seed)
    for agent, other in zip(agents, agents[::-1], strict=True):
        if isinstance(agent, WatchingAgent):
            agent.watch(other)
    told_in_turn = sorted(agents, key=lambda agent: not isinstance(agent, WatchingAgent))
    tells: tuple[bool, bool] | None = None
    if with_policies:
        tells = isinstance(agents[0], TellingAgent), isinstance(agents[1], TellingAgent)
    key, deal_key = jax.random.split(key)
    state, infostates = state_at_beginning(game, opening.beginning), deal(game, deal_key)
    outcomes: list[int] = []
    actions: list[int | None] = []
    policies: list[np.ndarray | None] = []
    seen, given = [_pair(infostates)], list(opening.outcomes)[::-1]
    resigned: int | None = None
    while (now := situation(game, state)).actor != TERMINAL:
        action, policy = None, None
        if given:
            action = given.pop()
        elif now.actor != CHANCE:
            yield agents[now.actor]
            try:
                if tells is not None and tells[now.actor]:
                    policy = agents[now.actor].policies()  # type: ignore[attr-defined]
                action = _ask(game, agents, state, now, infostates)
            except Resignation:
                resigned = now.actor
                break
        step_key = key_of_event(key, actions, is_chance=now.actor == CHANCE)
        outcome, infostates = step(game, step_key, state, infostates, action or 0)
        for agent in told_in_turn:
            agent.observe(outcome)
        state = after(game, state, outcome)
        outcomes.append(outcome)
        actions.append(action)
        policies.append(policy)
        seen.append(_pair(infostates))
    for agent in agents:
        if isinstance(agent, RecordingAgent):
            agent.record(seen[-1])
    return PlayedGame(
        utility=outcome_of(game, state, infostates, resigned),
        outcomes=tuple(outcomes),
        actions=tuple(actions),
        infostates=tuple(seen),
        policies=tuple(policies),
        resigned=resigned,
        beginning=opening.beginning,
        tells=tells,
    )


def _ask(
    game: Game[Any], agents: Sequence[Agent], state: Any, now: Situation, infostates: np.ndarray
) -> int:
    """The action of the player whose turn it is."""
    infostate = int(infostates[now.actor])
    action = agents[now.actor].act(infostate)
    legal = np.flatnonzero(now.legal_actions[infostate]).tolist()
    if action not in legal:
        raise ValueError(
            f"player {now.actor} must choose one of the actions {legal} at "
            f"'{game.describe_state(state)}', got {action!r}."
        )
    return action


def _pair(infostates: np.ndarray) -> tuple[int, int]:
    return int(infostates[PLAYER_0]), int(infostates[PLAYER_1])
