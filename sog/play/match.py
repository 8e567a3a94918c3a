"""A game between two agents: the cards are dealt, and each is told what it may know."""

import abc
import dataclasses
from collections.abc import Generator, Hashable, Sequence
from typing import Any

import numpy as np
from jax import Array

from sog.games.core import CHANCE, Game
from sog.play.game_in_progress import GameInProgress, PlayedGame, Position
from sog.play.history import AT_THE_ROOT, Opening


class Resignation(Exception):  # noqa: N818 (it is no error)
    """Raised by `Agent.act` where the agent gives the game up: it loses as much as one can."""


class Agent(abc.ABC):
    """Who can sit at the table, for one game after another; `sog.play.SearchAgent` is one.

    `begin`, `observe` and `act` are enough to play; the rest is what some agents can do besides.
    """

    exposes_policies = False
    """Whether `policies` says how it plays, as a variance reduction wants to know."""
    watches = False
    """Whether it has to see how the other one plays, see `watch`; only matches allow that."""
    is_copied = False
    """Whether a copy (`copy.copy`) is made of it where a game may go on from here in two ways."""
    doubt: float | None = None
    """The error of `action_values`, as a share of the largest utility; None for an agent that has
    no action values."""

    @abc.abstractmethod
    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """A new game begins.

        state: the public state that it begins with, None for the start of the game; ValueError from
        an agent that cannot begin there. seed: of what the agent draws at random from here on; None
        for going on with the numbers that it has, so that games differ.
        """

    @abc.abstractmethod
    def observe(self, outcome: int) -> None:
        """A public event happened; those of the agent's own moves are told too."""

    @abc.abstractmethod
    def act(self, infostate: int) -> int:
        """The action to take, knowing this infostate; Resignation where it gives up."""

    def close(self) -> None:  # noqa: B027 (most hold nothing)
        """Nobody plays with it any more: what it holds, as a process, is to end."""

    def policies(self) -> np.ndarray:
        """[S, A]: the probabilities with which `act` chooses here, at each infostate.

        Called before `act`. It must not depend on what the agent holds, nor change what it does.
        Rows of infostates that cannot occur are 0.
        """
        raise NotImplementedError

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses, the same until the next event."""
        return np.asarray(self.policies()[infostate])

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: expected utility of each action to the player; NaN where that is unknown."""
        raise NotImplementedError

    def value(self, infostate: int) -> float | None:
        """Expected utility where the player is to move; None for an agent that does not know."""
        return None

    def line(self, infostate: int) -> list[int]:
        """The public events that the agent, who is to move, expects, a handful; none for one who
        does not say, and where information is hidden."""
        return []

    @property
    def ranges(self) -> np.ndarray | None:
        """[player, S]: of both, where its last search was made; None without a search."""
        return None

    @property
    def waits_for(self) -> Hashable | None:
        """The search that it needs to act: `search_together` is for those for whom it is equal;
        None if it needs none, or makes it alone."""
        return None

    def watch(self, other: "Agent") -> None:  # noqa: B027 (most do not)
        """Right after `begin`: who sits opposite; ValueError for one who cannot be watched.

        An agent that `watches` is told each public event before the other, who can still be asked
        for his policies then.
        """

    def record(self, infostates: tuple[int, int]) -> None:  # noqa: B027 (few keep it)
        """After the last event: the infostates of both at the end."""


def check_plays_unseen(agent: Agent) -> None:
    """ValueError for one who has to watch the other, where nobody may."""
    if agent.watches:
        raise ValueError("who watches how the opponent plays, as lbr, can play in matches only.")


def show_position(agent: Agent, position: Position, known: Position | None) -> None:
    """Tells an agent what leads to a position; known: the one that it knows, if any."""
    events = position.events_since(known)
    if events is None:
        agent.begin(position.start)
        events = position.outcomes
    for event in events:
        agent.observe(event)


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

    key, opening: as of `GameInProgress.dealt`; else see `play_stepwise`.
    """
    return play_on(GameInProgress.dealt(game, key, opening), agents, with_policies=with_policies)


def play_on(
    ongoing: GameInProgress, agents: Sequence[Agent], *, with_policies: bool = False
) -> PlayedGame:
    """Plays a game to its end, see `play_stepwise`."""
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
    """The action of the agent whose turn it is."""
    player, legal = ongoing.now.actor, ongoing.legal
    action = agent.act(int(ongoing.infostates[player]))
    if action not in legal:
        raise ValueError(
            f"player {player} must choose one of the actions {legal} at "
            f"'{ongoing.game.describe_state(ongoing.state)}', got {action!r}."
        )
    return action
