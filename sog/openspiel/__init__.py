"""Games of OpenSpiel as games of this project (extra `openspiel`); `game.py` loads them."""
