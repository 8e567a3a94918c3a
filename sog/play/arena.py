"""A match: two agents play many games, and change seats.

Luck is taken out where that costs nothing. Every deal is played twice, the second time with the
roles swapped, so that each agent gets the other's cards, and the same cards come on the table. The
average over a *pair* of games has the expected value of the match and a smaller variance, and pairs
are independent of each other: the confidence interval is that of the mean of the pairs.

`Aivat` takes out more, also where luck cannot be swapped: in what the agents themselves draw.
"""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import jax
import numpy as np
from jax import Array

from sog.games.core import PLAYER_0, PLAYER_1, Game
from sog.play.aivat import Aivat
from sog.play.batched_games import SteppedGame, play_batched
from sog.play.game_in_progress import GameInProgress, PlayedGame
from sog.play.history import AT_THE_ROOT, Opening
from sog.play.match import Agent, play_stepwise

AgentFactory = Callable[[int, int], Agent]
"""Makes an agent from its player and a seed. Called once for each seat of the games that go on at
the same time, whose agents play one game after another; what all of them share is made before."""

Z_95: Final = 1.959964
"""97.5% of a standard normal distribution lie below it."""
_DRAWN: Final = 1e-6  # rounding, as a share of the largest utility


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class MatchResult:
    """What the first agent won and lost, in the game's unit; the second got as much less."""

    game: Game[Any]
    utilities: np.ndarray
    """[pair, 2]: as player 0, and as player 1 of the same deal."""
    corrected: np.ndarray | None = None
    """[pair, 2]: the same by `Aivat`, if it was asked for."""
    seconds: float
    interrupted: bool
    """Whether Ctrl-C ended the match early; only pairs that were finished are here."""

    @property
    def num_games(self) -> int:
        """Games played, two per pair."""
        return int(self.utilities.size)

    @property
    def mean(self) -> float:
        """Utility per game."""
        return float(self.utilities.mean())

    @property
    def mean_as(self) -> tuple[float, float]:
        """Utility per game as player 0, and as player 1."""
        first, second = self.utilities.mean(axis=0).tolist()
        return first, second

    @property
    def won_all_as(self) -> tuple[float, float]:
        """The share of games as player 0, and as player 1, that paid the first agent the most that
        the game can pay: all the points of Go, all chips."""
        is_all = self.utilities >= self.game.max_utility - self._drawn
        first, second = is_all.mean(axis=0).tolist()
        return first, second

    @property
    def standard_error(self) -> float:
        """Of `mean`, from the spread of the pairs' averages; NaN after a single pair."""
        return _standard_error(self.utilities)

    @property
    def half_width(self) -> float:
        """The 95% confidence interval reaches so far from `mean`, by the normal approximation."""
        return Z_95 * self.standard_error

    @property
    def corrected_mean(self) -> float:
        """As `mean`, by `Aivat`; NaN without it."""
        return math.nan if self.corrected is None else float(self.corrected.mean())

    @property
    def corrected_standard_error(self) -> float:
        """As `standard_error`, of `corrected_mean`; NaN without it."""
        return math.nan if self.corrected is None else _standard_error(self.corrected)

    @property
    def variance_ratio(self) -> float:
        """So many times fewer games give an interval as narrow, thanks to `Aivat`; or NaN."""
        corrected = self.corrected_standard_error
        return (self.standard_error / corrected) ** 2 if corrected > 0 else math.nan

    @property
    def win_rate(self) -> float:
        """The first agent's share of the games, a draw counting half."""
        return float(self._scores.mean())

    @property
    def win_rate_half_width(self) -> float:
        """The 95% confidence interval reaches so far from `win_rate`; as `half_width`."""
        return Z_95 * _standard_error(self._scores)

    @property
    def _scores(self) -> np.ndarray:
        """[pair, 2]: 1 for a win of the first agent, 0.5 for a draw."""
        is_drawn = np.abs(self.utilities) <= self._drawn
        return np.where(is_drawn, 0.5, self.utilities > 0)

    @property
    def wins(self) -> int:
        """Games in which the first agent got more than nothing."""
        return int((self.utilities > self._drawn).sum())

    @property
    def losses(self) -> int:
        """Games in which the second agent got more than nothing."""
        return int((self.utilities < -self._drawn).sum())

    @property
    def draws(self) -> int:
        """The other games."""
        return self.num_games - self.wins - self.losses

    @property
    def _drawn(self) -> float:
        return _DRAWN * self.game.max_utility


class _Side:
    """The agents of one of the two, who change seats."""

    def __init__(self, make: AgentFactory) -> None:
        self._make, self._made = make, list[Agent]()
        self.free: tuple[list[Agent], list[Agent]] = [], []
        """Of each player, those that have no game."""

    def take(self, player: int, seed: int) -> Agent:
        """One for a game; seed: of one that has to be made."""
        if self.free[player]:
            return self.free[player].pop()
        self._made.append(self._make(player, seed))
        return self._made[-1]

    def close(self) -> None:
        """All of them."""
        for agent in self._made:
            agent.close()


def _standard_error(utilities: np.ndarray) -> float:
    pairs = utilities.mean(axis=1)
    if len(pairs) < 2:
        return math.nan
    return float(pairs.std(ddof=1)) / math.sqrt(len(pairs))


def play_match(
    game: Game[Any],
    first: AgentFactory,
    second: AgentFactory,
    num_games: int,
    seed: int = 0,
    progress: Callable[[MatchResult], None] | None = None,
    aivat: Aivat | None = None,
    batch_size: int = 1,
    openings: Sequence[Opening] = (AT_THE_ROOT,),
    finished: Sequence[tuple[float, float]] = (),
    record: Callable[[int, PlayedGame, PlayedGame], None] | None = None,
) -> MatchResult:
    """Plays `num_games` games between two agents, half of them in each distribution of roles.

    Agents are kept for further games, each begun with a seed of its own (agents that drew the same
    random numbers would not be independent), and are closed in the end. progress: called after
    every pair with the result so far. aivat: what also says what each game was worth without luck.
    batch_size: searches of different games at once; rounding apart (and but for playouts at random,
    which are numbered through a batch) the result does not depend on it. openings: how games
    begin, where information is perfect: both games of a pair with the same, pairs with one after
    the other, and again from the first. finished: the utilities of the pairs that were
    played before, as in `MatchResult`; those after are what they would have been. record: called
    with the number of a pair and its games. Ctrl-C stops too, once a pair is finished; before that
    it is passed on. Raises ValueError if `num_games` is not an even number or batch_size less than
    1, if there is no opening, if `aivat` is asked for pairs that are finished, if no agent tells
    what it needs (`Agent.policies`), and what the agents raise.
    """
    if num_games < 2 or num_games % 2:
        raise ValueError(f"num_games must be even and >= 2 to swap roles, got {num_games}.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be >= 1, got {batch_size}.")
    if not openings:
        raise ValueError("openings must be one or more, got none.")
    if finished and aivat is not None:
        raise ValueError("aivat has nothing to say about pairs that are finished.")
    deals, began = jax.random.key(seed), time.perf_counter()
    pairs = list(finished[: num_games // 2])
    first_pair = len(pairs)
    corrected: list[tuple[float, float]] = []

    def result(interrupted: bool) -> MatchResult:
        return MatchResult(
            game=game,
            utilities=np.array(pairs),
            corrected=None if aivat is None else np.array(corrected),
            seconds=time.perf_counter() - began,
            interrupted=interrupted,
        )

    sides = _Side(first), _Side(second)

    def table(
        seats: tuple[_Side, _Side], key: Array, seeds: tuple[int, int], opening: Opening
    ) -> SteppedGame:
        agents = seats[0].take(PLAYER_0, seeds[0]), seats[1].take(PLAYER_1, seeds[1])
        if aivat is not None and not any(agent.exposes_policies for agent in agents):
            raise ValueError("aivat needs an agent that tells its policy, which neither does.")
        with_policies = aivat is not None
        played = yield from play_stepwise(
            GameInProgress.dealt(game, key, opening),
            agents,
            with_policies=with_policies,
            seeds=seeds,
        )
        for player, side in enumerate(seats):
            side.free[player].append(agents[player])
        return played

    def stepped_games() -> Iterator[SteppedGame]:
        for number in range(first_pair, num_games // 2):
            key, opening = jax.random.fold_in(deals, number), openings[number % len(openings)]
            seeds = np.random.SeedSequence((seed, number)).generate_state(4).tolist()
            yield table(sides, key, (seeds[0], seeds[1]), opening)
            yield table(sides[::-1], key, (seeds[2], seeds[3]), opening)

    try:
        games = play_batched(stepped_games(), batch_size)
        for as_0, as_1 in zip(games, games, strict=True):
            if aivat is not None:
                corrected.append((aivat.estimate(as_0), -aivat.estimate(as_1)))
            pairs.append((as_0.utility, -as_1.utility))
            if record is not None:
                record(len(pairs) - 1, as_0, as_1)
            if progress is not None:
                progress(result(False))
    except KeyboardInterrupt:
        if not pairs:
            raise
        return result(True)
    finally:
        for side in sides:
            side.close()
    return result(False)
