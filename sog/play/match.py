"""Plays a game between two agents, each of which sees only what its player may know."""

import abc
import dataclasses
from collections.abc import Generator, Hashable, Sequence
from typing import Any

import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from sog.games.core import CHANCE, Game
from sog.play.game_in_progress import GameInProgress, PlayedGame, Position
from sog.play.history import AT_THE_ROOT, Opening


class Resignation(Exception):  # noqa: N818 (not an error)
    """Raised by `Agent.act` if the agent resigns; it loses the maximum utility."""


class Agent(abc.ABC):
    """Plays one player's side in one game after another, as `sog.play.SearchAgent` does.

    `begin`, `observe` and `act` suffice to play; the rest is optional.
    """

    exposes_policies = False
    """Whether it implements `policies`, which variance reduction uses."""
    watches = False
    """Whether it needs the opponent's policies, see `watch`; only matches allow that."""
    is_copied = False
    """Whether it must be copied (`copy.copy`) where a game may continue in two ways."""
    game: Any
    """The `Game` that it plays, perhaps enumerated."""
    evaluator: Evaluator | None = None
    """Values the leaves of its searches; None if it does not search by one."""
    knows_all_values = False
    """Whether it implements `value_anywhere`."""
    doubt: float | None = None
    """Error of `action_values` as a share of the maximum utility; None without action values."""

    @abc.abstractmethod
    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game.

        state: the public state where it begins, None for the start of the game; ValueError if the
        agent cannot begin there. seed: reseeds the agent; None continues its random numbers, so
        that games differ.
        """

    @abc.abstractmethod
    def observe(self, outcome: int) -> None:
        """Records a public event, including those of the agent's own moves."""

    @abc.abstractmethod
    def act(self, infostate: int) -> int:
        """Chooses an action at an infostate; raises Resignation to resign."""

    def prepare(self) -> None:  # noqa: B027 (most have nothing to compile)
        """Compiles what its first decision runs."""

    def close(self) -> None:  # noqa: B027 (most hold nothing)
        """Releases its resources, such as a process."""

    def policies(self) -> np.ndarray:
        """[S, A]: the probabilities with which `act` chooses here, at each infostate.

        Called before `act`. Must not depend on the agent's own infostate nor change its behavior.
        Rows of impossible infostates are 0.
        """
        raise NotImplementedError

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses; constant until the next event."""
        return np.asarray(self.policies()[infostate])

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: expected utility of each action to the player; NaN where unknown."""
        raise NotImplementedError

    def value(self, infostate: int) -> float | None:
        """Expected utility where the player is to move; None if unknown."""
        return None

    def value_anywhere(self, infostate: int) -> float:
        """Expected utility at anyone's turn, given the player's infostate; NaN if unknown."""
        raise NotImplementedError

    def line(self, infostate: int) -> list[int]:
        """The principal variation where the agent is to move: a few public events. Empty if it has
        none, as with hidden information."""
        return []

    @property
    def ranges(self) -> np.ndarray | None:
        """[player, S]: both players' ranges at the root of its last search; None without one."""
        return None

    @property
    def waits_for(self) -> Hashable | None:
        """Key of the search that it needs to act; agents with equal keys can `search_together`.
        None if it needs none or searches alone."""
        return None

    @staticmethod
    def search_together(agents: Sequence[Any], batch_size: int = 1) -> None:
        """Searches for several agents with equal `waits_for` in one batch, each at its current
        public state; at most batch_size of them."""
        raise NotImplementedError

    def watch(self, other: "Agent") -> None:  # noqa: B027 (most do not)
        """Called after `begin` with the opponent; ValueError if that exposes no policies.

        An agent that `watches` observes each public event before its opponent does, whose policies
        at the state before can still be read then.
        """

    def record(self, infostates: tuple[int, int]) -> None:  # noqa: B027 (few keep it)
        """Called after the last event with both players' infostates."""


def check_plays_unseen(agent: Agent) -> None:
    """Raises ValueError for an agent that `watches`, where that is not possible."""
    if agent.watches:
        raise ValueError(
            "a player that reads the opponent's policy, such as lbr, can play in matches only."
        )


def show_position(agent: Agent, position: Position, known: Position | None) -> None:
    """Brings an agent to a position; known: its current one, if any."""
    events = position.events_since(known)
    if events is None:
        agent.begin(position.start)
        events = position.outcomes
    for event in events:
        agent.observe(event)


def only_at_the_start(state: Any) -> None:
    """Raises ValueError unless a game begins at its start; for agents that need that."""
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

    key, opening: see `GameInProgress.dealt`; the rest: see `play_stepwise`.
    """
    return play_on(GameInProgress.dealt(game, key, opening), agents, with_policies=with_policies)


def play_on(
    ongoing: GameInProgress, agents: Sequence[Agent], *, with_policies: bool = False
) -> PlayedGame:
    """Plays a game in progress to its end, see `play_stepwise`."""
    going = play_stepwise(ongoing, agents, with_policies=with_policies)
    while True:
        try:
            next(going)
        except StopIteration as ended:
            played: PlayedGame = ended.value
            return played


def play_stepwise(
    ongoing: GameInProgress,
    agents: Sequence[Agent],
    *,
    with_policies: bool = False,
    seeds: tuple[int | None, int | None] = (None, None),
) -> Generator[Agent, None, PlayedGame]:
    """Plays a game to its end; a generator that yields the agent to move before each of its moves.

    So agents of several games can search in one batch (`sog.play.batched_games`). Every agent sees
    its own infostate and all public events, and nothing else. with_policies: also records the
    policies of agents that expose them. seeds: of the agents in this game, see `Agent.begin`.
    Raises ValueError if there are not two agents, or if one chooses an illegal action.
    """
    if len(agents) != 2:
        raise ValueError(f"agents must be two, one for each player, got {len(agents)}.")
    for agent, seed in zip(agents, seeds, strict=True):
        agent.begin(ongoing.position.start, seed)
    for agent, other in zip(agents, agents[::-1], strict=True):
        agent.watch(other)
    told_in_turn = sorted(agents, key=lambda agent: not agent.watches)
    exposed: tuple[bool, bool] | None = None
    if with_policies:
        exposed = agents[0].exposes_policies, agents[1].exposes_policies
    for outcome in ongoing.outcomes:
        for agent in told_in_turn:
            agent.observe(outcome)
    policies: list[np.ndarray | None] = [None] * len(ongoing.steps)
    while not ongoing.is_over:
        action, policy, actor = None, None, ongoing.now.actor
        if actor != CHANCE:
            yield agents[actor]
            try:
                if exposed is not None and exposed[actor]:
                    policy = agents[actor].policies()
                action = _ask(agents[actor], ongoing)
            except Resignation:
                ongoing.resigned = actor
                break
        outcome = ongoing.add(action)
        for agent in told_in_turn:
            agent.observe(outcome)
        policies.append(policy)
    played = dataclasses.replace(ongoing.played(), policies=tuple(policies), exposed=exposed)
    for agent in agents:
        agent.record(played.infostates[-1])
    return played


def _ask(agent: Agent, ongoing: GameInProgress) -> int:
    """The action of the agent to move, checked to be legal."""
    player, legal = ongoing.now.actor, ongoing.legal
    action = agent.act(int(ongoing.infostates[player]))
    if action not in legal:
        raise ValueError(
            f"player {player} must choose one of the actions {legal} at "
            f"'{ongoing.game.describe_state(ongoing.state)}', got {action!r}."
        )
    return action
