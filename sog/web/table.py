"""A table: games of one person against one agent, a step at a time, which can be taken back.

The agent thinks in another thread (`go_on`); meanwhile what the person asks for is refused, and the
pages show the game as it stands.
"""

import copy
import dataclasses
import logging
import threading
from typing import Any, Final

import jax
import numpy as np

from sog.games.core import CHANCE, PLAYER_1, TERMINAL
from sog.play import Agent, PlayedGame, SearchAgent
from sog.play.match import Resignation
from sog.play.replay import replay_of
from sog.play.review import as_adviser
from sog.play.rules import Situation, after, deal, first_state, situation, step, utility
from sog.play.thoughts import Thought, think_of_all
from sog.players.player import Player
from sog.web.host import Mistake, Submit
from sog.web.judging import Judging
from sog.web.numbers import in_units

_MOST_KEPT: Final = 8  # copies of an agent
_MOST_GAMES: Final = 1000  # finished ones that a table remembers


class StaleError(Mistake):
    """What was asked for belongs to an earlier page: another tab, or a second click."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """A public event of a game, and what it came from."""

    state: Any
    """Before it."""
    now: Situation
    infostates: np.ndarray
    """[2], before it."""
    outcome: int
    action: int | None
    """None where chance moved."""
    agent: Agent | None
    """The agent before it, at the person's last choices, if it has a chain of searches."""
    thoughts: list[Thought]

    @property
    def actor(self) -> int:
        """Who moved, as `Game.actor`."""
        return self.now.actor


class Table:
    """Seats: the person's, and the other is the agent's. Methods may be called by any thread."""

    def __init__(
        self,
        opponent: Player,
        *,
        seat: int,
        seed: int,
        submit: Submit,
        opening: tuple[int, ...] = (),
        searched: str = "",
    ) -> None:
        """seat: the person's player in the first game; they change after it.

        searched: what the server calls the game where a position of it is to be searched.

        opening: public events that every game begins with, where information is perfect.
        """
        self.opponent, self.game, self.seat = opponent, opponent.game, seat
        self.searched = searched
        self.seed, self._opening = seed, opening
        self.finished: list[tuple[int, PlayedGame]] = []
        """The person's player, and the game."""
        self.num_taken_back = 0
        self.judging: Judging | None = None
        """Of the game that is over, if somebody asked for it."""
        self._submit = submit
        self.lock = threading.RLock()
        """To be held by whoever wants all of it as it stands at one moment."""
        self._agents: dict[int, Agent] = {}
        self._is_closed = False
        self._begin()

    def _begin(self) -> None:
        self._drop_judging()
        self.is_revealed, self.problem = False, ""
        self.resigned: int | None = None
        """The player who gave the game up."""
        self.steps: list[Step] = []
        self._key, key = jax.random.split(
            jax.random.fold_in(jax.random.key(self.seed), len(self.finished))
        )
        self.state = jax.device_get(first_state(self.game))
        self.now = situation(self.game, self.state)
        self.infostates = deal(self.game, key)
        for outcome in self._opening:  # with perfect information it is the action, too
            self._go_to(outcome, self.infostates, outcome, None, [])
        self._agent: Agent | None = None
        self.is_busy = True
        self._submit(self._go_on)

    # What can be asked.

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or was given up."""
        return self.now.actor == TERMINAL or self.resigned is not None

    @property
    def is_finished(self) -> bool:
        """Whether nobody is in the middle of a game."""
        return self.is_over or bool(self.problem)

    @property
    def is_persons_turn(self) -> bool:
        """Whether it waits for the person."""
        return not self.is_busy and not self.problem and self.now.actor == self.seat

    @property
    def turn(self) -> int:
        """Tells the positions of all games at this table apart; pages send it back."""
        return 10_000 * (len(self.finished) - self.is_over) + len(self.steps)

    @property
    def legal(self) -> list[int]:
        """The person's legal actions; none where it is not his turn."""
        if not self.is_persons_turn:
            return []
        return self._legal_at(int(self.infostates[self.seat]))

    def _legal_at(self, infostate: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.now.legal_actions[infostate])]

    @property
    def can_take_back(self) -> bool:
        """Whether the person has chosen something in this game."""
        return not self.is_busy and self._last_choice() is not None

    def _last_choice(self) -> int | None:
        for number in range(len(self.steps) - 1, len(self._opening) - 1, -1):
            one = self.steps[number]
            if (
                one.actor == self.seat
                and one.now.legal_actions[one.infostates[self.seat]].sum() > 1
            ):
                return number
        return None

    @property
    def progress(self) -> str:
        """How far the games here are, in a few words."""
        if self.is_over:
            now = "over"
        elif self.problem:
            now = "it cannot go on"
        else:
            now = "the agent thinks" if self.is_busy else "your move"
            now = f"game {len(self.finished) + 1}, move {len(self.steps) + 1}: {now}"
        score = self.score
        return f"{now}; {in_units(sum(score), self.game.unit)} so far" if score else now

    @property
    def score(self) -> list[float]:
        """What the person won in each finished game, in the game's unit."""
        return [p.utility if seat == 0 else -p.utility for seat, p in self.finished]

    def replay(self) -> dict[str, Any]:
        """The finished games as `sog play --save` writes them."""
        with self.lock:
            finished = list(self.finished)
        return {
            "game": str(self.game),
            "unit": self.game.unit,
            "agent": self.opponent.as_json(),
            "seed": self.seed,
            "games": [replay_of(self.game, seat, played) for seat, played in finished],
        }

    # What can be done.

    def choose(self, action: int, turn: int) -> None:
        """The person acts. Raises Mistake."""
        with self.lock:
            self._check(turn)
            if action not in self.legal:
                raise Mistake("That is no action here.")
            self._do(action, [])
            self._go_on_soon()

    def take_back(self, turn: int) -> None:
        """Back to the person's last choice; it does not matter who has moved since."""
        with self.lock:
            self._check(turn)
            number = self._last_choice()
            if number is None:
                raise Mistake("There is nothing to take back.")
            if self.is_over:
                self.finished.pop()
            self.num_taken_back += 1
            self.problem, self.resigned = "", None
            self._drop_judging()
            at = self.steps[number]
            del self.steps[number:]
            self.state, self.now, self.infostates = at.state, at.now, at.infostates
            self._agent = at.agent if at.agent is not None else self._told_agent()

    def play_again(self, turn: int) -> None:
        """The next game, with seats changed."""
        with self.lock:
            self._check(turn)
            if not self.is_finished:
                raise Mistake("This game is not over.")
            if len(self.finished) >= _MOST_GAMES:
                raise Mistake(f"A table remembers {_MOST_GAMES} games: begin at a new one.")
            self.seat = 1 - self.seat
            self._begin()

    @property
    def can_be_judged(self) -> bool:
        """Whether the game is over, and the agent can say what its choices were worth."""
        return self.is_over and not self.is_busy and as_adviser(self._agent) is not None

    def judge(self, turn: int) -> None:
        """Has the choices of the game that is over judged. Raises Mistake."""
        with self.lock:
            self._check(turn)
            if not self.can_be_judged:
                raise Mistake("The agent cannot say what the choices of this game were worth.")
            self._drop_judging()
            self.judging = Judging(self.opponent, self._played(), self._submit)

    def _drop_judging(self) -> None:
        if self.judging is not None:
            self.judging.stop()
        self.judging = None

    def close(self) -> None:
        """Nobody comes back."""
        self._is_closed = True
        self._drop_judging()
        self._submit(self._close_agents)  # behind what they still do

    def _close_agents(self) -> None:
        for agent in self._agents.values():
            agent.close()

    def _check(self, turn: int) -> None:
        if self.is_busy:
            raise StaleError("The agent is thinking.")
        if turn != self.turn:
            raise StaleError("The game has gone on since that page was shown.")

    # The agent.

    def _go_on_soon(self) -> None:
        if not self.is_over and (self.now.actor != self.seat or len(self.legal) == 1):
            self.is_busy = True
            self._submit(self._go_on)

    def _go_on(self) -> None:
        """Until the person has a choice, or the game is over."""
        try:
            if self._agent is None:
                self._agent = self._told_agent()
            while not self._is_closed and not self.is_over:
                actor = self.now.actor
                legal = [] if actor == CHANCE else self._legal_at(int(self.infostates[actor]))
                if actor == self.seat and len(legal) > 1:
                    break
                thoughts: list[Thought] = []
                action = legal[0] if actor == self.seat else None
                if actor == 1 - self.seat:
                    agent: Any = self._agent
                    held = int(self.infostates[actor])
                    thoughts = think_of_all(self.game, self.state, agent, actor, held)
                    action = self._agent.act(int(self.infostates[actor]))
                with self.lock:
                    self._do(action, thoughts)
        except Resignation:
            with self.lock:
                self.resigned = 1 - self.seat
                self.finished.append((self.seat, self._played()))
        except ValueError as error:  # such as a search that has no room for this game
            self.problem = str(error)
        except Exception as error:
            self.problem = f"the agent failed: {error}"
            logging.getLogger("sog.web").exception("an agent failed")
        finally:
            self.is_busy = False

    def _fresh_agent(self) -> Agent:
        """The agent for its seat in a new game; the same one in every other game."""
        player = 1 - self.seat
        if player not in self._agents:
            self._agents[player] = self.opponent.make(player, (self.seed + 1 + player) % 2**32)
        agent = self._agents[player]
        agent.begin()
        return agent

    def _told_agent(self) -> Agent:
        """The agent after the events so far, which it is told anew."""
        agent = self._fresh_agent()
        for one in self.steps:
            agent.observe(one.outcome)
        return agent

    def _do(self, action: int | None, thoughts: list[Thought]) -> None:
        """One event; action: None at chance."""
        assert self._agent is not None
        kept = self._kept_agent(action)
        key = jax.random.fold_in(self._key, len(self.steps))
        outcome, infostates = step(self.game, key, self.state, self.infostates, action or 0)
        self._agent.observe(outcome)
        self._go_to(outcome, infostates, action, kept, thoughts)
        if self.is_over:
            self.finished.append((self.seat, self._played()))

    def _go_to(
        self,
        outcome: int,
        infostates: np.ndarray,
        action: int | None,
        agent: Agent | None,
        thoughts: list[Thought],
    ) -> None:
        """Notes an event; agent: a copy of it before the event, if one is kept."""
        self.steps.append(
            Step(
                state=self.state,
                now=self.now,
                infostates=self.infostates,
                outcome=outcome,
                action=action,
                agent=agent,
                thoughts=thoughts,
            )
        )
        self.state = jax.device_get(after(self.game, self.state, outcome))
        self.now = situation(self.game, self.state)
        self.infostates = infostates

    def _kept_agent(self, action: int | None) -> Agent | None:
        """A copy of the agent before a choice of the person, for when it is taken back.

        Telling it all anew would lose its chain of searches, but trees are large: few are kept.
        """
        if not isinstance(self._agent, SearchAgent) or len(self.legal) < 2 or action is None:
            return None
        kept = [number for number, one in enumerate(self.steps) if one.agent is not None]
        for number in kept[: len(kept) - _MOST_KEPT + 1]:
            self.steps[number] = dataclasses.replace(self.steps[number], agent=None)
        return copy.copy(self._agent)

    def _played(self) -> PlayedGame:
        pairs = [*(one.infostates for one in self.steps), self.infostates]
        if self.resigned is None:
            gain = utility(self.game, self.state, self.infostates)
        else:
            gain = self.game.max_utility if self.resigned == PLAYER_1 else -self.game.max_utility
        return PlayedGame(
            utility=gain,
            resigned=self.resigned,
            outcomes=tuple(one.outcome for one in self.steps),
            actions=tuple(one.action for one in self.steps),
            infostates=tuple((int(first), int(second)) for first, second in pairs),
        )
