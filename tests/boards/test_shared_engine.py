"""An engine that several games share."""

import threading
from collections.abc import Sequence
from typing import Any

from sog.boards.engine_agent import Engine, EngineAgent, SharedEngine
from sog.games import make
from sog.players.engines.process import EngineError
from tests.waiting import PATIENCE

GAME = make("tic_tac_toe")


class SlowEngine(Engine):
    """Thinks until all are there, and is confused where another game speaks to it meanwhile."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.was_confused, self.num_closed = False, 0
        self.all_are_there = threading.Event()

    def _get_ready(self) -> None:
        """There is no process."""

    def text_of(self, state: Any, action: int) -> str:
        return str(action)

    def choose(self, game_id: int, start: Any, moves: Sequence[str], state: Any) -> int:
        self.asked.append(game_id)
        assert self.all_are_there.wait(PATIENCE)
        self.was_confused |= self.asked[-1] != game_id
        return game_id % 9

    def refuse(self, problem: str) -> EngineError:
        return EngineError(problem)

    def close(self) -> None:
        self.num_closed += 1


def test_games_of_several_threads_take_turns() -> None:
    engine = SlowEngine()
    shared = SharedEngine(lambda: engine)
    agents = [EngineAgent(GAME, shared, player=0) for _ in range(8)]
    chosen: dict[int, int] = {}
    here: list[int] = []

    def act(number: int) -> None:
        here.append(number)
        if len(here) == len(agents):
            engine.all_are_there.set()
        chosen[number] = agents[number].act(0)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not engine.was_confused
    assert chosen == {number: number for number in range(8)}  # each has what it asked for
    for agent in agents:
        assert engine.num_closed == 0
        agent.close()
    assert engine.num_closed == 1  # with the last of them
