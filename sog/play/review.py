"""Reviews a finished game: what every choice was worth, and what was luck.

An adviser follows the game in each player's seat, seeing only what that player saw. At each choice
it gives its policy and action values for the player's infostate. A choice's loss is the value of
the best action less that of the action taken. So for either player

    utility = expected at its first choice - loss of its choices
              + loss of the opponent's choices after that + luck,

where luck is what neither player chose: chance events (`_chance_part`), and what was
hidden, such as the opponent's cards when a good bluff was called. Without hidden information and
chance there is no luck; the remainder is what the adviser revised: its value of a position changed
when the game got there. Searches revise in other games, too, but there it cannot be separated from
what was hidden.

If the action values are those of a best response to the opponent's policy, losses are the player's
part of the performance difference lemma (Kakade and Langford 2002): their mean per game is what the
player's policy falls short of a best response.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from gtcfr.evaluator import ZeroEvaluator
from sog.games.core import PLAYER_0, PLAYER_1, Game
from sog.play.aivat import Aivat
from sog.play.choice import JudgedChoice
from sog.play.game_in_progress import GameInProgress, PlayedGame, Step
from sog.play.match import Agent

_BOTH: Final = (PLAYER_0, PLAYER_1)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Review:
    """The choices of both players in order, and the result."""

    game: Game[Any]
    played: PlayedGame
    choices: tuple[JudgedChoice, ...]
    num_choices: int
    """In the game; `choices` has fewer until the review is complete."""
    chance_parts: tuple[float, float] = (math.nan, math.nan)
    """Each player's luck at chance events after its first choice; NaN if unknown."""

    @property
    def is_whole(self) -> bool:
        """Whether all choices are judged."""
        return len(self.choices) == self.num_choices

    @property
    def has_luck(self) -> bool:
        """Whether the game had hidden information or chance events."""
        return self.game.hides_information or None in self.played.actions

    @property
    def knows_chance(self) -> bool:
        """Whether `chance` can be separated from what was hidden."""
        return not all(math.isnan(part) for part in self.chance_parts)

    def of(self, player: int) -> tuple[JudgedChoice, ...]:
        """The choices of one player."""
        return tuple(choice for choice in self.choices if choice.player == player)

    def utility(self, player: int) -> float:
        """The player's utility."""
        return self.played.utility_to(player)

    def expected(self, player: int) -> float:
        """Expected utility at the player's first choice; NaN if there was none or unknown."""
        choices = self.of(player)
        return choices[0].value if choices else math.nan

    def lost(self, player: int) -> float:
        """Total loss of the player's choices, as far as known."""
        return float(np.nansum([choice.loss for choice in self.of(player)]))

    def given(self, player: int) -> float:
        """Total loss of the opponent's choices after the player's first, as far as known.

        Earlier losses are part of what was expected then.
        """
        first = next((choice.number for choice in self.of(player)), math.inf)
        later = [choice.loss for choice in self.of(1 - player) if choice.number > first]
        return float(np.nansum(later))

    def luck(self, player: int) -> float:
        """`chance` and `hidden` together, or 0 in a game without luck.

        NaN if the expectation is unknown or the review incomplete.
        """
        if not self.has_luck:
            return 0.0
        is_all_chance = not self.game.hides_information and not math.isnan(self.chance(player))
        return self.chance(player) if is_all_chance else self._left_over(player)

    def chance(self, player: int) -> float:
        """Luck at chance events after the player's first choice, given its infostates; NaN if it
        cannot be separated from what was hidden."""
        return self.chance_parts[player]

    def hidden(self, player: int) -> float:
        """The rest of luck: the opponent's hidden information."""
        return self.luck(player) - self.chance(player)

    def revised(self, player: int) -> float:
        """The remainder in a game without luck: revised values. NaN as in `luck`."""
        return self._left_over(player) - self.luck(player)

    def _left_over(self, player: int) -> float:
        """The utility beyond the expectation and the losses of both."""
        if not self.is_whole:
            return math.nan
        by_choices = self.given(player) - self.lost(player)
        return self.utility(player) - self.expected(player) - by_choices


def reviewing(game: Game[Any], played: PlayedGame, advisers: Sequence[Agent]) -> Iterator[Review]:
    """Reviews a game: yields the review before the first choice, after each, and with chance added.

    advisers: one per player, both with action values (`Agent.doubt`). Raises ValueError for illegal
    events, and as the advisers.
    """
    for adviser in advisers:
        adviser.begin(None if played.beginning is None else played.beginning.state)
    ongoing = GameInProgress.of(game, played)
    found = Review(game=game, played=played, choices=(), num_choices=ongoing.num_choices)
    yield found
    policies: tuple[dict[int, np.ndarray], ...] = ({}, {})
    done = 0
    for one in ongoing.steps:
        if one.action is None:
            continue
        for outcome in played.outcomes[done : one.number]:
            for adviser in advisers:
                adviser.observe(outcome)
        done, adviser = one.number, advisers[one.actor]
        if None in played.actions:
            policies[one.actor][one.number] = adviser.policies()
        if one.is_choice:
            judged = _judged(game, one, adviser)
            found = dataclasses.replace(found, choices=(*found.choices, judged))
            yield found
    parts = []
    for player in _BOTH:
        since = next((choice.number for choice in found.of(player)), len(played.outcomes))
        parts.append(_chance_part(played, advisers[player], player, since, policies[1 - player]))
    yield dataclasses.replace(found, chance_parts=(parts[0], parts[1]))


def _judged(game: Game[Any], one: Step, adviser: Agent) -> JudgedChoice:
    most = game.max_utility
    assert one.action is not None
    assert adviser.doubt is not None
    # Networks may predict values beyond the utility range.
    values = np.clip(adviser.action_values(one.infostate), -most, most)
    return JudgedChoice(
        number=one.number,
        player=one.actor,
        state=one.state,
        infostate=one.infostate,
        action=one.action,
        legal=one.legal,
        policy=adviser.policy(one.infostate),
        values=np.where(one.legal, values, np.nan),
        doubt=adviser.doubt * most,
        ranges=adviser.ranges,
        line=tuple(adviser.line(one.infostate)),
    )


def _chance_part(
    played: PlayedGame,
    adviser: Agent,
    player: int,
    since: int,
    policies: Mapping[int, np.ndarray],
) -> float:
    """The player's luck at events from number `since` on, in utility units; NaN if unknown.

    Each chance event counts with the value after it less the mean over all its outcomes: AIVAT's
    correction, for a player who knows its own infostate and expects the opponent to follow its
    adviser. adviser: the player's. policies: [S, A] of the opponent's, by number of the event.
    """
    if None not in played.actions[since:]:
        return 0.0
    if adviser.knows_all_values:
        return _by_values(played, adviser, player, since)
    # An evaluator that returns 0 would show no luck.
    if adviser.evaluator is None or isinstance(adviser.evaluator, ZeroEvaluator):
        return math.nan
    # Query the evaluator of the searches for all possible outcomes.
    numbers = range(len(played.outcomes))
    # The player counts with its actual infostate and actions.
    own = dataclasses.replace(
        played,
        policies=tuple(policies.get(number) for number in numbers),
        exposed=(player != PLAYER_0, player == PLAYER_0),
    )
    part = Aivat(adviser.game, adviser.evaluator).chance_part(own, since)
    return part if player == PLAYER_0 else -part


def _by_values(played: PlayedGame, adviser: Agent, player: int, since: int) -> float:
    """An exact value at a chance node is the mean over its outcomes."""
    adviser.begin()
    total = 0.0
    for number, (outcome, action) in enumerate(zip(played.outcomes, played.actions, strict=True)):
        before = adviser.value_anywhere(played.infostates[number][player])
        adviser.observe(outcome)
        if action is None and number >= since:
            total += adviser.value_anywhere(played.infostates[number + 1][player]) - before
    return total
