"""A round robin: every agent plays a match against every other one; and who comes first."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sog.games.core import Game
from sog.play.arena import AgentFactory, MatchResult, play_match

Pairing = tuple[int, int]
"""The numbers of two agents, the lower one first."""
Results = Mapping[Pairing, MatchResult]
"""Of the agent with the lower number."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rank:
    """An agent's averages over the opponents that it met."""

    player: int
    win_rate: float
    mean: float


def ranking(results: Results, *, by_wins: bool = False) -> list[Rank]:
    """The best first, by mean utility or by wins; who has not played has no rank."""
    ranks = []
    for player in sorted({number for pairing in results for number in pairing}):
        met = [(pair[0] == player, result) for pair, result in results.items() if player in pair]
        rates = [r.win_rate if is_first else 1 - r.win_rate for is_first, r in met]
        means = [r.mean if is_first else -r.mean for is_first, r in met]
        rate, mean = (sum(values) / len(met) for values in (rates, means))
        ranks.append(Rank(player=player, win_rate=rate, mean=mean))
    return sorted(ranks, key=lambda rank: -(rank.win_rate if by_wins else rank.mean))


def is_whole(results: Results, num_agents: int) -> bool:
    """Whether every pairing was played to its end."""
    return set(results) == set(pairings(num_agents)) and not any(
        result.interrupted for result in results.values()
    )


def pairings(num_agents: int) -> list[Pairing]:
    """In the order in which they are played."""
    return list(itertools.combinations(range(num_agents), 2))


def play_tournament(
    game: Game[Any],
    agents: Sequence[AgentFactory],
    num_games: int,
    seed: int = 0,
    progress: Callable[[Pairing, MatchResult], None] | None = None,
    batch_size: int = 1,
) -> dict[Pairing, MatchResult]:
    """Plays `num_games` games per pairing, see `play_match`; results are of the lower number.

    All pairings have the same deals. progress: called after every pair of games. batch_size: as of
    `play_match`, searches of different games of a pairing at once. Ctrl-C ends the tournament with
    what there is; a pairing that was begun is marked as interrupted. Raises ValueError for less
    than two agents, and as `play_match`.
    """
    if len(agents) < 2:
        raise ValueError(f"agents must be two or more, got {len(agents)}.")
    results: dict[Pairing, MatchResult] = {}
    for first, second in pairings(len(agents)):

        def show(result: MatchResult, pairing: Pairing = (first, second)) -> None:
            if progress is not None:
                progress(pairing, result)

        try:
            result = play_match(
                game, agents[first], agents[second], num_games, seed, show, batch_size=batch_size
            )
        except KeyboardInterrupt:
            if not results:
                raise
            break
        results[first, second] = result
        if result.interrupted:
            break
    return results
