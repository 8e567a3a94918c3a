"""The two agents of `sog play`: the person, and an agent that records its assessments."""

import collections
import dataclasses
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from sog.cli.lines import fold
from sog.cli.play_screen import (
    ListedAction,
    Quit,
    Terminal,
    choices,
    columns,
    draw_state,
    find_choices,
    list_choices,
    shares,
    worth_of,
)
from sog.games import CHANCE, Game
from sog.play import Agent
from sog.play.assessments import Assessment, assess, assess_all
from sog.play.game_in_progress import GameInProgress
from sog.play.match import Resignation

_HELP: Final = """\
Type the number of an action, its text, or the beginning of its text.
undo (or u) takes your last choice back, q quits, and ? shows the rules, this help and the actions
again."""


Draw = Callable[[Any, np.ndarray | None, int], None]
"""Takes a public state, ranges as for `Game.draw`, and the person's infostate."""


class TakeBack(Exception):  # noqa: N818 (not an error)
    """The person undoes the last choice."""


Move = tuple[int, int]
"""A player and its action; chance events repeat by their keys."""


class Moves:
    """The moves of one game, of which both players may have to replay the first ones."""

    def __init__(
        self, ongoing: GameInProgress, again: Sequence[Move] = (), *, announces: bool = True
    ) -> None:
        """again: the moves to replay. announces: whether they are shown to the person."""
        self.ongoing, self._again, self._announces = ongoing, collections.deque(again), announces

    @property
    def done(self) -> list[Move]:
        """The moves so far."""
        return self._before(len(self.ongoing.steps))

    def _before(self, number: int) -> list[Move]:
        steps = self.ongoing.steps[:number]
        return [(one.actor, one.action) for one in steps if one.action is not None]

    @property
    def is_silent(self) -> bool:
        """Whether current events are not to be shown."""
        return bool(self._again) and not self._announces

    def given(self, player: int) -> int | None:
        """The player's action if the move is replayed; None if the player is to choose.

        Raises ValueError if the other player made that move.
        """
        if not self._again:
            return None
        mover, action = self._again.popleft()
        if mover != player:
            raise ValueError(f"move {len(self.done) + 1} was player {mover}'s, not {player}'s.")
        return action

    def before_last_choice(self, player: int) -> list[Move] | None:
        """The moves before a player's last choice; None if there was none."""
        number = self.ongoing.last_choice(player)
        return None if number is None else self._before(number)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class DecisionNote:
    """The recorded assessments of one decision."""

    state: Any
    infostate: int
    action: str
    assessments: list[Assessment]


class RecordingAgent(Agent):
    """An agent that records its assessments, to be shown after the game."""

    moves: Moves
    """Of the game that is played."""

    def __init__(self, game: Game[Any], agent: Agent, player: int) -> None:
        self.game, self.player, self._agent = game, player, agent

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, and discards the records."""
        self._agent.begin(state, seed)
        self.decisions: list[DecisionNote] = []

    def observe(self, outcome: int) -> None:
        """Passes a public event to the agent."""
        self._agent.observe(outcome)

    def act(self, infostate: int) -> int:
        """The agent's action, or that of `moves`; recorded if it has a choice."""
        ongoing, given = self.moves.ongoing, self.moves.given(self.player)
        if not ongoing.now.has_choice:
            return self._agent.act(infostate)
        state = ongoing.state
        assessments = assess_all(self.game, state, self._agent, self.player, infostate)
        action = self._agent.act(infostate) if given is None else given
        text = self.game.describe_action(state, infostate, action)
        self.decisions.append(
            DecisionNote(state=state, infostate=infostate, action=text, assessments=assessments)
        )
        return action

    def close(self) -> None:
        """Closes the agent."""
        self._agent.close()

    @property
    def ranges(self) -> np.ndarray | None:
        """[2, S]: both players' ranges, if the agent has searched here; else None."""
        return self._agent.ranges

    def think(self, infostate: int) -> Assessment:
        """Assesses an infostate of the agent's player."""
        state = self.moves.ongoing.state
        return assess(self.game, state, self._agent, self.player, infostate)


class Human(Agent):
    """The person as an agent: shows what the player may know, and asks for actions."""

    moves: Moves
    """Of the game that is played."""

    def __init__(
        self,
        game: Game[Any],
        player: int,
        terminal: Terminal,
        advisor: RecordingAgent | None,
        draw: Draw | None = None,
    ) -> None:
        """advisor: an agent in the person's seat, which gives hints.

        draw: called before every turn of the person.
        """
        self.game, self.player = game, player
        self._terminal, self._advisor, self._draw = terminal, advisor, draw

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game."""
        self._action = ""
        if self._advisor is not None:
            self._advisor.begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Shows a public event."""
        step = self.moves.ongoing.steps[-1]
        actor, event = step.actor, self.game.describe_outcome(step.state, outcome)
        if self.moves.is_silent:
            pass
        elif actor == self.player:
            self._terminal.say(f"You:    {_with_action(self._action, event)}")
        else:
            who = "Chance:" if actor == CHANCE else "Agent:"
            self._terminal.say(f"{who:8}{event}", "bold")
        if self._advisor is not None:
            self._advisor.observe(outcome)

    def act(self, infostate: int) -> int:
        """Asks until the answer is an action, or replays one. Raises Quit, TakeBack."""
        ongoing = self.moves.ongoing
        offered = choices(self.game, ongoing.state, infostate, ongoing.legal)
        assessment = ranges = None
        if self._advisor is not None and len(offered) > 1:  # also during replay, for its chain
            try:
                assessment, ranges = self._advisor.think(infostate), self._advisor.ranges
            except Resignation:  # the engine's, not the person's
                self._terminal.say("  Hint: resign", "dim")
        given = self.moves.given(self.player)
        if given is None:
            chosen = self._choose(infostate, offered, assessment, ranges)
        else:
            known = [one for one in offered if one.action == given]
            if not known:
                raise ValueError(f"action {given} of move {len(self.moves.done) + 1} is not legal.")
            chosen = known[0]
        self._action = chosen.text
        return chosen.action

    def _choose(
        self,
        infostate: int,
        offered: list[ListedAction],
        assessment: Assessment | None,
        ranges: np.ndarray | None,
    ) -> ListedAction:
        """Shows the state and the actions, and asks."""
        say, state = self._terminal.say, self.moves.ongoing.state
        if self._draw is not None:
            self._draw(state, ranges, infostate)
        has_pieces = self._terminal.has_pieces
        drawn = draw_state(self.game, state, ranges, player=self.player, has_pieces=has_pieces)
        say(f"\n{drawn}")
        if self.game.hides_information:
            known = self.game.draw_infostate(state, self.player, infostate)
            lines = f"\n{textwrap.indent(known, '    ')}" if "\n" in known else f" {known}"
            say(f"  You:{lines}", "bold")
        chosen = offered[0]
        if len(offered) == 1:
            say(f"  There is no choice: {chosen.text}.", "dim")
        else:
            say(list_choices(offered))
            if assessment is not None:
                self._show_advice(assessment)
            chosen = self._ask(offered)
        return chosen

    def _show_advice(self, assessment: Assessment) -> None:
        worth = ""
        if assessment.value is not None:
            worth = f"; {worth_of(self.game, assessment.value)} to you"
        self._terminal.say(f"  Hint: {shares(assessment.policy)}{worth}", "dim")

    def _ask(self, offered: list[ListedAction]) -> ListedAction:
        while True:
            answer = self._terminal.ask("> ")
            written, problem = self._read(answer)
            found = find_choices(offered, answer, written)
            if len(found) == 1:
                return found[0]
            if answer.casefold() in ("q", "quit"):
                raise Quit
            if answer.casefold() == "undo" or (answer.casefold() == "u" and not found):
                if self.moves.before_last_choice(self.player) is not None:
                    raise TakeBack
                self._terminal.say("  There is no choice to take back.")
            elif answer == "?":
                texts = (fold(text, columns(), "  ") for text in (self.game.rules, _HELP) if text)
                self._terminal.say("\n\n".join(["", *texts, list_choices(offered)]))
            elif found:
                meant = ", ".join(f"{choice.label}) {choice.text}" for choice in found)
                self._terminal.say(f"  That may be {meant}.")
            else:
                self._terminal.say(f"  {problem}")

    def _read(self, answer: str) -> tuple[int | None, str]:
        """The action that the game's notation reads, or an error message."""
        unknown = "This action is not legal here; ? for help."
        read = getattr(self.game, "read_action", None)
        if read is None or not answer or answer.isdecimal():
            return None, unknown
        try:
            return int(read(self.moves.ongoing.state, answer)), ""
        except ValueError as error:
            return None, f"{error} ? for help."


def _with_action(action: str, event: str) -> str:
    """The person's action, with its public event if different."""
    return event if event.startswith(action) else f"{action} ({event})"
