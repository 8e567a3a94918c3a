"""A round-robin tournament and its ranking."""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from sog.games.core import TERMINAL, Game
from sog.play.arena import AgentFactory, MatchResult, play_match
from sog.play.elo import Ratings, fit_elo
from sog.play.game_in_progress import GameInProgress, PlayedGame
from sog.play.history import AT_THE_ROOT, Opening
from sog.play.rules import after, situation

Pairing = tuple[int, int]
"""The numbers of two agents, the lower one first."""
Results = Mapping[Pairing, MatchResult]
"""Results of the agent with the lower number."""
_MOST_TRIES: Final = 100
"""Attempts per random opening."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rank:
    """An agent's averages over its opponents."""

    player: int
    win_rate: float
    mean: float


def ranking(results: Results, *, by_wins: bool = False) -> list[Rank]:
    """Ranks the agents that played, by mean utility or by wins."""
    ranks = []
    for player in _who_played(results):
        met = [(pair[0] == player, result) for pair, result in results.items() if player in pair]
        rates = [r.win_rate if is_first else 1 - r.win_rate for is_first, r in met]
        means = [r.mean if is_first else -r.mean for is_first, r in met]
        rate, mean = (sum(values) / len(met) for values in (rates, means))
        ranks.append(Rank(player=player, win_rate=rate, mean=mean))
    return sorted(ranks, key=lambda rank: -(rank.win_rate if by_wins else rank.mean))


def rate(results: Results) -> tuple[list[int], Ratings]:
    """The numbers of the agents that played, and their Elo ratings by wins and draws."""
    players = _who_played(results)
    points = np.zeros((len(players), len(players)))
    for pairing, result in results.items():
        first, second = map(players.index, pairing)
        won = result.num_games * result.win_rate
        points[first, second], points[second, first] = won, result.num_games - won
    return players, fit_elo(points)


def is_whole(results: Results, num_agents: int) -> bool:
    """Whether every pairing is complete."""
    return set(results) == set(pairings(num_agents)) and not any(
        result.interrupted for result in results.values()
    )


def pairings(num_agents: int) -> list[Pairing]:
    """All pairings, in the order in which they are played."""
    return list(itertools.combinations(range(num_agents), 2))


def random_openings(
    game: Game[Any],
    count: int,
    plies: int,
    *,
    seed: int = 0,
    after_opening: Opening = AT_THE_ROOT,
) -> list[Opening]:
    """Openings with `plies` uniformly random moves after a given one, distinct if possible.

    For games in which actions are public events. Raises ValueError if no game lasts that long.
    """
    random = np.random.default_rng(seed)
    beginning, given = after_opening.beginning, after_opening.outcomes
    start = GameInProgress(game, after_opening).state
    openings: dict[tuple[int, ...], None] = {}
    for _ in range(_MOST_TRIES * count):
        opening = _random_moves(game, start, plies, random)
        if opening is not None:
            openings[*given, *opening] = None
        if len(openings) == count:
            break
    if not openings:
        raise ValueError(f"every game of {game} that was tried ended within {plies} random moves.")
    return [Opening(beginning=beginning, outcomes=outcomes) for outcomes in openings]


def _random_moves(
    game: Game[Any], state: Any, plies: int, random: np.random.Generator
) -> tuple[int, ...] | None:
    """None if they end the game."""
    moves: list[int] = []
    while (now := situation(game, state)).actor != TERMINAL:
        if len(moves) == plies:
            return tuple(moves)
        moves.append(int(random.choice(np.flatnonzero(now.legal_outcomes))))
        state = after(game, state, moves[-1])
    return None


def play_tournament(
    game: Game[Any],
    agents: Sequence[AgentFactory],
    num_games: int,
    seed: int = 0,
    progress: Callable[[Pairing, MatchResult], None] | None = None,
    batch_size: int = 1,
    openings: Sequence[Opening] = (AT_THE_ROOT,),
    finished: Mapping[Pairing, Sequence[tuple[float, float]]] | None = None,
    record: Callable[[Pairing, int, PlayedGame, PlayedGame], None] | None = None,
) -> dict[Pairing, MatchResult]:
    """Plays `num_games` games per pairing, see `play_match`; results are of the lower number.

    All pairings have the same deals and openings. progress: called after every pair of games.
    batch_size, openings, and by pairing finished and record: see `play_match`. Ctrl-C ends the
    tournament with the results so far; an unfinished pairing is marked as interrupted. Raises
    ValueError for fewer than two agents, and as `play_match`.
    """
    if len(agents) < 2:
        raise ValueError(f"agents must be two or more, got {len(agents)}.")
    results: dict[Pairing, MatchResult] = {}
    for pairing in pairings(len(agents)):
        try:
            result = play_match(
                game,
                agents[pairing[0]],
                agents[pairing[1]],
                num_games,
                seed,
                progress and functools.partial(progress, pairing),
                batch_size=batch_size,
                openings=openings,
                finished=(finished or {}).get(pairing, ()),
                record=record and functools.partial(record, pairing),
            )
        except KeyboardInterrupt:
            if not results:
                raise
            break
        results[pairing] = result
        if result.interrupted:
            break
    return results


def _who_played(results: Results) -> list[int]:
    return sorted({number for pairing in results for number in pairing})
