"""Games as public trees: the `Game` contract, one file per game, a registry by name.

Start with `core.py` (the contract and its glossary), then `cards/leduc.py` and `cards/poker.py` for
an example. `conformance.check_game` is the test for new games, also outside this project.
"""

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.games.registry import GAMES, game_class, make

__all__ = ["CHANCE", "GAMES", "PLAYER_0", "PLAYER_1", "TERMINAL", "Game", "game_class", "make"]
