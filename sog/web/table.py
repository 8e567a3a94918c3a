"""A table: games of a person against an agent, with undo.

The agent thinks in another thread (`_advance`); meanwhile the person's requests are rejected, and
pages show the current state.
"""

import contextlib
import threading
from typing import Any, Final

import jax
import numpy as np

from sog.games.core import CHANCE
from sog.play import PlayedGame
from sog.play.game_in_progress import GameInProgress
from sog.play.history import AT_THE_ROOT, Opening, check_begins_anywhere
from sog.play.match import Resignation
from sog.play.replay import as_records, replay_of
from sog.players.player import Player
from sog.web.hints import Hint, Hints
from sog.web.interfaces import RequestError, Submit, failed
from sog.web.judging import FindJudge, Judging
from sog.web.numbers import in_units
from sog.web.table_agent import TableAgent

_KNOWS_NOTHING: Final = "random"
_MOST_GAMES: Final = 1000  # finished games kept by a table


class StaleError(RequestError):
    """The request comes from an outdated page: another tab, or a second click."""


class Table:
    """A person and an agent in the two seats. Methods are thread-safe."""

    ongoing: GameInProgress
    """The current game, or the last one."""

    def __init__(
        self,
        opponent: Player,
        *,
        seat: int,
        seed: int,
        submit: Submit,
        submit_help: Submit | None = None,
        judge: FindJudge | None = None,
        opening: Opening = AT_THE_ROOT,
        opened: PlayedGame | None = None,
        opened_names: tuple[str, str] | None = None,
        searched: str = "",
    ) -> None:
        """seat: the person's player in the first game; seats then alternate.

        submit: for the opponent; submit_help: for hints and reviews. judge: None for the opponent.
        opening: of every game, with perfect information. opened: an imported game, which is only
        viewed; its utility is NaN if it is unfinished. opened_names: of its players, None if the
        person was one of them. searched: the text of the game for searches of its positions.
        """
        self.opponent, self.game, self.seat = opponent, opponent.game, seat
        self.searched = searched
        self._find_judge = judge or (lambda played, poll: opponent)
        self.seed, self._opening = seed, opening
        self.finished: list[tuple[int, PlayedGame]] = []
        """The person's player and the game."""
        self.num_taken_back = 0
        self.judging: Judging | None = None
        """The review of the last game, if requested."""
        self._submit, self._submit_help = submit, submit_help or submit
        self.lock = threading.RLock()
        """Hold it to read a consistent state."""
        self.seated = TableAgent(opponent, seed)
        self._hints: Hints | None = None
        self._is_closed = False
        self.is_opened = opened is not None
        """Whether the game was imported, so that nobody moves."""
        self.opened_names = opened_names
        if opened is None:
            with contextlib.suppress(Exception):  # `_advance` reports what is wrong
                self.seated.seat(1 - seat).prepare()
            self._begin()
        else:
            self._open(opened)

    def _begin(self) -> None:
        self._drop_judging()
        if self._hints is not None:  # made for the other seat
            self._hints.close()
            self._hints = self._new_hints()
        self.is_revealed, self.problem = False, ""
        key = jax.random.fold_in(jax.random.key(self.seed), len(self.finished))
        self.ongoing = GameInProgress.dealt(self.game, key, self._opening)
        self.seated.forget(0)
        self.seated.agent = None
        self.is_busy = True
        self._submit(self._advance)

    def _open(self, opened: PlayedGame) -> None:
        self.is_revealed, self.problem, self.is_busy = True, "", False
        self.ongoing = GameInProgress.of(self.game, opened)
        if self.ongoing.is_over:
            self.finished.append((self.seat, opened))

    # Queries.

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.ongoing.is_over

    @property
    def is_finished(self) -> bool:
        """Whether no game is in progress."""
        return self.is_over or self.is_opened or bool(self.problem)

    @property
    def whose(self) -> tuple[str, str]:
        """The players' names."""
        if self.is_opened and self.opened_names:
            return self.opened_names
        return ("You", "Agent") if self.seat == 0 else ("Agent", "You")

    @property
    def persons_player(self) -> int | None:
        """The person's player; None in an imported game of others."""
        return None if self.is_opened and self.opened_names else self.seat

    @property
    def is_persons_turn(self) -> bool:
        """Whether the person is to move."""
        waits = not (self.is_busy or self.is_opened or self.problem)
        return waits and self.ongoing.now.actor == self.seat

    @property
    def turn(self) -> int:
        """Identifies the position among all games at this table; pages send it back."""
        return 10_000 * (len(self.finished) - self.is_over) + len(self.ongoing.steps)

    @property
    def legal(self) -> list[int]:
        """The person's legal actions; empty if another is to move."""
        return self.ongoing.legal if self.is_persons_turn else []

    @property
    def can_take_back(self) -> bool:
        """Whether the person has made a choice in this game."""
        can = not (self.is_busy or self.is_opened)
        return can and self.ongoing.last_choice(self.seat) is not None

    @property
    def progress(self) -> str:
        """Progress of the games in a few words."""
        if self.is_opened:
            return f"opened, {len(self.ongoing.steps)} events"
        if self.is_over:
            now = "over"
        elif self.problem:
            now = "it cannot continue"
        else:
            now = "the agent is thinking" if self.is_busy else "your move"
            now = f"game {len(self.finished) + 1}, move {len(self.ongoing.steps) + 1}: {now}"
        score = self.score
        return f"{now}; {in_units(sum(score), self.game.unit)} so far" if score else now

    @property
    def score(self) -> list[float]:
        """The person's utility in each finished game."""
        return [played.utility_to(seat) for seat, played in self.finished]

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

    def records(self, ending: str) -> str:
        """The finished games as a record file; see `has_format`."""
        return as_records(self.game, ending, self.replay()["games"], self.opponent.name)

    # Actions.

    def choose(self, action: int, turn: int) -> None:
        """Plays the person's action. Raises RequestError."""
        with self.lock:
            self._check(turn)
            if action not in self.legal:
                raise RequestError("This action is not legal here.")
            if len(self.legal) > 1:
                self.seated.keep(len(self.ongoing.steps))
            self._do(action)
            self._schedule()

    def take_back(self, turn: int) -> None:
        """Undoes everything since the person's last choice, and that."""
        with self.lock:
            self._check(turn)
            number = self.ongoing.last_choice(self.seat)
            if number is None or self.is_opened:
                raise RequestError("There is nothing to take back.")
            if self.is_over:
                self.finished.pop()
            self.num_taken_back += 1
            self.problem = ""
            self._drop_judging()
            self.ongoing.rewind(number)
            if self._hints is not None:
                self._hints.forget()
            self.seated.forget(number)
            if self.seated.agent is None:
                self.seated.catch_up(self.ongoing, 1 - self.seat)

    def play_again(self, turn: int) -> None:
        """Begins the next game with seats swapped."""
        with self.lock:
            self._check(turn)
            if not self.is_finished or self.is_opened:
                raise RequestError("This game is not over, or is only viewed.")
            if len(self.finished) >= _MOST_GAMES:
                raise RequestError(f"A table keeps {_MOST_GAMES} games: begin at a new one.")
            self.seat = 1 - self.seat
            self._begin()

    @property
    def can_be_judged(self) -> bool:
        """Whether the game has a choice, and is over or of perfect information."""
        is_reviewable = self.is_over or self.can_branch
        return is_reviewable and self.ongoing.num_choices > 0 and not self.is_busy

    @property
    def can_hint(self) -> bool:
        """Whether the agent can give hints, and is better than random."""
        return not (self.is_over or self.is_opened) and self.opponent.name != _KNOWS_NOTHING

    @property
    def has_hints(self) -> bool:
        """Whether hints are on."""
        return self._hints is not None

    def switch_revealed(self) -> None:
        """Shows or hides the agent's infostate and assessments."""
        self.is_revealed = not self.is_revealed

    def switch_hints(self) -> None:
        """Turns hints on or off."""
        with self.lock:
            if self._hints is not None:
                self._hints.close()
                self._hints = None
            elif self.can_hint:
                self._hints = self._new_hints()

    def _new_hints(self) -> Hints:
        seed = (self.seed + 3 + self.seat) % 2**32
        return Hints(self.opponent, self.seat, seed, self._submit_help)

    @property
    def hint(self) -> Hint | None:
        """The hint for the person's choice; None until ready, and without a choice."""
        hints = self._hints
        return hints.at(self.ongoing) if hints is not None and len(self.legal) > 1 else None

    @property
    def can_branch(self) -> bool:
        """Whether another game can begin at any position of this one."""
        try:
            check_begins_anywhere(self.game)
        except ValueError:
            return False
        return True

    def ranges(self, number: int) -> np.ndarray | None:
        """[player, S]: before an event, from a search there; None without one."""
        judged = None if self.judging is None else self.judging.review
        for choice in () if judged is None else judged.choices:
            if choice.number == number:
                return choice.ranges
        return self.seated.ranges.get(number) if number < len(self.ongoing.steps) else None

    def judge(self, turn: int) -> None:
        """Starts a review of the game. Raises RequestError."""
        with self.lock:
            self._check(turn)
            if not self.can_be_judged:
                raise RequestError("There are no choices to judge yet.")
            self._drop_judging()
            self.judging = Judging(self._find_judge, self.ongoing, self._submit_help)

    def stop_judging(self) -> None:
        """Stops the review and keeps it so far."""
        if self.judging is not None:
            self.judging.stop()

    def _drop_judging(self) -> None:
        if self.judging is not None:
            self.judging.stop()
        self.judging = None

    def leave(self, number: int) -> "Table":
        """A new table that continues from before an event. Raises RequestError."""
        ongoing = self.ongoing
        if not 0 <= number <= len(ongoing.steps) or not self.can_branch:
            raise RequestError("No other game can begin there.")
        is_end = number == len(ongoing.steps)
        now = ongoing.now if is_end else ongoing.steps[number].now
        if now.actor not in (0, 1):
            raise RequestError("The game is over there.")
        return Table(
            self.opponent,
            seat=now.actor,
            seed=self.seed,
            submit=self._submit,
            submit_help=self._submit_help,
            judge=self._find_judge,
            opening=ongoing.opening(number),
            searched=self.searched,
        )

    def close(self) -> None:
        """Releases the agents."""
        self._is_closed = True
        self._drop_judging()
        if self._hints is not None:
            self._hints.close()
        self._submit(self.seated.close)  # after its current work

    def _check(self, turn: int) -> None:
        if self.is_busy:
            raise StaleError("The agent is thinking.")
        if turn != self.turn:
            raise StaleError("The game has moved on since this page was shown.")

    # The agent.

    def _schedule(self) -> None:
        if not self.is_over and (self.ongoing.now.actor != self.seat or len(self.legal) == 1):
            self.is_busy = True
            self._submit(self._advance)

    def _advance(self) -> None:
        """Plays on until the person has a choice or the game is over."""
        ongoing = self.ongoing
        try:
            if self.seated.agent is None:
                self.seated.catch_up(ongoing, 1 - self.seat)
            while not self._is_closed and not ongoing.is_over:
                actor, action = ongoing.now.actor, None
                if actor == self.seat:
                    if len(ongoing.legal) > 1:
                        break
                    action = ongoing.legal[0]
                elif actor != CHANCE:
                    action = self.seated.choose(ongoing)
                with self.lock:
                    self._do(action)
        except Resignation:
            with self.lock:
                ongoing.resigned = 1 - self.seat
                self.finished.append((self.seat, ongoing.played()))
        except ValueError as error:  # such as a search that has no room for this game
            self.problem = str(error)
        except Exception as error:
            self.problem = failed("the agent", error)
        finally:
            self.is_busy = False

    def _do(self, action: int | None) -> None:
        """Adds one event; action: None at chance."""
        agent = self.seated.agent
        assert agent is not None
        agent.observe(self.ongoing.add(action))
        if self.is_over:
            self.finished.append((self.seat, self.ongoing.played()))
