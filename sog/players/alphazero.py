"""Players with AlphaZero's search and a network trained by it."""

from typing import Any, Final

from gtcfr.evaluator import Evaluator
from selfplay.alphazero.search import check_game, search_bytes
from selfplay.settings import AlphaZeroSettings
from sog.games.core import Game
from sog.memory import check_memory
from sog.players.alphazero_agent import AlphaZeroAgent
from sog.players.player import Host, Player, SearchChanges

_SIMULATIONS: Final = "num_simulations"
_PER_UPDATE: Final = "simulations_per_update"


def alphazero_player(
    name: str,
    game: Game[Any],
    evaluator: Evaluator,
    settings: AlphaZeroSettings,
    num_simulations: int,
    changes: SearchChanges,
    host: Host,
) -> Player:
    """Makes a player; `changes` may only set the number of simulations.

    Raises ValueError for other changes, for a time limit, if mctx is not installed, and if memory
    does not suffice.
    """
    for setting, value in changes.items():
        if setting not in (_SIMULATIONS, _PER_UPDATE) or (setting == _PER_UPDATE and value != 1):
            raise ValueError(
                f"AlphaZero's search can change {_SIMULATIONS} only, not {setting} = {value}."
            )
    if host.seconds is not None:
        raise ValueError("AlphaZero's search is limited by simulations, not by seconds.")
    check_game(game)
    simulations = int(changes.get(_SIMULATIONS, num_simulations))
    needed = search_bytes(game, simulations)
    check_memory({f"AlphaZero's search of {_SIMULATIONS} = {simulations}": needed})

    def make(player: int, seed: int) -> AlphaZeroAgent:
        return AlphaZeroAgent(game, evaluator, settings, num_simulations=simulations, player=player)

    return Player(name=name, game=game, make=make, search_bytes=needed, network=evaluator)
