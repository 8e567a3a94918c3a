"""Plays several games at once, so that their agents search in batches.

Each game runs until an agent has to search. When enough games wait, those that wait for the same
kind of search get it in one call.
"""

from collections.abc import Generator, Hashable, Iterable, Iterator
from typing import Any

from sog.play.game_in_progress import PlayedGame
from sog.play.match import Agent

SteppedGame = Generator[Agent, None, PlayedGame]
"""Made by `sog.play.match.play_stepwise`."""
_Waiting = dict[Hashable, list[tuple[int, SteppedGame, Agent]]]
"""By kind of search, the games that wait for it, with their numbers."""


def play_batched(games: Iterable[SteppedGame], batch_size: int) -> Iterator[PlayedGame]:
    """Plays games to their ends and yields them in order.

    batch_size: searches at once. Twice as many games run, so that one of two kinds of search fills
    its batch. Agents with a time limit search alone.
    """
    waiting: _Waiting = {}
    played: dict[int, PlayedGame] = {}
    first = 0
    for number, game in enumerate(games):
        _advance(number, game, waiting, played)
        while sum(map(len, waiting.values())) >= 2 * batch_size:
            _search(batch_size, waiting, played)
        while first in played:
            yield played.pop(first)
            first += 1
    while waiting:
        _search(batch_size, waiting, played)
        while first in played:
            yield played.pop(first)
            first += 1


def _search(batch_size: int, waiting: _Waiting, played: dict[int, PlayedGame]) -> None:
    """Runs the kind of search that most games wait for, in order of waiting."""
    how = max(waiting, key=lambda how: len(waiting[how]))
    group = waiting.pop(how)
    if group[batch_size:]:
        waiting[how] = group[batch_size:]
    agents: list[Any] = [agent for _, _, agent in group[:batch_size]]
    agents[0].search_together(agents, batch_size)
    for number, game, _ in group[:batch_size]:
        _advance(number, game, waiting, played)


def _advance(
    number: int, game: SteppedGame, waiting: _Waiting, played: dict[int, PlayedGame]
) -> None:
    """Advances a game until it is over or has to wait."""
    while True:
        try:
            agent = next(game)
        except StopIteration as ended:
            played[number] = ended.value
            return
        how = agent.waits_for
        if how is not None:
            waiting.setdefault(how, []).append((number, game, agent))
            return
