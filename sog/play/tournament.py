"""A round robin: every agent plays a match against every other one."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from sog.games.core import Game
from sog.play.arena import AgentFactory, MatchResult, play_match

Pairing = tuple[int, int]
"""The numbers of two agents, the lower one first."""


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
