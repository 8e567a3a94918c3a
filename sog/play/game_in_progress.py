"""A game event by event from the deal on; the last events can be undone."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_1, TERMINAL, Game
from sog.play.history import AT_THE_ROOT, Beginning, Opening, state_at_beginning
from sog.play.rules import (
    Situation,
    after,
    deal,
    first_state,
    key_of_event,
    situation,
    step,
    utility,
)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Position:
    """A public state, and the events that lead to it."""

    start: Any
    """The public state where the game began; None for its start."""
    outcomes: tuple[int, ...]
    state: Any
    """The public state."""

    @staticmethod
    def of(game: Game[Any], start: Any = None) -> "Position":
        """The position before the first event."""
        state = first_state(game) if start is None else start
        return Position(start=start, outcomes=(), state=state)

    def after(self, game: Game[Any], outcome: int) -> "Position":
        """The position after an event; ValueError if it is illegal."""
        legal = situation(game, self.state).legal_outcomes
        if not (0 <= outcome < len(legal) and legal[outcome]):
            raise ValueError(f"there is no such move at '{game.describe_state(self.state)}'.")
        state = after(game, self.state, outcome)
        return dataclasses.replace(self, outcomes=(*self.outcomes, outcome), state=state)

    def events_since(self, other: "Position | None") -> tuple[int, ...] | None:
        """The events that lead here from an earlier position; None if it is not one."""
        if other is None or other.start is not self.start:
            return None
        known = len(other.outcomes)
        return self.outcomes[known:] if self.outcomes[:known] == other.outcomes else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """A game from the deal on, usually to its end."""

    utility: float
    """Player 0's, in the game's unit; player 1's is the negative. NaN if the game is not over."""
    outcomes: tuple[int, ...]
    """The public events."""
    actions: tuple[int | None, ...]
    """The action behind each event, None where chance moved."""
    infostates: tuple[tuple[int, int], ...]
    """Both players' infostates before each event and at the end."""
    policies: tuple[np.ndarray | None, ...] = ()
    """[S, A] of the player to move before each event; None at chance or if not exposed."""
    resigned: int | None = None
    """The player who resigned, or lost by a score that is `agreed`; else None."""
    agreed: bool = False
    """Whether the players agreed on the result, as in files: a draw unless one `resigned`."""
    beginning: Beginning | None = None
    """Where it began; None for the root."""
    exposed: tuple[bool, bool] | None = None
    """Which agents exposed their policies (`Agent.policies`); None if not recorded."""

    def utility_to(self, player: int) -> float:
        """A player's utility, in the game's unit."""
        return self.utility if player == 0 else -self.utility


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """A public event of a game, and the position before it."""

    number: int
    on_device: Any
    """The public state."""
    now: Situation
    infostates: Sequence[int] | np.ndarray
    """[2]"""
    outcome: int
    action: int | None
    """None where chance moved."""

    @property
    def state(self) -> Any:
        """The public state, on the host."""
        return jax.device_get(self.on_device)

    @property
    def actor(self) -> int:
        """The player who moved, as `Game.actor`."""
        return self.now.actor

    @property
    def infostate(self) -> int:
        """Infostate of the player who moved."""
        return int(self.infostates[self.actor])

    @property
    def legal(self) -> np.ndarray:
        """[A] bool: legal actions of the player who moved."""
        return np.asarray(self.now.legal_actions[self.infostate])

    @property
    def is_choice(self) -> bool:
        """Whether a player moved and had more than one legal action."""
        return self.actor < CHANCE and bool(self.legal.sum() > 1)


class GameInProgress:
    """The current state of a game and its history; events are added and undone."""

    def __init__(
        self,
        game: Game[Any],
        opening: Opening = AT_THE_ROOT,
        *,
        infostates: Sequence[int] | np.ndarray = (0, 0),
        key: Array | None = None,
    ) -> None:
        """opening: with events only for perfect information. infostates: [2], as dealt. key: for
        the randomness after the deal; `add` needs one.
        """
        self.game, self.beginning = game, opening.beginning
        self.resigned: int | None = None
        """The player who resigned."""
        self.agreed = False
        """Whether the players agreed on the result: a draw unless one `resigned`."""
        self.steps: list[Step] = []
        self._key = key
        self._on_device: Any = state_at_beginning(game, opening.beginning)
        self.now = situation(game, self._on_device)
        self.infostates = infostates
        for outcome in opening.outcomes:  # with perfect information also the action
            self.append(outcome, outcome, self.infostates)
        self.num_given = len(self.steps)
        """Events of the opening, which are never undone."""

    @staticmethod
    def dealt(game: Game[Any], key: Array, opening: Opening = AT_THE_ROOT) -> "GameInProgress":
        """Deals a new game. key: for the deal and for chance."""
        key, deal_key = jax.random.split(key)
        return GameInProgress(game, opening, infostates=deal(game, deal_key), key=key)

    @staticmethod
    def of(game: Game[Any], played: PlayedGame) -> "GameInProgress":
        """A game that was played elsewhere; none of it can be undone."""
        begins = Opening(beginning=played.beginning)
        ongoing = GameInProgress(game, begins, infostates=played.infostates[0])
        for event in zip(played.outcomes, played.actions, played.infostates[1:], strict=True):
            ongoing.append(*event)
        ongoing.resigned, ongoing.agreed = played.resigned, played.agreed
        ongoing.num_given = len(ongoing.steps)
        return ongoing

    @property
    def state(self) -> Any:
        """The public state, on the host."""
        return jax.device_get(self._on_device)

    def opening(self, number: int) -> Opening:
        """The opening of a game that branches off before an event."""
        return Opening(beginning=self.beginning, outcomes=self.outcomes[:number])

    @property
    def outcomes(self) -> tuple[int, ...]:
        """The public events so far."""
        return tuple(one.outcome for one in self.steps)

    @property
    def position(self) -> Position:
        """The current position."""
        start = None if self.beginning is None else self.beginning.state
        return Position(start=start, outcomes=self.outcomes, state=self.state)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules, resignation or agreement."""
        return self.now.actor == TERMINAL or self.resigned is not None or self.agreed

    @property
    def legal(self) -> list[int]:
        """The legal actions of the player to move; empty if no player is."""
        if self.is_over or self.now.actor == CHANCE:
            return []
        legal = self.now.legal_actions[int(self.infostates[self.now.actor])]
        return [int(action) for action in np.flatnonzero(legal)]

    @property
    def num_choices(self) -> int:
        """Events before which a player had a choice."""
        return sum(one.is_choice for one in self.steps)

    def last_choice(self, player: int) -> int | None:
        """The number of the event at a player's last choice; None if there was none."""
        for one in reversed(self.steps[self.num_given :]):
            if one.actor == player and one.is_choice:
                return one.number
        return None

    def add(self, action: int | None) -> int:
        """Samples the next event, adds it and returns it. action: None at chance."""
        assert self._key is not None
        actions = [one.action for one in self.steps]
        key = key_of_event(self._key, actions, is_chance=action is None)
        held = np.asarray(self.infostates, np.int32)
        outcome, held = step(self.game, key, self._on_device, held, action or 0)
        self.append(outcome, action, held)
        return outcome

    def append(
        self, outcome: int, action: int | None, infostates: Sequence[int] | np.ndarray
    ) -> None:
        """Adds a legal event. infostates: [2], after it."""
        self.steps.append(
            Step(
                number=len(self.steps),
                on_device=self._on_device,
                now=self.now,
                infostates=self.infostates,
                outcome=outcome,
                action=action,
            )
        )
        self._on_device = after(self.game, self._on_device, outcome)
        self.now = situation(self.game, self._on_device)
        self.infostates = infostates

    def rewind(self, number: int) -> None:
        """Goes back to the position before an event."""
        at = self.steps[number]
        del self.steps[number:]
        self._on_device, self.now, self.infostates = at.on_device, at.now, at.infostates
        self.resigned, self.agreed = None, False

    def played(self) -> PlayedGame:
        """The game so far."""
        pairs = [*(one.infostates for one in self.steps), self.infostates]
        return PlayedGame(
            utility=self._utility(),
            outcomes=self.outcomes,
            actions=tuple(one.action for one in self.steps),
            infostates=tuple((int(first), int(second)) for first, second in pairs),
            resigned=self.resigned,
            agreed=self.agreed,
            beginning=self.beginning,
        )

    def _utility(self) -> float:
        if not self.is_over:
            return math.nan
        if self.resigned is None:
            if self.agreed:
                return 0.0
            return utility(self.game, self._on_device, np.asarray(self.infostates, np.int32))
        return self.game.max_utility if self.resigned == PLAYER_1 else -self.game.max_utility
