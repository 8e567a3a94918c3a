"""A finished game judged: what every choice was worth, and what was luck.

An adviser sits in each player's place and is led through the game, told only what that player was.
At each of his choices it says what its policy is and what each action is worth to him, given what
he held and what he could know. What a choice lost is the worth of the best action less that of the
one he took. So for either player

    utility = expected at his first choice - what his choices lost
              + what the other one's choices gave him, those after his first + luck,

where luck is all that neither of them chose: what chance did (`sog.play.chance_part`), and what
was hidden, as what the other one held when he called a good bluff. Where nothing is hidden and
chance does not act there is no luck; what is left over then is what the adviser revised: it judged
a position otherwise when it came to it. Searches revise in other games, too, but there that cannot
be told apart from what was hidden.

If the adviser's action values are those of a best response to the other player's policy, losses
are the player's part of the performance difference lemma (Kakade and Langford 2002): against that
policy, what he loses in a game is on average what he is short of a best response.
"""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from sog.games.core import PLAYER_0, PLAYER_1, Game
from sog.play.chance_part import chance_part
from sog.play.choice import JudgedChoice
from sog.play.game_in_progress import GameInProgress, PlayedGame, Step
from sog.play.match import Agent

_BOTH: Final = (PLAYER_0, PLAYER_1)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Review:
    """The choices of both players, in their order, and what came out."""

    game: Game[Any]
    played: PlayedGame
    choices: tuple[JudgedChoice, ...]
    num_choices: int
    """In the game; there are less in `choices` while it is being judged."""
    chance_parts: tuple[float, float] = (math.nan, math.nan)
    """What chance brought each player after his first choice; NaN where no adviser can tell."""

    @property
    def is_whole(self) -> bool:
        """Whether all choices are judged."""
        return len(self.choices) == self.num_choices

    @property
    def has_luck(self) -> bool:
        """Whether anything was hidden in this game, or chance acted."""
        return self.game.hides_information or None in self.played.actions

    @property
    def knows_chance(self) -> bool:
        """Whether `chance` can be told apart from what was hidden."""
        return not all(math.isnan(part) for part in self.chance_parts)

    def of(self, player: int) -> tuple[JudgedChoice, ...]:
        """The choices of one player."""
        return tuple(choice for choice in self.choices if choice.player == player)

    def utility(self, player: int) -> float:
        """What he got."""
        return self.played.utility_to(player)

    def expected(self, player: int) -> float:
        """What was to be expected at his first choice; NaN if he had none, or it is unknown."""
        choices = self.of(player)
        return choices[0].value if choices else math.nan

    def lost(self, player: int) -> float:
        """What his choices lost, as far as that is known."""
        return float(np.nansum([choice.loss for choice in self.of(player)]))

    def given(self, player: int) -> float:
        """What the other one's choices lost after the player's first, as far as that is known.

        What they lost before is in what he could expect then.
        """
        first = next((choice.number for choice in self.of(player)), math.inf)
        later = [choice.loss for choice in self.of(1 - player) if choice.number > first]
        return float(np.nansum(later))

    def luck(self, player: int) -> float:
        """What neither chose: `chance` and `hidden` together, or 0 in a game without luck.

        NaN if it is unknown what was to be expected, or while not all is judged.
        """
        if not self.has_luck:
            return 0.0
        is_all_chance = not self.game.hides_information and not math.isnan(self.chance(player))
        return self.chance(player) if is_all_chance else self._left_over(player)

    def chance(self, player: int) -> float:
        """What chance brought him after his first choice, against the mean of what it could bring,
        given what he held; NaN where that cannot be told from what was hidden."""
        return self.chance_parts[player]

    def hidden(self, player: int) -> float:
        """The rest of luck: what he could not know of the other one, and what he was called."""
        return self.luck(player) - self.chance(player)

    def revised(self, player: int) -> float:
        """What is left over where it is no luck: the adviser changed its mind. NaN as luck."""
        return self._left_over(player) - self.luck(player)

    def _left_over(self, player: int) -> float:
        """Of what he got, beyond what was to be expected and what choices lost and gave."""
        if not self.is_whole:
            return math.nan
        by_choices = self.given(player) - self.lost(player)
        return self.utility(player) - self.expected(player) - by_choices


def reviewing(game: Game[Any], played: PlayedGame, advisers: Sequence[Agent]) -> Iterator[Review]:
    """Judges a game: yields what is known before the first choice, after each, and at last with
    what chance brought.

    advisers: one for each player, both with action values (`Agent.doubt`). Raises ValueError for
    events that cannot be, and as the advisers.
    """
    for adviser in advisers:
        adviser.begin(None if played.beginning is None else played.beginning.state)
    ongoing = GameInProgress.of(game, played)
    found = Review(game=game, played=played, choices=(), num_choices=ongoing.num_choices)
    yield found
    policies: tuple[dict[int, np.ndarray], ...] = ({}, {})
    told = 0
    for one in ongoing.steps:
        if one.action is None:
            continue
        for outcome in played.outcomes[told : one.number]:
            for adviser in advisers:
                adviser.observe(outcome)
        told, adviser = one.number, advisers[one.actor]
        if None in played.actions:
            policies[one.actor][one.number] = adviser.policies()
        if one.is_choice:
            judged = _judged(game, one, adviser)
            found = dataclasses.replace(found, choices=(*found.choices, judged))
            yield found
    parts = []
    for player in _BOTH:
        since = next((choice.number for choice in found.of(player)), len(played.outcomes))
        parts.append(chance_part(played, advisers[player], player, since, policies[1 - player]))
    yield dataclasses.replace(found, chance_parts=(parts[0], parts[1]))


def _judged(game: Game[Any], one: Step, adviser: Agent) -> JudgedChoice:
    most = game.max_utility
    assert one.action is not None
    assert adviser.doubt is not None
    # Nothing is worth more than can be won, though networks may say so.
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
