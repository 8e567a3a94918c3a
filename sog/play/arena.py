"""A match: two agents play many games, and change seats.

Every deal is played twice with roles swapped (duplicate), so each agent gets the other's cards and
the same public cards are dealt. The mean over a *pair* of games has the same expected value and a
smaller variance, and pairs are independent: the confidence interval is that of their mean.

`Aivat` reduces variance further, including that of the agents' own randomness.
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
"""Makes an agent from its player and a seed. Called once per seat of each concurrent game; an agent
then plays one game after another. What agents share is made before."""

Z_95: Final = 1.959964
"""The 97.5% quantile of the standard normal distribution."""
_DRAWN: Final = 1e-6  # rounding, as a share of the largest utility


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class MatchResult:
    """The first agent's results in the game's unit; the second's are the negative."""

    game: Game[Any]
    utilities: np.ndarray
    """[pair, 2]: as player 0, and as player 1 of the same deal."""
    corrected: np.ndarray | None = None
    """[pair, 2]: the AIVAT estimates, if requested."""
    seconds: float
    interrupted: bool
    """Whether Ctrl-C ended the match early; only finished pairs are included."""

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
        """The share of games as player 0, and as player 1, in which the first agent won the maximum
        utility: all the points of Go, all chips."""
        is_all = self.utilities >= self.game.max_utility - self._drawn
        first, second = is_all.mean(axis=0).tolist()
        return first, second

    @property
    def standard_error(self) -> float:
        """Of `mean`, from the spread of the pair means; NaN after a single pair."""
        return _standard_error(self.utilities)

    @property
    def half_width(self) -> float:
        """Half the 95% confidence interval of `mean`, by the normal approximation."""
        return Z_95 * self.standard_error

    @property
    def corrected_mean(self) -> float:
        """`mean` of the AIVAT estimates; NaN without them."""
        return math.nan if self.corrected is None else float(self.corrected.mean())

    @property
    def corrected_standard_error(self) -> float:
        """`standard_error` of `corrected_mean`; NaN without it."""
        return math.nan if self.corrected is None else _standard_error(self.corrected)

    @property
    def variance_ratio(self) -> float:
        """By what factor AIVAT reduces the number of games needed; NaN without it."""
        corrected = self.corrected_standard_error
        return (self.standard_error / corrected) ** 2 if corrected > 0 else math.nan

    @property
    def win_rate(self) -> float:
        """The first agent's share of the games, draws counted as half."""
        return float(self._scores.mean())

    @property
    def win_rate_half_width(self) -> float:
        """Half the 95% confidence interval of `win_rate`."""
        return Z_95 * _standard_error(self._scores)

    @property
    def _scores(self) -> np.ndarray:
        """[pair, 2]: 1 for a win of the first agent, 0.5 for a draw."""
        is_drawn = np.abs(self.utilities) <= self._drawn
        return np.where(is_drawn, 0.5, self.utilities > 0)

    @property
    def wins(self) -> int:
        """Games that the first agent won."""
        return int((self.utilities > self._drawn).sum())

    @property
    def losses(self) -> int:
        """Games that the second agent won."""
        return int((self.utilities < -self._drawn).sum())

    @property
    def draws(self) -> int:
        """Drawn games."""
        return self.num_games - self.wins - self.losses

    @property
    def _drawn(self) -> float:
        return _DRAWN * self.game.max_utility


class _Side:
    """One contestant's agents, for both seats."""

    def __init__(self, make: AgentFactory) -> None:
        self._make, self._made = make, list[Agent]()
        self.free: tuple[list[Agent], list[Agent]] = [], []
        """By player, the agents that are not in a game."""

    def take(self, player: int, seed: int) -> Agent:
        """An agent for a game; seed: for a new one."""
        if self.free[player]:
            return self.free[player].pop()
        self._made.append(self._make(player, seed))
        return self._made[-1]

    def close(self) -> None:
        """Closes all of them."""
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
    """Plays `num_games` games between two agents, half of them in each seat.

    Agents are reused for later games, each with its own seed (otherwise games would not be
    independent), and closed in the end. progress: called after every pair with the result so far.
    aivat: estimates each game's value without luck as well. batch_size: concurrent searches of
    different games; the result does not depend on it, except for rounding and for random rollouts,
    which are numbered through a batch. openings: how games of perfect information begin; both games
    of a pair use the same one, and pairs cycle through them. finished: utilities of pairs played
    earlier, as in `MatchResult`; later pairs are not affected. record: called with the number of a
    pair and its games. Ctrl-C also ends the match; before the first finished pair it is re-raised.
    Raises ValueError if `num_games` is odd or batch_size < 1, if there is no opening, if `aivat` is
    combined with `finished`, if neither agent exposes its policy (`Agent.policies`), and whatever
    the agents raise.
    """
    if num_games < 2 or num_games % 2:
        raise ValueError(f"num_games must be even and >= 2 to swap roles, got {num_games}.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be >= 1, got {batch_size}.")
    if not openings:
        raise ValueError("openings must not be empty.")
    if finished and aivat is not None:
        raise ValueError("aivat cannot be combined with finished pairs.")
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
            raise ValueError("aivat needs an agent that exposes its policy; neither does.")
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
